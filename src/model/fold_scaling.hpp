// SPDX-License-Identifier: BSD-3-Clause
// A plane for scaled columns as a plane for the columns as they are, and back:
//   theta . ((x - shift) factor) + theta0 = (theta factor) . x + theta0 - sum theta factor shift
#pragma once

#include "halfspace/model/model.hpp"
#include "halfspace/prepare/scaling.hpp"

namespace halfspace::detail {

// Requires a scaling of columns. False: a weight leaves the range of numbers, or the offset cancels so much of
// what the shifts add up to that the plane would not be the same to ten digits. The model is then of no use.
[[nodiscard]] bool fold(const Scaling& scaling, LinearModel& model);

// The plane for the scaled columns. False: a weight on a column that the scaling makes zero in every row.
[[nodiscard]] bool unfold(const Scaling& scaling, LinearModel& model);

}  // namespace halfspace::detail
