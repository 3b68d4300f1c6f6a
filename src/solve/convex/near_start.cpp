// SPDX-License-Identifier: BSD-3-Clause
// Problem    minimise P over a theta + b theta' + c, with the planes theta of the neighbour and theta' of the one before it:
//            along a path of values of C planes move smoothly, and what they span is near the next one.
// Step       Newton in three variables on scores that are made once, halved until P falls.
// Cost       two products with the rows, and about as many exponentials a step as there are rows: less than the step in
//            all features that it saves.
#include "solve/convex/near_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/systems/line_losses.hpp"

namespace halfspace {
namespace {

using Three = std::array<double, 3>;

// Solves the system of the variables in use by elimination with a small ridge; false: not positive definite.
bool solve_three(std::array<Three, 3> a, Three b, Three& x) {
  for (std::size_t k = 0; k < 3; ++k) {
    a[k][k] *= 1 + 1e-10;
    if (!(a[k][k] > 0)) return false;
    for (std::size_t i = k + 1; i < 3; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < 3; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = 3; k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < 3; ++j) sum -= a[k][j] * x[j];
    x[k] = sum / a[k][k];
  }
  return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]);
}

class Span {
 public:
  Span(const Problem& problem, const RowAccess& rows, const std::vector<double>& theta,
       std::span<const double> before, const Threads& threads)
      : p_(problem), team_(threads), list_(team_.stretch(problem.rows())) {
    const std::size_t n = problem.rows(), d = theta.size();
    for (auto* v : {&z_[0], &z_[1], &at_, &u_, &h_}) v->assign(n, 0.0);
    row_products(rows, theta.data(), z_[0].data(), threads);
    square_[0][0] = norm2(theta.data(), d);
    if (!before.empty()) {
      row_products(rows, before.data(), z_[1].data(), threads);
      square_[1][1] = norm2(before.data(), d);
      square_[0][1] = square_[1][0] = dot(theta.data(), before.data(), d);
    }
    uses_ = {square_[0][0] > 0, square_[1][1] > 0, p_.offset != Offset::None};
    if (p_.offset == Offset::Lifted) square_[2][2] = 1;
  }

  // From x to the best point, roughly.
  Three best(Three x, double gap) {
    constexpr int most_steps = 6;
    double value = objective(x);
    for (int step = 0; step < most_steps; ++step) {
      const Three move = newton_step(x);
      double promise = 0;
      for (std::size_t k = 0; k < 3; ++k) promise -= gradient_[k] * move[k] / 2;
      if (!(promise > 0.3 * gap * std::max(1.0, value))) break;
      bool fell = false;
      for (double t = 1; t > 0.1 && !fell; t /= 2) {
        Three next = x;
        for (std::size_t k = 0; k < 3; ++k) next[k] += t * move[k];
        const double there = objective(next);
        fell = there < value;
        if (fell) {
          x = next;
          value = there;
        }
      }
      if (!fell) break;
    }
    return x;
  }

 private:
  struct Sums {
    double gradient[3] = {0, 0, 0}, curvature[6] = {0, 0, 0, 0, 0, 0};
    Sums& operator+=(const Sums& o) {
      for (std::size_t k = 0; k < 3; ++k) gradient[k] += o.gradient[k];
      for (std::size_t k = 0; k < 6; ++k) curvature[k] += o.curvature[k];
      return *this;
    }
  };

