// SPDX-License-Identifier: BSD-3-Clause
// Rows of Dataset::dense() and Dataset::csr(): checked, and borrowed or copied as the options ask.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "halfspace/data/arrays.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {

struct ArrayRows {
  StoredMatrix stored;
  std::uint64_t nonzeros = 0;
};
[[nodiscard]] ArrayRows dense_rows(const ValueArray& values, std::size_t rows, std::size_t cols,
                                   const ArrayOptions& options);
[[nodiscard]] ArrayRows csr_rows(const ValueArray& values, const IndexArray& columns,
                                 const IndexArray& starts, std::size_t cols, const ArrayOptions& options);

// For both. Rows and columns are counted from 0 here and from 1 in messages.
[[noreturn]] void refuse_value(const std::string& name, std::size_t row, std::size_t column, double value);
[[noreturn]] void refuse_copy(const std::string& name, const std::string& why);  // of Hold::BorrowOnly

// make(t) gives the rows of block t, of all `blocks` in order; a few of them at a time are in memory besides the set.
struct BlockSizes {
  std::size_t blocks = 0;
  std::uint64_t rows = 0, most_entries = 0, cols = 0;
};
[[nodiscard]] StoredMatrix store_blocks(const BlockSizes& sizes,
                                        const std::function<RowBlock(std::size_t)>& make,
                                        const Threads& threads);

}  // namespace halfspace
