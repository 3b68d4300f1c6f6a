// SPDX-License-Identifier: BSD-3-Clause
// Probabilities for a classifier that has scores only: it is trained once more without each part of the rows, and what the
// scores of the rows held out were worth is learned from them. Learned on the training rows themselves, scores of a margin
// classifier would look far surer than they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/evaluate/folds.hpp"
#include "halfspace/model/calibrator.hpp"
#include "halfspace/train/train.hpp"

namespace halfspace {

// Scores of rows that had no part in the plane that gave them. Two classes: one score a row, class 1 is the positive one.
struct ScoredRows {
  std::vector<double> scores;         // `planes` of every row
  std::vector<std::uint32_t> labels;  // classes
  std::vector<double> weights;        // above 0
  std::size_t planes = 1;
};

// Two classes: slope and shift of largest likelihood, with the targets (n+ + 1) / (n+ + 2) and 1 / (n- + 2) in place of 1 and
// 0 (Platt, "Probabilistic outputs for support vector machines", 1999; Lin, Lin, Weng, Machine Learning 68, 2007). More: the
// slope alone. A slope that would fall is 0.
[[nodiscard]] Calibrator fit_platt(const ScoredRows& rows);
// The best map that does not fall, by pools of adjacent violators (Ayer et al., Annals of Mathematical Statistics 26, 1955);
// its ends stay 1 / (n + 2) away from 0 and 1, since n rows cannot make sure. More than two classes: one map for the scores
// of all classes.
[[nodiscard]] Calibrator fit_isotonic(const ScoredRows& rows);

struct CalibrationFit {
  Calibrator calibrator;
  ScoredRows rows;  // what it was learned from
  // Share of the weight of these rows whose probability would have contradicted their label, and is held at 1/2.
  double held = 0;
};
// One fold after the other or side by side, as run.threads has threads; the result does not depend on how many. Weights of
// classes count as they did in the training. Throws UsageError where the rows do not allow it, Stopped when there is no time.
[[nodiscard]] CalibrationFit calibrate(const Dataset& data, const Preparation& how,
                                       const Algorithm& algorithm, CalibrationKind kind,
                                       const FoldOptions& folds, const Run& run);
// The same, into a fit that has a model; its facts say how it was calibrated.
void calibrate_fit(Fit& fit, const Dataset& data, const Preparation& how, const Algorithm& algorithm,
                   CalibrationKind kind, const FoldOptions& folds, const Run& run);

}  // namespace halfspace
