// SPDX-License-Identifier: BSD-3-Clause
// Dual coordinate descent for hinge, squared hinge and logistic loss.
//
// Dual      maximise sum cost_i gain(alpha_i / cost_i) - 1/2 |sum alpha_i y_i x_i|^2 over the box; w = sum
// alpha y x. Update    one alpha at a time, exactly: hinge and squared hinge in closed form, logistic by a
// bracketed Newton search
//           in t with alpha = cost sigma(-t), which keeps both tails of alpha exact and inside the box.
// Offset    lifted: one more coordinate of w. free: an augmented Lagrangian for sum alpha y = 0 with the
// multiplier b,
//           whose limit is the offset; points are balanced before they are judged.
// Shrinking rows at a bound whose gradient points outward rest; every check of the gap looks at all rows
// again. Judging   w is summed afresh from alpha, the plane gets its best offset and its best length, and the
// gap is that of
//           the plane and the point, over all rows.
// Cost      a pass is one dot product and at most one axpy per active row. Memory: 2 doubles per row, 2 d
// doubles. Reference Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for
// large-scale linear SVM, ICML
//           2008; Yu, Huang, Lin: Dual coordinate descent methods for logistic regression, Machine Learning
//           85 (2011).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "halfspace/core/kernels.hpp"
#include "halfspace/core/random.hpp"
#include "solve/line_losses.hpp"
#include "solve/primal_search.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_passes = 20000;
constexpr double infinity = std::numeric_limits<double>::infinity();

class DualDescent {
 public:
  DualDescent(const Problem& problem, const RowAccess& rows, const Goal& goal)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        n_(rows.rows()),
        d_(rows.cols()),
        logistic_(std::holds_alternative<Logistic>(problem.loss)),
        squared_(std::holds_alternative<SquaredHinge>(problem.loss)) {
    alpha_.assign(n_, 0.0);
    length2_.assign(n_, 0.0);
    w_.assign(d_, 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (p_.cost[i] == 0) continue;
      length2_[i] = rows_.norm2(i);
      mean += length2_[i];
      active_.push_back(static_cast<std::uint32_t>(i));
    }
    mean /= static_cast<double>(std::max<std::size_t>(1, active_.size()));
    if (p_.offset == Offset::Lifted) pull_ = 1;
    if (p_.offset == Offset::Free) pull_ = std::max(mean, 1e-300);
    for (const std::uint32_t i : active_) length2_[i] += pull_;
    if (logistic_) start_logistic();
  }

  Solution run() {
    std::uint64_t next_check = 2;
    for (std::uint64_t pass = 1;; ++pass) {
      sweep(pass);
      if (p_.offset == Offset::Free) multiplier_ += pull_ * balance_;
      const bool idle = active_.empty() || largest_move_ == 0;
      if (pass < next_check && !idle && pass < most_passes) continue;
      next_check = pass + 1 + pass / 4;
      const double relative = judge();
      if (relative <= goal_.gap) return finish(Stop::Converged, pass);
      Stop why = Stop::Limit;
      if (pass >= most_passes) return finish(Stop::Limit, pass);
      if (!goal_.clock.go_on({std::numeric_limits<double>::quiet_NaN(), pass, relative, "dual descent"}, why))
        return finish(why, pass);
    }
  }

 private:
  // alpha = min(cost / 2, 0.3 / |x|^2): near enough to the optimum of most rows, and inside the box.
  void start_logistic() {
    t_.assign(n_, 0.0);
    for (const std::uint32_t i : active_) {
      alpha_[i] = std::min(p_.cost[i] / 2, 0.3 / std::max(length2_[i], 1e-300));
      const double share = alpha_[i] / p_.cost[i];
      t_[i] = std::log1p(-share) - std::log(share);
    }
    refresh();
  }

