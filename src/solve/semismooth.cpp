// SPDX-License-Identifier: BSD-3-Clause
// Augmented Lagrangian with semismooth Newton steps, for the hinge loss and few features (any C).
//
// Smoothing  alpha_i(m) = clip(anchor_i + (cost_i / delta)(1 - m_i), 0, cost_i) is dual feasible for every
// margin. With the
//            anchor cost / 2 this is the Huber hinge of width delta; with the last alpha as anchor it is the
//            augmented Lagrangian, whose limit is the hinge itself.
// Inner      r = theta - sum alpha y x = 0 by Newton steps: (delta R + G) s = -delta r, where G = sum over
// rows with
//            0 < alpha < cost of cost (x, 1)(x, 1)'. G does not depend on delta and is corrected by the rows
//            that enter and leave. The line search finds the zero of a monotone piecewise linear function.
// Outer      anchor = alpha, delta shrinks. The gap is 1/2 |r|^2 + sum [cost max(0, 1-m) - alpha (1-m)], all
// terms >= 0. Levels     evenly spaced samples of the rows first (cost scaled up), so that most steps are
// cheap. Cost       a step: one pass for the scores, the changed rows for G and r, and a Cholesky factor of d
// + 1 unknowns. Reference  Niu, Wang, Zhang, Xiu: Sparse semismooth Newton methods for SVM (2019); Hestenes,
// Powell (1969).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.hpp"
#include "halfspace/core/kernels.hpp"
#include "solve/normal_matrix.hpp"
#include "solve/primal_search.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_steps = 3000;
constexpr std::size_t slice_rows = 4096;

// One level: some of the rows, with their costs scaled so that they stand for all.
class Level {
 public:
  Level(const Problem& problem, const RowAccess& rows, const Goal& goal, std::vector<std::uint32_t> chosen,
        double factor)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        chosen_(std::move(chosen)),
        d_(rows.cols()),
        has_offset_(p_.offset != Offset::None) {
    const std::size_t n = chosen_.size();
    cost_.resize(n);
    for (std::size_t k = 0; k < n; ++k) cost_[k] = p_.cost[chosen_[k]] * factor;
    rho_ = p_.offset == Offset::Lifted ? 1.0 : 0.0;
  }

  std::vector<double> theta;
  double theta0 = 0;
  std::uint64_t steps = 0;
  double delta = 4;
  double primal = 0, dual = 0;

  // Runs until the relative gap is reached; false: `why` says why not.
  bool run(double wanted, Stop& why) {
    const std::size_t n = chosen_.size();
    alpha_.assign(n, 0.0);
    m_.assign(n, 0.0);
    dm_.assign(n, 0.0);
    anchor_.resize(n);
    for (std::size_t k = 0; k < n; ++k) anchor_[k] = cost_[k] / 2;
    normal_ = std::make_unique<NormalMatrix>(rows_, has_offset_, goal_.threads);
    free_.assign(n, 0);
    margins();
    update_alpha();
    sum_alpha();
    for (int outer = 0; outer < 200; ++outer) {
      int inner = 0;
      bool solved = false;
      for (; inner < 50; ++inner) {
        residual();
        const double left = residual_size();
        if (left <= std::max(0.1 * slack(), 0.05 * wanted * std::max(1.0, primal_here()))) {
          solved = true;
          break;
        }
        if (!goal_.clock.go_on({std::numeric_limits<double>::quiet_NaN(), steps, relative(), "semismooth"},
                               why))
          return false;
        if (!step()) break;
        if (++steps > most_steps) {
          why = Stop::Limit;
          return false;
        }
      }
      if (p_.offset == Offset::Free) fit_offset();
      margins();
      update_alpha();
      sum_alpha();
      residual();
      judge();
      if (relative() <= wanted) return true;
      anchor_ = alpha_;
      if (solved) delta *= inner >= 8 ? std::sqrt(0.2) : 0.2;
      update_alpha();
      sum_alpha();
    }
    why = Stop::Limit;
    return false;
  }

