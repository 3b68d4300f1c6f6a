// SPDX-License-Identifier: BSD-3-Clause
// Problem    minimise P over a theta + b theta' + c theta'' + theta0, with the planes of the neighbour and of the two before it:
//            along a path of values of C planes move smoothly, and what they span is near the next one.
// Step       Newton in four variables on scores that the neighbour has left (or that are made once), halved until P falls.
// Cost       about as many exponentials a step as there are rows: less than the step in all features that it saves.
#include "solve/convex/near_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/cost_model.hpp"
#include "solve/systems/line_losses.hpp"

namespace halfspace {
namespace {

constexpr std::size_t most_planes = 3, unknowns = most_planes + 1, offset = most_planes;
using Place = std::array<double, unknowns>;  // a factor for every plane, then theta0

// Solves the system of the variables in use by elimination with a small ridge; false: there is no answer in numbers.
bool solve_small(std::array<Place, unknowns> a, Place b, Place& x) {
  constexpr double nothing_new = 1e-10;  // of a plane that the others span: it stays where it is
  const std::array<Place, unknowns> whole = a;
  for (std::size_t k = 0; k < unknowns; ++k) {
    if (!(a[k][k] > nothing_new * whole[k][k])) {
      a[k] = {};
      a[k][k] = 1;
      b[k] = 0;
      continue;
    }
    a[k][k] *= 1 + nothing_new;
    for (std::size_t i = k + 1; i < unknowns; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < unknowns; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = unknowns; k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < unknowns; ++j) sum -= a[k][j] * x[j];
    x[k] = sum / a[k][k];
  }
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

class Span {
 public:
  Span(const Problem& problem, const RowAccess& rows, const Neighbour::Plane& plane, const Threads& threads)
      : p_(problem), team_(threads), list_(team_.stretch(problem.rows())) {
    for (auto* v : {&at_, &u_, &h_}) v->assign(problem.rows(), 0.0);
    add(plane.theta, plane.scores, rows);
    // A third plane pays where a step in all features is by conjugate gradients.
    const std::size_t most = plane.theta.size() > cost_model::few_columns ? most_planes : 2;
    for (const auto& one : plane.earlier)
      if (planes_ < most && one->theta.size() == plane.theta.size()) add(one->theta, one->scores, rows);
    uses_[offset] = p_.offset != Offset::None;
    if (p_.offset == Offset::Lifted) square_[offset][offset] = 1;
  }

  // From x to the best point, roughly.
  Place best(Place x, double gap) {
    constexpr int most_steps = 6;
    double value = objective(x);
    for (int step = 0; step < most_steps; ++step) {
      const Place move = newton_step(x);
      double promise = 0;
      for (std::size_t k = 0; k < unknowns; ++k) promise -= gradient_[k] * move[k] / 2;
      if (!(promise > 0.3 * gap * std::max(1.0, value))) break;
      bool fell = false;
      for (double t = 1; t > 0.1 && !fell; t /= 2) {
        Place next = x;
        for (std::size_t k = 0; k < unknowns; ++k) next[k] += t * move[k];
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

  [[nodiscard]] std::size_t planes() const { return planes_; }
  [[nodiscard]] const std::vector<double>& plane(std::size_t k) const { return *theta_[k]; }

  // theta . x of every row with a cost at x.
  [[nodiscard]] std::vector<double> scores(const Place& x) const {
    std::vector<double> out(at_.size(), 0.0);
    for (std::size_t k = 0; k < planes_; ++k)
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += x[k] * (*z_[k])[i];
    return out;
  }

 private:
  // With the scores that the neighbour has left, or new ones.
  void add(const std::vector<double>& theta, const std::vector<double>& known, const RowAccess& rows) {
    const std::size_t k = planes_++;
    theta_[k] = &theta;
    z_[k] = &known;
    if (known.size() != p_.rows()) {
      made_[k].assign(p_.rows(), 0.0);
      row_products(rows, theta.data(), made_[k].data(), team_.threads());
      z_[k] = &made_[k];
    }
    for (std::size_t l = 0; l <= k; ++l)
      square_[k][l] = square_[l][k] = dot(theta.data(), theta_[l]->data(), theta.size());
    uses_[k] = square_[k][k] > 0;
  }

  struct Sums {
    double gradient[unknowns] = {}, curvature[unknowns * (unknowns + 1) / 2] = {};
    Sums& operator+=(const Sums& o) {
      for (std::size_t k = 0; k < unknowns; ++k) gradient[k] += o.gradient[k];
      for (std::size_t k = 0; k < std::size(curvature); ++k) curvature[k] += o.curvature[k];
      return *this;
    }
  };

  // With slopes and curvatures of the rows left behind for newton_step().
  double objective(const Place& x) {
    for_blocks(team_.threads(), at_.size(), row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = x[offset];
        for (std::size_t k = 0; k < planes_; ++k) sum += x[k] * (*z_[k])[i];
        at_[i] = sum;
      }
    });
    double penalty = 0;
    for (std::size_t k = 0; k < unknowns; ++k)
      for (std::size_t l = 0; l < unknowns; ++l) penalty += square_[k][l] * x[k] * x[l] / 2;
    return penalty + loss_slopes(p_, at_.data(), u_.data(), h_.data(), team_, list_);
  }

  // For so many planes; the numbers of the others stay zero.
  template <std::size_t planes>
  [[nodiscard]] Sums row_sums() const {
    static_assert(planes <= most_planes);
    return sum_rows(team_, list_, Sums{}, [&](std::size_t begin, std::size_t end, Sums& sum) {
      std::array<const double*, planes> scores;
      for (std::size_t k = 0; k < planes; ++k) scores[k] = z_[k]->data();
      double gradient[planes + 1], curvature[(planes + 1) * (planes + 2) / 2];
      // The offset is the last of all unknowns, behind planes that there are not.
      const auto for_all = [&](const auto& gradient_at, const auto& curvature_at) {
        std::size_t at = 0;
        for (std::size_t k = 0; k <= planes; ++k) {
          const std::size_t row = k < planes ? k : offset;
          gradient_at(gradient[k], sum.gradient[row]);
          for (std::size_t l = 0; l <= k; ++l)
            curvature_at(curvature[at++], sum.curvature[row * (row + 1) / 2 + (l < planes ? l : offset)]);
        }
      };
      const auto take = [](double& here, const double& there) { here = there; };
      const auto leave = [](const double& here, double& there) { there = here; };
      for_all(take, take);
      for (std::size_t i = begin; i < end; ++i) {
        double z[planes + 1];
        for (std::size_t k = 0; k < planes; ++k) z[k] = scores[k][i];
        z[planes] = 1;
        const double u = u_[i], h = h_[i];
        std::size_t at = 0;
        for (std::size_t k = 0; k <= planes; ++k) {
          gradient[k] += u * z[k];
          const double weighed = h * z[k];
          for (std::size_t l = 0; l <= k; ++l) curvature[at++] += weighed * z[l];
        }
      }
      for_all(leave, leave);
    });
  }

  // From the point whose objective was asked for last, or nearly so: only the last trial of a search is kept.
  Place newton_step(const Place& x) {
    const Sums sums = planes_ == 1 ? row_sums<1>() : planes_ == 2 ? row_sums<2>() : row_sums<3>();
    std::array<Place, unknowns> matrix = square_;
    Place right{}, move{};
    std::size_t at = 0;
    for (std::size_t k = 0; k < unknowns; ++k) {
      gradient_[k] = sums.gradient[k];
      for (std::size_t l = 0; l < unknowns; ++l) gradient_[k] += square_[k][l] * x[l];
      for (std::size_t l = 0; l <= k; ++l, ++at) {
        matrix[k][l] += sums.curvature[at];
        if (l < k) matrix[l][k] += sums.curvature[at];
      }
    }
    for (std::size_t k = 0; k < unknowns; ++k) {
      if (uses_[k]) {
        right[k] = -gradient_[k];
        continue;
      }
      gradient_[k] = 0;
      for (std::size_t l = 0; l < unknowns; ++l) matrix[k][l] = matrix[l][k] = 0;
      matrix[k][k] = 1;
    }
    if (!solve_small(matrix, right, move)) move = {};
    return move;
  }

  const Problem& p_;
  Team team_;
  Stretch list_;
  std::size_t planes_ = 0;
  std::array<const std::vector<double>*, most_planes> theta_{}, z_{};
  std::array<std::vector<double>, most_planes> made_;
  std::vector<double> at_, u_, h_;
  std::array<Place, unknowns> square_{};
  std::array<bool, unknowns> uses_{};
  Place gradient_{};
};

void settle(const Neighbour::Plane& plane, const Problem& problem, const RowAccess& rows, double gap,
            const Threads& threads, Solution& start) {
  Span span(problem, rows, plane, threads);
  Place x{};
  x[0] = 1;
  x[offset] = start.theta0;
  x = span.best(x, gap);
  for (std::size_t j = 0; j < start.theta.size(); ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < span.planes(); ++k) sum += x[k] * span.plane(k)[j];
    start.theta[j] = sum;
  }
  start.theta0 = x[offset];
  start.scores = span.scores(x);
}

}  // namespace

std::optional<Solution> start_near(const Neighbour& neighbour, std::size_t k, const Problem& problem,
                                   const RowAccess& rows, double C, double gap, const Threads& threads) {
  if (k >= neighbour.planes.size() || !(neighbour.C > 0)) return std::nullopt;
  const Neighbour::Plane& plane = neighbour.planes[k];
  if (plane.theta.size() != problem.features()) return std::nullopt;
  Solution out;
  out.theta = plane.theta;
  out.theta0 = plane.theta0;
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
  out.scores = answer.solution.scores;
  out.rows = point.rows;
  out.alpha = point.alpha;
  if (begun == nullptr || k >= begun->planes.size()) return out;
  const Neighbour::Plane& from = begun->planes[k];
  if (from.theta.size() != out.theta.size()) return out;
  out.earlier.push_back(
      std::make_shared<const Neighbour::Plane::Earlier>(Neighbour::Plane::Earlier{from.theta, from.scores}));
  if (!from.earlier.empty()) out.earlier.push_back(from.earlier.front());
  return out;
}

}  // namespace halfspace
