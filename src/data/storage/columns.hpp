// SPDX-License-Identifier: BSD-3-Clause
// The rows turned on their side: for every feature its non-zero entries, ascending by row.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/data/dataset.hpp"

namespace halfspace {

struct ColumnEntry {
  double value;
  std::uint32_t row;
};
struct Columns {
  std::vector<std::uint64_t> start;  // features + 1
  std::vector<ColumnEntry> entries;
};

inline Columns columns_of(const Dataset& data) {
  Columns out;
  out.start.assign(data.features() + 1, 0);
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i)
          for_entries(view.row(i), [&](std::uint32_t j, double) { ++out.start[j + 1]; });
        for (std::size_t j = 0; j < data.features(); ++j) out.start[j + 1] += out.start[j];
        out.entries.resize(out.start.back());
        std::vector<std::uint64_t> at(out.start.begin(), out.start.end() - 1);
        for (std::size_t i = 0; i < view.rows; ++i) {
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            out.entries[at[j]++] = {x, static_cast<std::uint32_t>(i)};
          });
        }
      },
      data.matrix());
  return out;
}

}  // namespace halfspace
