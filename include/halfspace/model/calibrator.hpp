// SPDX-License-Identifier: BSD-3-Clause
// From scores to probabilities, learned from rows that were held out. The map only grows with the score, and a score of 0
// has the probability 1/2, so that the label a score gives is always a most probable one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "halfspace/core/options.hpp"

namespace halfspace {

enum class CalibrationKind { None, Platt, Isotonic };
namespace detail {
inline constexpr std::string_view calibration_words[] = {"none", "platt", "isotonic"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<CalibrationKind> = detail::calibration_words;

struct Calibrator {
  CalibrationKind kind = CalibrationKind::None;
  // Platt. Two classes: 1 / (1 + exp(-(slope f + shift))) is the probability of the last; more: exp(slope f) of every class
  // divided by their sum. The slope is never negative.
  double slope = 0, shift = 0;
  // Isotonic: a line through these points, level beyond the first and the last. Scores ascend, probabilities do not fall.
  std::vector<double> scores, probabilities;

  [[nodiscard]] bool on() const { return kind != CalibrationKind::None; }
  // Before it is held on the side of the label.
  [[nodiscard]] double free_probability(double score) const;
  // Two classes: the score above which the last class has more than probability p; beyond all scores where none has.
  [[nodiscard]] double score_of(double p) const;
  // Probabilities of the classes of one row: one score for two classes (into p[0] and p[1]), else one for every class.
  void probabilities_of(std::span<const double> scores_of_row, double* p) const;
};

}  // namespace halfspace
