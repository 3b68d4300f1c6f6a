// SPDX-License-Identifier: BSD-3-Clause
// Dual coordinate descent for losses with a quadratic gain (the hinges) and for the logistic loss.
//
// Dual       maximise sum cost_i gain(alpha_i / cost_i) - 1/2 |sum alpha_i y_i x_i|^2 over the box; w = sum
//            alpha y x.
// Update     one alpha at a time, exactly: a quadratic gain in closed form, logistic by a bracketed
//            Newton search in t with alpha = cost sigma(-t), which keeps both tails of alpha exact and
//            inside the box.
// Offset     an augmented Lagrangian with a multiplier that moves between the passes (dual_state.hpp).
// Order      blocks of eight rows as they lie in memory, shuffled, and the rows of each; for the logistic loss all rows
//            shuffled.
// Shrinking  rows at a bound whose gradient points outward rest; every judgement looks at all rows again.
// Faces      when passes promise to take long, steps over all free rows at once alternate with short passes
//            (face.cpp); the logistic loss goes on with Newton steps instead.
// Judging    the plane along w gets its best offset and its best length, and the gap is that of the plane
//            and the point, over all rows. It costs as much as half a pass, so it waits until the slacks
//            that the rows showed during a pass, each before its step, add up to little enough.
// Cost       a pass is one dot product and at most one axpy per active row. Memory: 6 doubles per row, 2 d
//            doubles.
// Reference  Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale
//            linear SVM, ICML 2008; Yu, Huang, Lin: Dual coordinate descent methods for logistic
//            regression, Machine Learning 85 (2011).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "solve/convex/cost_model.hpp"
#include "solve/convex/dual_state.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_passes = 20000;
constexpr std::size_t rows_between_looks = 512;  // at the clock
constexpr std::uint64_t first_passes = 10;       // before the rate is trusted
constexpr double short_step = 0.5;               // of a logistic row: less than half a unit of its margin
constexpr int most_warm_rounds = 40;             // of face steps from a start
constexpr double infinity = std::numeric_limits<double>::infinity();

class DualDescent {
 public:
  DualDescent(const Problem& problem, const RowAccess& rows, const Goal& goal, const Solution* start)
      : s_(problem, rows, goal), face_(s_), start_(start) {
    for (std::size_t i = 0; i < s_.n; ++i)
      if (s_.p.cost[i] > 0) active_.push_back(static_cast<std::uint32_t>(i));
  }

  // Passes until the gap is reached; when the rate says that this takes long, face steps with short passes
  // between. A judgement looks at all rows: the first ones come by schedule, the others when the pass itself
  // promises the gap.
  Solution run() {
    try {
      if (s_.logistic) start_logistic();
      if (start_ != nullptr) start_from(*start_);
      return passes();
    } catch (const Stopped& stopped) {
      return best(stop_of(stopped));
    }
  }

 private:
  Solution passes() {
    std::uint64_t next_check = start_ != nullptr ? 1 : 4, last_pass = 0;
    double last = infinity;
    for (std::uint64_t pass = 1;; ++pass) {
      sweep(pass);
      s_.update_multiplier();
      const bool idle = active_.empty() || largest_move_ == 0;
      const bool promised = last_pass > 0 && promise_ * slack_ <= s_.goal.gap * s_.scale();
      if (pass < next_check && !idle && !promised && pass < most_passes) continue;
      next_check = pass + 3 + pass / 2;
      const double relative = s_.judge();
      if (relative >= 0 && relative <= s_.goal.gap) return s_.finish(Stop::Converged, pass);
      Stop why = Stop::Limit;
      if (pass >= most_passes || !go_on(pass, relative, why)) return s_.finish(why, pass);
      wake();
      if (slack_ > 0) promise_ = std::clamp(relative * s_.scale() / slack_, 0.02, 50.0);
      if (pass >= first_passes) {
        const double rate = std::log(last / relative) / static_cast<double>(pass - last_pass);
        const double patience = cost_model::patience_of_passes(s_.logistic);
        const double rest = std::log(relative / s_.goal.gap);
        if (!(rate * patience > rest)) return s_.logistic ? newton(pass) : faces(pass, relative);
      }
      last = relative;
      last_pass = pass;
    }
  }

