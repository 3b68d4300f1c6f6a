// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/margin/widest_margin.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd/row_loops.hpp"
#include "solve/separation/margin/margin_systems.hpp"

namespace halfspace::separation {
namespace {

class Solver {
 public:
  Solver(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset, const Threads& threads)
      : rows_(rows),
        y_(y),
        threads_(threads),
        d_(rows.cols()),
        offset_(offset),
        rho_(offset == Offset::Lifted ? 1 : 0),
        systems_(rows, y, offset, threads) {
    theta_.assign(d_, 0.0);
    for (std::uint32_t i = 0; i < y.size(); ++i) {
      if (y[i] == 0) continue;
      taking_part_.push_back(i);
      radius2_ = std::max(radius2_, rows.norm2(i) + rho_);
    }
    alpha_.assign(y.size(), 0.0);
    in_work_.assign(y.size(), 0);
  }

  WidestMargin run(double gap, std::span<const double> hint, const Clock& clock) {
    WidestMargin best;
    best.stop = Stop::Limit;
    try {
      narrow(best, gap, hint, clock);
    } catch (const Stopped& stopped) {  // the bounds are those of planes and points that were looked at
      best.stop = stop_of(stopped);
    }
    best.steps = steps_;
    return best;
  }

 private:
  void narrow(WidestMargin& best, double gap, std::span<const double> hint, const Clock& clock) {
    double sigma = radius2_ > 0 ? 30 / radius2_ : 1;
    start(line_from(hint), sigma);
    double tolerance = 1e-2;  // of the gradient; the bounds need no more than they are apart
    double tried = 1;         // how far the bounds were apart when finish() was tried last
    for (int outer = 0, grown = 0; outer < 60; ++outer) {
      Stop why = Stop::Converged;
      if (!clock.go_on({.iterations = steps_, .stage = "margin"}, why)) {
        best.stop = why;
        break;
      }
      const bool solved = minimise(sigma, tolerance);
      update_alpha(sigma);
      const std::size_t before = work_.size();
      const bool all_there = bracket(best);
      if (best.upper / best.lower - 1 <= gap && best.lower > 0) {
        best.stop = Stop::Converged;
        break;
      }
      tolerance = std::clamp(1e-1 * (best.upper / best.lower - 1), 1e-11, 1e-2);
      const double apart = best.upper / best.lower - 1;
      if (best.lower > 0 && apart < tried / 4 && active_.size() <= std::min(d_, most_equations)) {
        tried = apart;
        if (finish(best, gap, clock)) {
          best.stop = Stop::Converged;
          break;
        }
      }
      if (work_.size() - before <= active_.size() / 32) sigma *= ++grown < 9 ? 4 : 2;
      if (!solved && all_there && sigma * radius2_ > 1e22) break;
    }
  }

  static constexpr std::size_t most_rows = 1000;
  static constexpr std::size_t most_equations = 3000;

  // The hint, or the line between the class means.
  [[nodiscard]] std::vector<double> line_from(std::span<const double> hint) const {
    std::vector<double> line(hint.begin(), hint.end());
    if (!line.empty()) return line;
    line.assign(d_, 0.0);
    double count[2] = {0, 0};
    for (const std::uint32_t i : taking_part_) count[y_[i] > 0 ? 1 : 0] += 1;
    for (const std::uint32_t i : taking_part_) rows_.axpy(y_[i] / count[y_[i] > 0 ? 1 : 0], i, line.data());
    return line;
  }

  // Few rows: all of them. Many: those nearest to the other class along the line. The first plane is the best
  // one across the line: at theta = 0 all rows would be active.
  void start(std::vector<double> line, double sigma) {
    std::vector<double> products(y_.size());
    row_products(rows_, line.data(), products.data(), threads_);
    std::vector<std::pair<double, std::uint32_t>> order;
    for (const std::uint32_t i : taking_part_) order.emplace_back(y_[i] * products[i], i);
    std::sort(order.begin(), order.end());
    const std::size_t each = std::clamp(4 * d_, most_rows / 2, 4 * most_rows);
    const bool all = order.size() <= 2 * each;
    std::size_t taken[2] = {0, 0};
    double nearest[2] = {0, 0};
    for (const auto& [score, i] : order) {
      const int side = y_[i] > 0 ? 1 : 0;
      if (taken[side] == 0) nearest[side] = products[i];
      if (taken[side]++ < each || all) join(i);
    }
    step_ = std::move(line);
    step0_ = offset_ == Offset::Free ? -(nearest[0] + nearest[1]) / 2 : 0;
    m_.assign(work_.size(), 0.0);
    margins(step_, step0_, dm_);
    const double t = line_search(sigma);
    axpy(t, step_.data(), theta_.data(), d_);
    theta0_ = t * step0_;
  }
  void join(std::uint32_t i) {
    if (in_work_[i] != 0) return;
    in_work_[i] = 1;
    work_.push_back(i);
  }

