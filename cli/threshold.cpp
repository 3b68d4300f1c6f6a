// SPDX-License-Identifier: BSD-3-Clause
#include "threshold.hpp"

#include <fmt/format.h>

#include <string>

#include "halfspace/core/error.hpp"

namespace halfspace::cli {

void Threshold::add_option(OptionList& options) {
  OptionSpec spec{
      "--threshold", "T",
      "two classes: a score above T means the last class; 70% is the score whose probability of it is 0.7",
      "0"};
  spec.set = [this](const std::string& text) {
    if (!text.ends_with('%')) {
      if (text.find_first_of("0123456789") == std::string::npos)
        throw UsageError(fmt::format("--threshold: '{}' is no score", printable(text)),
                         "--threshold 0.5 for a score, --threshold 70% for a probability");
      score = OptionType<double>::parse("threshold", text, {-1e300, 1e300});
      probability.reset();
      return;
    }
    const double percent = OptionType<double>::parse("threshold", text.substr(0, text.size() - 1), {0, 100});
    if (!(percent > 0 && percent < 100))
      throw UsageError("--threshold: a share between 0% and 100%", "--threshold 70%");
    probability = percent / 100;
  };
  options.add(std::move(spec));
}

void Threshold::settle(const Model& model) {
  if ((score != 0 || probability) && model.planes() != 1)
    throw UsageError("--threshold is for models of two classes", "train with --positive LABEL");
  if (!probability) return;
  const std::optional<double> found = score_of_probability(model, *probability);
  if (!found)
    throw UsageError("--threshold: this model has no probabilities that grow with its score",
                     "train with --calibrate platt, or a score without %");
  score = *found;
}

}  // namespace halfspace::cli
