// SPDX-License-Identifier: BSD-3-Clause
// How well the scores of two classes are in order, for all thresholds at once. Everything is by weight, and rows of equal
// score stand together: no order among them is made up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halfspace/evaluate/interval.hpp"

namespace halfspace {

// All rows of one score.
struct ScoreStep {
  double score = 0;
  double positive = 0, negative = 0;  // sums of weights
};
struct Ranking {
  std::vector<ScoreStep> steps;  // scores ascending
  double positive = 0, negative = 0;
  bool whole_weights = true;  // a weight is a number of copies: what intervals need

  [[nodiscard]] bool both_classes() const { return positive > 0 && negative > 0; }
};
// Rows of weight 0 are absent; no weights: all 1. What is not a number ranks below everything.
[[nodiscard]] Ranking rank_scores(std::span<const double> scores, std::span<const std::uint8_t> positive,
                                  std::span<const double> weights);

// Area under the ROC curve: the probability that a positive row scores above a negative one, ties count half.
// Nothing when one side is empty.
[[nodiscard]] std::optional<double> area_under_curve(const Ranking& ranking);
[[nodiscard]] std::optional<double> area_under_curve(std::span<const double> scores,
                                                     std::span<const std::uint8_t> positive,
                                                     std::span<const double> weights);
// Its interval, for whole weights: DeLong's variance (DeLong, DeLong, Clarke-Pearson, Biometrics 44, 1988) on the scale of
// the logit. That is too narrow for few rows and areas near 1, and nothing at 1 itself. With fewer than 200 rows of a class
// each end is therefore the farther one of that and of Newcombe's fifth method (Statistics in Medicine 25, 2006).
[[nodiscard]] std::optional<Interval> area_interval(const Ranking& ranking, double confidence = 0.95);

// Average precision: the mean, over the positive rows, of the precision at the threshold that just takes them in.
[[nodiscard]] std::optional<double> average_precision(const Ranking& ranking);

// The rows with a score of `threshold` or more called positive. The first point calls none so: its threshold lies above all
// scores, and its precision is 1 by convention.
struct CurvePoint {
  double threshold = 0;
  double false_positive_rate = 0, true_positive_rate = 0;  // the latter is the recall
  double precision = 1;
  bool hull =
      false;  // a corner of the upper convex hull of the ROC curve: best for some costs and shares of the classes
};
// From high thresholds to low ones; empty when a side is empty.
[[nodiscard]] std::vector<CurvePoint> curve_points(const Ranking& ranking);
// At most `most` points, the first, the last and those of the hull among them as far as there is room.
[[nodiscard]] std::vector<CurvePoint> thinned(std::span<const CurvePoint> points, std::size_t most);

// What a negative row called positive costs, and a positive one called negative; a score on the threshold itself says
// neither and is wrong for both.
struct Costs {
  double false_positive = 1, false_negative = 1;
};
[[nodiscard]] double cost_at(const Ranking& ranking, const Costs& costs, double threshold);
// The threshold of least cost: halfway between two scores, or just beyond the last one; of equally cheap ones the nearest
// to 0. It was chosen on these rows, so its cost on others is likely higher.
struct CheapestThreshold {
  double threshold = 0;
  double cost = 0;  // the sum over all rows
};
[[nodiscard]] CheapestThreshold cheapest_threshold(const Ranking& ranking, const Costs& costs);

}  // namespace halfspace