  [[nodiscard]] double relative() const { return (primal - dual) / std::max(1.0, std::abs(primal)); }
  [[nodiscard]] const std::vector<double>& alpha() const { return best_alpha_; }
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }

 private:
  [[nodiscard]] double clipped(std::size_t k, double m) const {
    return std::clamp(anchor_[k] + cost_[k] / delta * (1 - m), 0.0, cost_[k]);
  }
  [[nodiscard]] double sign(std::size_t k) const { return p_.y[chosen_[k]]; }

  // out[k] = y_k (x_k . w + b)
  void products(const double* w, double b, std::vector<double>& out) {
    for_blocks(goal_.threads, chosen_.size(), row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(chosen_).subspan(begin, end - begin), w, out.data() + begin);
      for (std::size_t k = begin; k < end; ++k) out[k] = sign(k) * (out[k] + b);
    });
  }
  void margins() { products(theta.data(), theta0, m_); }

  void update_alpha() {
    for (std::size_t k = 0; k < alpha_.size(); ++k) alpha_[k] = clipped(k, m_[k]);
  }

  // s = sum coefficient y x over the rows with a coefficient, by slices in order.
  void add_rows(const std::vector<std::uint32_t>& where, const std::vector<double>& coefficient) {
    const std::size_t slices = (where.size() + slice_rows - 1) / slice_rows;
    if (slices <= 1) {
      rows_.axpys(where, coefficient.data(), s_.data());
      return;
    }
    const std::size_t group = std::min<std::size_t>(slices, 8);
    const std::size_t length = (where.size() + group - 1) / group;
    std::vector<std::vector<double>> part(group);
    goal_.threads.run(group, [&](std::size_t t) {
      part[t].assign(d_, 0.0);
      const std::size_t begin = std::min(where.size(), t * length);
      const std::size_t end = std::min(where.size(), begin + length);
      rows_.axpys(std::span(where).subspan(begin, end - begin), coefficient.data() + begin, part[t].data());
    });
    for (const auto& v : part) axpy(1.0, v.data(), s_.data(), d_);
  }

  void sum_alpha() {
    s_.assign(d_, 0.0);
    balance_ = 0;
    std::vector<std::uint32_t> where;
    std::vector<double> coefficient;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      if (alpha_[k] == 0) continue;
      where.push_back(chosen_[k]);
      coefficient.push_back(alpha_[k] * sign(k));
      balance_ += coefficient.back();
    }
    add_rows(where, coefficient);
  }

  void residual() {
    r_.resize(d_ + 1);
    for (std::size_t j = 0; j < d_; ++j) r_[j] = theta[j] - s_[j];
    r_[d_] = has_offset_ ? rho_ * theta0 - balance_ : 0.0;
  }
  [[nodiscard]] double residual_size() const {
    const double offset_part =
        p_.offset == Offset::Free ? std::abs(r_[d_]) * (std::abs(theta0) + 1) : r_[d_] * r_[d_] / 2;
    return norm2(r_.data(), d_) / 2 + offset_part;
  }
  // Sum of the Fenchel-Young terms of the rows.
  [[nodiscard]] double slack() const {
    double sum = 0;
    for (std::size_t k = 0; k < m_.size(); ++k)
      sum += cost_[k] * std::max(0.0, 1 - m_[k]) - alpha_[k] * (1 - m_[k]);
    return sum;
  }
  [[nodiscard]] double primal_here() const {
    double sum = norm2(theta.data(), d_) / 2 + rho_ * theta0 * theta0 / 2;
    for (std::size_t k = 0; k < m_.size(); ++k) sum += cost_[k] * std::max(0.0, 1 - m_[k]);
    return sum;
  }

  // Brings G to the rows that are free now.
  void correct_normal() {
    std::vector<std::uint32_t> changed;
    std::vector<double> weight;
    std::size_t count = 0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      const char now = alpha_[k] > 0 && alpha_[k] < cost_[k] ? 1 : 0;
      count += static_cast<std::size_t>(now);
      if (now == free_[k]) continue;
      changed.push_back(chosen_[k]);
      weight.push_back(now != 0 ? cost_[k] : -cost_[k]);
    }
    if (changed.size() > count || corrections_ > 50) {
      corrections_ = 0;
      normal_->clear();
      changed.clear();
      weight.clear();
      for (std::size_t k = 0; k < alpha_.size(); ++k) {
        free_[k] = alpha_[k] > 0 && alpha_[k] < cost_[k] ? 1 : 0;
        if (free_[k] == 0) continue;
        changed.push_back(chosen_[k]);
        weight.push_back(cost_[k]);
      }
    } else {
      ++corrections_;
      for (std::size_t k = 0; k < alpha_.size(); ++k)
        free_[k] = alpha_[k] > 0 && alpha_[k] < cost_[k] ? 1 : 0;
    }
    free_cost_ = 0;
    for (std::size_t k = 0; k < alpha_.size(); ++k)
      if (free_[k] != 0) free_cost_ += cost_[k];
    normal_->add(changed, weight);
  }

  bool step() {
    correct_normal();
    const std::size_t size = normal_->size();
    std::vector<double> lower(normal_->lower(), normal_->lower() + size * size);
    for (std::size_t j = 0; j < d_; ++j) lower[j * size + j] += delta;
    if (has_offset_) lower[d_ * size + d_] += std::max(delta * rho_, 1e-9 * (free_cost_ + delta));
    Cholesky cholesky;
    double ridge = 1e-13;
    while (!cholesky.factor(lower, size, ridge, goal_.threads)) ridge *= 100;
    step_.assign(d_ + 1, 0.0);
    for (std::size_t j = 0; j < size; ++j) step_[j] = -delta * r_[j];
    cholesky.solve(step_.data());
    products(step_.data(), step_[d_], dm_);
    const double t = line_search();
    if (!(t > 0)) return false;
    axpy(t, step_.data(), theta.data(), d_);
    theta0 += t * step_[d_];
    changed_rows_.clear();
    change_.clear();
    for (std::size_t k = 0; k < m_.size(); ++k) {
      m_[k] += t * dm_[k];
      const double next = clipped(k, m_[k]);
      if (next == alpha_[k]) continue;
      changed_rows_.push_back(chosen_[k]);
      change_.push_back((next - alpha_[k]) * sign(k));
      balance_ += change_.back();
      alpha_[k] = next;
    }
    add_rows(changed_rows_, change_);
    return true;
  }

  // Zero of the slope along the step, which only grows.
  double line_search() {
    const double linear = dot(theta.data(), step_.data(), d_) + rho_ * theta0 * step_[d_];
    const double square = norm2(step_.data(), d_) + rho_ * step_[d_] * step_[d_];
    const auto slope_at = [&](double t) {
      return linear + t * square -
             sum_blocks(goal_.threads, m_.size(), row_block, 0.0, [&](std::size_t begin, std::size_t end) {
               double sum = 0;
               for (std::size_t k = begin; k < end; ++k) sum += clipped(k, m_[k] + t * dm_[k]) * dm_[k];
               return sum;
             });
    };
    const double start = slope_at(0);
    if (!(start < 0)) return 0;
    double low = 0, low_slope = start, high = 0, high_slope = 0, t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const double slope = slope_at(t);
      if (std::abs(slope) <= 0.3 * -start) return t;
      if (slope > 0) {
        high = t;
        high_slope = slope;
      } else {
        low = t;
        low_slope = slope;
      }
      if (high == 0) {
        t *= 4;
        continue;
      }
      const double share = std::clamp(-low_slope / (high_slope - low_slope), 0.1, 0.9);
      t = low + share * (high - low);
      if (high - low <= 1e-12 * high) return t;
    }
    return t;
  }

  // Moves the offset alone until the point balances.
  void fit_offset() {
    const auto balance_at = [&](double move) {
      double sum = 0;
      for (std::size_t k = 0; k < m_.size(); ++k) sum += clipped(k, m_[k] + sign(k) * move) * sign(k);
      return sum;  // falls as the offset grows
    };
    double low = 0, high = 0, reach = delta;
    double at = balance_at(0);
    if (at == 0) return;
    for (int trial = 0; trial < 200; ++trial, reach *= 2) {
      (at > 0 ? high : low) = at > 0 ? reach : -reach;
      if ((balance_at(high) <= 0) && (balance_at(low) >= 0)) break;
    }
    for (int trial = 0; trial < 200 && high - low > 1e-16 * (std::abs(theta0) + 1); ++trial) {
      const double middle = low / 2 + high / 2;
      at = balance_at(middle);
      if (at == 0) {
        low = high = middle;
        break;
      }
      (at > 0 ? low : high) = middle;
    }
    theta0 += low / 2 + high / 2;
  }

  void judge() {
    const double here = primal_here();
    if (best_theta_.empty() || here < primal) {
      primal = here;
      best_theta_ = theta;
      best_theta0_ = theta0;
    }
    // The dual value of alpha, balanced when the offset is free.
    double gain = 0;
    for (const double a : alpha_) gain += a;
    double value = gain - norm2(s_.data(), d_) / 2 - rho_ * balance_ * balance_ / 2;
    if (p_.offset == Offset::Free) value -= std::abs(balance_) * (std::abs(theta0) + 1);
    if (best_alpha_.empty() || value > dual) {
      dual = value;
      best_alpha_ = alpha_;
    }
  }

 public:
  void take_best() {
    if (best_theta_.empty()) return;
    theta = best_theta_;
    theta0 = best_theta0_;
  }

 private:
  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::vector<std::uint32_t> chosen_;
  std::size_t d_;
  bool has_offset_;
  double rho_ = 0;
  std::vector<double> cost_, anchor_, alpha_, m_, dm_, s_, r_, step_, change_, best_theta_, best_alpha_;
  std::vector<std::uint32_t> changed_rows_;
  std::vector<char> free_;
  std::unique_ptr<NormalMatrix> normal_;
  double balance_ = 0, free_cost_ = 0, best_theta0_ = 0;
  int corrections_ = 0;
};

}  // namespace

