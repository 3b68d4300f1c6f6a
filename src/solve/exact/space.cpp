// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/space.hpp"

#include <algorithm>
#include <cmath>

namespace halfspace::exact {
namespace {

constexpr std::uint64_t prime = 2147483629;  // below 2^31

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t out = 1;
  for (; exponent > 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) out = out * base % prime;
    base = base * base % prime;
  }
  return out;
}

// Columns that are independent modulo a prime, in this order of preference.
std::vector<std::uint32_t> independent_columns(const detail::ErrorRows& rows,
                                               const std::vector<std::uint32_t>& order,
                                               const Threads& threads) {
  const std::size_t n = rows.size();
  std::vector<std::vector<std::uint64_t>> basis;
  std::vector<std::size_t> pivots;
  std::vector<std::uint32_t> out;
  for (const std::uint32_t j : order) {
    threads.check();
    std::vector<std::uint64_t> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = mpz_fdiv_ui(rows.row(i)[j].get_mpz_t(), prime);
    for (std::size_t b = 0; b < basis.size(); ++b) {
      const std::uint64_t f = v[pivots[b]];
      if (f == 0) continue;
      for (std::size_t i = 0; i < n; ++i) v[i] = (v[i] + (prime - f) * basis[b][i]) % prime;
    }
    const auto pivot = std::find_if(v.begin(), v.end(), [](std::uint64_t x) { return x != 0; });
    if (pivot == v.end()) continue;
    const std::uint64_t inverse = power_modulo(*pivot, prime - 2);
    pivots.push_back(static_cast<std::size_t>(pivot - v.begin()));
    for (std::uint64_t& x : v) x = x * inverse % prime;
    basis.push_back(std::move(v));
    out.push_back(j);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Space make_space(const detail::ErrorRows& rows, bool offset, const Threads& threads) {
  Space out;
  out.rows = rows.size();
  for (const std::int64_t w : rows.weight) out.weight.push_back(static_cast<double>(w));
  std::vector<std::uint32_t> order;
  if (offset) order.push_back(static_cast<std::uint32_t>(rows.columns - 1));
  for (std::uint32_t j = 0; j + (offset ? 1 : 0) < rows.columns; ++j) order.push_back(j);
  out.columns = independent_columns(rows, order, threads);
  const std::size_t r = out.dimension = out.columns.size(), n = out.rows;
  std::vector<double> x(n * r);
  for (std::size_t k = 0; k < r; ++k) {
    long most = LONG_MIN;
    for (std::size_t i = 0; i < n; ++i) {
      long e = 0;
      const mpz_class& value = rows.row(i)[out.columns[k]];
      if (value != 0) {
        static_cast<void>(mpz_get_d_2exp(&e, value.get_mpz_t()));
        most = std::max(most, e);
      }
    }
    out.exponent.push_back(static_cast<int>(most));
    for (std::size_t i = 0; i < n; ++i) {
      long e = 0;
      const double m = mpz_get_d_2exp(&e, rows.row(i)[out.columns[k]].get_mpz_t());
      x[i * r + k] = std::ldexp(m, static_cast<int>(e - most));
    }
  }
  const bool constant = offset && !out.columns.empty() && out.columns.back() == rows.columns - 1;
  const std::size_t features = r - (constant ? 1 : 0);
  // x = y (features, 1): moments of the features about their mean.
  std::vector<double> mean(r, 0.0), moments(r * r, 0.0);
  double total = 0;
  const auto sign = [&](std::size_t i) { return constant && x[i * r + features] < 0 ? -1.0 : 1.0; };
  for (std::size_t i = 0; i < n; ++i) {
    total += out.weight[i];
    for (std::size_t k = 0; k < features && constant; ++k) mean[k] += out.weight[i] * sign(i) * x[i * r + k];
  }
  for (double& m : mean) m /= total;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < features; ++k)
      for (std::size_t l = 0; l <= k; ++l)
        moments[k * r + l] +=
            out.weight[i] / total * (sign(i) * x[i * r + k] - mean[k]) * (sign(i) * x[i * r + l] - mean[l]);
  // Cholesky's factor, and what turns a row into one of unit moments: its inverse on (x - mean).
  std::vector<double> lower(r * r, 0.0);
  for (std::size_t k = 0; k < features; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = moments[k * r + l];
      for (std::size_t p = 0; p < l; ++p) sum -= lower[k * r + p] * lower[l * r + p];
      if (l < k)
        lower[k * r + l] = sum / lower[l * r + l];
      else
        lower[k * r + k] = std::sqrt(std::max(sum, 1e-12 * std::max(moments[k * r + k], 1e-300)));
    }
  }
  out.turn.assign(r * r, 0.0);
  for (std::size_t k = 0; k < features; ++k) {
    std::vector<double> unit(r, 0.0);
    unit[k] = 1;
    if (constant) unit[features] = -mean[k] / std::abs(x[features]);
    for (std::size_t c = 0; c < r; ++c) {
      double sum = unit[c];
      for (std::size_t p = 0; p < k; ++p) sum -= lower[k * r + p] * out.turn[p * r + c];
      out.turn[k * r + c] = sum / lower[k * r + k];
    }
  }
  if (constant) out.turn[features * r + features] = 1 / std::abs(x[features]);
  out.a.assign(n * r, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < r; ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < r; ++c) sum += out.turn[k * r + c] * x[i * r + c];
      out.a[i * r + k] = sum;
    }
  return out;
}

std::vector<double> Space::weights_of(std::span<const double> theta) const {
  std::vector<double> out(dimension, 0.0);
  for (std::size_t k = 0; k < dimension; ++k)
    for (std::size_t c = 0; c < dimension; ++c) out[c] += turn[k * dimension + c] * theta[k];
  return out;
}

// All weights times one power of two, so that they stay in the range of doubles.
Plane plane_of(const Space& space, std::span<const double> theta, std::size_t features) {
  Plane out{std::vector<double>(features, 0.0), 0};
  const std::vector<double> weights = space.weights_of(theta);
  int least = INT_MAX, most = INT_MIN;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const int e = std::ilogb(weights[k]) - space.exponent[k];
    least = std::min(least, e);
    most = std::max(most, e);
  }
  if (least > most) return out;
  const int shift = most - least <= 900 ? -most : -(least + most) / 2;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double w = std::ldexp(weights[k], shift - space.exponent[k]);
    (space.columns[k] < features ? out.theta[space.columns[k]] : out.theta0) = w;
  }
  return out;
}

}  // namespace halfspace::exact
