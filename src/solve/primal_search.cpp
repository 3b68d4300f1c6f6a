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
  double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
  for (int iteration = 0; iteration < 40; ++iteration) {
    const LineSums at = line_sums(problem, z.data(), z.data(), t - 1, threads);
    const double slope = t * square + at.slope;
    (slope > 0 ? high : low) = t;
    if (std::isfinite(high) && high - low <= 1e-5 * high) break;
    double next =
        at.curvature > 0 ? t - slope / (square + at.curvature) : std::numeric_limits<double>::quiet_NaN();
    if (!(next > low && next < high)) next = std::isfinite(high) ? low / 2 + high / 2 : 2 * t;
    if (std::abs(next - t) <= 1e-6 * t) return next;
    // The hinge has no curvature: step a little past the last point, then bisect.
    if (at.curvature == 0 && !std::isfinite(high)) next = t * 1.25;
    if (at.curvature == 0 && low == 0) next = t * 0.8;
    t = next;
  }
  return t;
}

}  // namespace halfspace
