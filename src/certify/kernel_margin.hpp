// SPDX-License-Identifier: BSD-3-Clause
// The margin between two classes in the space of a kernel, bracketed from both sides by one point: for
// weights alpha >= 0 with theta = sum alpha_i y_i phi(x_i), half the distance of the two weighted means
// bounds the margin of every function from above, and theta itself with an offset has a margin. Rounding is
// counted against the claim on both sides. Holds for kernels whose matrix is positive semidefinite.
#pragma once

#include <optional>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

struct KernelMargin {
  double lower = 0;   // the margin of this function; 0: it is not shown to separate the rows
  double upper = 0;   // no function has more
  double least = 0;   // the least y f(x), at least: lower times |theta|
  double offset = 0;  // the one given, or the best one
  double radius = 0;  // the largest sqrt(K(x, x))
};

// Rows of cost 0 are absent, the other costs do not matter.
[[nodiscard]] KernelMargin kernel_margin(const Problem& problem, const KernelFunction& kernel,
                                         const DualPoint& point, std::optional<double> offset,
                                         const Threads& threads);

}  // namespace halfspace