  void margins(const std::vector<double>& direction, double constant, std::vector<double>& out) const {
    out.resize(work_.size());
    for_blocks(threads_, work_.size(), 256, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(work_).subspan(begin, end - begin), direction.data(), out.data() + begin);
      for (std::size_t k = begin; k < end; ++k) out[k] = y_[work_[k]] * (out[k] + constant);
    });
  }
  [[nodiscard]] double multiplier(std::size_t k, double margin, double sigma) const {
    return std::max(0.0, alpha_[work_[k]] + sigma * (1 - margin));
  }

  // Newton steps for theta at fixed alpha. False: no progress before the gradient was small.
  bool minimise(double sigma, double tolerance) {
    margins(theta_, theta0_, m_);
    std::vector<double> gradient(d_ + 1);
    for (int inner = 0; inner < 40; ++inner) {
      const double scale = find_gradient(sigma, gradient);
      const double size = std::sqrt(norm2(gradient.data(), d_) + gradient[d_] * gradient[d_] * radius2_);
      if (size <= tolerance * scale) return true;
      if (!systems_.step(active_, sigma, gradient, step_, step0_)) return size <= 1e-8 * scale;
      ++steps_;
      margins(step_, step0_, dm_);
      const double t = line_search(sigma);
      if (!(t > 0)) return size <= 1e-8 * scale;
      axpy(t, step_.data(), theta_.data(), d_);
      theta0_ += t * step0_;
      for (std::size_t k = 0; k < m_.size(); ++k) m_[k] += t * dm_[k];
    }
    return false;
  }

  // The active rows and the gradient; what it is to be compared with.
  double find_gradient(double sigma, std::vector<double>& gradient) {
    active_.clear();
    std::vector<double> beta;
    double balance = 0;
    for (std::size_t k = 0; k < work_.size(); ++k) {
      const double b = multiplier(k, m_[k], sigma);
      if (b == 0) continue;
      active_.push_back(work_[k]);
      beta.push_back(-b * y_[work_[k]]);
      balance += beta.back();
    }
    std::copy(theta_.begin(), theta_.end(), gradient.begin());
    rows_.axpys(active_, beta.data(), gradient.data());
    gradient[d_] = offset_ == Offset::None ? 0 : rho_ * theta0_ + balance;
    return std::sqrt(norm2(theta_.data(), d_)) + 1e-300 + (norm2(theta_.data(), d_) == 0 ? 1.0 : 0.0);
  }

  // Zero of the slope along the step, which only grows.
  double line_search(double sigma) {
    const double linear = dot(theta_.data(), step_.data(), d_) + rho_ * theta0_ * step0_;
    const double square = norm2(step_.data(), d_) + rho_ * step0_ * step0_;
    const auto slope = [&](double t) {
      double sum = linear + t * square;
      for (std::size_t k = 0; k < m_.size(); ++k) sum -= multiplier(k, m_[k] + t * dm_[k], sigma) * dm_[k];
      return sum;
    };
    const double start = slope(0);
    if (!(start < 0)) return 0;
    double low = 0, low_slope = start, high = 0, high_slope = 0, t = 1;
    for (int trial = 0; trial < 100; ++trial) {
      const double here = slope(t);
      if (std::abs(here) <= 1e-3 * -start) return t;
      (here > 0 ? high : low) = t;
      (here > 0 ? high_slope : low_slope) = here;
      if (high == 0) {
        t *= 4;
        continue;
      }
      t = low + std::clamp(-low_slope / (high_slope - low_slope), 0.05, 0.95) * (high - low);
      if (high - low <= 1e-13 * high) return t;
    }
    return t;
  }

  // Which rows have weight is nearly known: their margins are taken to be 1, rows that get no positive weight
  // leave and rows of a smaller margin come, until neither happens (M. Hintermueller, K. Ito, K. Kunisch, The
  // primal-dual active set strategy as a semismooth Newton method, 2003). False: it did not end well, and
  // everything is as before.
  bool finish(WidestMargin& best, double gap, const Clock& clock) {
    const std::vector<double> theta = theta_, alpha = alpha_;
    const double theta0 = theta0_;
    active_.clear();
    for (const std::uint32_t i : work_)
      if (alpha_[i] > 0) active_.push_back(i);
    std::size_t fewest = SIZE_MAX;
    for (int round = 0, waited = 0; round < 40 && waited < 4; ++round, ++waited) {
      if (active_.empty() || active_.size() > std::min(d_ + 1, most_equations) || !meet_active()) break;
      ++steps_;
      Stop why = Stop::Converged;
      if (!clock.go_on({.iterations = steps_, .stage = "margin"}, why)) break;
      std::size_t changes = 0;
      while (true) {
        margins(theta_, theta0_, m_);
        changes = change_active();
        if (changes > 0) break;
        const bool all_there = bracket(best);
        if (best.lower > 0 && best.upper / best.lower - 1 <= gap) return true;
        if (all_there) break;
      }
      // None: as good as rounding allows. Many: it is not known after all.
      if (changes == 0 || changes > active_.size() / 4 + 8) break;
      if (changes < fewest) waited = 0;
      fewest = std::min(fewest, changes);
    }
    theta_ = theta;
    alpha_ = alpha;
    theta0_ = theta0;
    return false;
  }

