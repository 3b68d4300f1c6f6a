// SPDX-License-Identifier: BSD-3-Clause
// The safetensors layout: 8 bytes of header length (little-endian), a JSON header that names each tensor with
// its type, shape and place, then the bytes of the tensors without gaps up to the end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/error.hpp"

namespace halfspace::detail {

enum class Dtype { F64, U64, U32, U8 };

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::F64;
  std::vector<std::uint64_t> shape;
  std::string_view bytes;   // not owned
  std::uint64_t place = 0;  // byte of the file where it starts (set by the reader)
};

struct TensorFile {
  std::string fields;             // JSON text of the model's fields
  std::string checksum;           // of all bytes of the file, its own digits counted as zeros
  std::uint64_t checksum_at = 0;  // the byte where the digits begin
  Place fields_place, checksum_place;
  std::vector<Tensor> tensors;  // in the order of their bytes
};

// Header limit of this program; safetensors itself allows more.
inline constexpr std::uint64_t header_limit = std::uint64_t{16} << 20U;

[[nodiscard]] std::string write_tensors(const std::string& fields, std::span<const Tensor> tensors);
// Checks the whole layout, every size against the bytes that are there. Does not compare the checksum.
[[nodiscard]] TensorFile read_tensors(std::string_view bytes, const std::string& name);
// Of the whole file: the length, the header with the names, types and places of the tensors, the tensors.
[[nodiscard]] std::string file_checksum(std::string_view bytes, std::uint64_t digits_at);

}  // namespace halfspace::detail
