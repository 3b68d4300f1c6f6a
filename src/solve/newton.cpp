// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for smooth losses (logistic, squared hinge).
//
// Problem   minimise P = 1/2 |theta|^2 + sum cost_i loss(y_i (theta . x_i + theta0)).
// Step      H s = -g with H = I + X' D X; a one-dimensional Newton search along s on cached scores; then,
// with a free
//           offset, theta0 by itself, so that the dual point balances.
// Systems   up to `factor_limit` features. Squared hinge: H is kept, corrected by the rows that enter and
// leave, and
//           factored (Cholesky on the diagonal scaled to 1: columns of very different size do no harm).
//           Logistic: conjugate gradients, preconditioned by the factor of H, over a sample of the rows when
//           H is dear; the factor is kept while it serves. More features: conjugate gradients with a
//           hundredth of the diagonal (all of it hurts rows of equal length).
// Levels    many rows: a tenth of them first, evenly spaced with their costs scaled up, so that the steps far
// from the
//           optimum are cheap.
// Cost      a step takes three passes over the data plus H (rows * features^2 in blocks, or the sum of
// squared row
//           lengths) or one pass per iteration of conjugate gradients over the rows that have curvature.
// Proof     the gap at any theta is 1/2 |g|^2 once the offset is exact: alpha_i = -cost_i slope(m_i).
// Reference Lin, Weng, Keerthi: Trust region Newton method for logistic regression, JMLR 9 (2008); Keerthi,
// DeCoste: A
//           modified finite Newton method for linear SVMs, JMLR 6 (2005); Byrd, Chin, Neveitt, Nocedal: On
//           the use of stochastic Hessian information, SIAM J. Optim. 21 (2011).
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

constexpr std::size_t factor_limit = 2000;
constexpr std::uint64_t most_steps = 200;

// The rows of one level: which they are, and their problem with its own costs and labels.
struct Rows {
  Problem problem;
  std::vector<std::uint32_t> ids;
  bool all = false;  // every row of the data, in order
};

Rows level_rows(const Problem& from, std::size_t wanted) {
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < from.rows(); ++i)
    if (from.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  Rows out;
  out.problem.data = from.data;
  out.problem.loss = from.loss;
  out.problem.offset = from.offset;
  wanted = std::min(wanted, present.size());
  out.all = wanted == from.rows();
  const double factor =
      static_cast<double>(present.size()) / static_cast<double>(std::max<std::size_t>(1, wanted));
  for (std::size_t k = 0; k < wanted; ++k) {
    const std::uint32_t i = present[k * present.size() / wanted];
    out.ids.push_back(i);
    out.problem.y.push_back(from.y[i]);
    out.problem.cost.push_back(from.cost[i] * factor);
  }
  return out;
}

class Newton {
 public:
  Newton(Rows level, const RowAccess& rows, const Goal& goal, std::uint64_t steps)
      : level_(std::move(level)),
        p_(level_.problem),
        rows_(rows),
        goal_(goal),
        n_(level_.ids.size()),
        d_(rows.cols()),
        has_offset_(p_.offset != Offset::None),
        squared_(std::holds_alternative<SquaredHinge>(p_.loss)),
        steps_(steps) {
    for (auto* v : {&z_, &u_, &h_, &dz_}) v->assign(n_, 0.0);
    for (auto* v : {&step_, &g_}) v->assign(d_ + 1, 0.0);
  }

  // A rough level ends when a step promises less than one per cent.
  Solution run(std::vector<double> theta, double theta0, bool rough) {
    theta_ = std::move(theta);
    theta0_ = theta0;
    scores();
    fit_offset();
    while (true) {
      gradient();
      const double relative = gap_bound() / std::max(1.0, primal_);
      if (relative <= goal_.gap) return finish(Stop::Converged);
      if (steps_ >= most_steps) return finish(Stop::Limit);
      Stop why = Stop::Converged;
      if (!goal_.clock.go_on({std::numeric_limits<double>::quiet_NaN(), steps_, relative, "newton"}, why))
        return finish(why);
      active_rows();
      if (squared_ && d_ <= factor_limit) {
        direct_step();
      } else {
        conjugate_step();
      }
      ++steps_;
      const double promise = -dot(g_.data(), step_.data(), d_ + 1) / 2;
      if (!line_search()) return finish(Stop::Limit);
      fit_offset();
      if (rough && promise <= 0.01 * primal_) return finish(Stop::Converged);
    }
  }

