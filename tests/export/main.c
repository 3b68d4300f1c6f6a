/* Reads rows of doubles, writes label (as a double), scores and probabilities of each. HEADER is what was exported. */
#include <stdio.h>
#include HEADER

int main(void) {
  double x[MODEL_FEATURES], out[1 + MODEL_SCORES + MODEL_CLASSES];
  unsigned k;
  for (k = 0; k < MODEL_CLASSES; ++k) fprintf(stderr, "%s%c", model_class[k], 0);
#ifdef NAMED
  for (k = 0; k < MODEL_FEATURES; ++k) fprintf(stderr, "%s%c", model_feature[k], 0);
#endif
  while (fread(x, sizeof(double), MODEL_FEATURES, stdin) == MODEL_FEATURES) {
    size_t size = 1 + MODEL_SCORES;
    out[0] = model_label(x);
    model_scores(x, out + 1);
#ifdef PROBABILITIES
    model_probabilities(x, out + 1 + MODEL_SCORES);
    size += MODEL_CLASSES;
#endif
    fwrite(out, sizeof(double), size, stdout);
  }
  return 0;
}
