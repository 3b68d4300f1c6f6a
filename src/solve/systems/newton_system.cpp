// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/newton_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/systems/curved_rows.hpp"

namespace halfspace {

NewtonSystem::NewtonSystem(const RowAccess& rows, Offset offset, const Goal& goal, CurvatureMatrix* sampled,
                           double radius2)
    : rows_(rows),
      offset_(offset),
      goal_(goal),
      sampled_(sampled),
      offset_weight_(offset == Offset::Free ? std::max(1.0, radius2) : 1.0),
      d_(rows.cols()),
      has_offset_(offset != Offset::None) {}

void NewtonSystem::take(std::span<const std::uint32_t> ids, std::span<const double> h, bool thin,
                        std::uint64_t step) {
  CurvedRows curved = curved_rows(goal_.team, h, thin ? 1.0 : 0.0, step);
  weight_ = std::move(curved.weight);
  chosen_ = std::move(curved.place);
  for (std::uint32_t& row : chosen_) row = ids[row];
  list_ = goal_.team.stretch(chosen_.size());
}

// out = H v over the rows, few at a time: they are still near when they are added.
void NewtonSystem::multiply(const std::vector<double>& v, std::vector<double>& out) {
  constexpr std::size_t few = 32;
  std::vector<double>& hv = product_of_row_;
  hv.resize(chosen_.size());
  std::copy(v.begin(), v.end(), out.begin());
  if (offset_ == Offset::Free) out[d_] = 0;
  const double shift = has_offset_ ? v[d_] : 0.0;
  add_list(goal_.team, list_, d_, out.data(), part_, [&](std::size_t begin, std::size_t end, double* to) {
    for (; begin < end; begin += few) {
      const auto ids = std::span(chosen_).subspan(begin, std::min(few, end - begin));
      rows_.dots(ids, v.data(), hv.data() + begin);
      for (std::size_t k = begin; k < begin + ids.size(); ++k) hv[k] = weight_[k] * (hv[k] + shift);
      rows_.axpys(ids, hv.data() + begin, to);
    }
  });
  if (has_offset_)
    out[d_] += sum_rows(goal_.team, list_, 0.0, [&](std::size_t b, std::size_t e, double& sum) {
      sum = std::accumulate(hv.begin() + static_cast<std::ptrdiff_t>(b),
                            hv.begin() + static_cast<std::ptrdiff_t>(e), sum);
    });
}

void NewtonSystem::prepare_preconditioner() {
  if (sampled_ != nullptr) {
    sampled_->prepare(chosen_, weight_);
    return;
  }
  diagonal_.assign(d_ + 1, 0.0);
  add_in_turn(goal_.team, diagonal_, [&](std::vector<double>& to) {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      rows_.add_squares(weight_[k], chosen_[k], to.data());
      to[d_] += weight_[k];
    }
  });
  constexpr double share = 0.01;
  for (std::size_t j = 0; j < d_; ++j) diagonal_[j] = 1 + share * diagonal_[j];
  diagonal_[d_] = has_offset_ ? diagonal_[d_] + (offset_ == Offset::Lifted ? 1.0 : 1e-12) : 1.0;
}

void NewtonSystem::precondition(const std::vector<double>& residual, std::vector<double>& scaled) const {
  if (sampled_ != nullptr) {
    scaled = residual;
    sampled_->solve(scaled);
    if (!has_offset_) scaled[d_] = residual[d_];
    return;
  }
  for (std::size_t j = 0; j <= d_; ++j) scaled[j] = residual[j] / diagonal_[j];
}

double NewtonSystem::length(std::span<const double> residual) const {
  return std::sqrt(norm2(residual.data(), d_) + offset_weight_ * residual[d_] * residual[d_]);
}

int NewtonSystem::solve(std::span<const double> g, double enough, std::uint64_t step,
                        std::vector<double>& s) {
  prepare_preconditioner();
  residual_.resize(d_ + 1);
  scaled_.resize(d_ + 1);
  product_.resize(d_ + 1);
  std::fill(s.begin(), s.end(), 0.0);
  for (std::size_t j = 0; j <= d_; ++j) residual_[j] = -g[j];
  precondition(residual_, scaled_);
  direction_ = scaled_;
  double rho = dot(residual_.data(), scaled_.data(), d_ + 1);
  const double start = length(g);
  const double last = std::exchange(last_norm_, start);
  double rho_enough = 0.02 * rho;
  if (sampled_ == nullptr) {
    rho_enough = 0;
    enough = std::max(enough, start * std::min(0.1, last > 0 ? std::pow(start / last, 1.5) : 0.1));
  }
  int iterations = 0;
  Stop why = Stop::Converged;
  for (; iterations < 500; ++iterations) {
    if (rho <= rho_enough || length(residual_) <= enough) break;
    if (iterations % 8 == 7 &&
        !goal_.go_on({std::numeric_limits<double>::quiet_NaN(), step, std::nan(""), "newton"}, why))
      break;
    multiply(direction_, product_);
    const double curvature = dot(direction_.data(), product_.data(), d_ + 1);
    if (!(curvature > 0)) break;
    const double length = rho / curvature;
    axpy(length, direction_.data(), s.data(), d_ + 1);
    axpy(-length, product_.data(), residual_.data(), d_ + 1);
    precondition(residual_, scaled_);
    const double next = dot(residual_.data(), scaled_.data(), d_ + 1);
    const double beta = next / rho;
    rho = next;
    for (std::size_t j = 0; j <= d_; ++j) direction_[j] = scaled_[j] + beta * direction_[j];
  }
  if (sampled_ != nullptr) sampled_->took(iterations);
  return iterations;
}

}  // namespace halfspace
