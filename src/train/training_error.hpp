// SPDX-License-Identifier: BSD-3-Clause
// How many of the rows that a model was trained on it gets wrong.
#pragma once

#include <optional>

#include "halfspace/model/errors.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace::detail {

// By the rule of gets_right(). Nothing when the votes of all rows would take far longer than the training, or the threads were
// stopped. Throws InputError for rows whose score is no finite number.
[[nodiscard]] std::optional<ErrorCount> training_error(const Fit& fit, const Dataset& data, const Team& team);

}  // namespace halfspace::detail
