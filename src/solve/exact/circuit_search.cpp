// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/circuit_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace halfspace::exact {
namespace {

constexpr double artificial_cost = 1e3;
constexpr double tolerance = 1e-9;
constexpr std::size_t most_kept = 4;

}  // namespace

CircuitSearch::CircuitSearch(const Space& space, std::uint64_t seed, StopHandle stop)
    : space_(space), random_(seed, 42), stop_(std::move(stop)), m_(space.dimension + 1) {
  // A right side that is nearly (0, ..., 0, 1) keeps the bases apart.
  right_.assign(m_, 1.0);
  for (std::size_t k = 0; k + 1 < m_; ++k) right_[k] = 1e-8 * (0.5 + random_.uniform());
  pi_.resize(m_);
}

void CircuitSearch::column(std::uint32_t i, double* out) const {
  if (i < space_.rows) {
    std::copy(a_.begin() + static_cast<std::ptrdiff_t>(i * m_),
              a_.begin() + static_cast<std::ptrdiff_t>((i + 1) * m_), out);
    return;
  }
  std::fill(out, out + m_, 0.0);
  out[i - space_.rows] = 1;
}

void CircuitSearch::restart() {
  basis_.resize(m_);
  for (std::size_t k = 0; k < m_; ++k) basis_[k] = static_cast<std::uint32_t>(space_.rows + k);
  inverse_.assign(m_ * m_, 0.0);
  for (std::size_t k = 0; k < m_; ++k) inverse_[k * m_ + k] = 1;
  x_ = right_;
}

// The inverse of the basis by elimination with pivots; where it is none, from the beginning.
void CircuitSearch::factor() {
  std::vector<double> b(m_ * m_), at(m_);
  for (std::size_t k = 0; k < m_; ++k) {
    column(basis_[k], at.data());
    for (std::size_t j = 0; j < m_; ++j) b[j * m_ + k] = at[j];
  }
  std::vector<double> inv(m_ * m_, 0.0);
  for (std::size_t k = 0; k < m_; ++k) inv[k * m_ + k] = 1;
  for (std::size_t k = 0; k < m_; ++k) {
    std::size_t p = k;
    for (std::size_t j = k + 1; j < m_; ++j)
      if (std::abs(b[j * m_ + k]) > std::abs(b[p * m_ + k])) p = j;
    if (std::abs(b[p * m_ + k]) < 1e-11) return restart();
    for (std::size_t c = 0; c < m_; ++c) {
      std::swap(b[p * m_ + c], b[k * m_ + c]);
      std::swap(inv[p * m_ + c], inv[k * m_ + c]);
    }
    const double f = 1 / b[k * m_ + k];
    for (std::size_t c = 0; c < m_; ++c) {
      b[k * m_ + c] *= f;
      inv[k * m_ + c] *= f;
    }
    for (std::size_t j = 0; j < m_; ++j) {
      const double g = b[j * m_ + k];
      if (j == k || g == 0) continue;
      for (std::size_t c = 0; c < m_; ++c) {
        b[j * m_ + c] -= g * b[k * m_ + c];
        inv[j * m_ + c] -= g * inv[k * m_ + c];
      }
    }
  }
  inverse_ = std::move(inv);
  for (std::size_t k = 0; k < m_; ++k) {
    x_[k] = 0;
    for (std::size_t j = 0; j < m_; ++j) x_[k] += inverse_[k * m_ + j] * right_[j];
    if (x_[k] < -1e-7) return restart();
  }
}

void CircuitSearch::keep(std::span<const double> price, const Known& known, Found& found) const {
  double sum = 0;
  std::vector<std::uint32_t> rows;
  // With the true right side: the last column of the inverse.
  for (std::size_t k = 0; k < m_; ++k) {
    const double lambda = inverse_[k * m_ + m_ - 1];
    if (lambda < -1e-9) return;
    if (lambda <= 1e-9) continue;
    if (basis_[k] >= space_.rows) return;
    rows.push_back(basis_[k]);
    if (known[basis_[k]] == 0) sum += price[basis_[k]];
    if (sum >= 1 - 1e-6) return;
  }
  if (rows.size() < 2) return;
  std::sort(rows.begin(), rows.end());
  if (std::find(found.rows.begin(), found.rows.end(), rows) != found.rows.end()) return;
  std::size_t at = 0;
  while (at < sums_.size() && sums_[at] <= sum) ++at;
  if (at >= most_kept) return;
  sums_.insert(sums_.begin() + static_cast<std::ptrdiff_t>(at), sum);
  found.rows.insert(found.rows.begin() + static_cast<std::ptrdiff_t>(at), std::move(rows));
  if (sums_.size() > most_kept) {
    sums_.pop_back();
    found.rows.pop_back();
  }
}