  // theta and alpha for which all active rows have margin 1 and the others no weight.
  bool meet_active() {
    std::vector<double> weights;
    if (!systems_.meet(active_, weights, theta_, theta0_)) return false;
    std::fill(alpha_.begin(), alpha_.end(), 0.0);
    for (std::size_t k = 0; k < active_.size(); ++k) alpha_[active_[k]] = weights[k];
    return true;
  }

  // How many rows left for want of weight, or came because of their margin: the worst, at most a quarter.
  std::size_t change_active() {
    const std::size_t before = active_.size();
    std::erase_if(active_, [&](std::uint32_t i) { return !(alpha_[i] > 0); });
    const std::size_t left = before - active_.size();
    std::vector<std::pair<double, std::uint32_t>> violated;
    for (std::size_t k = 0; k < work_.size(); ++k)
      if (alpha_[work_[k]] == 0 && m_[k] < 1 - 1e-9) violated.emplace_back(m_[k], work_[k]);
    std::sort(violated.begin(), violated.end());
    violated.resize(std::min(violated.size(), before / 4 + 8));
    for (const auto& [margin, i] : violated) active_.push_back(i);
    return left + violated.size();
  }

  void update_alpha(double sigma) {
    for (std::size_t k = 0; k < work_.size(); ++k) alpha_[work_[k]] = multiplier(k, m_[k], sigma);
  }

  // Bounds over all rows by theta and by the hull points; violated rows join. False: some did.
  bool bracket(WidestMargin& best) {
    std::vector<double> hull(d_ + 1, 0.0);
    double total[2] = {0, 0};
    for (const std::uint32_t i : work_) total[y_[i] > 0 ? 1 : 0] += alpha_[i];
    const bool free = offset_ == Offset::Free;
    const bool named = free ? total[0] > 0 && total[1] > 0 : total[0] + total[1] > 0;
    if (named) {
      for (const std::uint32_t i : work_) {
        if (alpha_[i] == 0) continue;
        const double share = alpha_[i] / (free ? total[y_[i] > 0 ? 1 : 0] : total[0] + total[1]);
        rows_.axpy(y_[i] * share, i, hull.data());
        hull[d_] += y_[i] * share;
      }
      const double upper =
          std::sqrt(norm2(hull.data(), d_) + (offset_ == Offset::Lifted ? hull[d_] * hull[d_] : 0)) /
          (free ? 2 : 1);
      if (upper < best.upper) {
        best.upper = upper;
        best.alpha = alpha_;
      }
    }
    bool all_there = try_plane(theta_, theta0_, best, true);
    if (named) {
      const double hull0 = offset_ == Offset::Lifted ? hull[d_] : 0;
      hull.pop_back();
      static_cast<void>(try_plane(hull, hull0, best, false));
    }
    return all_there;
  }

  bool try_plane(const std::vector<double>& theta, double theta0, WidestMargin& best, bool joining) {
    std::vector<double> products(y_.size());
    row_products(rows_, theta.data(), products.data(), threads_);
    double least = INFINITY, least_positive = INFINITY, most_negative = -INFINITY;
    std::vector<std::pair<double, std::uint32_t>> violated;
    for (const std::uint32_t i : taking_part_) {
      const double m = y_[i] * (products[i] + theta0);
      least = std::min(least, m);
      if (y_[i] > 0) least_positive = std::min(least_positive, products[i]);
      if (y_[i] < 0) most_negative = std::max(most_negative, products[i]);
      if (joining && in_work_[i] == 0 && m < 1 + 1e-9) violated.emplace_back(m, i);
    }
    const bool free = offset_ == Offset::Free;
    const double offset = free ? -(least_positive + most_negative) / 2 : theta0;
    const double length = std::sqrt(norm2(theta.data(), d_) + rho_ * theta0 * theta0);
    const double lower = (free ? (least_positive - most_negative) / 2 : least) / length;
    if (lower > best.lower) {
      best.lower = lower;
      best.theta = theta;
      best.theta0 = offset;
    }
    std::sort(violated.begin(), violated.end());
    for (std::size_t k = 0; k < std::min(violated.size(), std::clamp(2 * d_, most_rows / 2, 2 * most_rows));
         ++k)
      join(violated[k].second);
    return violated.empty();
  }

  const RowAccess& rows_;
  std::span<const std::int8_t> y_;
  const Threads& threads_;
  std::size_t d_;
  Offset offset_;
  double rho_;  // 1: the offset is penalised
  double radius2_ = 0;
  std::vector<std::uint32_t> taking_part_, work_, active_;
  std::vector<char> in_work_;
  std::vector<double> theta_, alpha_, m_, dm_, step_;
  double theta0_ = 0, step0_ = 0;
  MarginSystems systems_;
  std::uint64_t steps_ = 0;
};

}  // namespace

WidestMargin widest_margin(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset, double gap,
                           std::span<const double> hint, const Threads& threads, const Clock& clock) {
  return Solver(rows, y, offset, threads).run(gap, hint, clock);
}

}  // namespace halfspace::separation
