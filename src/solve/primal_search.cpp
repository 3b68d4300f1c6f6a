// SPDX-License-Identifier: BSD-3-Clause
#include "solve/primal_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/line_losses.hpp"

namespace halfspace {
namespace {

// sum c max(0, 1 - y (z + b)) bends at b = y - z, where its slope rises by c; it starts at minus the cost of
// the positive class. The minimum is where the slope passes 0; on a flat stretch, its middle.
double hinge_offset(const Problem& problem, const std::vector<double>& z) {
  struct Bend {
    double at, cost;
  };
  std::vector<Bend> bends;
  bends.reserve(z.size());
  double slope = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (problem.cost[i] == 0) continue;
    bends.push_back({problem.y[i] - z[i], problem.cost[i]});
    if (problem.y[i] > 0) slope -= problem.cost[i];
  }
  std::sort(bends.begin(), bends.end(), [](const Bend& a, const Bend& b) { return a.at < b.at; });
  const double tolerance = 1e-12 * std::abs(slope);
  for (std::size_t k = 0; k < bends.size(); ++k) {
    slope += bends[k].cost;
    if (slope > tolerance) return bends[k].at;
    if (slope >= -tolerance)
      return k + 1 < bends.size() ? bends[k].at / 2 + bends[k + 1].at / 2 : bends[k].at;
  }
  return 0;
}

}  // namespace

double best_offset_move(const Problem& problem, const std::vector<double>& z, const Threads& threads) {
  if (std::holds_alternative<Hinge>(problem.loss)) return hinge_offset(problem, z);
  double move = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 200; ++iteration) {
    const LineSums at = line_sums(problem, z.data(), nullptr, move, threads);
    if (at.slope == 0) return move;
    (at.slope > 0 ? high : low) = move;
    double next =
        at.curvature > 0 ? move - at.slope / at.curvature : std::numeric_limits<double>::quiet_NaN();
    if (!(next > low && next < high)) {
      const double reach = 1 + 2 * std::abs(move);
      next = std::isfinite(low) && std::isfinite(high) ? low / 2 + high / 2
             : std::isfinite(low)                      ? low + reach
                                                       : high - reach;
    }
    if (std::abs(next - move) <= 4e-16 * (1 + std::abs(move))) return next;
    move = next;
  }
  return move;
}

double best_length(const Problem& problem, const std::vector<double>& z, double square,
                   const Threads& threads) {
  // The hinge bends: near its optimum a part of the rows sits on the bend, and a length that is off by a
  // little costs that much of all of them. Smooth losses forgive.
  const double enough = std::holds_alternative<Hinge>(problem.loss) ? 1e-15 : 1e-7;
  double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
  double low_slope = 0, high_slope = 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const LineSums at = line_sums(problem, z.data(), z.data(), t - 1, threads);
    const double slope = t * square + at.slope;
    if (slope == 0) return t;
    (slope > 0 ? high : low) = t;
    (slope > 0 ? high_slope : low_slope) = slope;
    if (std::isfinite(high) && high - low <= enough * high) break;
    double next = std::numeric_limits<double>::quiet_NaN();
    if (at.curvature > 0) {
      next = t - slope / (square + at.curvature);
    } else if (std::isfinite(high) && low > 0 && iteration % 3 != 0) {
      next = low + (high - low) * std::clamp(low_slope / (low_slope - high_slope), 0.01, 0.99);
    } else if (!std::isfinite(high)) {
      next = t + (iteration == 0 ? 1e-3 * t : t);
    } else if (low == 0 && iteration == 0) {
      next = t - 1e-3 * t;
    }
    if (!(next > low && next < high)) next = std::isfinite(high) ? low / 2 + high / 2 : 2 * t;
    if (std::abs(next - t) <= enough * t) return next;
    t = next;
  }
  return t;
}

}  // namespace halfspace
