// SPDX-License-Identifier: BSD-3-Clause
#include "report/sections/projection.hpp"

#include <numeric>

namespace halfspace::report {
namespace {

constexpr int power_steps = 60;

// What is left of v at right angles to the others, at length 1; false when nothing is.
bool make_unit(std::vector<double>& v, std::span<const std::vector<double>> others) {
  const double before = std::sqrt(product(v, v));
  for (const std::vector<double>& other : others) {
    const double along = product(v, other);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along * other[j];
  }
  const double length = std::sqrt(product(v, v));
  if (!(length > 1e-12 * before)) return false;
  for (double& x : v) x /= length;
  return true;
}

}  // namespace

double product(const Entries& row, const std::vector<double>& direction) {
  double sum = 0;
  for (const auto& [j, x] : row)
    if (j < direction.size()) sum += x * direction[j];
  return sum;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> widest_direction(std::span<const Entries> rows, const std::vector<double>& center,
                                     std::span<const std::vector<double>> others) {
  const std::size_t d = center.size();
  std::vector<double> v(d), next(d);
  for (std::size_t j = 0; j < d; ++j) v[j] = 1.0 / static_cast<double>(j + 1);
  if (!make_unit(v, others)) {
    for (std::size_t j = 0; j < d; ++j) v[j] = j % 2 == 0 ? 1 : -1;
    if (!make_unit(v, others)) return std::vector<double>(d, 0.0);
  }
  for (int step = 0; step < power_steps; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    const double middle = product(center, v);
    double total = 0;
    for (const Entries& row : rows) {
      const double along = product(row, v) - middle;
      total += along;
      for (const auto& [j, x] : row)
        if (j < d) next[j] += along * x;
    }
    for (std::size_t j = 0; j < d; ++j) next[j] -= total * center[j];
    std::vector<double> candidate = next;
    if (!make_unit(candidate, others)) return step == 0 ? std::vector<double>(d, 0.0) : v;
    v = std::move(candidate);
  }
  return v;
}

}  // namespace halfspace::report
