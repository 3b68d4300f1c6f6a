// SPDX-License-Identifier: BSD-3-Clause
// Augmented Lagrangian with semismooth Newton steps, for the hinge loss and few features (any C).
//
// Smoothing  alpha_i(m) = clip(anchor_i + (cost_i / delta)(1 - m_i), 0, cost_i) is dual feasible for every
//            margin. With the anchor cost / 2 this is the Huber hinge of width delta; with the last alpha
//            as anchor it is the augmented Lagrangian, whose limit is the hinge itself.
// Inner      r = theta - sum alpha y x = 0 by Newton steps: (delta R + G) s = -delta r, where G = sum over
//            rows with 0 < alpha < cost of cost (x, 1)(x, 1)'. G does not depend on delta and is corrected
//            by the rows that enter and leave. The line search finds the zero of a monotone piecewise
//            linear function.
// Outer      anchor = alpha, delta shrinks. The gap is 1/2 |r|^2 + sum [cost max(0, 1-m) - alpha (1-m)],
//            all terms >= 0.
// Levels     samples of the rows first (cost scaled up), so that most steps are cheap.
// Cost       a step: one pass for the scores, the changed rows for G and r, and a Cholesky factor of d + 1
//            unknowns.
// Reference  Niu, Wang, Zhang, Xiu: Sparse semismooth Newton methods for SVM (2019); Hestenes, Powell
//            (1969).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "halfspace/core/kernels.hpp"
#include "solve/clipped_line.hpp"
#include "solve/free_matrix.hpp"
#include "solve/row_sample.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_steps = 3000;
constexpr std::size_t slice_rows = 4096;
constexpr double sample_gap = 0.1;  // a sample's optimum is about this far from that of all rows

// One level: some of the rows, with their costs scaled so that they stand for all. The inner steps work on
// compact arrays of the rows that may still change their mind (the working set); the others rest at a bound.
class Level {
 public:
  Level(const Problem& problem, const RowAccess& rows, const Goal& goal, RowSample sample)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        chosen_(std::move(sample.rows)),
        d_(rows.cols()),
        has_offset_(p_.offset != Offset::None) {
    const std::size_t n = chosen_.size();
    cost_.resize(n);
    for (std::size_t k = 0; k < n; ++k) cost_[k] = p_.cost[chosen_[k]] * sample.factor[k];
    rho_ = p_.offset == Offset::Lifted ? 1.0 : 0.0;
  }

  std::vector<double> theta;
  double theta0 = 0;
  std::uint64_t steps = 0;
  double delta = 4;
  double primal = 0, dual = 0;

  // Runs until the relative gap is reached; false: `why` says why not.
  bool run(double wanted, Stop& why) {
    try {
      return rounds(wanted, why);
    } catch (const Stopped& stopped) {
      why = stop_of(stopped);
      return false;
    }
  }

  [[nodiscard]] double relative() const { return (primal - dual) / std::max(1.0, std::abs(primal)); }
  [[nodiscard]] const std::vector<double>& alpha() const { return best_alpha_; }
  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  void take_best() {
    if (best_theta_.empty()) return;
    theta = best_theta_;
    theta0 = best_theta0_;
  }

