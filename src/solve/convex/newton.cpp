// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for smooth losses.
//
// Problem    minimise P = 1/2 |theta|^2 + sum cost_i loss(y_i (theta . x_i + theta0)).
// Step       H s = -g with H = I + X' D X; a one-dimensional Newton search along s on cached scores; then,
//            with a free offset, theta0 by itself, so that the dual point balances.
// Systems    conjugate gradients (NewtonSystem). Losses made of parabolas and straight lines (squared hinge, smoothed
//            hinge) with few features or a large C: H is kept,
//            corrected by the rows that enter and leave, and factored on the diagonal scaled to 1 (columns
//            of very different size do no harm).
// Levels     many rows: a tenth of them first, spread over the file, with their costs scaled up, so that
//            the steps far from the optimum are cheap.
//            Few rows and many features: by the products of the rows (GramSystem).
// Path       such a loss at large C is nearly a wall: rows come and go within a thousandth of a step, and
//            steps get short. Then the optimum is followed from a C where it is easy to the one asked for, doubling
//            it; every stage starts next to its own optimum.
// Cost       a step takes three passes over the data plus H (rows * features^2 in blocks, or the sum of
//            squared row lengths) or one pass per iteration of conjugate gradients over the rows that have
//            curvature.
// Proof      the gap at any theta is 1/2 |g|^2 once the offset is exact: alpha_i = -cost_i slope(m_i).
// Reference  Lin, Weng, Keerthi: Trust region Newton method for logistic regression, JMLR 9 (2008);
//            Keerthi, DeCoste: A modified finite Newton method for linear SVMs, JMLR 6 (2005); Byrd, Chin,
//            Neveitt, Nocedal: On the use of stochastic Hessian information, SIAM J. Optim. 21 (2011).
#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/cost_model.hpp"
#include "solve/convex/row_sample.hpp"
#include "solve/convex/solver.hpp"
#include "solve/narrow/narrow.hpp"
#include "solve/systems/curvature_matrix.hpp"
#include "solve/systems/gram_system.hpp"
#include "solve/systems/line_losses.hpp"
#include "solve/systems/newton_system.hpp"
#include "solve/systems/present_columns.hpp"