 private:
  void scores() {
    products(level_.ids, theta_.data(), z_, level_.all);
    for (double& z : z_) z += theta0_;
  }

  void products(const std::vector<std::uint32_t>& ids, const double* w, std::vector<double>& out, bool all) {
    if (all) {
      row_products(rows_, w, out.data(), goal_.threads);
      return;
    }
    for_blocks(goal_.threads, ids.size(), row_block, [&](std::size_t begin, std::size_t end) {
      rows_.dots(std::span(ids).subspan(begin, end - begin), w, out.data() + begin);
    });
  }
  // out += sum a[k] x_{ids[k]}: through slices of rows whose number depends on the shape alone.
  void add_sums(const std::vector<std::uint32_t>& ids, const double* a, double* out, bool all) {
    if (all) {
      add_row_sum(rows_, a, out, goal_.threads);
      return;
    }
    const std::size_t slices =
        d_ > (std::size_t{1} << 20U) ? 2 : std::clamp<std::size_t>(ids.size() / 2048, 1, 8);
    if (slices == 1) {
      rows_.axpys(ids, a, out);
      return;
    }
    part_.resize(slices);
    const std::size_t length = (ids.size() + slices - 1) / slices;
    goal_.threads.run(slices, [&](std::size_t t) {
      part_[t].assign(d_, 0.0);
      const std::size_t begin = std::min(ids.size(), t * length);
      const std::size_t end = std::min(ids.size(), begin + length);
      rows_.axpys(std::span(ids).subspan(begin, end - begin), a + begin, part_[t].data());
    });
    for (const auto& v : part_) axpy(1.0, v.data(), out, d_);
  }

