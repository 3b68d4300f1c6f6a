// SPDX-License-Identifier: BSD-3-Clause
// How good a model is on labelled rows. A row of weight k counts as k rows: every figure is by weight, and how many rows
// stand behind it is told beside.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct Interval {
  double low = 0, high = 1;
};
// Exact (Clopper-Pearson) interval for a share of `errors` in `rows`: covers the true share with at least the
// given probability. More than 2^40 rows count as 2^40 of the same share, which makes the interval wider.
[[nodiscard]] Interval error_interval(std::uint64_t errors, std::uint64_t rows, double confidence = 0.95);

// Area under the ROC curve: the probability that a positive row scores above a negative one, ties count half.
// Rows of weight 0 are absent; nothing when one side is empty.
[[nodiscard]] std::optional<double> area_under_curve(std::span<const double> scores,
                                                     std::span<const std::uint8_t> positive,
                                                     std::span<const double> weights);

struct ClassFigures {
  std::string label;
  double rows = 0;  // sum of their weights
  double precision = 0, recall = 0,
         f1 = 0;  // 0 where the denominator is 0; rows of unknown label do not count
};

struct Evaluation {
  ErrorCount count;  // by the rule of gets_right(); a row whose label the model never saw is an error
  double error = 0;  // share of the weight
  // Where all weights are whole (so many copies of a row); there is none for others.
  std::optional<Interval> interval;
  std::vector<std::vector<double>> confusion;  // [true class][given class]: sums of weights; last column: zero score
  std::vector<ClassFigures> classes;
  std::uint64_t unknown_labels = 0;       // rows whose label is none of the model's
  std::vector<std::uint32_t> zero_rows;   // two classes: the rows with a score of exactly zero
  std::optional<double> auc;         // two classes with scores
  std::optional<double> log_loss;    // models with probabilities
};
// Throws InputError when the rows have no labels, or a score is no finite number.
[[nodiscard]] Evaluation evaluate(const Model& model, const Dataset& data, const Threads& threads);

}  // namespace halfspace
