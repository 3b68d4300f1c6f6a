// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53. theta is summed with its rounding errors carried along, the remainders of the products too, so
// its entries are off by 2 u |theta_j| and the square of the rounding of a plain sum. A product of a row with theta is
// off by the rounding of its terms and by what theta is off. Lengths are rounded up.
#include "certify/mistake_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/kernel_gap.hpp"
#include "certify/rounding.hpp"

namespace halfspace {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double sign_of(const Dataset& data, std::size_t row, std::uint32_t positive) {
  return data.labels()[row] == positive ? 1.0 : -1.0;
}

// A vector of doubles that stands for a real one, and how far each entry may be off.
struct Plane {
  std::vector<double> theta, error;
  double theta0 = 0;
  bool lifted = true;
  [[nodiscard]] double error_of(std::size_t j) const { return error.empty() ? 0.0 : error[j]; }
};

// At least the length of what it stands for.
double length_above(const Plane& plane) {
  double square = plane.lifted ? plane.theta0 * plane.theta0 : 0.0, square_error = 0;
  for (std::size_t j = 0; j < plane.theta.size(); ++j) {
    square += plane.theta[j] * plane.theta[j];
    square_error += plane.error_of(j) * plane.error_of(j);
  }
  const double slack = 1 + rounding(plane.theta.size() + 8);
  return (std::sqrt(square) + std::sqrt(square_error)) * slack + std::sqrt(smallest);
}

// Least y f(x), at least; minus infinity when one of them is not a number.
template <class View>
double least_margin(const View& view, const Dataset& data, std::uint32_t positive, const Plane& plane,
                    const Threads& threads) {
  std::vector<double> least((view.rows + row_block - 1) / row_block, infinity);
  for_blocks(threads, view.rows, row_block, [&](std::size_t begin, std::size_t end) {
    double& low = least[begin / row_block];
    for (std::size_t i = begin; i < end; ++i) {
      if (data.weight(i) == 0) continue;
      double sum = plane.theta0, size = std::abs(plane.theta0), off = 0;
      std::size_t terms = 1;
      for_entries(view.row(i), [&](std::uint32_t j, double x) {
        const double term = plane.theta[j] * x;
        sum += term;
        size += std::abs(term);
        off += plane.error_of(j) * std::abs(x);
        ++terms;
      });
      // The smallest normal number covers underflow of products.
      const double error =
          size * rounding(terms) + off * (1 + rounding(terms)) + static_cast<double>(terms) * smallest;
      const double margin = sign_of(data, i, positive) * sum - error;
      if (!(margin >= low)) low = std::isnan(margin) ? -infinity : margin;
    }
  });
  return least.empty() ? -infinity : *std::min_element(least.begin(), least.end());
}

double margin_below(const Dataset& data, std::uint32_t positive, const Plane& plane, const Threads& threads) {
  const double least = std::visit(
      [&](const auto& view) { return least_margin(view, data, positive, plane, threads); }, data.matrix());
  const double length = length_above(plane);
  if (!(least > 0 && std::isfinite(least) && std::isfinite(length))) return 0;
  return least / length * (1 - 8 * unit);
}

// theta = sum c_i y_i x_i.
Plane sum_of_mistakes(const Dataset& data, const DualPoint& counts, const BoundedWalk& walk) {
  Plane plane{.theta = std::vector<double>(data.features()), .error = {}, .lifted = walk.lifted};
  std::vector<CarefulSum> sum(data.features());
  std::vector<double> size(data.features());
  CarefulSum constant;
  std::visit(
      [&](const auto& view) {
        for (std::size_t t = 0; t < counts.rows.size(); ++t) {
          const double count = sign_of(data, counts.rows[t], walk.positive) * counts.alpha[t];
          constant.add(count);
          for_entries(view.row(counts.rows[t]), [&](std::uint32_t j, double x) {
            const double term = count * x;
            sum[j].add(term);
            sum[j].add(std::fma(count, x, -term));
            size[j] += std::abs(term);
          });
        }
      },
      data.matrix());
  const double again = rounding(2 * counts.rows.size() + 2);
  plane.error.resize(data.features());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    plane.theta[j] = sum[j].value();
    if (size[j] > 0)
      plane.error[j] = 4 * unit * std::abs(plane.theta[j]) + again * again * size[j] + smallest;
  }
  if (walk.lifted) plane.theta0 = constant.value();  // whole numbers below 2^53
  return plane;
}

