// SPDX-License-Identifier: BSD-3-Clause
// How good a model is on labelled rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct Interval {
  double low = 0, high = 1;
};
// Exact (Clopper-Pearson) interval for a share of `errors` in `rows`.
[[nodiscard]] Interval error_interval(std::uint64_t errors, std::uint64_t rows, double confidence = 0.95);

struct ClassFigures {
  std::string label;
  std::uint64_t rows = 0;
  double precision = 0, recall = 0, f1 = 0;  // 0 where the denominator is 0
};

struct Evaluation {
  std::uint64_t rows = 0;
  std::uint64_t errors =
      0;  // a zero score counts as an error for both classes; so does a label the model never saw
  double error = 0;
  Interval interval;
  std::vector<std::vector<std::uint64_t>> confusion;  // [true class][given class]; last column: abstained
  std::vector<ClassFigures> classes;
  std::uint64_t unknown_labels = 0;  // rows whose label is none of the model's
  std::optional<double> auc;         // two classes with scores
  std::optional<double> log_loss;    // models with probabilities
};
[[nodiscard]] Evaluation evaluate(const Model& model, const Dataset& data, const Threads& threads);

}  // namespace halfspace