Solution solve_semismooth(const Problem& problem, const RowAccess& rows, const Goal& goal) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (problem.cost[i] > 0) all.push_back(static_cast<std::uint32_t>(i));
  std::vector<std::size_t> sizes;
  for (std::size_t size = std::max<std::size_t>(1000, 20 * rows.cols()); 3 * size < all.size(); size *= 10)
    sizes.push_back(size);
  sizes.push_back(all.size());
  std::vector<double> theta(rows.cols(), 0.0);
  double theta0 = 0, delta = 4;
  std::uint64_t steps = 0;
  for (const std::size_t size : sizes) {
    const bool last = size == all.size();
    std::vector<std::uint32_t> chosen;
    for (std::size_t k = 0; k < size; ++k) chosen.push_back(all[k * all.size() / size]);
    Level level(problem, rows, goal, std::move(chosen),
                static_cast<double>(all.size()) / static_cast<double>(size));
    level.theta = theta;
    level.theta0 = theta0;
    level.delta = delta;
    level.steps = steps;
    Stop why = Stop::Converged;
    const bool reached = level.run(last ? goal.gap : std::max(goal.gap, 1e-3), why);
    level.take_best();
    theta = level.theta;
    theta0 = level.theta0;
    steps = level.steps;
    delta = std::min(3 * level.delta, 0.5);
    if (last || why == Stop::Cancelled || why == Stop::Time) {
      Solution out{std::move(theta), theta0, {}, steps, reached ? Stop::Converged : why};
      if (last) {
        out.alpha.assign(rows.rows(), 0.0);
        for (std::size_t k = 0; k < level.chosen().size() && k < level.alpha().size(); ++k)
          out.alpha[level.chosen()[k]] = level.alpha()[k];
      }
      return out;
    }
  }
  return {};
}

}  // namespace halfspace