// The same in the space of the kernel: |theta|^2 and theta . phi(x) are sums of kernel values.
std::optional<MistakeBound> kernel_bound(const Dataset& data, const DualPoint& counts,
                                         const BoundedWalk& walk, MistakeBound bound,
                                         const Threads& threads) {
  Problem problem = make_problem(data, walk.positive, Hinge{}, Offset::Free, 1, {});
  for (double& cost : problem.cost)
    if (cost > 0) cost = infinity;
  KernelGap sums(problem, walk.kernel, counts, threads);
  if (walk.separates) sums.settle_all();
  const auto products = sums.products();
  const auto errors = sums.errors();
  long double square = 0, square_error = 0, signed_count = 0;
  for (std::size_t t = 0; t < counts.rows.size(); ++t) {
    const std::uint32_t i = counts.rows[t];
    square += static_cast<long double>(counts.alpha[t]) * (problem.y[i] * products[i]);
    square_error += static_cast<long double>(counts.alpha[t]) * errors[i];
    signed_count += static_cast<long double>(problem.y[i]) * counts.alpha[t];
  }
  const double constant = walk.lifted ? static_cast<double>(signed_count) : 0.0;
  const double slack = 1 + 1e-12 + static_cast<double>(counts.rows.size()) * 0x1.0p-60;
  square += static_cast<long double>(constant) * constant + square_error;
  const double length = std::sqrt(std::max(0.0, static_cast<double>(square)) * slack) * slack;
  bound.radius = std::sqrt(sums.largest_value() * sums.largest_value() + (walk.lifted ? 1.0 : 0.0)) * slack;
  if (!std::isfinite(length) || !std::isfinite(bound.radius)) return std::nullopt;
  if (bound.mistakes > 0) bound.margin_upper = length / static_cast<double>(bound.mistakes) * (1 + 4 * unit);
  if (!walk.separates) return bound;
  double least = infinity;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (problem.cost[i] == 0) continue;
    const double rounded = errors[i] + 4 * unit * (std::abs(products[i]) + std::abs(constant));
    const double margin = problem.y[i] * (products[i] + constant) - rounded;
    if (!(margin >= least)) least = std::isnan(margin) ? -infinity : margin;
  }
  if (least > 0 && std::isfinite(least) && length > 0) bound.margin_lower = least / length * (1 - 8 * unit);
  return bound;
}

}  // namespace

double radius2_above(const Dataset& data, bool lifted, const Threads& threads) {
  return std::visit(
      [&](const auto& view) {
        std::vector<double> most((view.rows + row_block - 1) / row_block, 0.0);
        for_blocks(threads, view.rows, row_block, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            if (data.weight(i) == 0) continue;
            double sum = lifted ? 1.0 : 0.0;
            std::size_t terms = 1;
            for_entries(view.row(i), [&](std::uint32_t, double x) {
              sum += x * x;
              ++terms;
            });
            most[begin / row_block] = std::max(most[begin / row_block], sum * (1 + rounding(terms)));
          }
        });
        return most.empty() ? 0.0 : *std::max_element(most.begin(), most.end());
      },
      data.matrix());
}

std::optional<MistakeBound> mistake_bound(const Dataset& data, const DualPoint& counts,
                                          const BoundedWalk& walk, const Threads& threads) {
  MistakeBound bound{.margin_upper = infinity, .lifted = walk.lifted};
  double mistakes = 0;
  for (const double count : counts.alpha) mistakes += count;
  constexpr double whole = 9007199254740992;  // below it sums of counts are exact
  if (!(mistakes < whole)) return std::nullopt;
  bound.mistakes = static_cast<std::uint64_t>(mistakes);
  if (walk.kernel.kind != KernelKind::Linear) return kernel_bound(data, counts, walk, bound, threads);
  const double radius2 = walk.radius2 > 0 ? walk.radius2 : radius2_above(data, walk.lifted, threads);
  if (!(radius2 > 1e-280 && radius2 < 1e300)) return std::nullopt;
  bound.radius = std::sqrt(radius2) * (1 + 4 * unit);
  if (counts.rows.empty()) return bound;
  const Plane plane = sum_of_mistakes(data, counts, walk);
  const double length = length_above(plane);
  if (!std::isfinite(length)) return std::nullopt;
  bound.margin_upper = length / mistakes * (1 + 4 * unit);
  if (walk.separates) bound.margin_lower = margin_below(data, walk.positive, plane, threads);
  return bound;
}

double distance_from_sum(const Dataset& data, const DualPoint& counts, const BoundedWalk& walk,
                         std::span<const double> weights, double offset) {
  const Plane sum = sum_of_mistakes(data, counts, walk);
  // Squares of doubles neither overflow nor vanish in the longer type.
  const auto square_of = [](long double x) { return x * x; };
  long double apart = square_of(static_cast<long double>(offset) - sum.theta0),
              square = square_of(sum.theta0);
  for (std::size_t j = 0; j < sum.theta.size(); ++j) {
    apart += square_of(static_cast<long double>(weights[j]) - sum.theta[j]);
    square += square_of(sum.theta[j]);
  }
  return apart == 0 ? 0 : static_cast<double>(std::sqrt(apart) / std::sqrt(square));
}

double separator_margin(const Dataset& data, std::uint32_t positive, std::span<const double> theta,
                        double theta0, bool lifted, const Threads& threads) {
  const Plane plane{.theta = {theta.begin(), theta.end()}, .error = {}, .theta0 = theta0, .lifted = lifted};
  return margin_below(data, positive, plane, threads);
}

}  // namespace halfspace
