// SPDX-License-Identifier: BSD-3-Clause
// The simplest fraction of an interval.
#pragma once

#include <cmath>
#include <cstdint>

namespace halfspace::exact {

struct Ratio {
  std::uint64_t above = 1, below = 1;
};

// 0 < low <= high; the fraction with the smallest terms between them (by continued fractions).
[[nodiscard]] inline Ratio simplest_ratio(double low, double high) {
  const double whole = std::floor(low);
  if (whole == low || whole + 1 <= high)
    return {static_cast<std::uint64_t>(whole == low ? whole : whole + 1), 1};
  const Ratio rest = simplest_ratio(1 / (high - whole), 1 / (low - whole));
  return {static_cast<std::uint64_t>(whole) * rest.above + rest.below, rest.above};
}

}  // namespace halfspace::exact
