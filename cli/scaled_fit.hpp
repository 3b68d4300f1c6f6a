// SPDX-License-Identifier: BSD-3-Clause
// Training on scaled rows, with the scaling folded into the model so that it works on rows as they are.
#pragma once

#include <optional>

#include "halfspace/data/feature_map.hpp"
#include "halfspace/data/scaling.hpp"
#include "halfspace/solve/algorithm.hpp"

namespace halfspace::cli {

// What becomes of the rows before the algorithm sees them: scaling first, then features.
struct Preparation {
  ScaleKind scale = ScaleKind::None;
  std::optional<MapChoice> map;
  KernelFunction kernel;  // of the map
};

struct TrainingError {
  std::uint64_t rows = 0;  // rows that are wrong
  double share = 0;        // their share of the weight
};

struct PreparedFit {
  Fit fit;
  // Of models whose features were made: counted while the features were there.
  std::optional<TrainingError> error;
};
[[nodiscard]] PreparedFit train_prepared(const Algorithm& algorithm, const Dataset& data, const Preparation& how,
                                         const Run& run);

// The way back: the model for the scaled rows, and those rows. What was learned from the training rows is learned again.
[[nodiscard]] Dataset unfold(Model& model, const Dataset& data, ScaleKind kind, const Threads& threads);

// Between two classes a score of zero is wrong for both.
// Nothing when the votes of all rows would take far longer than the training.
[[nodiscard]] std::optional<TrainingError> training_error(const Fit& fit, const Dataset& data,
                                                          const Threads& threads);

}  // namespace halfspace::cli