  // Stopped on the way: the point as it is now may be better than the last one that was judged.
  Solution best(Stop why) {
    s_.goal.team = s_.goal.clock.closing();
    try {
      s_.judge();
    } catch (const Stopped&) {
    }
    return s_.finish(why, pass_);
  }

  bool go_on(std::uint64_t pass, double relative, Stop& why) {
    return s_.goal.clock.go_on({std::numeric_limits<double>::quiet_NaN(), pass, relative, "dual descent"},
                               why);
  }

  Solution faces(std::uint64_t pass, double relative) {
    s_.hold_offset();
    for (int round = 0;; ++round) {
      // Next to a corner of the box that is not the right one a start may do harm: without it this takes a few rounds.
      if (start_ != nullptr && round == most_warm_rounds) return begin_anew();
      const bool stepped = face_->run(relative, active_);
      if (pass % 64 == 0) s_.refresh();
      relative = s_.judge();
      if (relative >= 0 && relative <= s_.goal.gap) return s_.finish(Stop::Converged, pass);
      Stop why = Stop::Limit;
      if (pass >= most_passes || !go_on(pass, relative, why)) return s_.finish(why, pass);
      if (stepped) s_.fit_multiplier();
      set_rest();
      wake();
      for (int k = 0; k < (stepped ? 2 : 5); ++k) {
        sweep(++pass);
        s_.update_multiplier();
      }
    }
  }

  Solution begin_anew() {
    start_ = nullptr;
    std::fill(s_.alpha.begin(), s_.alpha.end(), 0.0);
    s_.multiplier = 0;
    s_.refresh();
    s_.settle_multiplier();
    face_.emplace(s_);
    active_.clear();
    for (std::size_t i = 0; i < s_.n; ++i)
      if (s_.p.cost[i] > 0) active_.push_back(static_cast<std::uint32_t>(i));
    rest_above_ = infinity;
    rest_below_ = -infinity;
    return passes();
  }

  // The logistic dual has no faces; its primal is smooth, and Newton steps from here are few.
  Solution newton(std::uint64_t pass) {
    Solution start = s_.finish(Stop::Converged, pass);
    s_.w = {};  // as long as a plane, of which Newton has enough
    return solve_newton(s_.p, s_.rows, s_.goal, &start);
  }

  // Rows at a bound rest when their gradient holds them there more firmly than free rows are pulled.
  void set_rest() {
    double most = 0;
    for (std::size_t i = 0; i < s_.n; ++i)
      if (s_.alpha[i] > 0 && s_.alpha[i] < s_.upper(i))
        most = std::max(most, std::abs(s_.gradient(i, s_.scores()[i])));
    rest_above_ = std::min(0.5, most);
    rest_below_ = -rest_above_;
  }

  // alpha = min(cost / 2, 0.3 / |x|^2): near enough to the optimum of most rows, and inside the box.
  void start_logistic() {
    t_.assign(s_.n, 0.0);
    for (const std::uint32_t i : active_) {
      s_.alpha[i] = std::min(s_.p.cost[i] / 2, 0.3 / std::max(s_.length2[i] + s_.pull, 1e-300));
      const double share = s_.alpha[i] / s_.p.cost[i];
      t_[i] = std::log1p(-share) - std::log(share);
    }
    s_.refresh();
  }

  // The point of another solver, or the one that follows from its margins, if it is better than none.
  void start_from(const Solution& start) {
    std::vector<double> point = start.alpha;
    if (point.size() != s_.n) point = point_of_margins(start);
    const double before = s_.dual_value();
    point.swap(s_.alpha);
    s_.multiplier = start.theta0;
    s_.refresh();
    fit_length();
    s_.settle_multiplier();
    if (!(s_.dual_value() > before)) {
      point.swap(s_.alpha);
      s_.multiplier = 0;
      s_.refresh();
      s_.settle_multiplier();
      return;
    }
    if (!s_.logistic) return;
    for (const std::uint32_t i : active_) {
      const double share = std::clamp(s_.alpha[i] / s_.p.cost[i], 1e-300, 1 - 1e-16);
      t_[i] = std::log1p(-share) - std::log(share);
    }
  }
  // Without bounds above, the multiple of the point with the largest dual value: t sum - t^2/2 square.
  void fit_length() {
    if (s_.gain_curvature == 0 || std::isfinite(s_.limit)) return;
    double sum = 0, square = norm2(s_.w.data(), s_.d);
    if (s_.p.offset == Offset::Lifted) square += s_.balance * s_.balance;
    for (const std::uint32_t i : active_) {
      sum += s_.alpha[i];
      square += s_.diagonal(i) * s_.alpha[i] * s_.alpha[i];
    }
    if (!(sum > 0 && square > 0)) return;
    for (double& a : s_.alpha) a *= sum / square;
    s_.refresh();
  }
  [[nodiscard]] std::vector<double> point_of_margins(const Solution& start) const {
    std::vector<double> z(s_.n, 0.0), out(s_.n, 0.0);
    if (start.theta.size() == s_.d)
      row_products(s_.rows, start.theta.data(), z.data(), s_.goal.team.threads());
    std::visit(
        [&](auto loss) {
          for (const std::uint32_t i : active_)
            out[i] = -s_.p.cost[i] * loss.slope(s_.p.y[i] * (z[i] + start.theta0));
        },
        s_.p.loss);
    return out;
  }

