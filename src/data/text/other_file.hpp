// SPDX-License-Identifier: BSD-3-Clause
// Files that are something else: what a reader was given instead of rows or a model is refused by its name, so that
// nobody has to guess why "<!DOCTYPE" is not a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "halfspace/core/bytes.hpp"

namespace halfspace {

struct OtherFile {
  std::string what;        // "an HTML page", "text in UTF-16LE"
  std::string hint;        // how to come to what can be read, when there is a way
  std::size_t at = 0;      // where it begins: behind blanks, for text
  std::uint64_t line = 1;  // the same as a place in text
  std::uint64_t column = 1;
};

// How much of the beginning of a file is looked at.
inline constexpr std::size_t other_file_bytes = 512;

// What a file that begins so is, when no table, no libsvm text, no array and no model begins so.
[[nodiscard]] std::optional<OtherFile> other_file(std::string_view head);

// "not IDX: the file is a ZIP archive" for a file whose magic bytes `begin` were wrong; reads on to know more.
[[nodiscard]] std::string not_this_format(std::string_view format, std::string_view begin, ByteSource& rest);

}  // namespace halfspace
