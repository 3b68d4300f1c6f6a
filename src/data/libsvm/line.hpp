// SPDX-License-Identifier: BSD-3-Clause
// One line of a libsvm text in any form that is allowed, or what is wrong with it and where. The careful way:
// lines of the usual form are read by the piece they lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfspace {

inline bool is_libsvm_blank(char c) { return c == ' ' || c == '\t'; }

// What is wrong with a line: line counted from the beginning of the piece, both from 1.
struct LineFault {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string found, expected, hint;
};

struct LibsvmEntry {
  std::uint32_t column = 0;
  std::string_view text;  // of the value
  double value = 0;
};
struct LibsvmLine {
  bool labelled = false;  // not: an empty line, or a comment
  double label = 0;
  std::vector<LibsvmEntry> entries;  // columns ascending, zeros too
};

// `line` without its line feed; text_padding bytes behind it can be read. Indices count from `base`.
[[nodiscard]] std::optional<LineFault> read_libsvm_line(std::string_view line, std::uint32_t base,
                                                        LibsvmLine& out);

}  // namespace halfspace
