// SPDX-License-Identifier: BSD-3-Clause
// Rows that are equal in every entry, found once so that each need be met only once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace {

struct EqualRows {
  std::vector<std::uint32_t> group;  // of every chosen row
  std::vector<std::uint32_t> first;  // of every group: its first row, as a place in the list of chosen rows
};
// Groups are numbered in the order in which they begin. length2: the squared lengths of all rows, where they are known.
[[nodiscard]] EqualRows find_equal_rows(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                                        std::span<const double> length2 = {});
[[nodiscard]] EqualRows all_different(std::size_t rows);

}  // namespace halfspace
