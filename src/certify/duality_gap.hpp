// SPDX-License-Identifier: BSD-3-Clause
// How far a plane is at most from the best one. Computed from the data, the plane and a dual point alone, by
// code that shares nothing with the solvers; rounding is counted against the claim on both sides.
#pragma once

#include <optional>
#include <span>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

// Smooth losses need no dual point: without one, alpha_i = -cost_i slope(m_i) is taken, for which the gap is
// half the squared length of the gradient. With a free offset, alpha is scaled in one class so that it
// balances; what imbalance rounding leaves is paid for. A team of several members: each has a problem of its own rows,
// and the point's rows are numbers of its own; all get the gap of all rows.
[[nodiscard]] DualityGap duality_gap(const Problem& problem, std::span<const double> theta, double theta0,
                                     const std::optional<DualPoint>& dual, const Team& team);

}  // namespace halfspace
