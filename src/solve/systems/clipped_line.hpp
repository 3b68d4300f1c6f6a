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
  // The rows [begin, end) of these.
  [[nodiscard]] ClippedRows part(std::size_t begin, std::size_t end) const {
    return {anchor + begin, slope + begin, cost + begin, end - begin};
  }
};

// A sum over rows in the lanes of the processor's vectors: the row at place k of the list is added in lane k modulo
// their number. So a sum can be left at any row and gone on with by somebody else.
struct LaneSum {
  static constexpr std::size_t lanes = 8;  // at most
  double lane[lanes] = {};
  [[nodiscard]] double value() const {
    double sum = 0;
    for (const double x : lane) sum += x;
    return sum;
  }
};

// sum += sum alpha(m + t dm) dm; `place`: of the first row in the list.
void add_clipped_slope(const ClippedRows& rows, const double* m, const double* dm, double t,
                       std::size_t place, LaneSum& sum) noexcept;
// m += t dm (dm null: m stays), change = alpha(m) - alpha, alpha = alpha(m).
void clipped_move(const ClippedRows& rows, double* m, const double* dm, double t, double* alpha,
                  double* change) noexcept;
// sum += sum cost max(0, 1 - m) - alpha (1 - m)
void add_clipped_slack(const ClippedRows& rows, const double* alpha, const double* m, std::size_t place,
                       LaneSum& sum) noexcept;

struct ClippedBalance {
  LaneSum balance;  // sum alpha(m + y move) y
  LaneSum fall;     // minus its derivative in `move`
};
void add_clipped_balance(const ClippedRows& rows, const double* m, const double* y, double move,
                         std::size_t place, ClippedBalance& sum) noexcept;

}  // namespace halfspace
