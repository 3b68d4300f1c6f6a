// SPDX-License-Identifier: BSD-3-Clause
// How sure a share is.
#pragma once

#include <cstdint>

namespace halfspace {

struct Interval {
  double low = 0, high = 1;
};
// Exact (Clopper-Pearson) interval for a share of `errors` in `rows`: covers the true share with at least the
// given probability. More than 2^40 rows count as 2^40 of the same share, which makes the interval wider.
[[nodiscard]] Interval error_interval(std::uint64_t errors, std::uint64_t rows, double confidence = 0.95);

}  // namespace halfspace