 private:
  bool rounds(double wanted, Stop& why) {
    start();
    for (int outer = 0; outer < 200; ++outer) {
      take_working_set(outer == 0);
      int inner = 0;
      bool solved = false;
      for (; inner < 50; ++inner) {
        residual();
        if (residual_size() <= std::max(0.2 * slack(), 0.05 * wanted * std::max(1.0, primal_here_))) {
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
      give_back();
      judge();
      if (relative() <= wanted) return true;
      // No further than the gap asks for (it falls a little faster than delta), and more slowly when the
      // steps were many.
      const double needed = std::min(0.6, std::pow(0.5 * wanted / relative(), 0.7));
      shrink_ = solved ? std::max(needed, inner >= 8 ? std::sqrt(0.2) : 0.2) : 1.0;
    }
    why = Stop::Limit;
    return false;
  }

  // The rows of the working set, side by side.
  struct Working {
    std::vector<std::uint32_t> place, row;  // in the level, in the data
    std::vector<double> y, cost, anchor, slope, alpha, m, dm, change;
    void resize(std::size_t n) {
      place.resize(n);
      row.resize(n);
      for (auto* v : {&y, &cost, &anchor, &slope, &alpha, &m, &dm, &change}) v->resize(n);
    }
    [[nodiscard]] std::size_t size() const { return place.size(); }
    [[nodiscard]] ClippedRows rows() const { return {anchor.data(), slope.data(), cost.data(), size()}; }
  };

  void start() {
    const std::size_t n = chosen_.size();
    alpha_.assign(n, 0.0);
    m_.assign(n, 0.0);
    last_m_.assign(n, 0.0);
    s_.assign(d_, 0.0);
    matrix_ = std::make_unique<FreeMatrix>(rows_, has_offset_, n, goal_.threads);
    margins();
    measure();
    // A plane that a sample made may be worse for these rows than none, which has every loss at 1.
    if (primal_here_ <= std::accumulate(cost_.begin(), cost_.end(), 0.0)) return;
    std::fill(theta.begin(), theta.end(), 0.0);
    theta0 = 0;
    margins();
    measure();
  }

  // Chooses the rows near the margin, or undecided, or on the wrong side of it; at the start of a level, all:
  // features that the sample did not show are held by nothing else. Then moves the anchor and shrinks delta.
  void take_working_set(bool first) {
    const std::size_t n = chosen_.size();
    const double before = delta;
    const bool all = first || std::exchange(wants_all_, false);
    if (!first) delta *= shrink_;
    std::size_t count = 0;
    place_.resize(n);
    if (!all) {
      double moved = 0;
      for (std::size_t k = 0; k < n; ++k) moved += (m_[k] - last_m_[k]) * (m_[k] - last_m_[k]);
      const double near = std::max(3 * before, 4 * std::sqrt(moved / static_cast<double>(n)));
      for (std::size_t k = 0; k < n; ++k) {
        const double gap = 1 - m_[k];
        const bool rests = (alpha_[k] == 0 && gap < -near) || (alpha_[k] == cost_[k] && gap > near);
        place_[count] = static_cast<std::uint32_t>(k);
        count += rests ? 0 : 1;
      }
    }
    if (all || count * 5 > n * 4) {
      count = n;
      for (std::size_t k = 0; k < n; ++k) place_[k] = static_cast<std::uint32_t>(k);
    }
    last_m_ = m_;
    work_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t from = place_[k];
      work_.place[k] = from;
      work_.row[k] = chosen_[from];
      work_.y[k] = p_.y[chosen_[from]];
      work_.cost[k] = cost_[from];
      work_.anchor[k] = first ? cost_[from] / 2 : alpha_[from];
      work_.slope[k] = cost_[from] / delta;
      work_.m[k] = m_[from];
      work_.alpha[k] = alpha_[from];
    }
    move(nullptr, 0);
  }

  // Moves the margins of the working set by t dm; alpha, s and the balance follow.
  void move(const double* dm, double t) {
    clipped_move(work_.rows(), work_.m.data(), dm, t, work_.alpha.data(), work_.change.data());
    changed_rows_.resize(work_.size());
    change_.resize(work_.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < work_.size(); ++k) {
      changed_rows_[count] = work_.row[k];
      change_[count] = work_.change[k] * work_.y[k];
      balance_ += change_[count];
      count += work_.change[k] != 0 ? 1 : 0;
    }
    changed_rows_.resize(count);
    change_.resize(count);
    add_rows(changed_rows_, change_);
  }

  void give_back() {
    for (std::size_t k = 0; k < work_.size(); ++k) alpha_[work_.place[k]] = work_.alpha[k];
    margins();
  }

  // out[k] = x_k . w, the rows in order
  void products(const std::vector<std::uint32_t>& rows, const double* w, std::vector<double>& out) {
    if (rows.size() == rows_.rows()) {
      row_products(rows_, w, out.data(), goal_.threads);
      return;
    }
    for_blocks(goal_.threads, rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(rows).subspan(begin, end - begin), w, out.data() + begin);
    });
  }
  void margins() {
    products(chosen_, theta.data(), m_);
    for (std::size_t k = 0; k < m_.size(); ++k) m_[k] = p_.y[chosen_[k]] * (m_[k] + theta0);
  }

  // s += sum coefficient x over the rows given, by slices in order.
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
  // Sum of the Fenchel-Young terms of the working set; the rows at rest have none.
  [[nodiscard]] double slack() const {
    return clipped_slack(work_.cost.data(), work_.alpha.data(), work_.m.data(), work_.size());
  }
  void measure() {
    primal_here_ = norm2(theta.data(), d_) / 2 + rho_ * theta0 * theta0 / 2;
    double sum = 0;
    for (std::size_t k = 0; k < m_.size(); ++k) sum += cost_[k] * std::max(0.0, 1 - m_[k]);
    primal_here_ += sum;
  }

  bool step() {
    matrix_->correct({work_.place, work_.row, work_.cost, work_.alpha});
    step_.assign(d_ + 1, 0.0);
    for (std::size_t j = 0; j < d_ + (has_offset_ ? 1 : 0); ++j) step_[j] = -delta * r_[j];
    matrix_->solve(delta, rho_, step_);
    products(work_.row, step_.data(), work_.dm);
    for (std::size_t k = 0; k < work_.size(); ++k) work_.dm[k] = work_.y[k] * (work_.dm[k] + step_[d_]);
    const double t = line_search();
    if (!(t > 0)) return false;
    axpy(t, step_.data(), theta.data(), d_);
    theta0 += t * step_[d_];
    move(work_.dm.data(), t);
    return true;
  }

  // Zero of the slope along the step, which only grows.
  double line_search() {
    const double linear = dot(theta.data(), step_.data(), d_) + rho_ * theta0 * step_[d_];
    const double square = norm2(step_.data(), d_) + rho_ * step_[d_] * step_[d_];
    // Rows at rest have constant alpha: their part of the slope is s . step less that of the working set.
    double resting = dot(s_.data(), step_.data(), d_) + balance_ * step_[d_];
    resting -= dot(work_.alpha.data(), work_.dm.data(), work_.size());
    const auto slope_at = [&](double t) {
      return linear + t * square - resting - clipped_slope(work_.rows(), work_.m.data(), work_.dm.data(), t);
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

  // Moves the offset alone until the point balances: the balance falls, piecewise linearly, as the offset
  // grows.
  void fit_offset() {
    double resting = balance_, size = 0, most = 0, least = 0;
    for (std::size_t k = 0; k < work_.size(); ++k) {
      resting -= work_.alpha[k] * work_.y[k];
      size += work_.alpha[k];
      (work_.y[k] > 0 ? most : least) += work_.cost[k];
    }
    // No offset balances these rows when those at rest weigh more: all of them must have their say.
    if (!(resting + most > 0 && resting - least < 0)) {
      wants_all_ = true;
      return;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double low = -infinity, high = infinity, shift = 0, reach = delta;
    for (int trial = 0; trial < 300; ++trial) {
      ClippedBalance now = clipped_balance(work_.rows(), work_.m.data(), work_.y.data(), shift);
      now.balance += resting;
      if (std::abs(now.balance) <= 1e-14 * size) break;
      (now.balance > 0 ? low : high) = shift;
      double next = now.fall > 0 ? shift + now.balance / now.fall : infinity;
      if (!(next > low && next < high)) {
        if (std::isfinite(low) && std::isfinite(high)) {
          next = low / 2 + high / 2;
        } else {
          next = now.balance > 0 ? shift + reach : shift - reach;
          reach *= 2;
        }
      }
      if (std::abs(next - shift) <= 1e-16 * (1 + std::abs(theta0))) break;
      shift = next;
    }
    theta0 += shift;
    move(work_.y.data(), shift);
  }

  void judge() {
    measure();
    if (best_theta_.empty() || primal_here_ < primal) {
      primal = primal_here_;
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

  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::vector<std::uint32_t> chosen_;
  std::size_t d_;
  bool has_offset_;
  double rho_ = 0;
  Working work_;
  std::vector<double> cost_, alpha_, m_, last_m_, s_, r_, step_, change_, best_theta_, best_alpha_;
  std::vector<std::uint32_t> changed_rows_, place_;
  std::unique_ptr<FreeMatrix> matrix_;
  double balance_ = 0, best_theta0_ = 0, primal_here_ = 0, shrink_ = 1;
  bool wants_all_ = false;
};

}  // namespace

Solution solve_semismooth(const Problem& problem, const RowAccess& rows, const Goal& goal) {
  const std::size_t all = present_rows(problem).size();
  std::vector<std::size_t> sizes;
  for (std::size_t size = std::max<std::size_t>(1000, 10 * rows.cols()); 3 * size < all; size *= 10)
    sizes.push_back(size);
  sizes.push_back(all);
  Solution at;
  at.theta.resize(rows.cols(), 0.0);
  double delta = 4;
  std::uint64_t steps = 0;
  for (const std::size_t size : sizes) {
    const bool last = size == all;
    Level level(problem, rows, goal, spread_sample(problem, size));
    level.theta = std::move(at.theta);
    level.theta0 = at.theta0;
    level.delta = delta;
    level.steps = steps;
    Stop why = Stop::Converged;
    const bool reached = level.run(last ? goal.gap : std::max(goal.gap, sample_gap), why);
    level.take_best();
    steps = level.steps;
    at = {std::move(level.theta), level.theta0, {}, steps, reached ? Stop::Converged : why};
    delta = std::min(3 * level.delta, 0.5);
    if (last) {
      at.alpha.assign(rows.rows(), 0.0);
      for (std::size_t k = 0; k < level.chosen().size() && k < level.alpha().size(); ++k)
        at.alpha[level.chosen()[k]] = level.alpha()[k];
    }
    if (why == Stop::Cancelled || why == Stop::Time) break;
  }
  return at;
}

}  // namespace halfspace
