// SPDX-License-Identifier: BSD-3-Clause
// How many of the rows that a model was trained on it gets wrong.
#pragma once

#include <cstdint>
#include <optional>

#include "halfspace/solve/fit.hpp"

namespace halfspace {

struct TrainingError {
  std::uint64_t rows = 0;  // rows that are wrong
  double share = 0;        // their share of the weight
};

// Between two classes a score of zero is wrong for both.
// Nothing when the votes of all rows would take far longer than the training, or the threads were stopped.
[[nodiscard]] std::optional<TrainingError> training_error(const Fit& fit, const Dataset& data, const Threads& threads);

}  // namespace halfspace
