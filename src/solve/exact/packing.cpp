// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/packing.hpp"

#include <algorithm>
#include <limits>

#include "halfspace/core/random.hpp"

namespace halfspace::exact {

Packing::Packing(std::vector<double> weight, StopHandle stop)
    : n_(weight.size()),
      weight_(std::move(weight)),
      stop_(std::move(stop)),
      basis_(n_),
      inverse_(n_ * n_, 0.0),
      price_(n_, 0.0) {
  Random random(7, 43);
  for (double& w : weight_) w *= 1 - 1e-6 * random.uniform();
  for (std::size_t i = 0; i < n_; ++i) {
    basis_[i] = static_cast<std::uint32_t>(i);
    inverse_[i * n_ + i] = 1;
  }
  x_ = weight_;
}

std::size_t Packing::add(std::vector<std::uint32_t> rows) {
  columns_.push_back(std::move(rows));
  basic_.push_back(0);
  return columns_.size() - 1;
}

double Packing::value() const {
  double out = 0;
  for (std::size_t k = 0; k < n_; ++k)
    if (basis_[k] >= n_) out += x_[k];
  return out;
}

std::vector<double> Packing::shares() const {
  std::vector<double> out(columns_.size(), 0.0);
  for (std::size_t k = 0; k < n_; ++k)
    if (basis_[k] >= n_) out[basis_[k] - n_] = std::max(0.0, x_[k]);
  return out;
}

void Packing::solve() {
  std::vector<double> d(n_);
  for (std::size_t step = 0; step < 50 * n_ + 1000; ++step) {
    stop_.check();
    // The price of a row: the sum of the rows of the inverse that belong to circuits.
    if (step % 64 == 0) {
      std::fill(price_.begin(), price_.end(), 0.0);
      for (std::size_t k = 0; k < n_; ++k)
        if (basis_[k] >= n_)
          for (std::size_t i = 0; i < n_; ++i) price_[i] += inverse_[k * n_ + i];
    }
    // A circuit that costs less than 1, or a slack whose row has a price below 0.
    std::size_t enters = SIZE_MAX;
    double best = 1e-7;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (basic_[c] != 0) continue;
      double gain = 1;
      for (const std::uint32_t i : columns_[c]) gain -= price_[i];
      if (gain > best) {
        best = gain;
        enters = n_ + c;
      }
    }
    for (std::size_t i = 0; i < n_; ++i)
      if (-price_[i] > best) {
        best = -price_[i];
        enters = i;
      }
    if (enters == SIZE_MAX) return;
    std::size_t leaves = n_;
    double ratio = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n_; ++k) {
      double sum = 0;
      if (enters < n_)
        sum = inverse_[k * n_ + enters];
      else
        for (const std::uint32_t i : columns_[enters - n_]) sum += inverse_[k * n_ + i];
      d[k] = sum;
      if (sum > 1e-9 && x_[k] / sum < ratio) {
        ratio = x_[k] / sum;
        leaves = k;
      }
    }
    if (leaves == n_) return;
    ratio = std::max(ratio, 0.0);
    for (std::size_t k = 0; k < n_; ++k) x_[k] -= ratio * d[k];
    x_[leaves] = ratio;
    if (basis_[leaves] >= n_) basic_[basis_[leaves] - n_] = 0;
    basis_[leaves] = static_cast<std::uint32_t>(enters);
    if (enters >= n_) basic_[enters - n_] = 1;
    double* const row = inverse_.data() + leaves * n_;
    const double f = 1 / d[leaves];
    for (std::size_t i = 0; i < n_; ++i) {
      row[i] *= f;
      price_[i] += best * row[i];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if (k == leaves || d[k] == 0) continue;
      double* const other = inverse_.data() + k * n_;
      for (std::size_t i = 0; i < n_; ++i) other[i] -= d[k] * row[i];
    }
  }
}

}  // namespace halfspace::exact
