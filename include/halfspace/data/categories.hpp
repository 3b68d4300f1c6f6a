// SPDX-License-Identifier: BSD-3-Clause
// Arrays made of a table whose columns hold categories: what belongs together, so that the model is one of the table.
#pragma once

#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"

namespace halfspace {

// A column of the table. Categories: its values, sorted, each of which is an array column of zeros and ones; empty: numbers.
struct TableColumn {
  std::string name;
  std::vector<std::string> categories;
};

// The same rows as features of these columns, in their order. Throws InputError when they are not as many as the rows have, or
// called the same.
[[nodiscard]] Dataset with_columns(const Dataset& data, const std::vector<TableColumn>& columns,
                                   const std::string& label_name);

}  // namespace halfspace
