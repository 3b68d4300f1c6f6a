// SPDX-License-Identifier: BSD-3-Clause
// The marks of a text: the places of all bytes that are not digits. They are found 64 bytes at a time, a window
// ahead of who reads, so that the length of every number is known before its first digit is looked at, and numbers
// do not wait for each other (after Langdale and Lemire, Parsing gigabytes of JSON per second, 2019).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace halfspace {

class TextMarks {
 public:
  using Mark = std::uint32_t;              // counted from the beginning of the text
  static constexpr std::size_t ahead = 5;  // marks that can be looked at from one that is ready()

  // A text of less than 4 GiB, followed by text_padding zero bytes.
  void begin(std::string_view text);
  // The next mark that was not passed yet, and the one behind the last from which `ahead` marks can be looked at.
  [[nodiscard]] const Mark* next() const { return next_; }
  [[nodiscard]] const Mark* ready() const { return ready_; }
  void pass_to(const Mark* next) { next_ = next; }
  // Finds more marks when next() has come to ready() or further; what it has pointed to is gone. False: all were
  // found. The padding has marks too, so that there are some ready as long as the text has not ended.
  bool find_more();
  // Passes all marks before a place of the text.
  void pass_to_place(std::size_t place);

 private:
  static constexpr std::size_t window = 4096;
  static constexpr std::size_t block = 64;  // bytes whose marks are the bits of a word

  const char* text_ = nullptr;
  std::size_t found_ = 0, size_ = 0;  // bytes whose marks were found, and those to look at
  const Mark* next_ = nullptr;
  const Mark* ready_ = nullptr;
  Mark* end_ = nullptr;
  std::array<Mark, window + block + ahead> marks_;
};

// For tests: every instruction set of this processor finds the same marks.
using FindMarks = TextMarks::Mark* (*)(const char* text, std::size_t begin, std::size_t end,
                                       TextMarks::Mark* out);
[[nodiscard]] std::size_t available_mark_finders(FindMarks* out, std::size_t capacity);

}  // namespace halfspace