  void sweep(std::uint64_t pass) {
    pass_ = pass;
    put_in_order(pass);
    largest_move_ = 0;
    slack_ = 0;
    double highest = 0, lowest = 0;
    bool any_rests = false;
    for (std::size_t s = 0; s < order_.size(); ++s) {
      if (s % rows_between_looks == 0) s_.goal.team.threads().check();
      if (s + 8 < order_.size()) s_.rows.prefetch(order_[s + 8]);
      const std::uint32_t i = order_[s];
      const double y = s_.p.y[i];
      const double margin = y * (s_.rows.dot(i, s_.w.data()) + s_.shift());
      if (s_.logistic) {
        visit_logistic(i, margin);
        continue;
      }
      const double diagonal = s_.diagonal(i);
      const double gradient = margin - 1 + diagonal * s_.alpha[i];
      slack_ += slack(i, margin);
      const bool at_zero = s_.alpha[i] == 0;
      const bool at_top = s_.alpha[i] == s_.upper(i);
      double projected = gradient;
      if (at_zero) {
        if (gradient > rest_above_) {  // rests until the next judgement
          any_rests = true;
          rests_[i] = 1;
          continue;
        }
        projected = std::min(gradient, 0.0);
      } else if (at_top) {
        if (gradient < rest_below_) {
          any_rests = true;
          rests_[i] = 1;
          continue;
        }
        projected = std::max(gradient, 0.0);
      }
      highest = std::max(highest, projected);
      lowest = std::min(lowest, projected);
      if (std::abs(projected) <= 1e-14) continue;
      const double q = s_.length2[i] + s_.pull + diagonal;
      const double next = q > 0 ? std::clamp(s_.alpha[i] - gradient / q, 0.0, s_.upper(i))
                                : (gradient < 0 ? s_.upper(i) : 0.0);
      move(i, next);
    }
    if (!s_.logistic) {
      if (any_rests)
        std::erase_if(active_, [&](std::uint32_t i) { return std::exchange(rests_[i], 0) != 0; });
      rest_above_ = highest > 0 ? highest : infinity;
      rest_below_ = lowest < 0 ? lowest : -infinity;
    }
  }

  // The rows of a pass. Those that lie side by side are met side by side, which the processor's loads have been waiting for.
  void put_in_order(std::uint64_t pass) {
    Random random(s_.goal.seed, pass);
    order_.clear();
    if (s_.logistic) {
      order_ = active_;
      return random.shuffle(order_);
    }
    constexpr std::size_t block = 8;
    blocks_.resize((active_.size() + block - 1) / block);
    std::iota(blocks_.begin(), blocks_.end(), 0U);
    random.shuffle(blocks_);
    std::array<std::uint32_t, block> rows{};
    for (const std::uint32_t b : blocks_) {
      const std::size_t begin = b * block, size = std::min(block, active_.size() - begin);
      std::copy_n(active_.begin() + static_cast<std::ptrdiff_t>(begin), size, rows.begin());
      // One random number has enough digits for the order of a block.
      std::uint64_t digits = random.next();
      for (std::size_t k = size; k > 1; --k) {
        std::swap(rows[k - 1], rows[digits % k]);
        digits /= k;
      }
      order_.insert(order_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(size));
    }
    rests_.resize(s_.n, 0);
  }

