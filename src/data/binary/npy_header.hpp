// SPDX-License-Identifier: BSD-3-Clause
// The header of a NumPy .npy file: format versions 1 to 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/binary/rows.hpp"

namespace halfspace {

enum class NpyKind { Numbers, Bytes, Text };  // Text: code points of 32 bits

struct NpyHeader {
  std::string descr;
  NpyKind kind = NpyKind::Numbers;
  Elements elements;             // of Numbers; the byte order of Text
  std::uint64_t item_bytes = 0;  // of one item of the array
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes = 0;  // of everything before the data
  // Where in the file they are written: the dtype, the shape, each of its sizes.
  std::uint64_t descr_at = 0, shape_at = 0;
  std::vector<std::uint64_t> size_at;

  [[nodiscard]] std::string shape_text() const;  // (2, 3)
};

// Reads up to the first byte of data. Nothing of the header is ever evaluated: it must be exactly a
// dictionary of the three known keys with literals as values.
[[nodiscard]] NpyHeader read_npy_header(ByteSource& source, const std::string& name);

// The shape against the size of the source, where that is known. Comes after what else may be wrong with dtype and shape,
// so that a file and a pipe are refused for the same reason.
void check_npy_size(const NpyHeader& header, const ByteSource& source, const std::string& name);

// What to say of data that are fewer or more bytes than the header declares.
[[noreturn]] void refuse_npy_size(const NpyHeader& header, const std::string& name, std::uint64_t data_bytes);

}  // namespace halfspace
