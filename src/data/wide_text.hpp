// SPDX-License-Identifier: BSD-3-Clause
// Text in units of two or four bytes, which every reader of text refuses by name.
#pragma once

#include <string_view>

namespace halfspace {

// "UTF-16" or "UTF-32" when a text begins so: with a byte order mark, or with an ASCII character whose other bytes are 0.
[[nodiscard]] inline std::string_view wide_text(std::string_view head) {
  using namespace std::literals;
  const auto zeros = [&](std::string_view pattern) {  // '0': the byte is 0, '1': it is not
    for (std::size_t i = 0; i < pattern.size(); ++i)
      if (i >= head.size() || (head[i] == 0) != (pattern[i] == '0')) return false;
    return true;
  };
  if (head.starts_with("\xFF\xFE\0\0"sv) || head.starts_with("\0\0\xFE\xFF"sv) || zeros("1000") ||
      zeros("0001"))
    return "UTF-32";
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv) || zeros("1010") || zeros("0101"))
    return "UTF-16";
  return {};
}

}  // namespace halfspace
