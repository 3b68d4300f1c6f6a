// SPDX-License-Identifier: BSD-3-Clause
// Messages of Protocol Buffers, written: a field is its number and wire type, then the value. What ONNX files are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halfspace::travel {

class Message {
 public:
  Message& whole(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void key(std::uint32_t field, std::uint32_t wire_type) { varint(std::uint64_t{field} << 3U | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace halfspace::travel
