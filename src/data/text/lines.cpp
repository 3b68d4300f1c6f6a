// SPDX-License-Identifier: BSD-3-Clause
#include "data/text/lines.hpp"

#include <fmt/format.h>

#include "halfspace/core/error.hpp"

namespace halfspace {

void line_too_long(const std::string& name) {
  throw InputError({.file = name}, fmt::format("a line longer than {} bytes", text_line_limit),
                   "shorter lines");
}

void fetch_lines(const ByteSource& source, std::uint64_t from, std::uint64_t begin, std::uint64_t end,
                 const std::string& name, TextLines& lines) {
  const auto behind_line_end = [&](std::size_t at, std::size_t size) {
    const void* line_end = std::memchr(lines.bytes.data() + at, '\n', size);
    return line_end == nullptr
               ? std::size_t{0}
               : static_cast<std::size_t>(static_cast<const char*>(line_end) - lines.bytes.data()) + 1;
  };
  const std::uint64_t first = begin == from ? from : begin - 1;
  lines.reserve(end - first);
  lines.size = *source.read_at(first, {lines.bytes.data(), static_cast<std::size_t>(end - first)});
  const bool full = lines.size == end - first;
  if (first != begin) {  // drop the end of the line that began before
    const std::size_t behind = behind_line_end(0, lines.size);
    const std::size_t skip = behind == 0 ? lines.size : behind;
    lines.size -= skip;
    std::memmove(lines.bytes.data(), lines.bytes.data() + skip, lines.size);
  }
  // The rest of the last line, wherever it ends.
  for (std::uint64_t at = end; full && lines.size > 0 && lines.bytes[lines.size - 1] != '\n';) {
    constexpr std::size_t more_bytes = text_piece_bytes / 16;
    if (lines.size > text_line_limit + text_piece_bytes) line_too_long(name);
    const std::size_t had = lines.size;
    lines.reserve(had + more_bytes);
    const std::size_t more = *source.read_at(at, {lines.bytes.data() + had, more_bytes});
    const std::size_t behind = behind_line_end(had, more);
    lines.size = behind == 0 ? had + more : behind;
    if (more == 0 || behind != 0 || has_zero(lines.bytes.data() + had, more)) break;
    at += more;
  }
  lines.close();
}

}  // namespace halfspace
