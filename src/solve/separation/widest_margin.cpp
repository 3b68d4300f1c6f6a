// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/widest_margin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense.hpp"
#include "halfspace/core/kernels.hpp"

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
        rho_(offset == Offset::Lifted ? 1 : 0) {
    theta_.assign(d_, 0.0);
    for (std::uint32_t i = 0; i < y.size(); ++i) {
      if (y[i] == 0) continue;
      taking_part_.push_back(i);
      radius2_ = std::max(radius2_, rows.norm2(i) + rho_);
    }
    alpha_.assign(y.size(), 0.0);
    in_work_.assign(y.size(), 0);
    slot_.assign(y.size(), none);
  }

  WidestMargin run(double gap, const Clock& clock) {
    WidestMargin best;
    best.stop = Stop::Limit;
    choose_first_rows();
    double sigma = radius2_ > 0 ? 100 / radius2_ : 1;
    for (int outer = 0; outer < 60; ++outer) {
      Stop why = Stop::Converged;
      if (!clock.go_on({.iterations = steps_, .stage = "margin"}, why)) {
        best.stop = why;
        break;
      }
      const bool solved = minimise(sigma);
      update_alpha(sigma);
      const bool all_there = bracket(best);
      if (best.upper / best.lower - 1 <= gap && best.lower > 0) {
        best.stop = Stop::Converged;
        break;
      }
      if (all_there) sigma *= outer < 7 ? 5 : 2;
      if (!solved && all_there && sigma * radius2_ > 1e22) break;
    }
    best.steps = steps_;
    return best;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::size_t most_rows = 1000;

  // Few rows: all of them. Many: those nearest to the other class along the line between the class means.
  void choose_first_rows() {
    if (taking_part_.size() <= 2 * most_rows) {
      for (const std::uint32_t i : taking_part_) join(i);
      return;
    }
    std::vector<double> mean(d_, 0.0);
    double count[2] = {0, 0};
    for (const std::uint32_t i : taking_part_) count[y_[i] > 0 ? 1 : 0] += 1;
    for (const std::uint32_t i : taking_part_) rows_.axpy(y_[i] / count[y_[i] > 0 ? 1 : 0], i, mean.data());
    std::vector<std::pair<double, std::uint32_t>> order;
    for (const std::uint32_t i : taking_part_) order.emplace_back(y_[i] * rows_.dot(i, mean.data()), i);
    std::sort(order.begin(), order.end());
    std::size_t taken[2] = {0, 0};
    for (const auto& [score, i] : order)
      if (taken[y_[i] > 0 ? 1 : 0]++ < most_rows / 2) join(i);
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
  bool minimise(double sigma) {
    margins(theta_, theta0_, m_);
    std::vector<double> gradient(d_ + 1);
    for (int inner = 0; inner < 40; ++inner) {
      const double scale = find_gradient(sigma, gradient);
      const double size = std::sqrt(norm2(gradient.data(), d_) + gradient[d_] * gradient[d_] * radius2_);
      if (size <= 1e-11 * scale) return true;
      if (!newton_step(sigma, gradient)) return size <= 1e-8 * scale;
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

  bool newton_step(double sigma, const std::vector<double>& gradient) {
    step_.assign(d_, 0.0);
    step0_ = 0;
    if (active_.empty()) {
      for (std::size_t j = 0; j < d_; ++j) step_[j] = -gradient[j];
      return true;
    }
    return active_.size() > d_ && d_ <= 2000 ? feature_step(sigma, gradient) : row_step(sigma, gradient);
  }

  // (I + sigma A'A) step = -gradient, by features.
  bool feature_step(double sigma, const std::vector<double>& gradient) {
    const bool constant = offset_ != Offset::None;
    const std::size_t size = d_ + (constant ? 1 : 0), count = active_.size();
    std::vector<double> sideways(size * count, 0.0), row(d_);
    for (std::size_t k = 0; k < count; ++k) {
      std::fill(row.begin(), row.end(), 0.0);
      rows_.axpy(1.0, active_[k], row.data());
      for (std::size_t j = 0; j < d_; ++j) sideways[j * count + k] = row[j];
      if (constant) sideways[d_ * count + k] = 1;
    }
    std::vector<double> matrix(size * size, 0.0);
    for_blocks(threads_, size, 48, [&](std::size_t begin, std::size_t end) {
      subtract_products(sideways.data() + begin * count, end - begin, count, sideways.data(), end, count,
                        count, matrix.data() + begin * size, size);
    });
    for (double& x : matrix) x *= -sigma;
    for (std::size_t j = 0; j < d_; ++j) matrix[j * size + j] += 1;
    if (constant) matrix[d_ * size + d_] += rho_;
    Cholesky cholesky;
    double ridge = 0;
    while (!cholesky.factor(matrix, size, ridge, threads_)) {
      ridge = ridge == 0 ? 1e-15 : ridge * 10;
      if (ridge > 1e-6) return false;
    }
    std::vector<double> x(size);
    for (std::size_t j = 0; j < size; ++j) x[j] = -gradient[j];
    cholesky.solve(x.data());
    std::copy(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(d_), step_.begin());
    step0_ = constant ? x[d_] : 0;
    return true;
  }

  // The same by the active rows: s = sigma (A step) solves (I / sigma + A A') s = -A gradient, bordered for a
  // free offset.
  bool row_step(double sigma, const std::vector<double>& gradient) {
    const std::size_t count = active_.size();
    grow_products();
    std::vector<double> matrix(count * count);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        matrix[a * count + b] = y_[active_[a]] * y_[active_[b]] * (product(active_[a], active_[b]) + rho_);
    for (std::size_t a = 0; a < count; ++a) matrix[a * count + a] += 1 / sigma;
    Cholesky cholesky;
    double ridge = 0;
    while (!cholesky.factor(matrix, count, ridge, threads_)) {
      ridge = ridge == 0 ? 1e-15 : ridge * 10;
      if (ridge > 1e-6) return false;
    }
    std::vector<double> right(count), border(count);
    rows_.dots(active_, gradient.data(), right.data());
    for (std::size_t k = 0; k < count; ++k) {
      border[k] = y_[active_[k]];
      right[k] = -border[k] * (right[k] + rho_ * gradient[d_]);
    }
    cholesky.solve(right.data());
    if (offset_ == Offset::Free) {
      std::vector<double> solved = border;
      cholesky.solve(solved.data());
      const double below = dot(border.data(), solved.data(), count);
      if (!(below > 0)) return false;
      step0_ = (-gradient[d_] - dot(border.data(), right.data(), count)) / below;
      // s = K^-1 (-A g + y step0)
      for (std::size_t k = 0; k < count; ++k) right[k] += step0_ * solved[k];
    }
    std::vector<double> weights(count);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      weights[k] = -right[k] * border[k];
      sum += weights[k];
    }
    for (std::size_t j = 0; j < d_; ++j) step_[j] = -gradient[j];
    rows_.axpys(active_, weights.data(), step_.data());
    if (offset_ == Offset::Lifted) step0_ = -gradient[d_] + sum;
    return true;
  }

  // Inner products of all rows that were ever active, each computed once.
  void grow_products() {
    std::vector<double> full(d_);
    for (const std::uint32_t i : active_) {
      if (slot_[i] != none) continue;
      slot_[i] = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back(i);
      std::fill(full.begin(), full.end(), 0.0);
      rows_.axpy(1.0, i, full.data());
      products_.emplace_back(slots_.size());
      rows_.dots(slots_, full.data(), products_.back().data());
    }
  }
  [[nodiscard]] double product(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t high = std::max(slot_[a], slot_[b]), low = std::min(slot_[a], slot_[b]);
    return products_[high][low];
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
    for (std::size_t k = 0; k < std::min(violated.size(), most_rows / 2); ++k) join(violated[k].second);
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
  std::vector<std::uint32_t> slot_, slots_;
  std::vector<std::vector<double>> products_;
  std::uint64_t steps_ = 0;
};

}  // namespace

WidestMargin widest_margin(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset, double gap,
                           const Threads& threads, const Clock& clock) {
  return Solver(rows, y, offset, threads).run(gap, clock);
}

}  // namespace halfspace::separation