  // What the row adds to the gap of alpha and the plane of the moment: cost loss(m) + alpha m - cost
  // gain(alpha / cost), never negative.
  [[nodiscard]] double slack(std::uint32_t i, double margin) const {
    const double cost = s_.p.cost[i], alpha = s_.alpha[i], miss = 1 - margin;
    if (s_.gain_curvature == 0) return cost * std::max(0.0, miss) - alpha * miss;
    // A square up to where the slope reaches its limit, and straight beyond.
    const double bend = s_.gain_curvature * s_.limit;
    const double off = std::clamp(miss, 0.0, bend) - alpha * s_.gain_curvature / cost;
    const double square = cost * off * off / (2 * s_.gain_curvature);
    if (miss < 0) return square - alpha * miss;
    return miss > bend ? square + (s_.upper(i) - alpha) * (miss - bend) : square;
  }

  void move(std::uint32_t i, double next) {
    const double change = (next - s_.alpha[i]) * s_.p.y[i];
    if (change == 0) return;
    largest_move_ = std::max(largest_move_, std::abs(change));
    s_.alpha[i] = next;
    s_.balance += change;
    s_.rows.axpy(change, i, s_.w.data());
  }

  // t = m + q (cost sigma(-t) - alpha): the left side grows, the right side falls, so there is one root,
  // bracketed.
  void visit_logistic(std::uint32_t i, double margin) {
    const double cost = s_.p.cost[i];
    const double q = s_.length2[i] + s_.pull;
    double low = margin - q * s_.alpha[i];
    double high = margin + q * (cost - s_.alpha[i]);
    double share = s_.alpha[i] / cost;
    slack_ += s_.alpha[i] * (1 - share) * (t_[i] - margin) * (t_[i] - margin) / 2;
    // alpha belongs to t, so that the first step takes no exponential; when it is short it is as good as the root, and
    // the row will be met again.
    const double first = (margin - t_[i]) / (1 + q * s_.alpha[i] * (1 - share));
    double t = t_[i] + first;
    const bool near = std::abs(first) <= short_step && t > low && t < high;
    if (!near) t = std::clamp(t_[i], low, high);
    for (int iteration = 0; iteration < (near ? 0 : 50); ++iteration) {
      share = -Logistic::slope(t);  // sigma(-t)
      const double h = t - margin - q * (cost * share - s_.alpha[i]);
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

  // Every row whose gradient does not hold it at its bound is active again; from the scores of the judgement.
  void wake() {
    if (s_.logistic) return;
    const double above = std::isfinite(rest_above_) ? rest_above_ : 0.0;
    const double below = std::isfinite(rest_below_) ? rest_below_ : 0.0;
    active_.clear();
    for (std::size_t i = 0; i < s_.n; ++i) {
      if (s_.p.cost[i] == 0) continue;
      const double gradient = s_.gradient(i, s_.scores()[i]);
      const double a = s_.alpha[i];
      const bool rests = (a == 0 && gradient > above) || (a == s_.upper(i) && gradient < below);
      if (!rests) active_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  DualState s_;
  std::optional<FaceStep> face_;
  const Solution* start_;
  std::vector<double> t_;
  std::vector<std::uint32_t> active_;  // in order
  std::vector<std::uint32_t> blocks_, order_;
  std::vector<char> rests_;
  std::uint64_t pass_ = 0;
  double rest_above_ = infinity, rest_below_ = -infinity;
  double largest_move_ = 0;
  // The gap as the rows of a pass saw it, each before its step; and what the judged gap was of that.
  double slack_ = 0, promise_ = 0.6;
};

}  // namespace

bool dual_descent_handles(const Loss& loss, const Penalty& penalty) {
  return std::holds_alternative<L2>(penalty) &&
         std::visit([]<class L>(L) { return QuadraticGain<L> || std::is_same_v<L, Logistic>; }, loss);
}

Solution solve_dual_descent(const Problem& problem, const RowAccess& rows, const Goal& goal,
                            Solution* start) {
  if (!goal.team.alone())
    throw UsageError(
        "dual descent goes from row to row: a team of several members has newton and semismooth");
  const std::uint64_t before = start != nullptr ? start->iterations : 0;
  Solution out = DualDescent(problem, rows, goal, start).run();
  out.iterations += before;
  return out;
}

}  // namespace halfspace
