// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for many rows of few columns, by panels of rows (panel.hpp): one visit of the rows a step.
#pragma once

#include "solve/convex/solver.hpp"

namespace halfspace {

// Whether panels pay: few columns, and so many of the entries there that multiplying with the zeros costs less than
// finding the others.
[[nodiscard]] bool narrow_handles(const Problem& problem, const RowAccess& rows, const Team& team);

// Stop::Limit: not reached in the few passes that are worth it here; the plane (and for the hinge its point) is one that another
// solver may start from.
[[nodiscard]] Solution solve_narrow(const Problem& problem, const RowAccess& rows, const Goal& goal);

}  // namespace halfspace
