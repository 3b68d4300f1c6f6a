// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for smooth losses (logistic, squared hinge).
//
// Problem   minimise P = 1/2 |theta|^2 + sum cost_i loss(y_i (theta . x_i + theta0)).
// Step      H s = -g with H = I + X' D X; a one-dimensional Newton search along s on cached scores; then,
// with a
//           free offset, theta0 by itself, so that the dual point balances.
// Systems   conjugate gradients, up to `factor_limit` features preconditioned by the Cholesky factor of a
// sample
//           of H (CurvatureMatrix), beyond by a hundredth of the diagonal (all of it hurts rows of equal
//           length). Squared hinge with few features or a large C: H is kept, corrected by the rows that
//           enter and leave, and factored on the diagonal scaled to 1 (columns of very different size do no
//           harm).
// Levels    many rows: a tenth of them first, spread over the file, with their costs scaled up, so that the
// steps far from
//           the optimum are cheap.
// Cost      a step takes three passes over the data plus H (rows * features^2 in blocks, or the sum of
// squared row
//           lengths) or one pass per iteration of conjugate gradients over the rows that have curvature.
// Proof     the gap at any theta is 1/2 |g|^2 once the offset is exact: alpha_i = -cost_i slope(m_i).
// Reference Lin, Weng, Keerthi: Trust region Newton method for logistic regression, JMLR 9 (2008); Keerthi,
// DeCoste:
//           A modified finite Newton method for linear SVMs, JMLR 6 (2005); Byrd, Chin, Neveitt, Nocedal: On
//           the use of stochastic Hessian information, SIAM J. Optim. 21 (2011).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "halfspace/core/kernels.hpp"
#include "solve/curvature_matrix.hpp"
#include "solve/line_losses.hpp"
#include "solve/row_sample.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

constexpr std::size_t direct_limit = 400, factor_limit = 2000;
constexpr std::uint64_t most_steps = 200;

// The rows of one level: which they are, and their problem with its own costs and labels.
struct Rows {
  Problem problem;
  std::vector<std::uint32_t> ids;
  bool all = false;  // every row of the data, in order
};

Rows level_rows(const Problem& from, std::size_t wanted) {
  const std::vector<std::uint32_t> present = present_rows(from);
  Rows out;
  out.problem.data = from.data;
  out.problem.loss = from.loss;
  out.problem.offset = from.offset;
  wanted = std::min(wanted, present.size());
  out.all = wanted == from.rows();
  const double factor =
      static_cast<double>(present.size()) / static_cast<double>(std::max<std::size_t>(1, wanted));
  out.ids = spread_sample(present, wanted);
  for (const std::uint32_t i : out.ids) {
    out.problem.y.push_back(from.y[i]);
    out.problem.cost.push_back(from.cost[i] * factor);
  }
  return out;
}