namespace halfspace {
namespace {

constexpr std::size_t factor_limit = NewtonSystem::factor_limit;
constexpr double near = 0.03;  // a step that promises less than this of the objective is one of the last
constexpr std::uint64_t most_steps = 200;
constexpr int most_short_steps = 8;  // of a piecewise quadratic loss, before its path is followed instead

// How exact the answer of a level has to be.
enum class Care {
  Full,   // the gap that is asked for, or as soon as steps stay short
  Last,   // the gap that is asked for
  Stage,  // a step promises less than a hundredth: the start of the next stage of a path
  Rough,  // a step promises less than what a sample of the rows knows of the others
};

// Made of parabolas of the same curvature and of straight lines.
bool piecewise_quadratic(const Loss& loss) {
  return std::visit([]<class L>(L) { return L::smooth && QuadraticGain<L>; }, loss);
}
double largest_curvature(const Loss& loss) {
  return std::visit([](auto l) { return l.largest_curvature; }, loss);
}

// The rows of one level: which they are, and their problem with its own costs and labels.
struct Rows {
  Problem problem;
  std::vector<std::uint32_t> ids;
  Stretch list;        // these rows among those of all members
  bool all = false;    // every row of the data, in order
  bool whole = false;  // every row that has a cost
};

Rows level_rows(const Team& team, const Problem& from, std::size_t wanted) {
  Rows out;
  out.problem.data = from.data;
  out.problem.loss = from.loss;
  out.problem.penalty = from.penalty;
  out.problem.offset = from.offset;
  RowSample sample = spread_sample(team, from, wanted);
  out.ids = std::move(sample.rows);
  out.list = team.stretch(out.ids.size());
  out.all = out.list.total == team.total(from.rows());
  out.whole = wanted >= team.total(from.rows());
  out.problem.y.reserve(out.ids.size());
  out.problem.cost.reserve(out.ids.size());
  for (std::size_t k = 0; k < out.ids.size(); ++k) {
    out.problem.y.push_back(from.y[out.ids[k]]);
    out.problem.cost.push_back(from.cost[out.ids[k]] * sample.factor[k]);
  }
  return out;
}

}  // namespace

double curvature_sum(const Problem& p, const RowAccess& rows, const Team& team) {
  const Stretch list = team.stretch(p.rows());
  const std::size_t stride = std::max<std::size_t>(1, list.total / 1000);
  const double most = largest_curvature(p.loss);
  double trace = 0;
  add_in_turn(team, trace, [&](double& sum) {
    for (std::size_t i = list.first_of(stride); i < p.rows(); i += stride)
      sum += most * p.cost[i] * rows.norm2(i) * static_cast<double>(stride);
  });
  return trace;
}

namespace {

// The mean eigenvalue of H with every row where its loss bends most.
double mean_curvature(const Problem& p, const RowAccess& rows, const Team& team) {
  return curvature_sum(p, rows, team) / static_cast<double>(rows.cols());
}

// Whether steps of a piecewise quadratic loss are solved with H itself rather than by conjugate gradients with a
// sample of it: few features, or a mean eigenvalue of H so large that a sample is too rough.
bool wants_matrix(const Problem& p, const RowAccess& rows, const Team& team) {
  if (!piecewise_quadratic(p.loss) || rows.cols() > factor_limit) return false;
  return rows.cols() <= cost_model::always_corrected_columns ||
         mean_curvature(p, rows, team) > cost_model::rough_curvature;
}

// The largest |x|^2 of some of the rows.
double largest_row(const RowAccess& rows, const Rows& level, const Team& team) {
  const std::size_t stride = std::max<std::size_t>(1, level.list.total / 256);
  double most = 0;
  for (std::size_t k = level.list.first_of(stride); k < level.ids.size(); k += stride)
    most = std::max(most, rows.norm2(level.ids[k]));
  return team.most(most);
}

class Newton {
 public:
  Newton(Rows level, const RowAccess& rows, const Goal& goal, CurvatureMatrix* sampled, bool direct,
         std::uint64_t steps)
      : level_(std::move(level)),
        p_(level_.problem),
        rows_(rows),
        goal_(goal),
        n_(level_.ids.size()),
        d_(rows.cols()),
        has_offset_(p_.offset != Offset::None),
        piecewise_(piecewise_quadratic(p_.loss)),
        direct_(direct),
        steps_(steps),
        radius2_(largest_row(rows, level_, goal.team)),
        system_(rows, p_.offset, goal, sampled, radius2_) {
    for (auto* v : {&z_, &u_, &h_, &dz_}) v->assign(n_, 0.0);
    for (auto* v : {&step_, &g_}) v->assign(d_ + 1, 0.0);
  }

  // `look` is called at the beginning of every step; `known`: theta . x of all rows that have a cost, or nothing.
  Solution run(std::vector<double> theta, double theta0, Care care, const std::function<void()>& look,
               const std::vector<double>& known) {
    theta_ = std::move(theta);
    theta0_ = theta0;
    last_ = steps_ + most_steps;
    try {
      if (level_.whole && known.size() == rows_.rows()) {
        for (std::size_t k = 0; k < n_; ++k) z_[k] = known[level_.ids[k]] + theta0_;
      } else {
        scores();
      }
      fit_offset();
      return steps(care, look);
    } catch (const Stopped& stopped) {
      return finish(stop_of(stopped));
    }
  }
  // From where another one was when it left its state.
  Solution go_on(Care care, const std::function<void()>& look) {
    try {
      return steps(care, look);
    } catch (const Stopped& stopped) {
      return finish(stop_of(stopped));
    }
  }

  template <class Archive>
  void state(Archive& a) {
    a.array(theta_, d_);
    a.array(z_, n_);
    a(theta0_, steps_, last_, searches_, short_steps_, fine_, wants_gram_, direct_);
    a.part(system_);
    a.optional_part(matrix_, [&] { return new_matrix(); });
  }

 private:
  [[nodiscard]] std::unique_ptr<CurvatureMatrix> new_matrix() const {
    return std::make_unique<CurvatureMatrix>(rows_, p_.offset, true, goal_.team);
  }

