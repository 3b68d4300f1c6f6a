// SPDX-License-Identifier: BSD-3-Clause
// Which columns depend on each other, found in the matrix of their products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halfspace {

// The first column that is a combination of those before it, and the ones among them that have a part in it. A column
// called `constant` is the one that is 1 everywhere.
struct DependentColumn {
  static constexpr std::uint32_t constant = UINT32_MAX;
  std::uint32_t column = 0;
  std::vector<std::uint32_t> of;
};
// Of G = sum over rows of h x x', `size` x `size`, lower triangle row after row; with_constant: the last column is the
// constant, which here comes before all others. Empty: none is found, or there are too many columns to look at.
[[nodiscard]] std::vector<DependentColumn> dependent_columns(std::span<const double> lower, std::size_t size,
                                                             bool with_constant);

}  // namespace halfspace
