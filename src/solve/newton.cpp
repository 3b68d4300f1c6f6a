// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for smooth losses (logistic, squared hinge).
//
// Problem   minimise P = 1/2 |theta|^2 + sum cost_i loss(y_i (theta . x_i + theta0)).
// Step      H s = -g with H = I + X' D X; a one-dimensional Newton search along s on cached scores; then,
// with a free
//           offset, theta0 is made exact by itself, so that the dual point balances.
// Systems   up to `direct_limit` features H is formed and factored (Cholesky on the diagonal scaled to 1:
// columns of
//           very different size do no harm). Above, conjugate gradients with the diagonal as preconditioner.
// Cost      a step takes three passes over the data plus H: sum of squared row lengths, or rows * features^2
// in blocks. Proof     the gap at any theta is 1/2 |g|^2 once the offset is exact: alpha_i = -cost_i
// slope(m_i). Reference Lin, Weng, Keerthi: Trust region Newton method for logistic regression, JMLR 9
// (2008); Keerthi, DeCoste:
//           A modified finite Newton method for linear SVMs, JMLR 6 (2005).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/dense.hpp"
#include "halfspace/core/kernels.hpp"
#include "solve/line_losses.hpp"
#include "solve/normal_matrix.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

constexpr std::size_t direct_limit = 1500;
constexpr std::uint64_t most_steps = 200;

class Newton {
 public:
  Newton(const Problem& problem, const RowAccess& rows, const Goal& goal)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        n_(rows.rows()),
        d_(rows.cols()),
        has_offset_(problem.offset != Offset::None) {
    theta_.assign(d_, 0.0);
    z_.assign(n_, 0.0);
    u_.assign(n_, 0.0);
    h_.assign(n_, 0.0);
    step_.assign(d_ + 1, 0.0);
    g_.assign(d_ + 1, 0.0);
    dz_.assign(n_, 0.0);
    direct_ = d_ <= direct_limit;
  }

  Solution run() {
    fit_offset();
    while (true) {
      gradient();
      const double gap = gap_bound();
      const double relative = gap / std::max(1.0, primal_);
      if (relative <= goal_.gap) return finish(Stop::Converged);
      if (steps_ >= most_steps) return finish(Stop::Limit);
      Stop why = Stop::Converged;
      if (!goal_.clock.go_on({std::numeric_limits<double>::quiet_NaN(), steps_, relative, "newton"}, why))
        return finish(why);
      if (direct_) {
        direct_step();
      } else {
        conjugate_step();
      }
      ++steps_;
      if (!line_search()) return finish(Stop::Limit);
      if (p_.offset == Offset::Free) fit_offset();
    }
  }

 private:
  // theta0 alone, to the last digit: the derivative in theta0 is what unbalances the dual point.
  void fit_offset() {
    if (p_.offset != Offset::Free) return;
    for (int iteration = 0; iteration < 100; ++iteration) {
      const LineSums at = line_sums(p_, z_.data(), nullptr, 0, goal_.threads);
      double move = -at.slope / std::max(at.curvature, 1e-300);
      move = std::clamp(move, -4.0 * (1 + std::abs(theta0_)), 4.0 * (1 + std::abs(theta0_)));
      if (!(std::abs(move) > 1e-15 * (1 + std::abs(theta0_)))) return;
      // Damped: halve until the value does not rise (convex in one variable).
      double value = at.value;
      bool moved = false;
      for (int half = 0; half < 60; ++half, move /= 2) {
        const LineSums next = line_sums(p_, z_.data(), nullptr, move, goal_.threads);
        if (next.value < value || std::abs(next.slope) < 0.5 * std::abs(at.slope)) {
          moved = true;
          break;
        }
      }
      if (!moved) return;
      theta0_ += move;
      for (double& z : z_) z += move;
    }
  }

  void gradient() {
    const double loss = loss_slopes(p_, z_.data(), u_.data(), h_.data(), goal_.threads);
    std::copy(theta_.begin(), theta_.end(), g_.begin());
    add_row_sum(rows_, u_.data(), g_.data(), goal_.threads);
    g_[d_] = sum_blocks(goal_.threads, n_, row_block, 0.0, [&](std::size_t b, std::size_t e) {
      return std::accumulate(u_.begin() + static_cast<std::ptrdiff_t>(b),
                             u_.begin() + static_cast<std::ptrdiff_t>(e), 0.0);
    });
    if (p_.offset == Offset::Lifted) g_[d_] += theta0_;
    if (!has_offset_) g_[d_] = 0;
    primal_ =
        norm2(theta_.data(), d_) / 2 + (p_.offset == Offset::Lifted ? theta0_ * theta0_ / 2 : 0.0) + loss;
  }

  [[nodiscard]] double gap_bound() const {
    return norm2(g_.data(), d_) / 2 + (p_.offset == Offset::Lifted ? g_[d_] * g_[d_] / 2 : 0.0);
  }