  Solution steps(Care care, const std::function<void()>& look) {
    while (true) {
      look();
      gradient();
      const double relative = gap_bound() / std::max(1.0, primal_);
      if (relative <= goal_.gap) return finish(Stop::Converged);
      if (steps_ >= last_ || (stalls() && care == Care::Full)) return finish(Stop::Limit);
      Stop why = Stop::Converged;
      if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), steps_, relative, "newton"}, why))
        return finish(why);
      if (direct_) {
        direct_step();
      } else if (!gram_step()) {
        conjugate_step();
      }
      ++steps_;
      const double promise = -dot(g_.data(), step_.data(), d_ + 1) / 2;
      fine_ = promise <= near * primal_;
      if (!line_search()) return finish(Stop::Limit);
      fit_offset();
      if (care == Care::Stage && promise <= 0.01 * primal_) return finish(Stop::Converged);
      if (care == Care::Rough &&
          (promise <=
               std::max(near, static_cast<double>(d_) / static_cast<double>(level_.list.total)) * primal_ ||
           curved_rows() < 2 * d_))
        return finish(Stop::Converged);
    }
  }

  [[nodiscard]] bool stalls() const { return piecewise_ && short_steps_ > most_short_steps; }

  void scores() {
    products(level_.ids, theta_.data(), z_, level_.all);
    for (double& z : z_) z += theta0_;
  }

  void products(const std::vector<std::uint32_t>& ids, const double* w, std::vector<double>& out, bool all) {
    if (all) {
      row_products(rows_, w, out.data(), goal_.team.threads());
      return;
    }
    for_blocks(goal_.team.threads(), ids.size(), row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(ids).subspan(begin, end - begin), w, out.data() + begin);
    });
  }
  // out += sum a[k] x_k over the rows of the level.
  void add_sums(const double* a, double* out) {
    if (level_.all) {
      add_row_sum(rows_, a, out, goal_.team, level_.list);
      return;
    }
    add_list(goal_.team, level_.list, d_, out, part_, [&](std::size_t begin, std::size_t end, double* to) {
      rows_.axpys(std::span(level_.ids).subspan(begin, end - begin), a + begin, to);
    });
  }

  // theta0 alone, until what it unbalances is worth less than a hundredth of the gap that is asked for: with the
  // offset itself, and with the rows that have to be rescaled to balance it.
  void fit_offset() {
    if (p_.offset != Offset::Free) return;
    double move = 0;
    LineSums at = line_sums(p_, z_.data(), nullptr, 0, goal_.team, level_.list);
    const double scale = std::max(1.0, at.value + norm2(theta_.data(), d_) / 2);
    for (int iteration = 0; iteration < 100; ++iteration) {
      const double price =
          std::abs(at.slope) * (1 + std::abs(theta0_ + move)) + at.slope * at.slope * radius2_ / 2;
      if (price <= 0.01 * goal_.gap * scale) break;
      const double reach = 4.0 * (1 + std::abs(theta0_ + move));
      double change = std::clamp(-at.slope / std::max(at.curvature, 1e-300), -reach, reach);
      // Damped: halved until the slope is smaller (the value is convex in one variable).
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

  void gradient() {
    const double loss = loss_slopes(p_, z_.data(), u_.data(), h_.data(), goal_.team, level_.list);
    std::copy(theta_.begin(), theta_.end(), g_.begin());
    add_sums(u_.data(), g_.data());
    g_[d_] = sum_rows(goal_.team, level_.list, 0.0, [&](std::size_t b, std::size_t e, double& sum) {
      sum = std::accumulate(u_.begin() + static_cast<std::ptrdiff_t>(b),
                            u_.begin() + static_cast<std::ptrdiff_t>(e), sum);
    });
    if (p_.offset == Offset::Lifted) g_[d_] += theta0_;
    if (!has_offset_) g_[d_] = 0;
    primal_ =
        norm2(theta_.data(), d_) / 2 + (p_.offset == Offset::Lifted ? theta0_ * theta0_ / 2 : 0.0) + loss;
  }

  [[nodiscard]] double gap_bound() const {
    return norm2(g_.data(), d_) / 2 + (p_.offset == Offset::Lifted ? g_[d_] * g_[d_] / 2 : 0.0);
  }

  [[nodiscard]] std::size_t curved_rows() const {
    return goal_.team.total(
        static_cast<std::uint64_t>(std::count_if(h_.begin(), h_.end(), [](double h) { return h > 0; })));
  }

  // Every row that has curvature has the same, so that only changes have to be added.
  void direct_step() {
    if (!matrix_) matrix_ = new_matrix();
    matrix_->correct(level_.ids, h_, p_.cost, largest_curvature(p_.loss));
    matrix_->factor();
    for (std::size_t j = 0; j <= d_; ++j) step_[j] = -g_[j];
    matrix_->solve(step_);
    if (!has_offset_) step_[d_] = 0;
  }

  void conjugate_step() {
    system_.take(level_.ids, h_, fine_, steps_);
    const int iterations =
        system_.solve(g_, 0.5 * std::sqrt(2 * goal_.gap * std::max(1.0, primal_)), steps_, step_);
    // Ill-conditioned beyond the sample: from here on H itself, which is corrected by few rows a step. Without a
    // sample: the products of the rows, once they cost less than the iterations that they save.
    if (piecewise_ && d_ <= factor_limit && iterations > cost_model::products_worth_matrix) direct_ = true;
    if (d_ > factor_limit &&
        static_cast<std::size_t>(iterations) > std::max<std::size_t>(20, level_.list.total / 10))
      wants_gram_ = true;
  }

  // Exact steps through the products of the rows; false: they are not worth it.
  bool gram_step() {
    if (!wants_gram_ || level_.list.total > GramSystem::most_rows) return false;
    if (!gram_) gram_ = std::make_unique<GramSystem>(rows_, p_.offset, level_.ids, goal_);
    return gram_->solve(g_, h_, step_);
  }

  // Newton in one variable on the cached scores; accepts when the slope has fallen to a tenth.
  bool line_search() {
    products(level_.ids, step_.data(), dz_, level_.all);
    for (double& v : dz_) v += step_[d_];
    const bool lifted = p_.offset == Offset::Lifted;
    const double linear = dot(theta_.data(), step_.data(), d_) + (lifted ? theta0_ * step_[d_] : 0.0);
    const double square = norm2(step_.data(), d_) + (lifted ? step_[d_] * step_[d_] : 0.0);
    const double slope0 = dot(g_.data(), step_.data(), d_ + 1);
    if (!(slope0 < 0)) return false;
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const LineSums at = line_sums(p_, z_.data(), dz_.data(), t, goal_.team, level_.list);
      const double slope = linear + t * square + at.slope;
      if (std::abs(slope) <= 0.1 * std::abs(slope0)) break;
      (slope > 0 ? high : low) = t;
      double next = t - slope / (square + at.curvature);
      const bool inside = next > low && next < high;
      if (!inside) next = std::isfinite(high) ? (low + high) / 2 : 2 * t;
      if (std::abs(next - t) <= 1e-12 * t) break;
      t = next;
    }
    if (t < 0.1) ++short_steps_;
    axpy(t, step_.data(), theta_.data(), d_);
    theta0_ += t * step_[d_];
    // Cached scores drift; now and then they are computed afresh.
    if (++searches_ % 8 == 0) {
      scores();
    } else {
      axpy(t, dz_.data(), z_.data(), n_);
    }
    return true;
  }

  Solution finish(Stop stop) {
    Solution out{std::move(theta_), theta0_, {}, steps_, stop, {}};
    if (!level_.whole || !goal_.team.alone()) return out;
    for (double& z : z_) z -= theta0_;
    if (level_.all) {
      out.scores = std::move(z_);
    } else {
      out.scores.assign(rows_.rows(), 0.0);
      for (std::size_t k = 0; k < n_; ++k) out.scores[level_.ids[k]] = z_[k];
    }
    return out;
  }

  Rows level_;
  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::size_t n_, d_;
  bool has_offset_, piecewise_;
  bool direct_;  // steps by the factor of H itself
  std::uint64_t steps_, last_ = 0, searches_ = 0;
  bool fine_ = false;  // the last step was a small one
  bool wants_gram_ = false;
  int short_steps_ = 0;
  double radius2_;  // the largest |x|^2 of some rows
  std::vector<double> theta_, z_, u_, h_, step_, g_, dz_;
  std::vector<std::vector<double>> part_;
  std::unique_ptr<CurvatureMatrix> matrix_;  // H itself
  NewtonSystem system_;
  std::unique_ptr<GramSystem> gram_;
  double theta0_ = 0, primal_ = 0;
};

}  // namespace

