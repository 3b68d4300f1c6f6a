// SPDX-License-Identifier: BSD-3-Clause
// Are probabilities what they say? Scores that a right probability makes smallest, and bins that show where it is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halfspace/evaluate/interval.hpp"

namespace halfspace {

// Probabilities of all classes, row after row, and the class of every row; rows whose class is none of them and rows of
// weight 0 do not count. No weights: all 1. Nothing when no row is left.
struct JudgedProbabilities {
  std::span<const double> probabilities;
  std::span<const std::uint32_t> truth;
  std::span<const double> weights;
  std::size_t classes = 2;
};
// Mean of -log of the probability of the true class. One that underflows to 0 counts as the smallest double.
[[nodiscard]] std::optional<double> log_loss(const JudgedProbabilities& judged);
// Two classes: mean of (p - y)^2 for the last class; more: of the sum of (p_k - y_k)^2 over the classes (Brier:
// "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78, 1950).
[[nodiscard]] std::optional<double> brier_score(const JudgedProbabilities& judged);

struct CalibrationBin {
  double low = 0, high = 0;  // the smallest and the largest probability in it
  double weight = 0;
  double predicted = 0;              // mean probability
  double observed = 0;               // share for which it came true
  std::optional<Interval> interval;  // of that share; whole weights only
};
struct Calibration {
  std::vector<CalibrationBin> bins;
  // Mean of |predicted - observed| over the rows: expected calibration error (Naeini, Cooper, Hauskrecht, AAAI 2015).
  double error = 0;
};
// `bins` of as equal weight as possible, probabilities ascending; rows of one probability stay together. `came_true`: what
// the probability was given to is what happened.
[[nodiscard]] Calibration calibration(std::span<const double> probability,
                                      std::span<const std::uint8_t> came_true,
                                      std::span<const double> weights, std::size_t bins = 10);
// Two classes: of the last class. More: of the most probable class of every row.
[[nodiscard]] Calibration calibration(const JudgedProbabilities& judged, std::size_t bins = 10);

}  // namespace halfspace
