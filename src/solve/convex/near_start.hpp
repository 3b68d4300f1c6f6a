// SPDX-License-Identifier: BSD-3-Clause
// Where a fit begins that has a neighbour: at another C, on the same rows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/run.hpp"
#include "solve/convex/plane_solver.hpp"

namespace halfspace {

// Plane k of the neighbour as a start for this problem: the plane, and of losses with a box dual the point with the rows at
// their bound at the new one and the others where they are. A smooth loss starts at the best plane among those that the
// neighbour's and the one before it span. Nothing when it is not one of these rows and features.
[[nodiscard]] std::optional<Solution> start_near(const Neighbour& neighbour, std::size_t k,
                                                 const Problem& problem, const RowAccess& rows, double C,
                                                 double gap, const Threads& threads);
// The answer as a neighbour for the next one; `begun`: the neighbour that it began at, or null.
[[nodiscard]] Neighbour::Plane leave_plane(const PlaneAnswer& answer, const Neighbour* begun, std::size_t k);

}  // namespace halfspace
