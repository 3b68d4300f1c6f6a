// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/margin/margin_systems.hpp"

#include <algorithm>
#include <numeric>

#include "core/simd/row_loops.hpp"

namespace halfspace::separation {
namespace {

constexpr std::size_t most_features = 2000;  // of a matrix

}  // namespace

MarginSystems::MarginSystems(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset,
                             const Threads& threads)
    : rows_(rows),
      y_(y),
      threads_(threads),
      d_(rows.cols()),
      offset_(offset),
      rho_(offset == Offset::Lifted ? 1 : 0),
      in_normal_(rows.rows(), 0),
      products_(rows, threads) {}

bool MarginSystems::step(std::span<const std::uint32_t> active, double sigma,
                         const std::vector<double>& gradient, std::vector<double>& step, double& step0) {
  step.resize(d_);
  step0 = 0;
  if (active.empty()) {
    for (std::size_t j = 0; j < d_; ++j) step[j] = -gradient[j];
    step0 = -rho_ * gradient[d_];
    return true;
  }
  return 2 * active.size() > d_ && d_ <= most_features ? by_features(active, sigma, gradient, step, step0)
                                                       : by_rows(active, sigma, gradient, step, step0);
}

// fill(j, row) writes row j up to the diagonal.
template <class Fill>
bool MarginSystems::factor(std::size_t size, const Fill& fill) {
  double ridge = 0;
  while (true) {
    std::vector<double> matrix = cholesky_.release();
    matrix.resize(size * size);
    for_blocks(threads_, size, 48, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) fill(j, matrix.data() + j * size);
    });
    if (cholesky_.factor(std::move(matrix), size, ridge, threads_)) return true;
    ridge = ridge == 0 ? 1e-15 : ridge * 10;
    if (ridge > 1e-6) return false;
  }
}

// (I + sigma A'A) step = -gradient.
bool MarginSystems::by_features(std::span<const std::uint32_t> active, double sigma,
                                const std::vector<double>& gradient, std::vector<double>& step,
                                double& step0) {
  const bool constant = offset_ != Offset::None;
  const std::size_t size = d_ + (constant ? 1 : 0);
  change_normal(active);
  const bool solved = factor(size, [&](std::size_t j, double* row) {
    const double* const from = normal_->lower() + j * size;
    for (std::size_t k = 0; k <= j; ++k) row[k] = sigma * from[k];
    row[j] += j < d_ ? 1 : rho_;
  });
  if (!solved) return false;
  std::vector<double> x(size);
  for (std::size_t j = 0; j < size; ++j) x[j] = -gradient[j];
  cholesky_.solve(x.data());
  std::copy_n(x.begin(), d_, step.begin());
  step0 = constant ? x[d_] : 0;
  return true;
}

// A'A: by the rows that came or went since the last step, or anew when these are more.
void MarginSystems::change_normal(std::span<const std::uint32_t> active) {
  if (normal_ == nullptr)
    normal_ = std::make_unique<NormalMatrix>(rows_, offset_ != Offset::None, true, threads_);
  std::vector<std::uint32_t> changed;
  std::vector<double> sign;
  for (const std::uint32_t i : active) in_normal_[i] += 2;
  for (const std::uint32_t i : normal_rows_)
    if (in_normal_[i] == 1) changed.push_back(i);
  sign.assign(changed.size(), -1);
  for (const std::uint32_t i : active)
    if (in_normal_[i] == 2) changed.push_back(i);
  sign.resize(changed.size(), 1);
  if (changed.size() > active.size()) {
    normal_->clear();
    normal_->add(active, std::vector<double>(active.size(), 1.0));
  } else {
    normal_->add(changed, sign);
  }
  for (const std::uint32_t i : normal_rows_) in_normal_[i] = 0;
  for (const std::uint32_t i : active) in_normal_[i] = 1;
  normal_rows_.assign(active.begin(), active.end());
}

// A A', `more` added to the diagonal.
bool MarginSystems::factor_rows(std::span<const std::uint32_t> active, double more) {
  products_.take(active);
  return factor(active.size(), [&](std::size_t a, double* row) {
    const std::uint32_t i = active[a];
    for (std::size_t b = 0; b <= a; ++b) row[b] = y_[i] * y_[active[b]] * (products_.of(i, active[b]) + rho_);
    row[a] += more;
  });
}

// s = sigma (A step) solves (I / sigma + A A') s = -A gradient, bordered for a free offset.
bool MarginSystems::by_rows(std::span<const std::uint32_t> active, double sigma,
                            const std::vector<double>& gradient, std::vector<double>& step, double& step0) {
  const std::size_t count = active.size();
  if (!factor_rows(active, 1 / sigma)) return false;
  std::vector<double> right(count), border(count);
  rows_.dots(active, gradient.data(), right.data());
  for (std::size_t k = 0; k < count; ++k) {
    border[k] = y_[active[k]];
    right[k] = -border[k] * (right[k] + rho_ * gradient[d_]);
  }
  cholesky_.solve(right.data());
  if (offset_ == Offset::Free) {
    std::vector<double> solved = border;
    cholesky_.solve(solved.data());
    const double below = dot(border.data(), solved.data(), count);
    if (!(below > 0)) return false;
    step0 = (-gradient[d_] - dot(border.data(), right.data(), count)) / below;
    // s = K^-1 (-A g + y step0)
    for (std::size_t k = 0; k < count; ++k) right[k] += step0 * solved[k];
  }
  std::vector<double> weights(count);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    weights[k] = -right[k] * border[k];
    sum += weights[k];
  }
  for (std::size_t j = 0; j < d_; ++j) step[j] = -gradient[j];
  rows_.axpys(active, weights.data(), step.data());
  if (offset_ == Offset::Lifted) step0 = -gradient[d_] + sum;
  return true;
}

// A A' weights + y theta0 = 1, and y . weights = 0 for a free offset.
bool MarginSystems::meet(std::span<const std::uint32_t> active, std::vector<double>& weights,
                         std::vector<double>& theta, double& theta0) {
  if (!factor_rows(active, 0)) return false;
  const std::size_t count = active.size();
  weights.assign(count, 1.0);
  std::vector<double> side(count), signed_weights(count);
  for (std::size_t k = 0; k < count; ++k) side[k] = y_[active[k]];
  cholesky_.solve(weights.data());
  theta0 = 0;
  if (offset_ == Offset::Free) {
    std::vector<double> solved = side;
    cholesky_.solve(solved.data());
    const double below = dot(side.data(), solved.data(), count);
    if (!(below > 0)) return false;
    theta0 = dot(side.data(), weights.data(), count) / below;
    axpy(-theta0, solved.data(), weights.data(), count);
  }
  for (std::size_t k = 0; k < count; ++k) signed_weights[k] = side[k] * weights[k];
  theta.assign(d_, 0.0);
  rows_.axpys(active, signed_weights.data(), theta.data());
  if (offset_ == Offset::Lifted) theta0 = std::accumulate(signed_weights.begin(), signed_weights.end(), 0.0);
  return true;
}

}  // namespace halfspace::separation
