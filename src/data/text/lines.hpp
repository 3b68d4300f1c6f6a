// SPDX-License-Identifier: BSD-3-Clause
// Whole lines of a text, read a piece at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/number.hpp"
#include "halfspace/core/bytes.hpp"

namespace halfspace {

inline constexpr std::size_t text_piece_bytes =
    std::size_t{1} << 18U;  // text and working memory stay in the second-level cache
inline constexpr std::size_t text_line_limit = std::size_t{64} << 20U;

// Lines, the last one ended too, followed by text_padding zero bytes.
struct TextLines {
  std::vector<char> bytes;
  std::size_t size = 0;

  [[nodiscard]] std::string_view view() const { return {bytes.data(), size}; }
  void close() {
    if (size > 0 && bytes[size - 1] != '\n') bytes[size++] = '\n';
    std::memset(bytes.data() + size, 0, text_padding);
  }
  void reserve(std::size_t n) {
    if (bytes.size() < n + text_padding + 1) bytes.resize(n + text_padding + 1);
  }
};

// A zero byte is in no text: the line that has it need not be read to its end to be refused.
[[nodiscard]] inline bool has_zero(const char* bytes, std::size_t size) {
  return size > 0 && std::memchr(bytes, '\0', size) != nullptr;
}

[[noreturn]] void line_too_long(const std::string& name);

// The lines that begin in [begin, end) of a source with random access. A line begins at `from`, the ones before it are
// never looked at.
void fetch_lines(const ByteSource& source, std::uint64_t from, std::uint64_t begin, std::uint64_t end,
                 const std::string& name, TextLines& lines);

}  // namespace halfspace