std::unique_ptr<CurvatureMatrix> first_factor(const Problem& problem, const RowAccess& rows,
                                              const Team& team) {
  if (rows.cols() > factor_limit || wants_matrix(problem, rows, team)) return nullptr;
  const std::vector<std::uint32_t> present = present_rows(problem);
  std::vector<double> curvature;
  curvature.reserve(present.size());
  for (const std::uint32_t i : present)
    curvature.push_back(problem.cost[i] *
                        std::visit([](auto loss) { return loss.curvature(0); }, problem.loss));
  auto out = std::make_unique<CurvatureMatrix>(rows, problem.offset, false, team);
  out->prepare(present, curvature, 10);
  return out;
}

namespace {

// A sample of the rows, then all of them, then if need be a path: what is under way can be left and gone on with.
class Levels {
 public:
  Levels(const Problem& problem, const RowAccess& rows, const Goal& goal, Solution& at, bool start)
      : problem_(problem),
        rows_(rows),
        goal_(goal),
        at_(at),
        start_(start),
        direct_(wants_matrix(problem, rows, goal.team)),
        all_(goal.team.total(problem.rows())) {}

  Solution run() {
    if (!start_ && goal_.first != nullptr) {
      sampled_ = std::make_unique<CurvatureMatrix>(*goal_.first, goal_.team);
    } else if (rows_.cols() <= factor_limit) {
      sampled_ = new_sampled();
    }
    // A small sample fits itself: logistic rows then start far out on their losses, where Newton steps are
    // short, and zero is the better start. A loss that bends all the way comes back from there in one step.
    const bool piecewise = piecewise_quadratic(problem_.loss);
    const bool squared =
        piecewise && std::isinf(std::visit([](auto loss) { return loss.limit; }, problem_.loss));
    few_ = std::max(all_ / 10, (squared ? 5 : 12) * rows_.cols());
    const bool resumed = goal_.keep.resume([&](StateReader& in) { state(in); });
    if (!resumed && !start_ && few_ >= 1000 && few_ * (squared ? 3 : 10) <= all_) begin(Phase::Sample);
    if (newton_ && phase_ == Phase::Sample) {
      at_ = go(Care::Rough);
      if (sampled_) sampled_->outlived();
      if (at_.stop == Stop::Time || at_.stop == Stop::Cancelled) return at_;
    }
    if (!newton_) begin(Phase::All);
    if (phase_ == Phase::All) {
      at_ = go(Care::Full);
      if (!piecewise || at_.stop != Stop::Limit) return at_;
      if (sampled_) sampled_->outlived();
    }
    Solution followed = follow_path();
    if (!followed.theta.empty()) return followed;
    at_.iterations = followed.iterations;  // out of time on the way
    at_.stop = followed.stop;
    return at_;
  }

