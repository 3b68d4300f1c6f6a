// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/primal_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/systems/line_losses.hpp"

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

// The slope only grows in t, so the minimum lies between a point of negative and one of positive slope, and
// what a point has above it is at most its slope times the distance of the two.
double best_on_line(const Problem& problem, const PlaneLine& line, double enough, const Threads& threads) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low = -infinity, high = infinity, low_slope = 0, high_slope = 0, t = 0, reach = 1e-3;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const LineSums at = line_sums(problem, line.z, line.dz, t, threads);
    const double slope = line.linear + t * line.square + at.slope;
    if (slope == 0) return t;
    (slope > 0 ? high : low) = t;
    (slope > 0 ? high_slope : low_slope) = slope;
    const bool bracketed = std::isfinite(low) && std::isfinite(high);
    const double width = high - low;
    if (bracketed) {
      if (std::min(-low_slope, high_slope) * width <= enough) return -low_slope < high_slope ? low : high;
      if (width <= 1e-15 * (std::abs(low) + std::abs(high))) return t;
    }
    // A smooth loss: Newton's step. The hinge: where a straight slope would pass zero, and every third time
    // the middle.
    double next = std::numeric_limits<double>::quiet_NaN();
    if (at.curvature > 0) {
      next = t - slope / (line.square + at.curvature);
    } else if (bracketed && iteration % 3 != 2) {
      next = low + width * std::clamp(-low_slope / (high_slope - low_slope), 0.02, 0.98);
    }
    if (!(next > low && next < high)) {
      next = bracketed ? low / 2 + high / 2 : std::isfinite(low) ? low + reach : high - reach;
      if (!bracketed) reach *= 4;
    }
    t = next;
  }
  return t;
}

}  // namespace halfspace
