// SPDX-License-Identifier: BSD-3-Clause
// With S+ and S- the sums of alpha over the classes and A+, A- the sums of alpha phi(x), the means are A+/S+
// and A-/S-, and |A+/S+ - A-/S-| <= |theta| / S+ + max |phi| |1 - S-/S+|: imbalance that rounding leaves is
// paid for.
#include "certify/kernel_margin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/kernel_gap.hpp"
#include "certify/kernel_sums.hpp"
#include "certify/rounding.hpp"

namespace halfspace {

KernelMargin kernel_margin(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
                           std::optional<double> offset, const Threads& threads) {
  Problem unbounded = problem;
  for (double& cost : unbounded.cost)
    if (cost > 0) cost = std::numeric_limits<double>::infinity();
  KernelGap sums(unbounded, kernel, point, threads);
  sums.settle_all();
  return detail::margin_of_sums(problem, point, sums.products(), sums.errors(), sums.largest_value(), offset);
}

KernelMargin detail::margin_of_sums(const Problem& problem, const DualPoint& point,
                                    std::span<const double> products, std::span<const double> errors,
                                    double largest_value, std::optional<double> offset) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  long double square = 0, square_error = 0;
  long double total[2] = {0, 0};
  for (std::size_t k = 0; k < std::min(point.rows.size(), point.alpha.size()); ++k) {
    const std::uint32_t i = point.rows[k];
    const double alpha = point.alpha[k];
    if (i >= problem.rows() || problem.cost[i] == 0 || !(alpha > 0)) continue;
    square += static_cast<long double>(alpha) * (problem.y[i] * products[i]);
    square_error += static_cast<long double>(alpha) * errors[i];
    total[problem.y[i] > 0 ? 1 : 0] += alpha;
  }
  KernelMargin out;
  out.radius = largest_value;
  // The sums themselves are off by less than rows 2^-63 of their sizes.
  const double slack = 1 + 4 * unit + static_cast<double>(problem.rows()) * 0x1.0p-60;
  const auto length2 = static_cast<double>(square + square_error);
  const double length = std::sqrt((length2 < 0 ? 0.0 : upper_bound(length2)) * slack) * slack;
  double lowest = infinity, highest = -infinity;  // of the positive, of the negative rows
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (problem.cost[i] == 0) continue;
    if (problem.y[i] > 0) lowest = std::min(lowest, products[i] - errors[i]);
    if (problem.y[i] < 0) highest = std::max(highest, products[i] + errors[i]);
  }
  out.offset = offset ? *offset : -(lowest / 2 + highest / 2);
  out.least = infinity;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (problem.cost[i] == 0) continue;
    const double rounding = errors[i] + 4 * unit * (std::abs(products[i]) + std::abs(out.offset));
    const double margin = problem.y[i] * (products[i] + out.offset) - rounding;
    if (!(margin >= out.least)) out.least = lower_bound(margin);  // one that is no number is the least
  }
  out.lower =
      out.least > 0 && std::isfinite(out.least) && length > 0 ? out.least / length * (1 - 4 * unit) : 0;
  if (!(total[0] > 0 && total[1] > 0)) {
    out.upper = infinity;
    return out;
  }
  const auto apart = static_cast<double>(std::abs(1 - total[0] / total[1])) +
                     static_cast<double>(problem.rows()) * 0x1.0p-61;
  out.upper =
      upper_bound((length / static_cast<double>(total[1]) + out.radius * apart) / 2 * slack * (1 + 8 * unit));
  return out;
}

}  // namespace halfspace
