// SPDX-License-Identifier: BSD-3-Clause
// Columns that give the label away or only number the rows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/data/doctor.hpp"

namespace halfspace {

// Over the rows that are present, zeros that are not stored included.
struct ColumnFigures {
  std::vector<double> low, high;
  std::vector<std::uint64_t> stored;  // entries that are not zero
  std::vector<bool> whole;            // all values are integers
  std::uint64_t rows = 0;
  std::uint64_t empty_rows = 0, first_empty = 0;
  std::uint64_t huge = 0;
  std::pair<std::uint64_t, std::uint32_t> first_huge;  // row, column
};

// The first names of many.
struct NameList {
  std::uint64_t count = 0;
  std::string names;
  void add(const Dataset& data, std::size_t column);
  [[nodiscard]] std::string text() const;
};

void check_columns(const Dataset& data, const ColumnFigures& figures, const Threads& threads,
                   Examination& result);

}  // namespace halfspace