  // w and the balance from alpha alone: ends the drift of many small updates.
  void refresh() {
    std::vector<double> signed_alpha(n_);
    balance_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      signed_alpha[i] = alpha_[i] * p_.y[i];
      balance_ += signed_alpha[i];
    }
    std::fill(w_.begin(), w_.end(), 0.0);
    add_row_sum(rows_, signed_alpha.data(), w_.data(), goal_.threads);
  }

  [[nodiscard]] double upper(std::size_t i) const { return squared_ ? infinity : p_.cost[i]; }

  void sweep(std::uint64_t pass) {
    Random(goal_.seed, pass).shuffle(active_);
    largest_move_ = 0;
    double highest = 0, lowest = 0;
    std::size_t kept = 0;
    for (std::size_t s = 0; s < active_.size(); ++s) {
      if (s + 4 < active_.size()) rows_.prefetch(active_[s + 4]);
      const std::uint32_t i = active_[s];
      const double y = p_.y[i];
      const double margin = y * (rows_.dot(i, w_.data()) + multiplier_ + pull_ * balance_);
      if (logistic_) {
        visit_logistic(i, margin);
        continue;
      }
      const double diagonal = squared_ ? 1 / (2 * p_.cost[i]) : 0.0;
      const double gradient = margin - 1 + diagonal * alpha_[i];
      const bool at_zero = alpha_[i] == 0;
      const bool at_top = alpha_[i] == upper(i);
      double projected = gradient;
      if (at_zero) {
        if (gradient > rest_above_) continue;  // rests until the next judgement
        projected = std::min(gradient, 0.0);
      } else if (at_top) {
        if (gradient < rest_below_) continue;
        projected = std::max(gradient, 0.0);
      }
      active_[kept++] = i;
      highest = std::max(highest, projected);
      lowest = std::min(lowest, projected);
      if (std::abs(projected) <= 1e-14) continue;
      const double q = length2_[i] + diagonal;
      const double next =
          q > 0 ? std::clamp(alpha_[i] - gradient / q, 0.0, upper(i)) : (gradient < 0 ? upper(i) : 0.0);
      move(i, next);
    }
    if (!logistic_) {
      active_.resize(kept);
      rest_above_ = highest > 0 ? highest : infinity;
      rest_below_ = lowest < 0 ? lowest : -infinity;
    }
  }

  void move(std::uint32_t i, double next) {
    const double change = (next - alpha_[i]) * p_.y[i];
    if (change == 0) return;
    largest_move_ = std::max(largest_move_, std::abs(change));
    alpha_[i] = next;
    balance_ += change;
    rows_.axpy(change, i, w_.data());
  }

  // t = m + q (cost sigma(-t) - alpha): the left side grows, the right side falls, so there is one root,
  // bracketed.
  void visit_logistic(std::uint32_t i, double margin) {
    const double cost = p_.cost[i];
    const double q = length2_[i];
    double low = margin - q * alpha_[i];
    double high = margin + q * (cost - alpha_[i]);
    double t = std::clamp(t_[i], low, high);
    double share = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      share = -Logistic::slope(t);  // sigma(-t)
      const double h = t - margin - q * (cost * share - alpha_[i]);
      (h > 0 ? high : low) = t;
      double next = t - h / (1 + q * cost * share * (1 - share));
      if (!(next > low && next < high)) next = low / 2 + high / 2;
      const double change = std::abs(next - t);
      t = next;
      if (change <= 1e-3 * std::min(1.0, std::abs(h) + 1e-9) || change <= 1e-12 * (1 + std::abs(t))) break;
    }
    share = -Logistic::slope(t);
    t_[i] = t;
    move(i, cost * share);
  }

  // The gap of the best plane near w and the balanced point; keeps the best plane and the best point seen.
  double judge() {
    refresh();
    std::vector<double> point = alpha_;
    std::vector<double> w = w_;
    double balance = balance_;
    if (p_.offset == Offset::Free) {
      balanced(point);
      std::vector<double> signed_alpha(n_);
      for (std::size_t i = 0; i < n_; ++i) signed_alpha[i] = point[i] * p_.y[i];
      std::fill(w.begin(), w.end(), 0.0);
      add_row_sum(rows_, signed_alpha.data(), w.data(), goal_.threads);
      balance = 0;
    }
    std::vector<double> z(n_);
    row_products(rows_, w.data(), z.data(), goal_.threads);
    const double offset = p_.offset == Offset::Lifted ? balance : 0.0;
    if (offset != 0)
      for (double& v : z) v += offset;
    const double square = norm2(w.data(), d_) + offset * offset;
    const double dual = gain(point) - square / 2;
    if (dual > best_dual_) {
      best_dual_ = dual;
      best_alpha_ = point;
    }
    plane(w, offset, z, square);
    wake();
    return (best_primal_ - best_dual_) / std::max(1.0, std::abs(best_primal_));
  }

  void plane(std::vector<double>& w, double offset, std::vector<double>& z, double square) {
    double free_offset = 0;
    if (p_.offset == Offset::Free) {
      free_offset = best_offset_move(p_, z, goal_.threads);
      for (double& v : z) v += free_offset;
    }
    const double t = best_length(p_, z, square, goal_.threads);
    for (double& v : z) v *= t;
    if (p_.offset == Offset::Free) {
      const double again = best_offset_move(p_, z, goal_.threads);
      for (double& v : z) v += again;
      free_offset = t * free_offset + again;
    }
    const double primal = t * t * square / 2 + line_sums(p_, z.data(), z.data(), 0, goal_.threads).value;
    if (primal < best_primal_) {
      best_primal_ = primal;
      for (double& v : w) v *= t;
      best_theta_ = std::move(w);
      best_theta0_ = p_.offset == Offset::Free ? free_offset : t * offset;
    }
  }

  // Scales the heavier class so that sum alpha y = 0.
  void balanced(std::vector<double>& point) const {
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < n_; ++i) sum[p_.y[i] > 0 ? 1 : 0] += point[i];
    const int heavy = sum[1] > sum[0] ? 1 : 0;
    const double ratio = sum[heavy] > 0 ? sum[1 - heavy] / sum[heavy] : 1.0;
    for (std::size_t i = 0; i < n_; ++i)
      if ((p_.y[i] > 0 ? 1 : 0) == heavy) point[i] *= ratio;
  }

  [[nodiscard]] double gain(const std::vector<double>& point) const {
    return std::visit(
        [&](auto loss) {
          return sum_blocks(goal_.threads, n_, row_block, 0.0, [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i)
              if (p_.cost[i] > 0 && point[i] > 0) sum += p_.cost[i] * loss.gain(point[i] / p_.cost[i]);
            return sum;
          });
        },
        p_.loss);
  }

  // Every row whose gradient does not hold it at its bound is active again.
  void wake() {
    if (logistic_) return;
    std::vector<double> scores(n_);
    row_products(rows_, w_.data(), scores.data(), goal_.threads);
    const double above = std::isfinite(rest_above_) ? rest_above_ : 0.0;
    const double below = std::isfinite(rest_below_) ? rest_below_ : 0.0;
    active_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      if (p_.cost[i] == 0) continue;
      const double diagonal = squared_ ? 1 / (2 * p_.cost[i]) : 0.0;
      const double gradient =
          p_.y[i] * (scores[i] + multiplier_ + pull_ * balance_) - 1 + diagonal * alpha_[i];
      const bool rests = (alpha_[i] == 0 && gradient > above) || (alpha_[i] == upper(i) && gradient < below);
      if (!rests) active_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  Solution finish(Stop stop, std::uint64_t passes) {
    Solution out{std::move(best_theta_), best_theta0_, {}, passes, stop};
    if (!logistic_) out.alpha = std::move(best_alpha_);  // the logistic point follows from the margins
    return out;
  }

  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::size_t n_, d_;
  bool logistic_, squared_;
  std::vector<double> alpha_, length2_, w_, t_;
  std::vector<std::uint32_t> active_;
  double pull_ = 0;        // weight of (sum alpha y)^2 / 2: 1 for a lifted offset, the penalty for a free one
  double multiplier_ = 0;  // of sum alpha y = 0
  double balance_ = 0;     // sum alpha y
  double rest_above_ = infinity, rest_below_ = -infinity;
  double largest_move_ = 0;
  double best_primal_ = infinity, best_dual_ = -infinity, best_theta0_ = 0;
  std::vector<double> best_theta_, best_alpha_;
};

}  // namespace

Solution solve_dual_descent(const Problem& problem, const RowAccess& rows, const Goal& goal) {
  return DualDescent(problem, rows, goal).run();
}

}  // namespace halfspace
