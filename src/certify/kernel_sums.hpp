// SPDX-License-Identifier: BSD-3-Clause
// theta . phi(x) of every row for theta = sum alpha_i y_i phi(x_i), for checking what a model claims: kernel values straight
// from the rows of the data set, by loops of their own. Solvers pack rows into panels, decide in float where they can and
// find equal rows once; nothing of that is used here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "certify/kernel_margin.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace::detail {

struct KernelSums {
  std::vector<double> alpha;     // of every row
  std::vector<double> products;  // of every row, 0 for absent ones
  std::vector<double> errors;    // how far each of them may be off
  double largest_value = 0;      // a bound on sqrt(K(x, x))
};
// The point is one of the problem (claim.hpp: fault_of), the problem one of all rows of its data.
[[nodiscard]] KernelSums kernel_sums(const Problem& problem, const KernelFunction& kernel,
                                     const DualPoint& point, const Threads& threads);

// What follows from such sums, whoever computed them.
[[nodiscard]] DualityGap gap_of_sums(const Problem& problem, std::span<const double> alpha,
                                     std::span<const double> products, std::span<const double> errors,
                                     double largest_value, double offset);
[[nodiscard]] KernelMargin margin_of_sums(const Problem& problem, const DualPoint& point,
                                          std::span<const double> products, std::span<const double> errors,
                                          double largest_value, std::optional<double> offset);

}  // namespace halfspace::detail