bool CircuitSearch::run(std::span<const double> cost, std::span<const double> price, const Known& known,
                        Found& found) {
  std::vector<double> d(m_), entering(m_);
  const auto cost_of = [&](std::uint32_t i) { return i < space_.rows ? cost[i] : artificial_cost; };
  for (std::size_t step = 0; step < 60 * m_ + 200; ++step) {
    if (step % 16 == 15) stop_.check();
    if (step % 40 == 39) factor();
    for (std::size_t j = 0; j < m_; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < m_; ++k) sum += cost_of(basis_[k]) * inverse_[k * m_ + j];
      pi_[j] = sum;
    }
    std::uint32_t best = UINT32_MAX;
    double least = -tolerance;
    for (std::uint32_t i = 0; i < space_.rows; ++i) {
      double reduced = cost[i];
      const double* const a = a_.data() + i * m_;
      for (std::size_t j = 0; j < m_; ++j) reduced -= pi_[j] * a[j];
      if (reduced < least) {
        least = reduced;
        best = i;
      }
    }
    if (best == UINT32_MAX) break;
    column(best, entering.data());
    std::size_t leaves = m_;
    double ratio = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < m_; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < m_; ++j) sum += inverse_[k * m_ + j] * entering[j];
      d[k] = sum;
      if (sum > 1e-10 && x_[k] / sum < ratio) {
        ratio = x_[k] / sum;
        leaves = k;
      }
    }
    if (leaves == m_) {  // rounding: begin again
      restart();
      continue;
    }
    ratio = std::max(ratio, 0.0);
    for (std::size_t k = 0; k < m_; ++k) x_[k] -= ratio * d[k];
    x_[leaves] = ratio;
    basis_[leaves] = best;
    double* const row = inverse_.data() + leaves * m_;
    for (std::size_t j = 0; j < m_; ++j) row[j] /= d[leaves];
    for (std::size_t k = 0; k < m_; ++k) {
      if (k == leaves || d[k] == 0) continue;
      double* const other = inverse_.data() + k * m_;
      for (std::size_t j = 0; j < m_; ++j) other[j] -= d[k] * row[j];
    }
    keep(price, known, found);
  }
  for (std::size_t k = 0; k < m_; ++k)
    if (basis_[k] >= space_.rows && inverse_[k * m_ + m_ - 1] > 1e-6) return false;
  return true;
}

CircuitSearch::Found CircuitSearch::search(const Known& known, std::span<const double> price) {
  Found found;
  sums_.clear();
  const std::size_t n = space_.rows;
  a_.resize(n * m_);
  std::vector<double> cost(n);
  const bool mixed = random_.below(2) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double sign = known[i] < 0 ? -1 : 1;
    for (std::size_t j = 0; j + 1 < m_; ++j) a_[i * m_ + j] = sign * space_.row(i)[j];
    a_[i * m_ + m_ - 1] = mixed ? 0.5 + random_.uniform() : 1;
    cost[i] = known[i] == 0 ? price[i] + 1e-6 * random_.uniform() : 1e-7 * random_.uniform();
  }
  if (basis_.empty())
    restart();
  else
    factor();
  const auto take_plane = [&] {
    found.plane.assign(space_.dimension, 0.0);
    for (std::size_t j = 0; j + 1 < m_; ++j) found.plane[j] = -pi_[j];
  };
  if (!run(cost, price, known, found)) {
    take_plane();
    found.none = true;
    basis_.clear();
    return found;
  }
  take_plane();
  // Fewer rows of a price: those with little weight are made dearer.
  std::vector<double> second = cost;
  for (std::size_t i = 0; i < n; ++i) second[i] *= 8;
  for (std::size_t k = 0; k < m_; ++k)
    if (basis_[k] < n)
      second[basis_[k]] =
          cost[basis_[k]] / (static_cast<double>(m_) * std::max(x_[basis_[k] < n ? k : 0], 0.0) + 0.125);
  static_cast<void>(run(second, price, known, found));
  return found;
}

}  // namespace halfspace::exact
