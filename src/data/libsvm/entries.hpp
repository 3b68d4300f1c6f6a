// SPDX-License-Identifier: BSD-3-Clause
// The entries of a libsvm line in their usual form, " INDEX:VALUE" with plain decimals of 32 bits: nearly all of a text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/text/marks.hpp"

namespace halfspace {

// Entry n of a piece: its column, and its value as digits / 10^decimals. Zeros are passed over.
struct PlainEntries {
  std::uint32_t* column;
  std::int32_t* digits;
  std::uint8_t* decimals;
  std::size_t count;
  std::uint32_t decimals_seen;  // bit d: a value with d decimals
  std::uint32_t negatives;      // values with a sign: only speed hangs on it
  std::uint32_t next_column;    // the lowest one that may come next in this row: columns ascend
};

// Reads entries whose first mark (the blank before them) lies in [mark, ready), as long as they have the usual form.
// Returns the mark behind the last one. Indices count from `base`.
using ReadPlainEntries = const TextMarks::Mark* (*)(const char* text, const TextMarks::Mark* mark,
                                                    const TextMarks::Mark* ready, std::uint32_t base,
                                                    PlainEntries& entries);
[[nodiscard]] ReadPlainEntries plain_entries_reader();

// For tests: those of all instruction sets of this processor, best first.
[[nodiscard]] std::size_t available_plain_entries_readers(ReadPlainEntries* out, std::size_t capacity);

}  // namespace halfspace
