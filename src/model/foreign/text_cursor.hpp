// SPDX-License-Identifier: BSD-3-Clause
// Walking through the text of a model of another program, token by token, knowing the place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "halfspace/core/error.hpp"

namespace halfspace::detail {

// Where we are in the text, with line and column.
class TextCursor {
 public:
  TextCursor(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] bool at_line_end() const {
    return at_end() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }
  [[nodiscard]] std::string_view left() const { return text_.substr(at_); }

  void skip_spaces() {
    while (!at_end() && text_[at_] == ' ') ++at_;
  }
  // The n-th word from here on this line, counted from 0, or the end of the line.
  [[nodiscard]] TextCursor word(std::size_t n) const {
    TextCursor there = *this;
    for (there.skip_spaces(); n > 0 && !there.at_line_end(); --n) {
      there.pass(there.token());
      there.skip_spaces();
    }
    return there;
  }
  // The next characters up to a space or the end of the line, not yet passed.
  [[nodiscard]] std::string_view token() const {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != '\r' && text_[end] != '\n') ++end;
    return text_.substr(at_, end - at_);
  }
  void pass(std::string_view token) { at_ += token.size(); }
  void end_line() {
    skip_spaces();
    if (at_end()) refuse("the file ends here", "the end of the line was expected", "was the file cut short?");
    if (!at_line_end()) refuse(fmt::format("'{}'", printable(token())), "the end of the line was expected");
    at_ = text_.find('\n', at_) + 1;
    ++line_;
    line_start_ = at_;
  }

  template <class T>
  [[nodiscard]] T number(const std::string& expected) {
    const std::string_view word = token();
    const std::size_t control = std::min(word.find_first_of(control_bytes), word.size());
    if (control < word.size()) {
      TextCursor there = *this;
      there.pass(word.substr(0, control));
      there.refuse(fmt::format("byte 0x{:02x}", static_cast<unsigned char>(word[control])), expected);
    }
    T value{};
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code == std::errc::result_out_of_range)
      refuse(fmt::format("'{}' is out of range", printable(word)), expected);
    if (word.empty() || code != std::errc() || end != word.data() + word.size()) {
      refuse(at_line_end() ? "nothing" : fmt::format("'{}'", printable(word)), expected);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) refuse(fmt::format("'{}' is not finite", printable(word)), expected);
    }
    pass(word);
    return value;
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected = {},
                           const std::string& hint = {}) const {
    throw InputError({.file = name_, .line = line_, .column = at_ - line_start_ + 1}, found, expected, hint);
  }

 private:
  static constexpr std::string_view control_bytes{
      "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0B\x0C\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A"
      "\x1B\x1C\x1D"
      "\x1E\x1F\x7F",
      31};

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace halfspace::detail