  // theta0 alone, until what it unbalances is worth less than a hundredth of the gap that is asked for.
  void fit_offset() {
    if (p_.offset != Offset::Free) return;
    double move = 0;
    LineSums at = line_sums(p_, z_.data(), nullptr, 0, goal_.threads);
    const double scale = std::max(1.0, at.value + norm2(theta_.data(), d_) / 2);
    for (int iteration = 0; iteration < 100; ++iteration) {
      if (std::abs(at.slope) * (1 + std::abs(theta0_ + move)) <= 0.01 * goal_.gap * scale) break;
      const double reach = 4.0 * (1 + std::abs(theta0_ + move));
      double change = std::clamp(-at.slope / std::max(at.curvature, 1e-300), -reach, reach);
      // Damped: halved until the slope is smaller (the value is convex in one variable).
      LineSums next;
      for (int half = 0; half < 60; ++half, change /= 2) {
        next = line_sums(p_, z_.data(), nullptr, move + change, goal_.threads);
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
    const double loss = loss_slopes(p_, z_.data(), u_.data(), h_.data(), goal_.threads);
    std::copy(theta_.begin(), theta_.end(), g_.begin());
    add_sums(level_.ids, u_.data(), g_.data(), level_.all);
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

  // The rows with curvature: the others have no part in H.
  void active_rows() {
    chosen_.clear();
    weight_.clear();
    for (std::size_t k = 0; k < n_; ++k) {
      if (h_[k] > 0) {
        chosen_.push_back(level_.ids[k]);
        weight_.push_back(h_[k]);
      }
    }
  }

  // H of the squared hinge: every active row has the constant curvature 2, so only changes have to be added.
  void correct_matrix() {
    if (!matrix_) {
      matrix_ = std::make_unique<NormalMatrix>(rows_, has_offset_, true, goal_.threads);
      inside_.assign(n_, 0);
    }
    std::vector<std::uint32_t> changed;
    std::vector<double> by;
    for (std::size_t k = 0; k < n_; ++k) {
      const char now = h_[k] > 0 ? 1 : 0;
      if (now == inside_[k]) continue;
      inside_[k] = now;
      changed.push_back(level_.ids[k]);
      by.push_back(now != 0 ? h_[k] : -2 * p_.cost[k]);
    }
    if (changed.size() > chosen_.size()) {
      matrix_->clear();
      matrix_->add(chosen_, weight_);
    } else {
      matrix_->add(changed, by);
    }
  }

  // H over a sample of the active rows: rows of large curvature for certain, the others with a chance in
  // proportion to it and a weight that makes up for that.
  void sample_matrix() {
    if (!matrix_) matrix_ = std::make_unique<NormalMatrix>(rows_, has_offset_, false, goal_.threads);
    matrix_->clear();
    const double wanted = sample_rows();
    if (wanted >= static_cast<double>(chosen_.size())) {
      matrix_->add(chosen_, weight_);
      return;
    }
    double high = std::accumulate(weight_.begin(), weight_.end(), 0.0) / wanted, low = 0;
    for (int halving = 0; halving < 20; ++halving) {
      const double middle = (low + high) / 2;
      double count = 0;
      for (const double w : weight_) count += std::min(1.0, w / middle);
      (count > wanted ? low : high) = middle;
    }
    std::vector<std::uint32_t> some;
    std::vector<double> heavy;
    double passed = 0.5;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      passed += std::min(1.0, weight_[k] / high);
      if (passed < 1) continue;
      passed -= 1;
      some.push_back(chosen_[k]);
      heavy.push_back(std::max(weight_[k], high));
    }
    matrix_->add(some, heavy);
  }

  // Forming H from all rows costs as much as `matrix_ratio_` products with H. A sample that costs a few
  // products does almost as well, if it has many more rows than features.
  double sample_rows() {
    double entries = 0, squares = 0, seen = 0;
    const std::size_t stride = std::max<std::size_t>(1, chosen_.size() / 1000);
    for (std::size_t k = 0; k < chosen_.size(); k += stride, ++seen) {
      const auto e = static_cast<double>(rows_.entries(chosen_[k]) + 1);
      entries += e;
      squares += e * e;
    }
    const auto d = static_cast<double>(d_ + 1);
    const auto all = static_cast<double>(chosen_.size());
    // A scattered update takes about as long as an entry of a product, a blocked one a thirtieth.
    const double form =
        std::min(rows_.sparse() ? squares : std::numeric_limits<double>::infinity(), seen * d * d / 30);
    matrix_ratio_ = form / entries;
    const double share = std::max(3 / matrix_ratio_, 10 * d / all);
    return share > 1.0 / 3 ? all : share * all;
  }

  void factor() {
    const std::size_t size = matrix_->size();
    double ridge = 0;
    do {
      lower_.assign(matrix_->lower(), matrix_->lower() + size * size);
      for (std::size_t j = 0; j < d_; ++j) lower_[j * size + j] += 1;
      if (has_offset_) {
        double& corner = lower_[d_ * size + d_];
        corner += p_.offset == Offset::Lifted ? 1.0 : 1e-12 * (1 + corner);
      }
      if (cholesky_.factor(std::move(lower_), size, ridge, goal_.threads)) break;
      lower_ = cholesky_.release();
      ridge = ridge == 0 ? 1e-12 : ridge * 100;
    } while (true);
  }

  void direct_step() {
    correct_matrix();
    factor();
    for (std::size_t j = 0; j <= d_; ++j) step_[j] = -g_[j];
    cholesky_.solve(step_.data());
    lower_ = cholesky_.release();
    if (!has_offset_) step_[d_] = 0;
  }

  // out = H v over the active rows.
  void multiply(const std::vector<double>& v, std::vector<double>& out) {
    const bool all = level_.all && chosen_.size() == rows_.rows();
    hv_.resize(chosen_.size());
    products(chosen_, v.data(), hv_, all);
    for (std::size_t k = 0; k < hv_.size(); ++k) hv_[k] = weight_[k] * (hv_[k] + (has_offset_ ? v[d_] : 0.0));
    std::copy(v.begin(), v.end(), out.begin());
    out[d_] = !has_offset_ ? v[d_] : p_.offset == Offset::Lifted ? v[d_] : 0.0;
    add_sums(chosen_, hv_.data(), out.data(), all);
    if (has_offset_)
      out[d_] += sum_blocks(goal_.threads, hv_.size(), row_block, 0.0, [&](std::size_t b, std::size_t e) {
        return std::accumulate(hv_.begin() + static_cast<std::ptrdiff_t>(b),
                               hv_.begin() + static_cast<std::ptrdiff_t>(e), 0.0);
      });
  }

  void prepare_preconditioner() {
    if (d_ <= factor_limit) {
      if (cholesky_.size() == 0 || last_iterations_ >= std::clamp(matrix_ratio_, 3.0, 10.0)) {
        sample_matrix();
        factor();
      }
      return;
    }
    diagonal_.assign(d_ + 1, 0.0);
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      rows_.add_squares(weight_[k], chosen_[k], diagonal_.data());
      diagonal_[d_] += weight_[k];
    }
    constexpr double share = 0.01;
    for (std::size_t j = 0; j < d_; ++j) diagonal_[j] = 1 + share * diagonal_[j];
    diagonal_[d_] = has_offset_ ? diagonal_[d_] + (p_.offset == Offset::Lifted ? 1.0 : 1e-12) : 1.0;
  }
  void precondition(const std::vector<double>& residual, std::vector<double>& scaled) const {
    if (d_ <= factor_limit) {
      scaled = residual;
      cholesky_.solve(scaled.data());
      if (!has_offset_) scaled[d_] = residual[d_];
      return;
    }
    for (std::size_t j = 0; j <= d_; ++j) scaled[j] = residual[j] / diagonal_[j];
  }

  void conjugate_step() {
    prepare_preconditioner();
    residual_.resize(d_ + 1);
    scaled_.resize(d_ + 1);
    product_.resize(d_ + 1);
    std::fill(step_.begin(), step_.end(), 0.0);
    for (std::size_t j = 0; j <= d_; ++j) residual_[j] = -g_[j];
    precondition(residual_, scaled_);
    direction_ = scaled_;
    double rho = dot(residual_.data(), scaled_.data(), d_ + 1);
    const double start = std::sqrt(norm2(g_.data(), d_ + 1));
    const double forcing = std::min(0.1, last_norm_ > 0 ? std::pow(start / last_norm_, 1.5) : 0.1);
    last_norm_ = start;
    const double enough = std::max(forcing * start, 0.5 * std::sqrt(2 * goal_.gap * std::max(1.0, primal_)));
    last_iterations_ = 0;
    Stop why = Stop::Converged;
    for (; last_iterations_ < 500; ++last_iterations_) {
      if (std::sqrt(norm2(residual_.data(), d_ + 1)) <= enough) break;
      if (last_iterations_ % 8 == 7 &&
          !goal_.clock.go_on({std::numeric_limits<double>::quiet_NaN(), steps_, std::nan(""), "newton"}, why))
        break;
      multiply(direction_, product_);
      const double curvature = dot(direction_.data(), product_.data(), d_ + 1);
      if (!(curvature > 0)) break;
      const double length = rho / curvature;
      axpy(length, direction_.data(), step_.data(), d_ + 1);
      axpy(-length, product_.data(), residual_.data(), d_ + 1);
      precondition(residual_, scaled_);
      const double next = dot(residual_.data(), scaled_.data(), d_ + 1);
      const double beta = next / rho;
      rho = next;
      for (std::size_t j = 0; j <= d_; ++j) direction_[j] = scaled_[j] + beta * direction_[j];
    }
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
    if (++searches_ % 8 == 0) {
      scores();
    } else {
      axpy(t, dz_.data(), z_.data(), n_);
    }
    return true;
  }

  Solution finish(Stop stop) { return {std::move(theta_), theta0_, {}, steps_, stop}; }

  Rows level_;
  const Problem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::size_t n_, d_;
  bool has_offset_, squared_;
  std::uint64_t steps_, searches_ = 0;
  std::vector<double> theta_, z_, u_, h_, step_, g_, dz_, weight_, lower_, hv_, diagonal_;
  std::vector<double> residual_, scaled_, product_, direction_;
  std::vector<std::vector<double>> part_;
  std::vector<std::uint32_t> chosen_;
  std::unique_ptr<NormalMatrix> matrix_;
  Cholesky cholesky_;
  double theta0_ = 0, primal_ = 0, last_norm_ = 0;
  int last_iterations_ = 0;
  double matrix_ratio_ = 0;  // cost of forming H in products with it
  std::vector<char> inside_;
};

}  // namespace

Solution solve_newton(const Problem& problem, const RowAccess& rows, const Goal& goal, Solution* start) {
  Solution at;
  if (start != nullptr) at = std::move(*start);
  at.theta.resize(rows.cols(), 0.0);
  const std::size_t sample = std::max<std::size_t>(problem.rows() / 10, 5 * rows.cols());
  if (start == nullptr && sample >= 1000 && sample * 3 <= problem.rows()) {
    at = Newton(level_rows(problem, sample), rows, goal, 0).run(std::move(at.theta), 0, true);
    if (at.stop == Stop::Time || at.stop == Stop::Cancelled) return at;
  }
  return Newton(level_rows(problem, problem.rows()), rows, goal, at.iterations)
      .run(std::move(at.theta), at.theta0, false);
}

}  // namespace halfspace
