// SPDX-License-Identifier: BSD-3-Clause
// Training on rows that are prepared first (columns or rows scaled, features made), into a model that takes rows
// as they are and a certificate about what is written.
#pragma once

#include <optional>
#include <string>

#include "halfspace/data/feature_map.hpp"
#include "halfspace/data/scaling.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/train/training_error.hpp"

namespace halfspace {

// What becomes of the rows before the algorithm sees them: scaling first, then features.
struct Preparation {
  ScaleKind scale = ScaleKind::None;
  std::optional<MapChoice> map;
  KernelFunction kernel;  // of the map
  // How the rows came to be, for the record; both were done when they were read.
  std::string positive;     // the class that stands against the rest; empty: all classes as they are
  bool zero_based = false;  // indices counted from 0
};

struct PreparedFit {
  Fit fit;
  // Of models whose features were made: counted while the features were there.
  std::optional<ErrorCount> error;
};

// A scaling goes into the weights of planes where they are the same to ten digits and keep what their certificate
// says; elsewhere it stands beside them, and rows are scaled before they meet the planes.
[[nodiscard]] PreparedFit train_prepared(const Algorithm& algorithm, const Dataset& data, const Preparation& how,
                                         const Run& run);

}  // namespace halfspace
