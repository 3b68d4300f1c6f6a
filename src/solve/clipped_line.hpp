// SPDX-License-Identifier: BSD-3-Clause
// Loops over a working set with alpha(m) = clip(anchor + slope (1 - m), 0, cost), by the processor's vectors.
#pragma once

#include <cstddef>

namespace halfspace {

// Arrays of `size` rows side by side.
struct ClippedRows {
  const double* anchor = nullptr;
  const double* slope = nullptr;
  const double* cost = nullptr;
  std::size_t size = 0;
};

// sum alpha(m + t dm) dm
[[nodiscard]] double clipped_slope(const ClippedRows& rows, const double* m, const double* dm,
                                   double t) noexcept;
// m += t dm (dm null: m stays), change = alpha(m) - alpha, alpha = alpha(m).
void clipped_move(const ClippedRows& rows, double* m, const double* dm, double t, double* alpha,
                  double* change) noexcept;
// sum cost max(0, 1 - m) - alpha (1 - m)
[[nodiscard]] double clipped_slack(const double* cost, const double* alpha, const double* m,
                                   std::size_t size) noexcept;

struct ClippedBalance {
  double balance = 0;  // sum alpha(m + y move) y
  double fall = 0;     // minus its derivative in `move`
};
[[nodiscard]] ClippedBalance clipped_balance(const ClippedRows& rows, const double* m, const double* y,
                                             double move) noexcept;

}  // namespace halfspace
