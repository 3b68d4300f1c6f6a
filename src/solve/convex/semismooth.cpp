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
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/row_sample.hpp"
#include "solve/convex/solver.hpp"
#include "solve/narrow/narrow.hpp"
#include "solve/systems/clipped_line.hpp"
#include "solve/systems/free_matrix.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t semismooth_steps = 3000;
constexpr std::size_t slice_rows = 4096;
constexpr double warm_delta = 0.5;  // for a start near the optimum
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
        list_(goal.team.stretch(chosen_.size())),
        d_(rows.cols()),
        has_offset_(p_.offset != Offset::None) {
    const std::size_t n = chosen_.size();
    cost_.resize(n);
    for (std::size_t k = 0; k < n; ++k) cost_[k] = p_.cost[chosen_[k]] * sample.factor[k];
    rho_ = p_.offset == Offset::Lifted ? 1.0 : 0.0;
  }

  std::vector<double> theta;
  double theta0 = 0;
  std::vector<double> anchor;  // of the first round, one for every chosen row; empty: the middle of the box
  std::uint64_t steps = 0;
  double delta = 4;
  double primal = 0, dual = 0;

  // Runs until the relative gap is reached; false: `why` says why not. `look` is called at the beginning of every step.
  bool run(double wanted, Stop& why, const std::function<void()>& look) {
    try {
      return rounds(wanted, why, look);
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

  // At the beginning of a step; what is read goes on from there.
  template <class Archive>
  void state(Archive& a) {
    const std::size_t n = chosen_.size();
    if constexpr (Archive::reads) begin();
    a(theta0, steps, delta, primal, dual, best_theta0_, primal_here_, balance_, shrink_, wants_all_, judged_,
      round_, step_of_round_);
    a.array(theta, d_);
    for (auto* v : {&alpha_, &m_, &last_m_}) a.array(*v, n);
    a.array(s_, d_);
    a(best_theta_, best_alpha_);
    a(work_.place);
    const std::size_t count = work_.place.size();
    a.array(work_.row, count);
    for (auto* v : {&work_.y, &work_.cost, &work_.anchor, &work_.slope, &work_.alpha, &work_.m})
      a.array(*v, count);
    a.part(*matrix_);
    if constexpr (Archive::reads) {
      for (std::size_t k = 0; k < count; ++k)
        if (work_.place[k] >= n || work_.row[k] != chosen_[work_.place[k]])
          a.refuse("a row that there is not");
      if ((!best_theta_.empty() && best_theta_.size() != d_) ||
          (!best_alpha_.empty() && best_alpha_.size() != n))
        a.refuse("an array of another length");
      work_.resize(count);
      working_list_ = goal_.team.stretch(count);
      resumed_ = true;
    }
  }

 private:
  bool rounds(double wanted, Stop& why, const std::function<void()>& look) {
    if (!resumed_) start();
    for (; round_ < 200; ++round_) {
      if (!resumed_) {
        take_working_set(round_ == 0);
        step_of_round_ = 0;
      }
      resumed_ = false;
      int& inner = step_of_round_;
      bool solved = false;
      for (; inner < 50; ++inner) {
        look();
        residual();
        if (residual_size() <= std::max(0.2 * slack(), 0.05 * wanted * std::max(1.0, primal_here_))) {
          solved = true;
          break;
        }
        if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), steps, relative(), "semismooth"}, why))
          return false;
        if (!step()) break;
        if (++steps > semismooth_steps) {
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

  void begin() {
    const std::size_t n = chosen_.size();
    alpha_.assign(n, 0.0);
    m_.assign(n, 0.0);
    last_m_.assign(n, 0.0);
    s_.assign(d_, 0.0);
    matrix_ = std::make_unique<FreeMatrix>(rows_, has_offset_, n, goal_.team);
  }

  void start() {
    begin();
    margins();
    measure();
    // A plane that a sample made may be worse for these rows than none, which has every loss at 1.
    double none = 0;
    add_in_turn(goal_.team, none,
                [&](double& sum) { sum = std::accumulate(cost_.begin(), cost_.end(), sum); });
    if (primal_here_ <= none) return;
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
      add_in_turn(goal_.team, moved, [&](double& sum) {
        for (std::size_t k = 0; k < n; ++k) sum += (m_[k] - last_m_[k]) * (m_[k] - last_m_[k]);
      });
      const double near = std::max(3 * before, 4 * std::sqrt(moved / static_cast<double>(list_.total)));
      for (std::size_t k = 0; k < n; ++k) {
        const double gap = 1 - m_[k];
        const bool rests = (alpha_[k] == 0 && gap < -near) || (alpha_[k] == cost_[k] && gap > near);
        place_[count] = static_cast<std::uint32_t>(k);
        count += rests ? 0 : 1;
      }
    }
    if (all || goal_.team.total(count) * 5 > list_.total * 4) {
      count = n;
      for (std::size_t k = 0; k < n; ++k) place_[k] = static_cast<std::uint32_t>(k);
    }
    last_m_ = m_;
    work_.resize(count);
    working_list_ = goal_.team.stretch(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t from = place_[k];
      work_.place[k] = from;
      work_.row[k] = chosen_[from];
      work_.y[k] = p_.y[chosen_[from]];
      work_.cost[k] = cost_[from];
      work_.anchor[k] = !first ? alpha_[from] : anchor.empty() ? cost_[from] / 2 : anchor[from];
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
    add_in_turn(goal_.team, balance_, [&](double& balance) {
      for (std::size_t k = 0; k < work_.size(); ++k) {
        changed_rows_[count] = work_.row[k];
        change_[count] = work_.change[k] * work_.y[k];
        balance += change_[count];
        count += work_.change[k] != 0 ? 1 : 0;
      }
    });
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
      row_products(rows_, w, out.data(), goal_.team.threads());
      return;
    }
    for_blocks(goal_.team.threads(), rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(rows).subspan(begin, end - begin), w, out.data() + begin);
    });
  }
  void margins() {
    products(chosen_, theta.data(), m_);
    for (std::size_t k = 0; k < m_.size(); ++k) m_[k] = p_.y[chosen_[k]] * (m_[k] + theta0);
  }

  // s += sum coefficient x over the rows given, by slices in order.
  void add_rows(const std::vector<std::uint32_t>& where, const std::vector<double>& coefficient) {
    const Stretch list = goal_.team.stretch(where.size());
    const std::size_t slices = std::min<std::size_t>((list.total + slice_rows - 1) / slice_rows, 8);
    const auto add = [&](std::size_t begin, std::size_t end, double* to) {
      rows_.axpys(std::span(where).subspan(begin, end - begin), coefficient.data() + begin, to);
    };
    if (slices <= 1) return add_slices(goal_.team, list, 1, d_, s_.data(), part_, add);
    slice_sums(goal_.team, list, slices, d_, part_, add);
    add_parts(goal_.team.threads(), part_, d_, s_.data());
  }

  // The sums of blocks of the working set, by f(begin, end, place in the list of all members, sum).
  template <class Sum, class F>
  [[nodiscard]] std::vector<Sum> working_sums(const F& f) const {
    return block_sums(
        goal_.team, working_list_, Sum{},
        [&](std::size_t begin, std::size_t end, Sum& sum) {
          f(begin, end, working_list_.first + begin, sum);
        },
        slice_rows);
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
    double total = 0;
    for (const LaneSum& part :
         working_sums<LaneSum>([&](std::size_t begin, std::size_t end, std::size_t place, LaneSum&sum) {
           add_clipped_slack(work_.rows().part(begin, end), work_.alpha.data() + begin,
                             work_.m.data() + begin, place, sum);
         }))
      total += part.value();
    return total;
  }
  void measure() {
    primal_here_ = norm2(theta.data(), d_) / 2 + rho_ * theta0 * theta0 / 2;
    double loss = 0;
    add_in_turn(goal_.team, loss, [&](double& sum) {
      for (std::size_t k = 0; k < m_.size(); ++k) sum += cost_[k] * std::max(0.0, 1 - m_[k]);
    });
    primal_here_ += loss;
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

  // sum alpha(m + t dm) dm over the working set
  [[nodiscard]] double working_slope(double t) const {
    double total = 0;
    for (const LaneSum& part :
         working_sums<LaneSum>([&](std::size_t begin, std::size_t end, std::size_t place, LaneSum&sum) {
           add_clipped_slope(work_.rows().part(begin, end), work_.m.data() + begin, work_.dm.data() + begin,
                             t, place, sum);
         }))
      total += part.value();
    return total;
  }

  // Zero of the slope along the step, which only grows.
  double line_search() {
    const double linear = dot(theta.data(), step_.data(), d_) + rho_ * theta0 * step_[d_];
    const double square = norm2(step_.data(), d_) + rho_ * step_[d_] * step_[d_];
    // Rows at rest have constant alpha: their part of the slope is s . step less that of the working set.
    const double here = working_slope(0);
    const double resting = dot(s_.data(), step_.data(), d_) + balance_ * step_[d_] - here;
    const auto slope_at = [&](double t) { return linear + t * square - resting - working_slope(t); };
    const double start = linear - resting - here;
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

  [[nodiscard]] std::vector<ClippedBalance> balances(double shift) const {
    return working_sums<ClippedBalance>(
        [&](std::size_t begin, std::size_t end, std::size_t place, ClippedBalance& sum) {
          add_clipped_balance(work_.rows().part(begin, end), work_.m.data() + begin, work_.y.data() + begin,
                              shift, place, sum);
        });
  }

  // Moves the offset alone until the point balances: the balance falls, piecewise linearly, as the offset
  // grows.
  void fit_offset() {
    struct Weights {
      double resting = 0, size = 0, most = 0, least = 0;
    } weights;
    weights.resting = balance_;
    add_in_turn(goal_.team, weights, [&](Weights& to) {
      for (std::size_t k = 0; k < work_.size(); ++k) {
        to.resting -= work_.alpha[k] * work_.y[k];
        to.size += work_.alpha[k];
        (work_.y[k] > 0 ? to.most : to.least) += work_.cost[k];
      }
    });
    const auto [resting, size, most, least] = weights;
    // No offset balances these rows when those at rest weigh more: all of them must have their say.
    if (!(resting + most > 0 && resting - least < 0)) {
      wants_all_ = true;
      return;
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double low = -infinity, high = infinity, shift = 0, reach = delta;
    for (int trial = 0; trial < 300; ++trial) {
      double balance = 0, fall = 0;
      for (const ClippedBalance& part : balances(shift)) {
        balance += part.balance.value();
        fall += part.fall.value();
      }
      balance += resting;
      if (std::abs(balance) <= 1e-14 * size) break;
      (balance > 0 ? low : high) = shift;
      double next = fall > 0 ? shift + balance / fall : infinity;
      if (!(next > low && next < high)) {
        if (std::isfinite(low) && std::isfinite(high)) {
          next = low / 2 + high / 2;
        } else {
          next = balance > 0 ? shift + reach : shift - reach;
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
    add_in_turn(goal_.team, gain,
                [&](double& sum) { sum = std::accumulate(alpha_.begin(), alpha_.end(), sum); });
    double value = gain - norm2(s_.data(), d_) / 2 - rho_ * balance_ * balance_ / 2;
    if (p_.offset == Offset::Free) value -= std::abs(balance_) * (std::abs(theta0) + 1);
    if (!judged_ || value > dual) {
      judged_ = true;
      dual = value;
      best_alpha_ = alpha_;
    }
  }

  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::vector<std::uint32_t> chosen_;
  Stretch list_, working_list_;  // of the chosen rows and of the working set among those of all members
  std::size_t d_;
  bool has_offset_;
  double rho_ = 0;
  Working work_;
  std::vector<double> cost_, alpha_, m_, last_m_, s_, r_, step_, change_, best_theta_, best_alpha_;
  std::vector<std::uint32_t> changed_rows_, place_;
  std::vector<std::vector<double>> part_;
  std::unique_ptr<FreeMatrix> matrix_;
  double balance_ = 0, best_theta0_ = 0, primal_here_ = 0, shrink_ = 1;
  bool wants_all_ = false, judged_ = false;
  bool resumed_ = false;
  int round_ = 0, step_of_round_ = 0;
};

}  // namespace

bool semismooth_handles(const Loss& loss, const Penalty& penalty) {
  return std::holds_alternative<Hinge>(loss) && std::holds_alternative<L2>(penalty);
}

Solution solve_semismooth(const Problem& problem, const RowAccess& rows, const Goal& goal,
                          const Solution* start) {
  assert(semismooth_handles(problem.loss, problem.penalty));
  std::uint64_t steps = 0;
  if (start == nullptr && narrow_handles(problem, rows, goal.team)) {
    Goal narrow = goal;
    narrow.keep = goal.keep.below("narrow");
    Solution found = keep_solution(narrow.keep, rows, [&] { return solve_narrow(problem, rows, narrow); });
    if (found.stop != Stop::Limit) return found;
    steps = found.iterations;
  }
  const std::size_t all = goal.team.total(present_rows(problem).size());
  std::vector<std::size_t> sizes;
  const bool warm = start != nullptr && start->alpha.size() == rows.rows() && goal.team.alone();
  for (std::size_t size = std::max<std::size_t>(1000, 10 * rows.cols()); !warm && 3 * size < all; size *= 10)
    sizes.push_back(size);
  sizes.push_back(all);
  Solution at;
  at.theta.resize(rows.cols(), 0.0);
  double delta = 4;
  if (warm) {
    at.theta = start->theta;
    at.theta0 = start->theta0;
    delta = warm_delta;
  }
  std::uint64_t place = 0;
  std::optional<Level> resumed;
  const auto make = [&] {
    return Level(problem, rows, goal, spread_sample(goal.team, problem, sizes[place]));
  };
  static_cast<void>(goal.keep.resume([&](StateReader& in) {
    in(place);
    if (place >= sizes.size()) in.refuse("a level that there is not");
    in.part(resumed.emplace(make()));
  }));
  for (; place < sizes.size(); ++place) {
    const bool last = sizes[place] == all;
    std::optional<Level> made;
    if (!resumed) {
      made.emplace(make());
      made->theta = std::move(at.theta);
      made->theta0 = at.theta0;
      made->delta = delta;
      made->steps = steps;
      if (warm)
        for (const std::uint32_t row : made->chosen()) made->anchor.push_back(start->alpha[row]);
    } else {
      made.emplace(std::move(*resumed));
      resumed.reset();
    }
    Level& level = *made;
    Stop why = Stop::Converged;
    const auto look = [&] {
      goal.keep.leave([&](StateWriter& to) {
        to(place);
        to.part(level);
      });
    };
    const bool reached = level.run(last ? goal.gap : std::max(goal.gap, sample_gap), why, look);
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
