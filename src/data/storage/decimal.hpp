// SPDX-License-Identifier: BSD-3-Clause
// Doubles as decimals k / 10^p with 32 bits for k.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "halfspace/data/builder.hpp"

namespace halfspace {

inline constexpr std::array<double, max_decimals + 1> power10 = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
inline constexpr double digits_limit = 2147483647.0;

// The integer k with k / 10^decimals == x exactly as doubles, if there is one that fits 32 bits.
inline bool as_decimal(double x, int decimals, std::int32_t& digits) {
  const double power = power10[static_cast<std::size_t>(decimals)];
  const double k = std::nearbyint(x * power);
  if (!(std::abs(k) <= digits_limit) || k / power != x) return false;
  digits = static_cast<std::int32_t>(k);
  return true;
}

// Raises `decimals` to the fewest that hold x as well; false: none do.
inline bool raise_decimals(double x, int& decimals) {
  std::int32_t digits = 0;
  while (!as_decimal(x, decimals, digits)) {
    if (++decimals > max_decimals || std::abs(x) * power10[static_cast<std::size_t>(decimals)] > digits_limit)
      return false;
  }
  return true;
}

inline bool is_float(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

}  // namespace halfspace
