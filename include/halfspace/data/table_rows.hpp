// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table as they stand in the file, for splitting it: by a column that says what belongs together, and without
// making numbers of what is there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

// The group of every row of a table: rows with the same cell in `column` have the same number. `data` was read from the
// table at `path` with that column among options.ignore. Throws UsageError when it is no table or comes from standard
// input, which cannot be read twice; InputError for an empty cell.
[[nodiscard]] std::vector<std::uint32_t> read_groups(const std::string& path, const ReadOptions& options,
                                                     const std::string& column, const Dataset& data);

// Rows copied byte for byte under the header, if there is one: holes stay holes, and categories and words stay what they
// are. `data` was read from the table at `path` without leaving out rows but those without a label, whose number comes
// back; InputError when its rows are not those of the file.
std::size_t copy_table_rows(const std::string& path, const Dataset& data, std::span<const std::uint32_t> rows,
                            const std::string& to);

}  // namespace halfspace
