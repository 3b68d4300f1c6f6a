// SPDX-License-Identifier: BSD-3-Clause
// Proximal Newton steps on a working set of columns, for smooth losses and penalties with |theta|_1.
//
// Problem    minimise P = a |theta|_1 + b |theta|^2 / 2 + sum cost_i loss(y_i (theta . x_i + theta0)).
// Step       the loss by its second-order model, the penalty as it is; coordinate descent finds the best w of that, and
//            a search along the line to w makes P fall. A free offset is one more coordinate, and is fitted by itself
//            after every step, so that the dual point balances.
// Columns    a working set: the weights that are not 0 and the columns with the steepest slopes, twice as many as
//            weights. Steps see these alone; when they have settled, the slopes of all columns are computed again.
// Screening  a column whose slope is further inside its bound than the gap lets the best one be is 0 in every
//            best plane, and is never looked at again.
// Systems    the model of the loss as a matrix (few columns, many rows), kept while steps with it go on well, or
//            as rows with curvatures (many columns).
// Levels     many rows: a tenth of them first, with their costs scaled up.
// Cost       a step takes two passes over the entries of the working set, and its coordinate sweeps; a look at all columns
//            one pass over all entries. Sums over rows are those of row_sums, on all threads; the sweeps are sequential. One
//            member: curvatures and columns of rows that others hold are not fetched.
// Proof      alpha_i = -cost_i slope(m_i), shrunk until every |sum alpha y x| is at most a where b = 0.
// Reference  Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression, JMLR 13 (2012); Ndiaye, Fercoq,
//            Gramfort, Salmon: Gap safe screening rules for sparsity enforcing penalties, JMLR 18 (2017); Johnson,
//            Guestrin: Blitz, ICML 2015; Massias, Gramfort, Salmon: Celer, ICML 2018.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "solve/convex/solver.hpp"
#include "solve/sparse/quadratic_model.hpp"
#include "solve/sparse/working_matrix.hpp"
#include "solve/systems/line_losses.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_looks = 200;  // at all columns
constexpr int most_inner = 20;             // steps between two looks
constexpr std::size_t least_working = 100;

class ProxNewton {
 public:
  ProxNewton(SparseLevel level, const RowAccess& rows, const Goal& goal, std::uint64_t steps)
      : level_(std::move(level)),
        p_(level_.problem),
        rows_(rows),
        goal_(goal),
        n_(level_.ids.size()),
        d_(rows.cols()),
        parts_(parts_of(p_.penalty)),
        steps_(steps) {
    for (auto* v : {&z_, &u_, &h_, &dz_}) v->assign(n_, 0.0);
    g_.assign(d_ + 1, 0.0);
    alive_.resize(d_);
    std::iota(alive_.begin(), alive_.end(), 0U);
    if (!p_.usable.empty())
      alive_.erase(std::remove_if(alive_.begin(), alive_.end(), [&](auto j) { return p_.usable[j] == 0; }),
                   alive_.end());
    linear_tails_ =
        std::visit([]<class L>(L) { return QuadraticGain<L> && std::isfinite(L::limit); }, p_.loss);
  }

  // near: the plane is one of a problem like this one.
  Solution run(std::vector<double> theta, double theta0, double wanted, bool near) {
    near_ = near;
    theta_ = std::move(theta);
    theta0_ = theta0;
    wanted_ = wanted;
    try {
      // From a plane nearby two or three looks at all columns are enough: fewer columns are not worth a pass of their own.
      if (!near_) leave_out_of_reach();
      return looks();
    } catch (const Stopped& stopped) {
      return finish(stop_of(stopped));
    }
  }

