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
#include "halfspace/evaluate/calibration.hpp"
#include "halfspace/evaluate/interval.hpp"
#include "halfspace/evaluate/ranking.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct ClassFigures {
  std::string label;
  double rows = 0;  // sum of their weights
  double precision = 0, recall = 0,
         f1 = 0;  // 0 where the denominator is 0; rows of unknown label do not count
  // Exact ones, where all weights are whole and the denominator is not 0.
  std::optional<Interval> precision_interval, recall_interval;
};

// Between two classes: rows with a score above the threshold are called positive, and what mistakes cost.
struct Judging {
  double threshold = 0;
  std::optional<Costs> costs;
};

struct Evaluation {
  ErrorCount count;  // by the rule of gets_right(); a row whose label the model never saw is an error
  double error = 0;  // share of the weight
  // Where all weights are whole (so many copies of a row); there is none for others.
  std::optional<Interval> interval;
  std::vector<std::vector<double>>
      confusion;  // [true class][given class]: sums of weights; last column: zero score
  std::vector<ClassFigures> classes;
  std::uint64_t unknown_labels = 0;      // rows whose label is none of the model's
  std::vector<std::uint32_t> zero_rows;  // two classes: the rows with a score exactly on the threshold
  double balanced_error = 0;  // mean over the classes that have rows of the share of them that is wrong
  // Two classes with scores.
  std::optional<double> auc;
  std::optional<Interval> auc_interval;
  std::optional<double> average_precision;
  std::vector<CurvePoint> curve;  // at most curve_points_kept points of both curves
  // With costs: mean over the weight at the threshold, and the threshold that is cheapest on these rows with its mean.
  std::optional<double> cost;
  std::optional<CheapestThreshold> cheapest;
  // Mean of max(0, 1 - margin) over the rows of known label, never below their share of errors. The margin is the score
  // signed by the class; for more classes how far the score of the right class lies above the best other. None for votes.
  std::optional<double> hinge_loss;
  std::optional<double>
      zero_one_loss;  // of the same rows, at threshold 0: the share whose margin is not above 0
  // Models with probabilities.
  std::optional<double> log_loss, brier, calibration_error;
  std::vector<CalibrationBin> calibration;
};
inline constexpr std::size_t curve_points_kept = 200;
// Throws InputError when the rows have no labels, no label is one of the model's, or a score is no finite number; UsageError
// for a threshold or costs with more than two classes.
[[nodiscard]] Evaluation evaluate(const Model& model, const Dataset& data, const Threads& threads,
                                  const Judging& judging = {});
// The same from scores() of these rows, for callers who have them.
[[nodiscard]] Evaluation evaluate(const Model& model, const Dataset& data, std::span<const double> scores,
                                  const Threads& threads, const Judging& judging = {});

// The fingerprint that the model keeps is that of these rows.
[[nodiscard]] bool trained_on(const Model& model, const Dataset& data);

}  // namespace halfspace
