// SPDX-License-Identifier: BSD-3-Clause
// How the ray simplex comes to its basis: from rows that are free, from rows that balance each other, anew.
#include <algorithm>
#include <numeric>

#include "solve/separation/ray_simplex.hpp"

namespace halfspace::separation {

void RaySimplex::reset_basis() {
  m_.assign(c_ * c_, 0.0);
  for (std::size_t j = 0; j < c_; ++j) m_[j * c_ + j] = 1;
  basis_.assign(c_, unit);
  free_.assign(c_, 1);
  lambda_.assign(c_, 0.0);
}

// At the unit vector that suits it best; false when it depends on the rows that are there.
bool RaySimplex::take_into_basis(std::uint32_t row, bool free) {
  std::vector<double> v;
  compute_v(row, v);
  std::size_t best = c_;
  double size = rank_tolerance;
  for (std::size_t k = 0; k < c_; ++k) {
    if (basis_[k] == unit && std::abs(v[k]) > size) {
      size = std::abs(v[k]);
      best = k;
    }
  }
  if (best == c_) return false;
  pivot(row, v, best);
  free_[best] = free ? 1 : 0;
  lambda_[best] = free ? 0 : start_lambda_[row];
  if (state_[row] == Open) state_[row] = Basic;
  return true;
}

void RaySimplex::start(const std::vector<std::uint32_t>& free) {
  for (const std::uint32_t row : free) {
    state_[row] = Fixed;
    static_cast<void>(take_into_basis(row, true));
  }
  fill_basis();
}

// The rest of the basis, from the rows nearest to the plane; then the weights and the working set.
void RaySimplex::fill_basis() {
  std::size_t left = static_cast<std::size_t>(std::count(basis_.begin(), basis_.end(), unit));
  std::size_t failures = 0;
  for (const std::uint32_t row : order_) {
    if (left == 0 || failures > 60) break;
    if (state_[row] != Open) continue;
    if (take_into_basis(row, false)) {
      --left;
      failures = 0;
    } else {
      ++failures;
    }
  }
  compute_weights();
  const std::size_t size = std::max<std::size_t>(200, 6 * c_);
  for (const std::uint32_t row : order_)
    if (working_.size() < size) working_.push_back(row);
}

void RaySimplex::refactor() {
  const std::vector<std::uint32_t> old_basis = basis_;
  const std::vector<char> old_free = free_;
  const std::vector<double> old_lambda = lambda_;
  reset_basis();
  for (std::size_t k = 0; k < c_; ++k) {
    if (old_basis[k] == unit) continue;
    const std::uint32_t row = old_basis[k];
    if (state_[row] == Basic) state_[row] = Open;
    if (!take_into_basis(row, old_free[k] != 0)) continue;
    const auto at = static_cast<std::size_t>(std::find(basis_.begin(), basis_.end(), row) - basis_.begin());
    lambda_[at] = old_lambda[k];
  }
  compute_weights();
}

bool RaySimplex::start_from(const std::vector<std::uint32_t>& rows, const std::vector<double>& weights) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  std::vector<std::size_t> others;  // heavy rows are the basis, light ones leave first
  for (const std::size_t k : order) {
    if (!take_into_basis(rows[k], false)) {
      others.push_back(k);
      continue;
    }
    const auto at = std::find(basis_.begin(), basis_.end(), rows[k]) - basis_.begin();
    lambda_[static_cast<std::size_t>(at)] = weights[k];
  }
  bool found = false;
  for (std::size_t k = others.size(); k-- > 0 && !found;)
    found = hand_over(rows[others[k]], weights[others[k]]);
  for (std::size_t k = 0; k < c_; ++k)
    if (basis_[k] != unit) lambda_[k] = start_lambda_[basis_[k]];
  fill_basis();
  return found;
}

// The row gives its weight to the basis, or takes the place of the first row there that has none left. True:
// nothing stops it, which is a ray.
bool RaySimplex::hand_over(std::uint32_t row, double weight) {
  Candidate candidate;
  candidate.row = row;
  judge(candidate);
  if (candidate.ray) return set_ray(candidate);
  const std::vector<double>& v = candidate.v;
  const auto falls = [&](std::size_t k) { return free_[k] == 0 && v[k] < -pivot_tolerance; };
  double limit = weight;
  for (std::size_t k = 0; k < c_; ++k)
    if (falls(k)) limit = std::min(limit, (lambda_[k] + pivot_tolerance) / -v[k]);
  std::size_t q = c_;
  for (std::size_t k = 0; k < c_ && limit < weight; ++k)
    if (falls(k) && lambda_[k] / -v[k] <= limit && (q == c_ || v[k] < v[q])) q = k;
  const double step = q == c_ ? weight : lambda_[q] / -v[q];
  for (std::size_t k = 0; k < c_; ++k)
    if (free_[k] == 0) lambda_[k] = std::max(0.0, lambda_[k] + step * v[k]);
  if (q == c_) return false;
  pivot(row, v, q);
  lambda_[q] = weight - step;
  state_[row] = Basic;
  if (++pivots_ % 256 == 0) refactor();
  return false;
}

}  // namespace halfspace::separation