 private:
  Solution looks() {
    scores();
    fit_offset();
    constexpr std::uint64_t patience = 30;  // looks at which the gap is no smaller than before
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t best_look = 0;
    for (std::uint64_t look = 0;; ++look) {
      slopes();
      all_slopes();
      const double relative = gap() / std::max(1.0, primal());
      if (relative <= wanted_) return finish(Stop::Converged);
      if (relative < 0.9 * least) {
        least = relative;
        best_look = look;
      }
      if (look >= most_looks || look > best_look + patience || stuck_) return finish(Stop::Limit);
      Stop why = Stop::Converged;
      if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), steps_, relative, "prox-newton"}, why))
        return finish(why);
      if (look > 0) screen();  // before, no gap is small enough
      choose();
      inner_steps();
    }
  }

  // Where slopes have a limit, a column whose slope cannot pass its bound whatever the plane is 0 in the best one.
  void leave_out_of_reach() {
    const double limit = std::visit([](auto loss) { return loss.limit; }, p_.loss);
    if (!std::isfinite(limit) || alive_.size() < 1000) return;
    std::vector<double> sides(2 * d_, 0.0);  // how far a slope can go up, and down
    std::vector<std::vector<double>> part;
    add_list(goal_.team, level_.list, 2 * d_, sides.data(), part,
             [&](std::size_t b, std::size_t e, double* to) {
               for (std::size_t k = b; k < e; ++k)
                 rows_.add_sides(limit * p_.cost[k] * p_.y[k], level_.ids[k], to);
             });
    const auto out = [&](std::uint32_t j) {
      const std::size_t at = std::size_t{2} * j;
      if (std::max(sides[at], sides[at + 1]) * (1 + 1e-9) > parts_.sizes) return false;
      theta_[j] = 0;
      return true;
    };
    alive_.erase(std::remove_if(alive_.begin(), alive_.end(), out), alive_.end());
    if (alive_.size() * 2 <= d_)
      base_ = std::make_unique<ChosenColumns>(rows_, level_.ids, alive_, goal_.team);
  }

  [[nodiscard]] bool lifted() const { return p_.offset == Offset::Lifted; }
  [[nodiscard]] double primal() const { return loss_ + penalty(); }
  [[nodiscard]] double penalty() const {
    double sum = lifted() ? cost_of(theta0_) : 0.0;
    // Columns that are not in the working set have no weight.
    for (const std::uint32_t j : columns_ ? columns_->chosen() : alive_) sum += cost_of(theta_[j]);
    return sum;
  }
  [[nodiscard]] double cost_of(double w) const {
    return parts_.sizes * std::abs(w) + parts_.squares * w * w / 2;
  }

  void scores() {
    for_blocks(goal_.team.threads(), n_, row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(level_.ids).subspan(begin, end - begin), theta_.data(), z_.data() + begin);
      for (std::size_t i = begin; i < end; ++i) z_[i] += theta0_;
    });
  }

  void slopes() {
    loss_ = loss_slopes(p_, z_.data(), u_.data(), h_.data(), goal_.team, level_.list);
    u_sum_ = sum_rows(goal_.team, level_.list, 0.0, [&](std::size_t b, std::size_t e, double& sum) {
      sum = std::accumulate(u_.begin() + static_cast<std::ptrdiff_t>(b),
                            u_.begin() + static_cast<std::ptrdiff_t>(e), sum);
    });
    if (!linear_tails_) return;
    // On a straight piece the model would fall without end.
    for (std::size_t i = 0; i < n_; ++i)
      if (h_[i] == 0 && u_[i] != 0) h_[i] = tail_curvature_ * p_.cost[i];
  }

  // g = X' u over all columns that are left.
  void all_slopes() {
    if (base_) {
      std::vector<double> g(base_->size(), 0.0);
      base_->add_sums(u_.data(), g.data());
      for (std::size_t c = 0; c < g.size(); ++c) g_[base_->chosen()[c]] = g[c];
    } else {
      std::fill(g_.begin(), g_.end(), 0.0);
      if (!all_) {
        std::vector<std::uint32_t> every(d_);
        std::iota(every.begin(), every.end(), 0U);
        all_ = std::make_unique<ChosenColumns>(rows_, level_.ids, std::move(every), goal_.team);
      }
      all_->add_sums(u_.data(), g_.data());
    }
    g_[d_] = p_.offset == Offset::None ? 0.0 : u_sum_;
  }

  // P less the dual value at the shrunk point. First by what follows from sums at hand, exact to second order in what
  // was shrunk; where that is small enough, as it is.
  double gap() {
    const double sum = -dot(u_.data(), z_.data(), n_);  // sum alpha m
    double most = lifted() ? std::abs(g_[d_]) : 0.0, conjugate = 0;
    for (const std::uint32_t j : alive_) most = std::max(most, std::abs(g_[j]));
    shrink_ = 1;
    if (parts_.squares > 0) {
      const auto part = [&](double s) {
        const double beyond = std::max(0.0, std::abs(s) - parts_.sizes);
        return beyond * beyond / (2 * parts_.squares);
      };
      for (const std::uint32_t j : alive_) conjugate += part(g_[j]);
      if (lifted()) conjugate += part(g_[d_]);
    } else if (most > parts_.sizes) {
      shrink_ = parts_.sizes / most;
    }
    gap_ = penalty() - shrink_ * sum + conjugate;
    exact_ = shrink_ == 1;
    if (!exact_ && gap_ <= wanted_ * std::max(1.0, primal())) exact_gap();
    return gap_;
  }
  void exact_gap() {
    const double gains = std::visit(
        [&](const auto& loss) {
          return sum_rows(goal_.team, level_.list, 0.0, [&](std::size_t b, std::size_t e, double& sum) {
            for (std::size_t i = b; i < e; ++i)
              sum += p_.cost[i] * loss.gain(std::min(std::abs(u_[i]) / p_.cost[i], loss.limit) * shrink_);
          });
        },
        p_.loss);
    gap_ = primal() - gains;
    exact_ = true;
  }

  // The dual is strongly concave: the best point is within a ball of the shrunk one, by the gap.
  void screen() {
    if (alive_.size() < 1000 || shrink_ < 0.5) return;
    if (!exact_) exact_gap();
    if (spread_.empty()) {
      spread_.assign(d_, 0.0);
      std::vector<std::vector<double>> part;
      add_list(goal_.team, level_.list, d_, spread_.data(), part,
               [&](std::size_t b, std::size_t e, double* to) {
                 for (std::size_t k = b; k < e; ++k) rows_.add_squares(p_.cost[k], level_.ids[k], to);
               });
    }
    const double curvature = std::visit([](auto loss) { return loss.largest_curvature; }, p_.loss);
    const double radius = std::sqrt(2 * curvature * std::max(gap_, 0.0)) * (1 + 1e-6) + 1e-9;
    const auto out = [&](std::uint32_t j) {
      return theta_[j] == 0 && shrink_ * std::abs(g_[j]) + radius * std::sqrt(spread_[j]) < parts_.sizes;
    };
    alive_.erase(std::remove_if(alive_.begin(), alive_.end(), out), alive_.end());
    const std::size_t at_hand = base_ ? base_->size() : d_;
    if (alive_.size() * 2 > at_hand) return;
    base_ = those(alive_);
    all_.reset();
  }

  // Columns that are still in question.
  [[nodiscard]] std::unique_ptr<ChosenColumns> those(std::vector<std::uint32_t> chosen) const {
    if (base_) return std::make_unique<ChosenColumns>(*base_, std::move(chosen));
    return std::make_unique<ChosenColumns>(rows_, level_.ids, std::move(chosen), goal_.team);
  }

  // The working set: kept while the columns outside it are no more than a twentieth of what is wrong.
  void choose() {
    double wrong = 0, outside = 0;
    std::size_t support = 0;
    std::vector<std::uint8_t> inside(d_, 0);
    if (columns_)
      for (const std::uint32_t j : columns_->chosen()) inside[j] = 1;
    for (const std::uint32_t j : alive_) {
      const double off = violation(g_[j], theta_[j], parts_.sizes, parts_.squares);
      wrong += off;
      if (inside[j] == 0) outside += off;
      support += theta_[j] != 0 ? 1 : 0;
    }
    if (columns_ && outside <= 0.05 * wrong) return;
    columns_with(std::max(least_working, 3 * support));
  }
  // The columns with a weight, and others near their bound or beyond it, the steepest first, up to `wanted` in all. All columns
  // where there are few or hardly more: then nothing has to be chosen again.
  void columns_with(std::size_t wanted) {
    std::vector<std::uint32_t> chosen;
    constexpr std::size_t few = 300;
    const bool nearly_all = alive_.size() <= most_matrix && 3 * alive_.size() <= 4 * wanted;
    if (alive_.size() > few && !nearly_all) {
      for (const std::uint32_t j : alive_)
        if (theta_[j] != 0 || std::abs(g_[j]) > 0.95 * parts_.sizes) chosen.push_back(j);
      const auto before = [&](std::uint32_t a, std::uint32_t b) {
        const bool keep_a = theta_[a] != 0, keep_b = theta_[b] != 0;
        if (keep_a != keep_b) return keep_a;
        const double ga = std::abs(g_[a]), gb = std::abs(g_[b]);
        return ga != gb ? ga > gb : a < b;
      };
      if (chosen.size() > wanted) {
        std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(wanted), chosen.end(),
                         before);
        chosen.resize(wanted);
        std::sort(chosen.begin(), chosen.end());
      }
    } else {
      chosen = alive_;
    }
    if (columns_ && chosen == columns_->chosen()) return;
    columns_ = those(std::move(chosen));
    matrix_.clear();
    take_matrix_ = wants_matrix(*columns_) || (slow_ && columns_->size() <= most_matrix);
    share_ = 0.1;
  }

  [[nodiscard]] bool has_offset() const { return p_.offset != Offset::None; }

  void inner_steps() {
    const double first = chosen_violation();
    double before = first;
    for (int inner = 0; inner < most_inner; ++inner) {
      goal_.team.threads().check();
      if (!step(before)) {
        // Once more from scores and a matrix without the rounding errors of the steps before.
        stuck_ = inner == 0 && std::exchange(refreshed_, true);
        precise_ = true;
        matrix_.clear();
        scores();
        fit_offset();
        break;
      }
      refreshed_ = false;
      ++steps_;
      if (fresh_) {
        curvature_before_ = h_;
        step_scores_ = dz_;
      }
      fit_offset();
      slopes();
      std::vector<double> g(columns_->size(), 0.0);
      columns_->add_sums(u_.data(), g.data());
      for (std::size_t c = 0; c < g.size(); ++c) g_[columns_->chosen()[c]] = g[c];
      g_[d_] = has_offset() ? u_sum_ : 0.0;
      const double now = chosen_violation();
      forcing_ = std::clamp(0.1 * now / before, 1e-3, 0.03);
      if (now > 0.4 * before) {
        if (std::exchange(fresh_, false) && sample_was_small(now)) sample_ *= 4;
        matrix_.clear();
        share_ = std::max(0.25 * share_, 1e-3);
      }
      fresh_ = false;
      // Settled for now, or so good that only the other columns can be wrong: a look at all.
      if (now <= 0.1 * first || chosen_gap() <= 0.5 * wanted_ * std::max(1.0, primal())) break;
      before = now;
    }
  }
  // Whether the step's matrix, made of a sample of the rows, misses as much as half of what is wrong now; the rest comes from
  // curvatures that have changed on the way, which more rows would not help.
  [[nodiscard]] bool sample_was_small(double wrong) {
    for (std::size_t i = 0; i < n_; ++i) step_scores_[i] *= curvature_before_[i];
    const std::size_t k = columns_->size(), all = by_.size();
    std::vector<double> change(k, 0.0);
    columns_->add_sums(step_scores_.data(), change.data());
    double missed = 0;
    for (std::size_t c = 0; c < k; ++c)
      missed += std::abs(change[c] - dot(matrix_.data() + c * all, by_.data(), all));
    return length_ * missed > 0.5 * wrong;
  }
  [[nodiscard]] double chosen_violation() const {
    double sum = 0;
    for (const std::uint32_t j : columns_->chosen())
      sum += violation(g_[j], theta_[j], parts_.sizes, parts_.squares);
    if (lifted()) sum += violation(g_[d_], theta0_, parts_.sizes, parts_.squares);
    return sum;
  }

  // What the gap would be if there were no other columns, to first order in what the dual point is shrunk by.
  [[nodiscard]] double chosen_gap() const {
    double most = lifted() ? std::abs(g_[d_]) : 0.0, conjugate = 0;
    const auto see = [&](double slope) {
      most = std::max(most, std::abs(slope));
      const double beyond = std::max(0.0, std::abs(slope) - parts_.sizes);
      if (parts_.squares > 0) conjugate += beyond * beyond / (2 * parts_.squares);
    };
    for (const std::uint32_t j : columns_->chosen()) see(g_[j]);
    if (lifted()) see(g_[d_]);
    const double shrink = parts_.squares > 0 || most <= parts_.sizes ? 1 : parts_.sizes / most;
    return penalty() + shrink * dot(u_.data(), z_.data(), n_) + conjugate;
  }

  // One proximal Newton step on the working set; false: P falls no further.
  bool step(double wrong) {
    const std::vector<std::uint32_t>& chosen = columns_->chosen();
    const std::size_t k = chosen.size();
    QuadraticTask task;
    for (const std::uint32_t j : chosen) {
      task.g.push_back(g_[j]);
      task.w.push_back(theta_[j]);
    }
    task.sizes.assign(k, parts_.sizes);
    task.squares.assign(k, parts_.squares);
    if (has_offset()) {
      task.g.push_back(g_[d_]);
      task.w.push_back(theta0_);
      task.sizes.push_back(lifted() ? parts_.sizes : 0.0);
      task.squares.push_back(lifted() ? parts_.squares : 0.0);
    }
    const std::vector<double> start = task.w;
    if (take_matrix_) {
      if (matrix_.empty()) {
        matrix_ = curvature_of(*columns_, h_, has_offset(), sample_, precise_, goal_.team);
        fresh_ = true;
      }
      solve_by_matrix(matrix_, task, forcing_ * wrong, goal_.team.threads());
    } else {
      constexpr int many = 100;
      const int sweeps = solve_by_columns(*columns_, h_, task, share_ * wrong, many, goal_.team.threads());
      // Columns that say nearly the same: sweeps hardly come forward, exact steps do.
      slow_ = sweeps >= many / 4;
      if (slow_ && columns_->size() <= most_matrix) take_matrix_ = true;
    }
    return move(task, start);
  }

  // From `start` towards the answer of the model, as far as P falls as it should.
  bool move(const QuadraticTask& task, const std::vector<double>& start) {
    const std::size_t k = columns_->size(), all = start.size();
    std::vector<double>& by = by_;
    by.resize(all);
    double promise = 0;
    const auto cost = [&](std::size_t j, double w) {
      return task.sizes[j] * std::abs(w) + task.squares[j] * w * w / 2;
    };
    for (std::size_t j = 0; j < all; ++j) {
      by[j] = task.w[j] - start[j];
      promise += task.g[j] * by[j] + cost(j, task.w[j]) - cost(j, start[j]);
    }
    // Near the end a promise is less than the rounding of the sums, while the gap still shows the step.
    const double rounding = 1e-14 * std::abs(loss_);
    if (!(promise < rounding) || task.w == start) return false;
    columns_->products(by.data(), dz_.data());
    if (has_offset())
      for (double& v : dz_) v += by[k];
    double t = 1;
    for (int trial = 0;; ++trial) {
      if (trial >= 40) return false;
      const LineSums at = line_sums(p_, z_.data(), dz_.data(), t, goal_.team, level_.list);
      double change = at.value - loss_;
      for (std::size_t j = 0; j < all; ++j) change += cost(j, start[j] + t * by[j]) - cost(j, start[j]);
      if (change <= 1e-3 * t * promise + rounding) break;
      const double curve = change - t * promise;  // of the parabola through both ends
      t *= std::clamp(-promise * t / (2 * curve), 0.1, 0.6);
    }
    for (std::size_t c = 0; c < k; ++c)
      theta_[columns_->chosen()[c]] = t == 1 ? task.w[c] : start[c] + t * by[c];
    if (has_offset()) theta0_ = t == 1 ? task.w[k] : start[k] + t * by[k];
    length_ = t;
    tail_curvature_ = std::clamp(t > 0.9   ? 0.2 * tail_curvature_
                                 : t < 0.3 ? 5 * tail_curvature_
                                           : tail_curvature_,
                                 1e-6, 1.0);
    // Cached scores drift; now and then they are computed afresh.
    if (++moves_ % 8 == 0) {
      scores();
    } else {
      axpy(t, dz_.data(), z_.data(), n_);
    }
    return true;
  }

  // theta0 alone, until what it unbalances is worth less than a hundredth of the gap that is asked for.
  void fit_offset() {
    if (p_.offset != Offset::Free) return;
    double move = 0;
    LineSums at = line_sums(p_, z_.data(), nullptr, 0, goal_.team, level_.list);
    const double scale = std::max(1.0, at.value + penalty());
    const double reach_of_rows = radius() * penalty();
    for (int iteration = 0; iteration < 60; ++iteration) {
      if (std::abs(at.slope) * (1 + std::abs(theta0_ + move) + reach_of_rows) <= 0.01 * wanted_ * scale)
        break;
      const double reach = 4.0 * (1 + std::abs(theta0_ + move));
      double change = std::clamp(-at.slope / std::max(at.curvature, 1e-300), -reach, reach);
      LineSums next;
      for (int half = 0; half < 60; ++half, change /= 2) {
        next = line_sums(p_, z_.data(), nullptr, move + change, goal_.team, level_.list);
        if (std::abs(next.slope) < 0.9 * std::abs(at.slope) || next.slope * at.slope > 0) break;
      }
      if (!(std::abs(change) > 1e-16 * (1 + std::abs(theta0_ + move)))) break;
      move += change;
      at = next;
    }
    theta0_ += move;
    for (double& z : z_) z += move;
  }
  // The largest entry of some rows, or nearly.
  double radius() {
    if (radius_ > 0) return radius_;
    const std::size_t stride = std::max<std::size_t>(1, level_.list.total / 256);
    double most = 1e-300;
    for (std::size_t k = level_.list.first_of(stride); k < n_; k += stride)
      most = std::max(most, rows_.norm2(level_.ids[k]));
    return radius_ = std::sqrt(goal_.team.most(most));
  }

  Solution finish(Stop stop) { return {std::move(theta_), theta0_, {}, steps_, stop, {}}; }

  SparseLevel level_;
  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::size_t n_, d_;
  PenaltyParts parts_;
  std::uint64_t steps_, moves_ = 0;
  double wanted_ = 0;
  bool linear_tails_ = false, near_ = false;
  double tail_curvature_ = 0.1;  // of rows on a straight piece of their loss, for the model alone
  std::vector<double> theta_, z_, u_, h_, dz_, g_, by_;
  double length_ = 1;                                   // of the last step
  std::vector<double> curvature_before_, step_scores_;  // of a step with a new matrix
  std::vector<std::uint32_t> alive_;                    // columns that may have a weight
  std::vector<double> spread_;                          // sum cost x^2 of every column
  std::unique_ptr<ChosenColumns> all_, base_, columns_;
  bool take_matrix_ = false, stuck_ = false, refreshed_ = false, precise_ = false;
  bool slow_ = false;           // sweeps by columns took many turns the last time
  bool fresh_ = false;          // the matrix is one of here
  double sample_ = 1;           // how large a sample it is made of
  double forcing_ = 0.03;       // of what is wrong that a matrix's model may leave: less where steps come far
  double share_ = 0.1;          // the same by columns
  std::vector<double> matrix_;  // of the working set; empty: to be formed
  double theta0_ = 0, loss_ = 0, u_sum_ = 0, gap_ = 0, shrink_ = 1, radius_ = 0;
  bool exact_ = false;
};

}  // namespace