  // With slopes and curvatures of the rows left behind for newton_step().
  double objective(const Three& x) {
    for_blocks(team_.threads(), at_.size(), row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) at_[i] = x[0] * z_[0][i] + x[1] * z_[1][i] + x[2];
    });
    double penalty = 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) penalty += square_[k][l] * x[k] * x[l] / 2;
    return penalty + loss_slopes(p_, at_.data(), u_.data(), h_.data(), team_, list_);
  }

  // From the point whose objective was asked for last, or nearly so: only the last trial of a search is kept.
  Three newton_step(const Three& x) {
    const Sums sums = sum_rows(team_, list_, Sums{}, [&](std::size_t begin, std::size_t end, Sums& sum) {
      for (std::size_t i = begin; i < end; ++i) {
        const double z[3] = {z_[0][i], z_[1][i], 1};
        std::size_t at = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          sum.gradient[k] += u_[i] * z[k];
          for (std::size_t l = 0; l <= k; ++l) sum.curvature[at++] += h_[i] * z[k] * z[l];
        }
      }
    });
    std::array<Three, 3> matrix = square_;
    Three right{}, move{};
    std::size_t at = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      gradient_[k] = sums.gradient[k];
      for (std::size_t l = 0; l < 3; ++l) gradient_[k] += square_[k][l] * x[l];
      for (std::size_t l = 0; l <= k; ++l, ++at) {
        matrix[k][l] += sums.curvature[at];
        if (l < k) matrix[l][k] += sums.curvature[at];
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (uses_[k]) {
        right[k] = -gradient_[k];
        continue;
      }
      gradient_[k] = 0;
      for (std::size_t l = 0; l < 3; ++l) matrix[k][l] = matrix[l][k] = 0;
      matrix[k][k] = 1;
    }
    if (!solve_three(matrix, right, move)) move = {};
    return move;
  }

  const Problem& p_;
  Team team_;
  Stretch list_;
  std::vector<double> z_[2], at_, u_, h_;
  std::array<Three, 3> square_{};
  std::array<bool, 3> uses_{};
  Three gradient_{};
};

void settle(const Neighbour::Plane& plane, const Problem& problem, const RowAccess& rows, double gap,
            const Threads& threads, Solution& start) {
  const std::size_t d = start.theta.size();
  const bool two = plane.before.size() == d + 1;
  Span span(problem, rows, start.theta, two ? std::span(plane.before).first(d) : std::span<const double>(),
            threads);
  const Three x = span.best({1, 0, start.theta0}, gap);
  for (std::size_t j = 0; j < d; ++j)
    start.theta[j] = x[0] * start.theta[j] + (two ? x[1] * plane.before[j] : 0.0);
  start.theta0 = x[2];
}

}  // namespace

std::optional<Solution> start_near(const Neighbour& neighbour, std::size_t k, const Problem& problem,
                                   const RowAccess& rows, double C, double gap, const Threads& threads) {
  if (k >= neighbour.planes.size() || !(neighbour.C > 0)) return std::nullopt;
  const Neighbour::Plane& plane = neighbour.planes[k];
  if (plane.theta.size() != problem.features()) return std::nullopt;
  Solution out{plane.theta, plane.theta0, {}, 0, Stop::Converged};
  const bool smooth = is_smooth(problem.loss);
  if (smooth && plane.rows.empty() && !is_sparse_penalty(problem.penalty))
    settle(plane, problem, rows, gap, threads, out);
  if (plane.rows.empty() || plane.rows.back() >= problem.rows()) return out;
  constexpr double at_bound = 1 - 1e-9;
  const double limit = std::visit([](auto loss) { return loss.limit; }, problem.loss);
  const double ratio = C / neighbour.C;
  out.alpha.assign(problem.rows(), 0.0);
  for (std::size_t r = 0; r < plane.rows.size(); ++r) {
    const std::uint32_t i = plane.rows[r];
    if (!(problem.cost[i] > 0)) continue;
    const double bound = limit * problem.cost[i];
    const bool full = plane.alpha[r] * ratio >= at_bound * bound;
    out.alpha[i] = full ? bound : std::min(plane.alpha[r], bound);
  }
  return out;
}

Neighbour::Plane leave_plane(const PlaneAnswer& answer, const Neighbour* begun, std::size_t k) {
  const DualPoint& point = answer.dual.rows.empty() ? answer.spare : answer.dual;
  Neighbour::Plane out;
  out.theta = answer.solution.theta;
  out.theta0 = answer.solution.theta0;
  out.rows = point.rows;
  out.alpha = point.alpha;
  if (begun != nullptr && k < begun->planes.size() && begun->planes[k].theta.size() == out.theta.size()) {
    out.before = begun->planes[k].theta;
    out.before.push_back(begun->planes[k].theta0);
  }
  return out;
}

}  // namespace halfspace
