// SPDX-License-Identifier: BSD-3-Clause
// The nearest points of two hulls in the space of a kernel, made precise in double.
#pragma once

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/convex/clock.hpp"

namespace halfspace {

// Weights near the best ones, from weights that are roughly so: one round. Throws nothing; when the rows are
// too many or too dependent, the point comes back as it was.
[[nodiscard]] DualPoint refine_nearest(const Problem& problem, const KernelFunction& kernel,
                                       const DualPoint& rough, const Threads& threads);

}  // namespace halfspace