// Whether steps of the squared hinge are solved with H itself rather than by conjugate gradients with a
// sample of it: few features, or a mean eigenvalue of H so large that a sample is too rough.
bool wants_matrix(const Problem& p, const RowAccess& rows) {
  const std::size_t d = rows.cols();
  if (!std::holds_alternative<SquaredHinge>(p.loss) || d > factor_limit) return false;
  if (d <= direct_limit) return true;
  const std::size_t stride = std::max<std::size_t>(1, p.rows() / 1000);
  double trace = 0;
  for (std::size_t i = 0; i < p.rows(); i += stride)
    trace += 2 * p.cost[i] * rows.norm2(i) * static_cast<double>(stride);
  return trace / static_cast<double>(d) > 5e4;
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
        squared_(std::holds_alternative<SquaredHinge>(p_.loss)),
        direct_(direct),
        steps_(steps),
        sampled_(sampled) {
    for (auto* v : {&z_, &u_, &h_, &dz_}) v->assign(n_, 0.0);
    for (auto* v : {&step_, &g_}) v->assign(d_ + 1, 0.0);
  }

  // A rough level ends when a step promises less than what its rows know of the others.
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
      if (direct_) {
        direct_step();
      } else {
        conjugate_step();
      }
      ++steps_;
      const double promise = -dot(g_.data(), step_.data(), d_ + 1) / 2;
      if (!line_search()) return finish(Stop::Limit);
      fit_offset();
      if (rough && (promise <= std::max(0.03, static_cast<double>(d_) / static_cast<double>(n_)) * primal_ ||
                    chosen_.size() < 2 * d_))
        return finish(Stop::Converged);
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
    over_slices(ids.size(), out, [&](std::size_t begin, std::size_t end, double* to) {
      rows_.axpys(std::span(ids).subspan(begin, end - begin), a + begin, to);
    });
  }
  // f(begin, end, to) adds what the rows [begin, end) give to `to`; all of it is added to out.
  template <class F>
  void over_slices(std::size_t rows, double* out, const F& f) {
    const std::size_t slices = d_ > (std::size_t{1} << 20U) ? 2 : std::clamp<std::size_t>(rows / 2048, 1, 8);
    if (slices == 1) {
      f(std::size_t{0}, rows, out);
      return;
    }
    part_.resize(slices);
    const std::size_t length = (rows + slices - 1) / slices;
    goal_.threads.run(slices, [&](std::size_t t) {
      part_[t].assign(d_, 0.0);
      f(std::min(rows, t * length), std::min(rows, (t + 1) * length), part_[t].data());
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

  // Squared hinge: every active row has the constant curvature 2, so that only changes have to be added.
  void direct_step() {
    if (!matrix_) matrix_ = std::make_unique<CurvatureMatrix>(rows_, p_.offset, true, goal_.threads);
    matrix_->correct(level_.ids, h_, p_.cost);
    matrix_->factor();
    for (std::size_t j = 0; j <= d_; ++j) step_[j] = -g_[j];
    matrix_->solve(step_);
    if (!has_offset_) step_[d_] = 0;
  }

  // out = H v over the active rows, few at a time: they are still near when they are added.
  void multiply(const std::vector<double>& v, std::vector<double>& out) {
    constexpr std::size_t few = 32;
    hv_.resize(chosen_.size());
    std::copy(v.begin(), v.end(), out.begin());
    out[d_] = !has_offset_ ? v[d_] : p_.offset == Offset::Lifted ? v[d_] : 0.0;
    over_slices(chosen_.size(), out.data(), [&](std::size_t begin, std::size_t end, double* to) {
      for (; begin < end; begin += few) {
        const auto ids = std::span(chosen_).subspan(begin, std::min(few, end - begin));
        rows_.dots(ids, v.data(), hv_.data() + begin);
        for (std::size_t k = begin; k < begin + ids.size(); ++k)
          hv_[k] = weight_[k] * (hv_[k] + (has_offset_ ? v[d_] : 0.0));
        rows_.axpys(ids, hv_.data() + begin, to);
      }
    });
    if (has_offset_)
      out[d_] += sum_blocks(goal_.threads, hv_.size(), row_block, 0.0, [&](std::size_t b, std::size_t e) {
        return std::accumulate(hv_.begin() + static_cast<std::ptrdiff_t>(b),
                               hv_.begin() + static_cast<std::ptrdiff_t>(e), 0.0);
      });
  }

  void prepare_preconditioner() {
    if (d_ <= factor_limit) {
      sampled_->prepare(chosen_, weight_);
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
      sampled_->solve(scaled);
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
    int iterations = 0;
    Stop why = Stop::Converged;
    for (; iterations < 500; ++iterations) {
      if (std::sqrt(norm2(residual_.data(), d_ + 1)) <= enough) break;
      if (iterations % 8 == 7 &&
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
    if (sampled_ != nullptr) sampled_->took(iterations);
    // Ill-conditioned beyond the sample: from here on H itself, which is corrected by few rows a step.
    if (squared_ && d_ <= factor_limit && iterations > 30) direct_ = true;
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
  bool direct_;  // steps by the factor of H itself
  std::uint64_t steps_, searches_ = 0;
  std::vector<double> theta_, z_, u_, h_, step_, g_, dz_, weight_, hv_, diagonal_;
  std::vector<double> residual_, scaled_, product_, direction_;
  std::vector<std::vector<double>> part_;
  std::vector<std::uint32_t> chosen_;
  std::unique_ptr<CurvatureMatrix> matrix_;  // H itself
  CurvatureMatrix* sampled_;                 // of a sample, for all levels; null with too many features
  double theta0_ = 0, primal_ = 0, last_norm_ = 0;
};

}  // namespace

std::unique_ptr<CurvatureMatrix> first_factor(const Problem& problem, const RowAccess& rows,
                                              const Threads& threads) {
  if (std::holds_alternative<Hinge>(problem.loss) || rows.cols() > factor_limit ||
      wants_matrix(problem, rows))
    return nullptr;
  const std::vector<std::uint32_t> present = present_rows(problem);
  std::vector<double> curvature;
  for (const std::uint32_t i : present)
    curvature.push_back(problem.cost[i] *
                        std::visit([](auto loss) { return loss.curvature(0); }, problem.loss));
  auto out = std::make_unique<CurvatureMatrix>(rows, problem.offset, false, threads);
  out->prepare(present, curvature, 10);
  return out;
}

Solution solve_newton(const Problem& problem, const RowAccess& rows, const Goal& goal, Solution* start) {
  Solution at;
  if (start != nullptr) at = std::move(*start);
  at.theta.resize(rows.cols(), 0.0);
  const bool direct = wants_matrix(problem, rows);
  std::unique_ptr<CurvatureMatrix> sampled;
  if (start == nullptr && goal.first != nullptr) {
    sampled = std::make_unique<CurvatureMatrix>(*goal.first, goal.threads);
  } else if (rows.cols() <= factor_limit) {
    sampled = std::make_unique<CurvatureMatrix>(rows, problem.offset, false, goal.threads);
  }
  const std::size_t few = std::max<std::size_t>(problem.rows() / 10, 5 * rows.cols());
  if (start == nullptr && few >= 1000 && few * 3 <= problem.rows()) {
    at = Newton(level_rows(problem, few), rows, goal, sampled.get(), direct, 0)
             .run(std::move(at.theta), 0, true);
    if (sampled) sampled->outlived();
    if (at.stop == Stop::Time || at.stop == Stop::Cancelled) return at;
  }
  return Newton(level_rows(problem, problem.rows()), rows, goal, sampled.get(), direct, at.iterations)
      .run(std::move(at.theta), at.theta0, false);
}

}  // namespace halfspace