  void direct_step() {
    if (!matrix_) matrix_ = std::make_unique<NormalMatrix>(rows_, has_offset_, goal_.threads);
    NormalMatrix& normal = *matrix_;
    normal.clear();
    chosen_.clear();
    weight_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      if (h_[i] > 0) {
        chosen_.push_back(static_cast<std::uint32_t>(i));
        weight_.push_back(h_[i]);
      }
    }
    normal.add(chosen_, weight_);
    const std::size_t size = normal.size();
    for (std::size_t j = 0; j < d_; ++j) normal.lower()[j * size + j] += 1;
    if (has_offset_) {
      double& corner = normal.lower()[d_ * size + d_];
      corner += p_.offset == Offset::Lifted ? 1.0 : 1e-12 * (1 + corner);
    }
    Cholesky cholesky;
    std::vector<double> lower(normal.lower(), normal.lower() + size * size);
    double ridge = 0;
    while (!cholesky.factor(lower, size, ridge, goal_.threads)) ridge = ridge == 0 ? 1e-12 : ridge * 100;
    for (std::size_t j = 0; j < size; ++j) step_[j] = -g_[j];
    cholesky.solve(step_.data());
    if (!has_offset_) step_[d_] = 0;
  }

  void multiply(const std::vector<double>& v, std::vector<double>& out) {
    row_products(rows_, v.data(), dz_.data(), goal_.threads);
    for_blocks(goal_.threads, n_, row_block, [&](std::size_t b, std::size_t e) {
      for (std::size_t i = b; i < e; ++i) dz_[i] = h_[i] * (dz_[i] + v[d_]);
    });
    std::copy(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(d_), out.begin());
    add_row_sum(rows_, dz_.data(), out.data(), goal_.threads);
    out[d_] = 0;
    if (has_offset_) {
      out[d_] = sum_blocks(goal_.threads, n_, row_block, 0.0, [&](std::size_t b, std::size_t e) {
        return std::accumulate(dz_.begin() + static_cast<std::ptrdiff_t>(b),
                               dz_.begin() + static_cast<std::ptrdiff_t>(e), 0.0);
      });
      if (p_.offset == Offset::Lifted) out[d_] += v[d_];
    }
  }

  // The preconditioner is a mean of 1 and the diagonal of H, which is safe on text and helps on unscaled
  // columns.
  void conjugate_step() {
    std::vector<double> diagonal(d_ + 1, 1.0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (h_[i] == 0) continue;
      rows_.add_squares(h_[i], i, diagonal.data());
      diagonal[d_] += h_[i];
    }
    std::vector<double> residual(d_ + 1), direction(d_ + 1), product(d_ + 1), scaled(d_ + 1);
    std::fill(step_.begin(), step_.end(), 0.0);
    for (std::size_t j = 0; j <= d_; ++j) residual[j] = -g_[j];
    const auto precondition = [&] {
      for (std::size_t j = 0; j <= d_; ++j) scaled[j] = residual[j] / diagonal[j];
    };
    precondition();
    direction = scaled;
    double rho = dot(residual.data(), scaled.data(), d_ + 1);
    const double start = std::sqrt(norm2(g_.data(), d_ + 1));
    const double forcing = std::min(0.1, last_norm_ > 0 ? std::pow(start / last_norm_, 1.5) : 0.1);
    last_norm_ = start;
    const double enough = std::max(forcing * start, 0.5 * std::sqrt(2 * goal_.gap * std::max(1.0, primal_)));
    for (int iteration = 0; iteration < 500; ++iteration) {
      if (std::sqrt(norm2(residual.data(), d_ + 1)) <= enough) break;
      multiply(direction, product);
      const double curvature = dot(direction.data(), product.data(), d_ + 1);
      if (!(curvature > 0)) break;
      const double length = rho / curvature;
      axpy(length, direction.data(), step_.data(), d_ + 1);
      axpy(-length, product.data(), residual.data(), d_ + 1);
      precondition();
      const double next = dot(residual.data(), scaled.data(), d_ + 1);
      const double beta = next / rho;
      rho = next;
      for (std::size_t j = 0; j <= d_; ++j) direction[j] = scaled[j] + beta * direction[j];
    }
  }

  // Newton in one variable on the cached scores; accepts when the slope has fallen to a tenth.
  bool line_search() {
    row_products(rows_, step_.data(), dz_.data(), goal_.threads);
    for (double& v : dz_) v += step_[d_];
    const bool lifted = p_.offset == Offset::Lifted;
    const double linear = dot(theta_.data(), step_.data(), d_) + (lifted ? theta0_ * step_[d_] : 0.0);
    const double square = norm2(step_.data(), d_) + (lifted ? step_[d_] * step_[d_] : 0.0);
    const double slope0 = dot(g_.data(), step_.data(), d_ + 1);
    if (!(slope0 < 0)) return false;
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const LineSums at = line_sums(p_, z_.data(), dz_.data(), t, goal_.threads);
      const double slope = linear + t * square + at.slope;
      if (std::abs(slope) <= 0.1 * std::abs(slope0)) break;
      (slope > 0 ? high : low) = t;
      double next = t - slope / (square + at.curvature);
      const bool inside = next > low && next < high;
      if (!inside) next = std::isfinite(high) ? (low + high) / 2 : 2 * t;
      if (std::abs(next - t) <= 1e-12 * t) break;
      t = next;
    }
    axpy(t, step_.data(), theta_.data(), d_);
    theta0_ += t * step_[d_];
    // Cached scores drift; now and then they are computed afresh.
    if (steps_ % 8 == 7) {
      row_products(rows_, theta_.data(), z_.data(), goal_.threads);
      for (double& z : z_) z += theta0_;
    } else {
      axpy(t, dz_.data(), z_.data(), n_);
    }
    return true;
  }

  Solution finish(Stop stop) { return {std::move(theta_), theta0_, {}, steps_, stop}; }

  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::size_t n_, d_;
  bool has_offset_;
  bool direct_ = true;
  std::vector<double> theta_, z_, u_, h_, step_, g_, dz_, weight_;
  std::vector<std::uint32_t> chosen_;
  std::unique_ptr<NormalMatrix> matrix_;
  double theta0_ = 0;
  double primal_ = 0;
  double last_norm_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

Solution solve_newton(const Problem& problem, const RowAccess& rows, const Goal& goal) {
  return Newton(problem, rows, goal).run();
}

}  // namespace halfspace
