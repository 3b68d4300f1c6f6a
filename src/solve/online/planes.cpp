// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/planes.hpp"

#include <cmath>

#include "halfspace/core/error.hpp"

namespace halfspace {

OnlinePlanes::OnlinePlanes(std::size_t cols, std::size_t planes, Offset offset, bool average)
    : cols_(cols), planes_(planes), offset_(offset), average_(average), interleaved_(planes > 1) {
  theta0_.assign(planes, 0.0);
  u0_.assign(planes, 0.0);
  grow(cols);
}

void OnlinePlanes::grow(std::size_t cols) {
  cols_ = std::max(cols_, cols);
  v_.resize(cols_ * planes_, 0.0);
  if (average_) u_.resize(cols_ * planes_, 0.0);
  if (!base_.empty()) base_.resize(cols_ * planes_, 0.0);
}

void OnlinePlanes::begin(std::size_t k, std::span<const double> theta, double theta0) {
  grow(theta.size());
  for (std::size_t j = 0; j < theta.size(); ++j) v_[j * planes_ + k] = theta[j];
  theta0_[k] = theta0;
}

void OnlinePlanes::resume(const WalkState& state) {
  const std::size_t size = state.features * planes_;
  if (state.planes != planes_ || state.v.size() != size || state.theta0.size() != planes_ ||
      state.offset_sums.size() != planes_ || state.sums.size() != (average_ ? size : 0) ||
      (!state.base.empty() && (!average_ || state.base.size() != size)))
    throw UsageError("a learner goes on with the classes and options that it began with");
  cols_ = state.features;
  v_.assign(state.v.begin(), state.v.end());
  u_.assign(state.sums.begin(), state.sums.end());
  base_.assign(state.base.begin(), state.base.end());
  theta0_ = state.theta0;
  u0_ = state.offset_sums;
  scale_ = state.scale;
  scale_sum_ = state.scale_sum;
  steps_ = state.steps;
}

void OnlinePlanes::put_state(WalkState& state) const {
  state.features = cols_;
  state.planes = planes_;
  state.steps = steps_;
  state.scale = scale_;
  state.scale_sum = scale_sum_;
  state.theta0 = theta0_;
  state.offset_sums = u0_;
  state.v.assign(v_.begin(), v_.end());
  state.sums.assign(u_.begin(), u_.end());
  state.base.assign(base_.begin(), base_.end());
}

void OnlinePlanes::scores_interleaved(const RowAccess& rows, std::size_t i, double* out) const {
  rows.dot_planes(i, v_.data(), planes_, out);
  for (std::size_t k = 0; k < planes_; ++k) out[k] = scale_ * out[k] + theta0_[k];
}

// Brings the scale into v. The sums so far go to base, so that they never are differences of huge numbers.
void OnlinePlanes::fold(double scale) {
  if (average_) {
    base_.resize(v_.size(), 0.0);
    for (std::size_t j = 0; j < v_.size(); ++j) base_[j] += scale_sum_ * v_[j] - u_[j];
    u_.assign(u_.size(), 0.0);
    scale_sum_ = 0;
  }
  for (double& v : v_) v *= scale;
  scale_ = 1;
}

void OnlinePlanes::shrink(double keep, double closed) {
  constexpr double smallest = 1e-6;  // far from where products of scales lose digits
  if (keep != 1 && offset_ == Offset::Lifted) {
    for (std::size_t k = 0; k < planes_; ++k) {
      const double change = keep * theta0_[k] - theta0_[k];
      u0_[k] += static_cast<double>(steps_) * change;
      theta0_[k] *= keep;
    }
  }
  if (closed != 0) {
    scale_ = closed;
  } else if (keep != 1) {
    if (std::abs(scale_ * keep) < smallest) {
      fold(scale_ * keep);
    } else {
      scale_ *= keep;
    }
  }
}

void OnlinePlanes::add(const RowAccess& rows, std::size_t i, std::size_t k, double amount) {
  const double a = amount / scale_;
  if (interleaved_) {
    rows.axpy_plane(a, i, v_.data() + k, planes_);
    if (average_) rows.axpy_plane(scale_sum_ * a, i, u_.data() + k, planes_);
  } else {
    rows.axpy(a, i, v_.data());
    if (average_) rows.axpy(scale_sum_ * a, i, u_.data());
  }
  if (offset_ != Offset::None) {
    theta0_[k] += amount;
    u0_[k] += static_cast<double>(steps_) * amount;
  }
}

std::vector<double> OnlinePlanes::theta(std::size_t k) const {
  std::vector<double> out(cols_);
  for (std::size_t j = 0; j < cols_; ++j) out[j] = scale_ * v_[j * planes_ + k];
  return out;
}

std::vector<double> OnlinePlanes::mean(std::size_t k) const {
  std::vector<double> out(cols_);
  const auto n = static_cast<double>(std::max<std::uint64_t>(1, steps_));
  for (std::size_t j = 0; j < cols_; ++j) {
    const std::size_t at = j * planes_ + k;
    const double sum = scale_sum_ * v_[at] - u_[at];
    out[j] = (base_.empty() ? sum : base_[at] + sum) / n;
  }
  return out;
}

double OnlinePlanes::mean0(std::size_t k) const {
  const auto n = static_cast<double>(std::max<std::uint64_t>(1, steps_));
  return (n * theta0_[k] - u0_[k]) / n;
}

}  // namespace halfspace