 private:
  enum class Phase : std::uint32_t { Sample, All, Path };

  // A piecewise quadratic loss from a C where the penalty weighs as much as the rows up to the one asked for; no plane
  // when time ended before that.
  Solution follow_path() {
    if (!newton_) {
      begun_.theta.assign(rows_.cols(), 0.0);
      begun_.theta0 = 0;
      begun_.iterations = at_.iterations;
      factor_ = 1;
      for (double curvature = mean_curvature(problem_, rows_, goal_.team); curvature > 1 && factor_ > 1e-15;
           curvature /= 2)
        factor_ /= 2;
    }
    while (true) {
      const bool last = factor_ >= 1;
      if (!newton_) make(Phase::Path, begun_.iterations);
      begun_ = go(last ? Care::Last : Care::Stage);
      if (last) return std::move(begun_);
      if (begun_.stop == Stop::Time || begun_.stop == Stop::Cancelled)
        return {{}, 0, {}, begun_.iterations, begun_.stop, {}};
      factor_ *= 2;
    }
  }

  void begin(Phase phase) {
    begun_.theta = at_.theta;
    begun_.theta0 = phase == Phase::Sample ? 0.0 : at_.theta0;
    make(phase, phase == Phase::Sample ? 0 : at_.iterations);
  }
  void make(Phase phase, std::uint64_t steps) {
    phase_ = phase;
    resumed_ = false;
    Rows level;
    if (phase == Phase::Path) {
      Problem stage = problem_;
      for (double& cost : stage.cost) cost *= factor_;
      level = level_rows(goal_.team, stage, all_);
    } else {
      level = level_rows(goal_.team, problem_, phase == Phase::Sample ? few_ : all_);
    }
    newton_.emplace(std::move(level), rows_, goal_, sampled_.get(), direct_, steps);
  }
  // What was made, from where it begins or was left.
  Solution go(Care care) {
    const auto look = [this] { goal_.keep.leave([this](StateWriter& to) { state(to); }); };
    static const std::vector<double> unknown;
    const std::vector<double>& scores = phase_ == Phase::All ? at_.scores : unknown;
    Solution out = resumed_ ? newton_->go_on(care, look)
                            : newton_->run(std::move(begun_.theta), begun_.theta0, care, look, scores);
    resumed_ = false;
    newton_.reset();
    return out;
  }

