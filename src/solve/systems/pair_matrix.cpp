// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/pair_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/row_sums.hpp"

namespace halfspace {

PairMatrix::PairMatrix(const RowAccess& rows, Offset offset, std::size_t planes, const Team& team)
    : offset_(offset),
      team_(team),
      planes_(planes),
      d_(rows.cols()),
      size_(d_ + (offset != Offset::None ? 1 : 0)),
      pair_(rows, offset != Offset::None, true, team) {}

// As many rows for a pair as make forming cost about what factoring costs, and enough for every feature.
double PairMatrix::rows_of_pair() const {
  return 10.0 * static_cast<double>(size_) + 2.0 * static_cast<double>(planes_ * size_);
}

double PairMatrix::cost(std::size_t rows) const {
  const auto k = static_cast<double>(planes_), s = static_cast<double>(size_);
  const double taken = std::min(rows_of_pair(), static_cast<double>(rows));
  return k * k / 2 * taken * s * s / 2 + k * s * k * s * k * s / 3;
}

// Keeps the rows of the largest weights for certain and others with a chance in proportion to theirs.
void PairMatrix::choose(std::span<const std::uint32_t> ids) {
  kept_.clear();
  kept_weight_.clear();
  double most = 0;
  for (const double w : weight_) most = std::max(most, w);
  most = team_.most(most);
  const auto expected = [&](double floor) {
    double count = 0;
    add_in_turn(team_, count, [&](double& to) {
      for (const double w : weight_) to += std::min(1.0, w / floor);
    });
    return count;
  };
  // Rows without weight are left out first, by a floor far below what rounding shows.
  double floor = most * 1e-14;
  if (!(floor > 0)) return;
  if (const double wanted = rows_of_pair(); expected(floor) > wanted) {
    double low = std::log(floor), high = std::log(most);
    for (int halving = 0; halving < 30; ++halving) {
      const double middle = (low + high) / 2;
      (expected(std::exp(middle)) > wanted ? low : high) = middle;
    }
    floor = std::exp(high);
  }
  double passed = 0.5;
  add_in_turn(team_, passed, [&](double& to) {
    for (std::size_t k = 0; k < ids.size(); ++k) {
      to += std::min(1.0, weight_[k] / floor);
      if (to < 1) continue;
      to -= 1;
      kept_.push_back(ids[k]);
      kept_weight_.push_back(std::max(weight_[k], floor));
    }
  });
}

void PairMatrix::add_pair(std::size_t c, std::size_t e) {
  const std::size_t n = planes_ * size_;
  const double* m = pair_.lower();
  double* const cc = lower_.data() + c * size_ * n + c * size_;
  double* const ee = lower_.data() + e * size_ * n + e * size_;
  double* const ce = lower_.data() + c * size_ * n + e * size_;  // c > e
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double v = m[i * size_ + j];
      cc[i * n + j] += v;
      ee[i * n + j] += v;
      ce[i * n + j] = -v;
      ce[j * n + i] = -v;
    }
  }
}

void PairMatrix::form(std::span<const std::uint32_t> ids, std::span<const double> v, const double* p,
                      std::size_t stride) {
  const std::size_t n = planes_ * size_;
  lower_.assign(n * n, 0.0);
  weight_.resize(ids.size());
  for (std::size_t c = 1; c < planes_; ++c) {
    for (std::size_t e = 0; e < c; ++e) {
      for (std::size_t k = 0; k < ids.size(); ++k) weight_[k] = v[k] * p[k * stride + c] * p[k * stride + e];
      choose(ids);
      pair_.clear();
      pair_.add(kept_, kept_weight_);
      add_pair(c, e);
    }
  }
  factor();
}

void PairMatrix::factor() {
  const std::size_t n = planes_ * size_;
  for (std::size_t c = 0; c < planes_; ++c)
    for (std::size_t j = 0; j < d_; ++j) lower_[(c * size_ + j) * (n + 1)] += 1;
  if (offset_ == Offset::Lifted)
    for (std::size_t c = 0; c < planes_; ++c) lower_[(c * size_ + d_) * (n + 1)] += 1;
  // A common move of all free offsets changes nothing; weighing it makes the matrix regular.
  if (offset_ == Offset::Free) {
    double most = 1e-300;
    for (std::size_t c = 0; c < planes_; ++c) most = std::max(most, lower_[(c * size_ + d_) * (n + 1)]);
    for (std::size_t c = 0; c < planes_; ++c) {
      for (std::size_t e = 0; e <= c; ++e)
        lower_[(c * size_ + d_) * n + e * size_ + d_] += most / static_cast<double>(planes_);
      lower_[(c * size_ + d_) * (n + 1)] += 1e-12 * most;
    }
  }
  for (double ridge = 0; !cholesky_.factor(lower_, n, ridge, team_.threads());) {
    ridge = ridge == 0 ? 1e-12 : ridge * 100;
    if (!(ridge < 1e3)) throw std::range_error("the matrix of a Newton step is not finite");
  }
}

void PairMatrix::solve(const std::vector<double>& right, std::vector<double>& x, std::size_t stride) const {
  std::vector<double> y(planes_ * size_);
  for (std::size_t j = 0; j < size_; ++j)
    for (std::size_t c = 0; c < planes_; ++c) y[c * size_ + j] = right[j * stride + c];
  cholesky_.solve(y.data());
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j)
    for (std::size_t c = 0; c < planes_; ++c) x[j * stride + c] = y[c * size_ + j];
}

}  // namespace halfspace
