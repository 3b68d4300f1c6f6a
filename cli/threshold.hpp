// SPDX-License-Identifier: BSD-3-Clause
// --threshold of predict and evaluate: a score, or a probability as 70%.
#pragma once

#include <optional>

#include "halfspace/model/model.hpp"
#include "options.hpp"

namespace halfspace::cli {

struct Threshold {
  double score = 0;                   // above it: the last class
  std::optional<double> probability;  // asked for instead; score follows from it and the model

  void add_option(OptionList& options);
  // Finds the score. Throws UsageError for models that have no one score, or no probabilities.
  void settle(const Model& model);
  [[nodiscard]] bool set() const { return score != 0; }
};

}  // namespace halfspace::cli