  [[nodiscard]] std::unique_ptr<CurvatureMatrix> new_sampled() const {
    return std::make_unique<CurvatureMatrix>(rows_, problem_.offset, false, goal_.team);
  }

  template <class Archive>
  void state(Archive& a) {
    a(phase_, factor_);
    a.part(at_);
    a.optional_part(sampled_, [&] { return new_sampled(); });
    if constexpr (Archive::reads) {
      if (phase_ > Phase::Path || (phase_ == Phase::Path && !(factor_ > 0 && factor_ <= 1)) ||
          at_.theta.size() != rows_.cols())
        a.refuse("a level that there is not");
      make(phase_, 0);
      resumed_ = true;
    }
    a.part(*newton_);
  }

  const Problem& problem_;
  const RowAccess& rows_;
  const Goal& goal_;
  Solution& at_;    // where the last level has ended
  Solution begun_;  // where this one begins
  bool start_, direct_;
  std::size_t all_, few_ = 0;
  std::unique_ptr<CurvatureMatrix> sampled_;
  Phase phase_ = Phase::Sample;
  double factor_ = 1;  // of the costs, on the path
  std::optional<Newton> newton_;
  bool resumed_ = false;
};

}  // namespace

bool newton_handles(const Loss& loss, const Penalty& penalty) {
  return is_smooth(loss) && std::holds_alternative<L2>(penalty);
}

Solution solve_newton(const Problem& problem, const RowAccess& rows, const Goal& goal, Solution* start) {
  assert(newton_handles(problem.loss, problem.penalty));
  Solution at;
  if (start != nullptr) at = std::move(*start);
  at.theta.resize(rows.cols(), 0.0);
  if (start == nullptr && narrow_handles(problem, rows, goal.team)) {
    Goal narrow = goal;
    narrow.keep = goal.keep.below("narrow");
    at = keep_solution(narrow.keep, rows, [&] { return solve_narrow(problem, rows, narrow); });
    if (at.stop != Stop::Limit) return at;
    start = &at;
  }
  try {
    if (const auto present = PresentColumns::worth_while(rows, goal.team, problem.data->spill())) {
      at.theta = present->gather(at.theta);
      try {
        at = Levels(problem, present->rows(), goal, at, start != nullptr).run();
      } catch (const Stopped& stopped) {
        at.stop = stop_of(stopped);
      }
      at.theta.resize(present->columns().size(), 0.0);
      at.theta = present->scatter(at.theta);
      return at;
    }
    return Levels(problem, rows, goal, at, start != nullptr).run();
  } catch (const Stopped& stopped) {  // between the levels: the plane is that of the last one
    at.stop = stop_of(stopped);
    return at;
  }
}

}  // namespace halfspace
