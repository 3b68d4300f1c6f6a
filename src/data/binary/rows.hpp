// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers in binary files (IDX, NPY), read piece by piece into rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halfspace/core/bytes.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {

enum class ElementType { Bool, U8, I8, U16, I16, U32, I32, U64, I64, F32, F64 };

struct Elements {
  ElementType type = ElementType::U8;
  bool big_endian = false;
  [[nodiscard]] std::uint64_t bytes() const;  // of one element
};

struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
};

// How a reader words its errors. All three throw.
struct BinaryErrors {
  std::function<void(std::uint64_t row, std::uint64_t column, const std::string& why)> bad_value;
  std::function<void(std::uint64_t bytes)> too_short;  // only so many bytes of elements are there
  std::function<void()> too_long;                      // bytes follow after the last element
};

// Reads rows * cols elements, row after row, up to the end of the source; memory grows with the bytes that
// come, not with the shape. `cols` columns in the result, at least those of the shape.
[[nodiscard]] StoredMatrix read_rows(ByteSource& source, Elements elements, Shape shape, std::uint64_t cols,
                                     const BinaryErrors& errors, const Threads& threads);
// The same for column after column; all bytes are held in memory.
[[nodiscard]] StoredMatrix read_columns(ByteSource& source, Elements elements, Shape shape,
                                        std::uint64_t cols, const BinaryErrors& errors,
                                        const Threads& threads);
// A single column, for labels.
[[nodiscard]] std::vector<double> read_numbers(ByteSource& source, Elements elements, std::uint64_t count,
                                               const BinaryErrors& errors);

// Refills `buffer` with the next `size` bytes, or fewer at the end; it grows only as bytes come.
void read_piece(ByteSource& source, std::vector<char>& buffer, std::uint64_t size);
// Throws through `errors` unless the source ends here.
void expect_end(ByteSource& source, const BinaryErrors& errors);

// Sets labels and classes from one number per row.
void set_number_labels(DatasetParts& parts, const std::vector<double>& numbers);

}  // namespace halfspace
