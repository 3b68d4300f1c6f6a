// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/dual_state.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/primal_search.hpp"
#include "solve/systems/line_losses.hpp"

namespace halfspace {
namespace {

// The pull of an offset that moves slowly, in mean squared lengths of rows. Few rows need more of it: the multiplier
// settles by about pull times the free rows in a pass.
double slow_pull(std::size_t rows) { return std::clamp(50.0 / static_cast<double>(rows), 0.02, 1.0); }

}  // namespace

DualState::DualState(const Problem& problem, const RowAccess& access, const Goal& the_goal)
    : p(problem),
      rows(access),
      goal(the_goal),
      n(access.rows()),
      d(access.cols()),
      logistic(std::holds_alternative<Logistic>(problem.loss)) {
  assert(dual_descent_handles(p.loss, p.penalty));
  std::visit(
      [&]<class L>(L) {
        if constexpr (QuadraticGain<L>) {
          gain_curvature = L::gain_curvature;
          limit = L::limit;
        }
      },
      p.loss);
  alpha.assign(n, 0.0);
  length2.assign(n, 0.0);
  w.assign(d, 0.0);
  std::size_t present = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (p.cost[i] == 0) continue;
    length2[i] = rows.norm2(i);
    mean_length2 += length2[i];
    ++present;
  }
  mean_length2 /= static_cast<double>(std::max<std::size_t>(1, present));
  // The steps of the logistic loss are small enough.
  const double share = logistic ? 1.0 : slow_pull(std::max<std::size_t>(1, present));
  if (p.offset == Offset::Lifted) pull = logistic ? 1.0 : std::min(1.0, share * mean_length2);
  if (p.offset == Offset::Free) pull = std::max(share * mean_length2, 1e-300);
}

void DualState::hold_offset() {
  if (p.offset == Offset::Lifted) {
    pull = 1;
    multiplier = 0;
  }
  if (p.offset == Offset::Free) pull = std::max(mean_length2, 1e-300);
}

void DualState::refresh() {
  signed_.resize(n);
  balance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    signed_[i] = alpha[i] * p.y[i];
    balance += signed_[i];
  }
  std::fill(w.begin(), w.end(), 0.0);
  add_row_sum(rows, signed_.data(), w.data(), goal.team);
}

double DualState::judge() {
  score_.resize(n);
  row_products(rows, w.data(), score_.data(), goal.team.threads());
  const double w2 = norm2(w.data(), d);
  const double dual = dual_value(w2);
  if (dual > best_dual_) {
    best_dual_ = dual;
    best_alpha_ = alpha;
  }
  const bool better = plane(w2);
  const double relative = (best_primal_ - best_dual_) / scale();
  // A logistic plane goes without its point: what counts in the end is the point of its margins.
  return logistic && better && relative <= goal.gap ? std::max(relative, margin_gap() / scale()) : relative;
}

double DualState::dual_value() const { return dual_value(norm2(w.data(), d)); }
double DualState::dual_value(double w2) const {
  const double square = w2 + (p.offset == Offset::Lifted ? balance * balance : 0.0);
  // A point that does not balance is balanced before it counts, at a price of about this.
  const double price = p.offset == Offset::Free ? std::abs(balance) * (1 + std::abs(shift())) : 0.0;
  return gain() - square / 2 - price;
}

void DualState::fit_multiplier() {
  if (p.offset != Offset::Free) return;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(alpha[i] > 0 && alpha[i] < upper(i))) continue;
    sum += p.y[i] * (1 - diagonal(i) * alpha[i]) - score_[i];
    ++count;
  }
  if (count > 0) multiplier = sum / count - pull * balance;
}

// The best offset and the best length for the direction of w. The offset matters most: every row pulls at it,
// so that between the passes it is the part of the plane that is furthest off.
bool DualState::plane(double w2) {
  const bool free = p.offset == Offset::Free, lifted = p.offset == Offset::Lifted;
  double offset = free || lifted ? shift() : 0.0, t = 1;
  // Always from the scores themselves: where they are tiny beside the offset, a sum that takes the offset off
  // again keeps nothing of them, and the length would stretch what is left.
  const auto place = [&] {
    z_.resize(n);
    for (std::size_t i = 0; i < n; ++i) z_[i] = t * score_[i] + offset;
  };
  const double enough = 0.01 * goal.gap * std::max(1.0, std::abs(best_dual_));
  const auto total = [&] { return t * t * w2 + (lifted ? offset * offset : 0.0); };
  const auto move = [&] {
    if (free) offset += best_offset_move(p, z_, goal.team.threads());
    if (lifted) offset += best_on_line(p, {z_.data(), nullptr, offset, 1}, enough, goal.team.threads());
    place();
  };
  place();
  move();
  const double stretch =
      1 + best_on_line(p, {z_.data(), z_.data(), total(), total()}, enough, goal.team.threads());
  t *= stretch;
  offset *= stretch;
  place();
  move();
  const double primal = total() / 2 + line_sums(p, z_.data(), nullptr, 0, goal.team.threads()).value;
  if (!(primal < best_primal_)) return false;
  best_primal_ = primal;
  best_theta_.resize(d);
  for (std::size_t j = 0; j < d; ++j) best_theta_[j] = t * w[j];
  best_theta0_ = offset;
  return true;
}

// With alpha = -cost slope(m) at the margins of a plane, primal and dual differ by half the squared distance of
// the plane from the sum of its rows.
double DualState::margin_gap() {
  std::vector<double> u(n), h(n);
  loss_slopes(p, z_.data(), u.data(), h.data(), goal.team.threads());
  std::vector<double> apart = best_theta_;
  add_row_sum(rows, u.data(), apart.data(), goal.team);
  const double rest = std::accumulate(u.begin(), u.end(), 0.0);
  double offset_part = 0;
  if (p.offset == Offset::Lifted) offset_part = (best_theta0_ + rest) * (best_theta0_ + rest) / 2;
  if (p.offset == Offset::Free) offset_part = std::abs(rest) * (1 + std::abs(best_theta0_));
  return norm2(apart.data(), d) / 2 + offset_part;
}

double DualState::gain() const {
  return std::visit(
      [&](auto loss) {
        return sum_rows(goal.team, goal.team.stretch(n), 0.0,
                        [&](std::size_t begin, std::size_t end, double& sum) {
                          for (std::size_t i = begin; i < end; ++i)
                            if (p.cost[i] > 0 && alpha[i] > 0)
                              sum += p.cost[i] * loss.gain(alpha[i] / p.cost[i]);
                        });
      },
      p.loss);
}

Solution DualState::finish(Stop stop, std::uint64_t passes) {
  Solution out{std::move(best_theta_), best_theta0_, {}, passes, stop, {}};
  if (out.theta.empty()) out.theta.assign(d, 0.0);
  if (!logistic) out.alpha = std::move(best_alpha_);  // the logistic point follows from the margins
  return out;
}

}  // namespace halfspace
