// SPDX-License-Identifier: BSD-3-Clause
// A panel: some rows of few columns, written out column after column, so that products, losses, gradient and curvature
// of the rows are made by whole vectors in one visit, while the panel is in the nearest cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simd/aligned.hpp"

namespace halfspace {

// Sums over rows are kept in eight lanes: the row at place k of the list is added in lane k modulo 8, one after the
// other. So a sum can be left at any row and gone on with by somebody else, and the bits are those of one sum.
inline constexpr std::size_t panel_lanes = 8;
inline constexpr std::size_t panel_group = 4;  // columns that are multiplied with four others at once

struct Panel {
  explicit Panel(std::size_t columns);  // of the data; the last one here is the offset's

  std::size_t columns;             // with the offset's, and filled up by zeros to whole groups
  std::size_t most;                // rows that there is room for
  std::size_t stride;              // from column to column
  std::size_t rows = 0, used = 0;  // whole lanes; rows that are really there begin at `skip`
  std::size_t skip = 0;
  AlignedVector<double> x, y, cost;  // a place without a row has cost 0
  AlignedVector<double> z, u, h;     // score, cost alpha y, cost curvature
  // The rows that have curvature, moved together within their lanes.
  AlignedVector<double> bent_x, bent_h;
  std::vector<std::uint16_t> bent;
};

// Logistic, or made of one parabola and straight lines: alpha = clip((knee - m) / width, 0, limit), as shares of the cost.
struct PanelLoss {
  bool logistic = false;
  bool hinge = false;  // the true loss is max(0, 1 - m), the parabola stands for its corner
  double knee = 1, width = 1, limit = 1;
};

// Where the lanes of a sum stand among those of one slice of the rows.
struct PanelSums {
  explicit PanelSums(std::size_t columns) : columns(columns), groups(columns / panel_group) {}
  std::size_t columns, groups;
  static constexpr std::size_t value = 0, loss = panel_lanes, gain = 2 * panel_lanes,
                               gradient = 3 * panel_lanes;
  [[nodiscard]] std::size_t tiles() const { return gradient + columns * panel_lanes; }
  // Of the columns i and j <= i.
  [[nodiscard]] std::size_t pair(std::size_t i, std::size_t j) const {
    const std::size_t a = i / panel_group, b = j / panel_group;
    return tiles() + ((a * (a + 1) / 2 + b) * panel_group * panel_group + i % panel_group * panel_group +
                      j % panel_group) *
                         panel_lanes;
  }
  [[nodiscard]] std::size_t size(bool with_curvature) const {
    return tiles() +
           (with_curvature ? groups * (groups + 1) / 2 * panel_group * panel_group * panel_lanes : 0);
  }
};

// Adds the rows of the panel at the plane `theta` (columns numbers, the offset behind the features, zeros behind it) to
// the sums of a slice: smoothed loss, true loss, cost gain(alpha), sum alpha y x, and with_curvature the sums of cost
// curvature x_i x_j.
void add_panel(Panel& panel, const double* theta, const PanelLoss& loss, bool with_curvature,
               double* sums) noexcept;

// Eight rows, which begin offset[k] numbers behind `from`, column after column: to[c * stride + k] = unit * from[offset[k] + c].
void spread_rows(const float* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
                 std::size_t stride) noexcept;
void spread_rows(const double* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
                 std::size_t stride) noexcept;
void spread_rows(const std::int32_t* from, const std::int32_t* offset, std::size_t columns, double unit,
                 double* to, std::size_t stride) noexcept;

}  // namespace halfspace
