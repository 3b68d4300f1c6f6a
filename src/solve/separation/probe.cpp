// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace::separation {

Probe probe(const CoreRows& core, std::uint64_t seed) {
  constexpr double cost = 1e3;
  constexpr int passes = 12, most_passes = 60;
  const RowAccess& rows = core.approximate();
  const std::size_t n = rows.rows();
  Probe out;
  out.weights.assign(rows.cols(), 0.0);
  std::vector<double> alpha(n, 0.0);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed, 16);
  out.margins.assign(n, 0.0);
  std::size_t before = n + 1;
  for (int pass = 0; pass < most_passes; ++pass) {
    random.shuffle(order);
    for (std::size_t k = 0; k < n; ++k) {
      if (k % 256 == 0) core.check();
      if (k + 2 < n) rows.prefetch(order[k + 2]);
      const std::uint32_t i = order[k];
      const double gradient = rows.dot(i, out.weights.data()) - 1;
      const double next = std::clamp(alpha[i] - gradient, 0.0, cost);
      if (next != alpha[i]) rows.axpy(next - alpha[i], i, out.weights.data());
      alpha[i] = next;
    }
    rows.dots(0, n, out.weights.data(), out.margins.data());
    out.errors = static_cast<std::size_t>(
        std::count_if(out.margins.begin(), out.margins.end(), [](double m) { return !(m > 0); }));
    if (out.errors == 0) break;
    // Far from a plane, or no nearer than before: the simplex is quicker.
    const bool near = static_cast<double>(out.errors) < 0.002 * static_cast<double>(n) && out.errors < before;
    if (pass + 1 >= passes && !near) break;
    before = out.errors;
  }
  out.alpha = std::move(alpha);
  return out;
}

std::vector<int> precisions(const CoreRows& core) {
  std::vector<int> out = {3, 8, 14, 20, 28, 36, 46, 56};
  // Columns of very different size need finer weights.
  int low = 0, high = 0;
  for (std::size_t j = 0; j < core.columns(); ++j) {
    low = std::min(low, core.column_exponent(j));
    high = std::max(high, core.column_exponent(j));
  }
  for (int bits = 80; bits < high - low + 120; bits *= 2) out.push_back(bits);
  if (high - low > 40) out.push_back(high - low + 120);
  return out;
}

std::vector<mpz_class> rounded(const CoreRows& core, const std::vector<double>& weights, int bits) {
  struct Parts {
    double mantissa = 0;
    int exponent = 0;
  };
  std::vector<Parts> parts(weights.size());
  int top = INT32_MIN;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const std::uint32_t j = core.approximated(k);
    parts[k].mantissa = std::frexp(weights[k] * core.column_scale(j), &parts[k].exponent);
    parts[k].exponent += core.column_exponent(j);
    if (parts[k].mantissa != 0) top = std::max(top, parts[k].exponent);
  }
  std::vector<mpz_class> out(core.columns());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (parts[k].mantissa == 0) continue;
    const int shift = parts[k].exponent - top + bits;
    if (shift < -1) continue;
    mpz_class& w = out[core.approximated(k)];
    if (shift <= 60) {
      w = std::round(std::ldexp(parts[k].mantissa, shift));
    } else {
      w = std::ldexp(parts[k].mantissa, 53);
      w <<= static_cast<unsigned long>(shift - 53);
    }
  }
  return out;
}

}  // namespace halfspace::separation
