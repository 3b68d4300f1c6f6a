// SPDX-License-Identifier: BSD-3-Clause
#include "solve/dual_state.hpp"

#include <algorithm>
#include <cmath>

#include "halfspace/core/kernels.hpp"
#include "solve/line_losses.hpp"
#include "solve/primal_search.hpp"

namespace halfspace {

DualState::DualState(const Problem& problem, const RowAccess& access, const Goal& the_goal)
    : p(problem),
      rows(access),
      goal(the_goal),
      n(access.rows()),
      d(access.cols()),
      logistic(std::holds_alternative<Logistic>(problem.loss)),
      squared(std::holds_alternative<SquaredHinge>(problem.loss)) {
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
  if (p.offset == Offset::Lifted) pull = 1;
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
  add_row_sum(rows, signed_.data(), w.data(), goal.threads);
}

double DualState::judge() {
  score_.resize(n);
  row_products(rows, w.data(), score_.data(), goal.threads);
  const double square = norm2(w.data(), d) + (p.offset == Offset::Lifted ? balance * balance : 0.0);
  // A point that does not balance is balanced before it counts, at a price of about this.
  const double price = p.offset == Offset::Free ? std::abs(balance) * (1 + std::abs(shift())) : 0.0;
  const double dual = gain() - square / 2 - price;
  if (dual > best_dual_) {
    best_dual_ = dual;
    best_alpha_ = alpha;
  }
  plane(square);
  return (best_primal_ - best_dual_) / std::max(1.0, std::abs(best_primal_));
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

// The best offset and the best length for the direction of w.
void DualState::plane(double square) {
  z_ = score_;
  const double lifted = p.offset == Offset::Lifted ? balance : 0.0;
  double offset = p.offset == Offset::Free ? shift() : lifted;
  for (double& v : z_) v += offset;
  const auto move = [&] {
    const double by = best_offset_move(p, z_, goal.threads);
    for (double& v : z_) v += by;
    offset += by;
  };
  if (p.offset == Offset::Free) move();
  const double t = best_length(p, z_, square, goal.threads);
  for (double& v : z_) v *= t;
  offset *= t;
  if (p.offset == Offset::Free) move();
  const double primal = t * t * square / 2 + line_sums(p, z_.data(), z_.data(), 0, goal.threads).value;
  if (!(primal < best_primal_)) return;
  best_primal_ = primal;
  best_theta_.resize(d);
  for (std::size_t j = 0; j < d; ++j) best_theta_[j] = t * w[j];
  best_theta0_ = offset;
}

double DualState::gain() const {
  return std::visit(
      [&](auto loss) {
        return sum_blocks(goal.threads, n, row_block, 0.0, [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i)
            if (p.cost[i] > 0 && alpha[i] > 0) sum += p.cost[i] * loss.gain(alpha[i] / p.cost[i]);
          return sum;
        });
      },
      p.loss);
}

Solution DualState::finish(Stop stop, std::uint64_t passes) {
  Solution out{std::move(best_theta_), best_theta0_, {}, passes, stop};
  if (out.theta.empty()) out.theta.assign(d, 0.0);
  if (!logistic) out.alpha = std::move(best_alpha_);  // the logistic point follows from the margins
  return out;
}

}  // namespace halfspace