bool prox_newton_handles(const Loss& loss, const Penalty& penalty) {
  return is_smooth(loss) && is_sparse_penalty(penalty);
}

Solution solve_prox_newton(const Problem& problem, const RowAccess& rows, const Goal& goal, Solution* start) {
  if (!goal.team.alone())
    throw UsageError("penalties that make weights 0 are solved by one member of a team");
  Solution at;
  if (start != nullptr) at = std::move(*start);
  at.theta.resize(rows.cols(), 0.0);
  const std::size_t all = goal.team.total(problem.rows());
  // A small sample fits itself, and logistic rows then start far out on their losses, where steps are short.
  const std::size_t few = std::max(all / 10, 12 * std::min<std::size_t>(rows.cols(), 1000));
  if (start == nullptr && few >= 1000 && few * 10 <= all) {
    at = ProxNewton(sparse_level(goal.team, problem, few), rows, goal, 0)
             .run(std::move(at.theta), 0, std::max(0.01, 0.3 * goal.gap), false);
    if (at.stop == Stop::Time || at.stop == Stop::Cancelled) return at;
  }
  return ProxNewton(sparse_level(goal.team, problem, all), rows, goal, at.iterations)
      .run(std::move(at.theta), at.theta0, goal.gap, start != nullptr);
}

}  // namespace halfspace
