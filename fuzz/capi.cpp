// SPDX-License-Identifier: BSD-3-Clause
// The C interface. The input is a list of choices: an array of the caller, whose shape and strides stay within the memory that is
// there (as the interface asks for) while values, column numbers, row starts, labels, weights, names and options are whatever
// the bytes say; then a function. It answers or refuses with words, and what it hands out can be used and given back.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "halfspace/c.h"
#include "oracle.hpp"

namespace {

class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto out = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return out;
  }
  std::uint64_t below(std::uint64_t limit) { return byte() % limit; }
  double number() {
    constexpr std::array<double, 12> odd = {0,      -0.0,   1,   -1,       0.5,       1e308,
                                            -1e308, 1e-320, NAN, INFINITY, -INFINITY, 3};
    const std::uint8_t kind = byte();
    return kind < odd.size() ? odd[kind] : (static_cast<double>(kind) - 128) / 8;
  }
  std::string text() {
    const std::size_t size = std::min<std::size_t>(below(24), bytes_.size());
    std::string out(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    std::replace(out.begin(), out.end(), '\0', ' ');
    return out;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

void check(std::int32_t code, const halfspace_error& error) {
  fuzz::require(code == error.code, "the code is not that of the error");
  fuzz::require(code != HALFSPACE_MISTAKE, "a mistake of the library: " + std::string(error.message));
  fuzz::require((code == HALFSPACE_OK) == (error.message[0] == '\0'), "an error without words");
  fuzz::require(std::memchr(error.message, 0, sizeof error.message) != nullptr, "words without an end");
}

struct Rows {
  std::vector<double> values, weights;
  std::vector<float> floats;
  std::vector<std::int32_t> columns, starts;
  std::vector<std::uint32_t> labels;
  std::vector<std::string> words;
  std::vector<const char*> classes, names;
  halfspace_rows about{};
};

void describe_rows(Choices& choices, Rows& rows, std::uint64_t count, std::uint64_t cols) {
  const std::uint64_t classes = choices.below(4);
  rows.words.reserve(classes + cols);
  for (std::uint64_t k = 0; k < classes; ++k) {
    rows.words.push_back(choices.below(3) == 0 ? choices.text() : std::string(1, static_cast<char>('a' + k)));
    rows.classes.push_back(rows.words.back().c_str());
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.labels.push_back(
        classes == 0 ? choices.byte()
                     : static_cast<std::uint32_t>(choices.below(classes + (choices.byte() == 9 ? 1 : 0))));
    rows.weights.push_back(choices.byte() == 9 ? choices.number() : static_cast<double>(choices.below(3)));
  }
  if (classes > 0) {
    rows.about.labels = rows.labels.data();
    rows.about.classes = rows.classes.data();
    rows.about.class_count = rows.classes.size();
  }
  if (choices.below(2) == 0) rows.about.weights = rows.weights.data();
  if (choices.below(3) == 0) {
    for (std::uint64_t j = 0; j < cols; ++j) {
      rows.words.push_back(choices.below(3) == 0 ? choices.text()
                                                 : std::string(1, static_cast<char>('p' + j)));
      rows.names.push_back(rows.words.back().c_str());
    }
    rows.about.names = rows.names.data();
    rows.about.name_count = rows.names.size();
  }
  rows.about.hold = static_cast<std::int32_t>(choices.below(2));
  rows.about.decimals = static_cast<std::int32_t>(choices.below(2));
  rows.about.threads = 1;
}

halfspace_dataset* dense(Choices& choices, Rows& rows, halfspace_error& error) {
  const std::uint64_t count = choices.below(13), cols = choices.below(5);
  const bool by_columns = choices.below(2) == 1, wide = choices.below(2) == 0;
  const std::uint64_t gap = choices.below(2), line = (by_columns ? count : cols) + gap;
  const std::uint64_t size = std::max<std::uint64_t>(1, line * (by_columns ? cols : count));
  for (std::uint64_t k = 0; k < size; ++k) rows.values.push_back(choices.number());
  rows.floats.assign(rows.values.begin(), rows.values.end());
  const std::int64_t item = wide ? 8 : 4, far = item * static_cast<std::int64_t>(line);
  describe_rows(choices, rows, count, cols);
  const void* at = wide ? static_cast<const void*>(rows.values.data()) : rows.floats.data();
  halfspace_array array{at,
                        wide ? HALFSPACE_FLOAT64 : HALFSPACE_FLOAT32,
                        count,
                        cols,
                        by_columns ? item : far,
                        by_columns ? far : item};
  halfspace_dataset* out = nullptr;
  check(halfspace_dataset_dense(&array, &rows.about, &out, &error), error);
  return out;
}

halfspace_dataset* sparse(Choices& choices, Rows& rows, halfspace_error& error) {
  const std::uint64_t count = choices.below(9), cols = choices.below(6), entries = choices.below(20);
  for (std::uint64_t k = 0; k < entries; ++k) {
    rows.values.push_back(choices.number());
    rows.columns.push_back(static_cast<std::int32_t>(choices.below(7)) - (choices.byte() == 9 ? 1 : 0));
  }
  for (std::uint64_t i = 0; i <= count; ++i)
    rows.starts.push_back(choices.below(3) == 0
                              ? static_cast<std::int32_t>(choices.byte()) - 2
                              : static_cast<std::int32_t>(count == 0 ? 0 : entries * i / count));
  describe_rows(choices, rows, count, cols);
  const halfspace_array values{rows.values.data(), HALFSPACE_FLOAT64, entries, 1, 8, 8};
  const halfspace_array columns{rows.columns.data(), HALFSPACE_INT32, entries, 1, 4, 4};
  const halfspace_array starts{rows.starts.data(), HALFSPACE_INT32, count + 1, 1, 4, 4};
  halfspace_dataset* out = nullptr;
  check(halfspace_dataset_csr(&values, &columns, &starts, cols, &rows.about, &out, &error), error);
  return out;
}

// Every answer about the model; scores of its own features are finite.
void use(const halfspace_model* model, const halfspace_dataset* data, halfspace_error& error) {
  char *text = nullptr, *bytes = nullptr;
  std::uint64_t size = 0;
  check(halfspace_model_describe(model, &text, &error), error);
  halfspace_text_free(text);
  check(halfspace_model_bytes(model, &bytes, &size, &error), error);
  halfspace_model* again = nullptr;
  check(halfspace_model_from_bytes(bytes, size, &again, &error), error);
  fuzz::require(again != nullptr, "the model's own bytes were refused");
  halfspace_model_free(again);
  halfspace_text_free(bytes);
  std::vector<double> scores(16 * 8);
  check(halfspace_scores(model, data, 1, scores.data(), &error), error);
  check(halfspace_verify(model, data, 1, &text, &error), error);
  if (error.code == HALFSPACE_OK) halfspace_text_free(text);
  check(halfspace_model_certificate(model, &text, &error), error);
  halfspace_text_free(text);
  const bool scored = halfspace_scores(model, data, 1, scores.data(), &error) == HALFSPACE_OK;
  std::vector<double> shares(16 * 8);
  if (scored) check(halfspace_probabilities_of(model, scores.data(), 1, shares.data(), &error), error);
}

// What the model was made of lies in it: every number can be read; and its other forms.
void take_apart(Choices& choices, const halfspace_model* model, const halfspace_dataset* data,
                halfspace_error& error) {
  halfspace_array values{}, columns{}, starts{}, numbers{}, factors{};
  check(halfspace_model_vectors(model, &values, &columns, &starts, &error), error);
  double sum = 0, offset = 0;
  const auto add_up = [&sum](const halfspace_array& list) {
    for (std::uint64_t i = 0; list.type == HALFSPACE_FLOAT64 && i < list.rows; ++i)
      sum += static_cast<const double*>(list.data)[i];
  };
  add_up(values);
  for (std::uint64_t k = 0; k < 4; ++k) {
    check(halfspace_model_function(model, k, &numbers, &factors, &offset, &error), error);
    if (error.code == HALFSPACE_OK) add_up(factors);
    check(halfspace_model_dual(model, k, &numbers, &factors, &error), error);
    if (error.code == HALFSPACE_OK) add_up(factors);
  }
  constexpr std::array<const char*, 8> forms = {"onnx", "c",         "javascript", "sql",
                                                "json", "liblinear", "libsvm",     "nothing"};
  char *bytes = nullptr, *text = nullptr;
  std::uint64_t size = 0;
  check(halfspace_model_export(model, forms[choices.below(forms.size())], nullptr,
                               choices.below(2) == 0 ? data : nullptr, 1, &bytes, &size, &text, &error),
        error);
  if (error.code != HALFSPACE_OK) return;
  fuzz::require(bytes[size] == 0, "an export without an end");
  halfspace_text_free(bytes);
  halfspace_text_free(text);
}

void train(Choices& choices, const halfspace_dataset* data, halfspace_error& error) {
  constexpr std::array<const char*, 14> names = {"perceptron",
                                                 "averaged-perceptron",
                                                 "voted-perceptron",
                                                 "passive-aggressive",
                                                 "pegasos",
                                                 "sgd",
                                                 "svm",
                                                 "nu-svm",
                                                 "hard-margin",
                                                 "fewest-errors",
                                                 "logistic",
                                                 "majority",
                                                 "stump",
                                                 "lookup"};
  constexpr std::array<const char*, 8> scales = {nullptr, "none",  "standard", "minmax",
                                                 "unit",  nullptr, "odd",      nullptr};
  std::vector<std::string> words;
  for (std::uint64_t k = choices.below(3); k > 0; --k) {
    words.push_back(choices.below(4) == 0
                        ? choices.text()
                        : std::array{"passes", "C", "gap", "offset", "kernel", "order"}[choices.below(6)]);
    words.push_back(choices.text());
  }
  std::vector<const char*> options;
  for (const std::string& word : words) options.push_back(word.c_str());
  halfspace_training how{};
  how.algorithm = names[choices.below(names.size())];
  how.options = options.data();
  how.option_count = options.size() / 2;
  how.scale = scales[choices.below(scales.size())];
  how.threads = 1;
  how.seconds = 0.05;
  how.calibrate = std::array{"none", "platt", "isotonic", "odd"}[choices.below(8) % 4];
  if (choices.below(2) == 0) how.calibrate = nullptr;
  halfspace_model* model = nullptr;
  char* report = nullptr;
  const std::uint64_t what = choices.below(4);
  if (what == 0) {
    std::vector<double> walk;
    for (std::uint64_t k = choices.below(24); k > 0; --k) walk.push_back(choices.number());
    double* after = nullptr;
    std::uint64_t size = 0;
    check(halfspace_learn(data, &how, walk.data(), walk.size(), &model, &after, &size, &report, &error),
          error);
    halfspace_numbers_free(after);
  } else if (what == 1) {
    const auto see = [](void* context, const halfspace_update* update) {
      *static_cast<double*>(context) += update->theta0;
    };
    double sum = 0;
    check(halfspace_trace(data, &how, choices.below(3), 50, see, &sum, &model, &report, &error), error);
  } else if (what == 2 && choices.below(4) == 0) {
    halfspace_search search{};
    search.folds = static_cast<std::int32_t>(choices.below(4));
    check(halfspace_tune(data, &how, &search, &model, &report, &error), error);
  } else {
    check(halfspace_train(data, &how, &model, &report, &error), error);
  }
  halfspace_text_free(report);
  if (model != nullptr) use(model, data, error);
  if (model != nullptr) take_apart(choices, model, data, error);
  halfspace_model_free(model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Choices choices(fuzz::text(bytes, size));
  halfspace_error error{};
  if (choices.below(16) == 15) {
    halfspace_model* model = nullptr;
    const std::string_view rest = choices.rest();
    check(halfspace_model_from_bytes(rest.data() == nullptr ? "" : rest.data(), rest.size(), &model, &error),
          error);
    halfspace_model_free(model);
    return 0;
  }
  Rows rows;
  halfspace_dataset* data =
      choices.below(2) == 0 ? dense(choices, rows, error) : sparse(choices, rows, error);
  if (data == nullptr) return 0;
  char* text = nullptr;
  check(halfspace_dataset_describe(data, &text, &error), error);
  halfspace_text_free(text);
  halfspace_array values{}, columns{}, starts{};
  check(halfspace_dataset_view(data, &values, &columns, &starts, &error), error);
  if (choices.below(4) == 0) {
    check(halfspace_separable(data, choices.below(2) == 0 ? "none" : "auto", 1, nullptr, &text, &error),
          error);
    if (error.code == HALFSPACE_OK) halfspace_text_free(text);
  } else {
    train(choices, data, error);
  }
  halfspace_dataset_free(data);
  return 0;
}
