// SPDX-License-Identifier: BSD-3-Clause
// The three kinds of trouble a caller can meet. Answers ("not separable", "limit reached") are values, never
// errors.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace halfspace {

// Where in an input something was found. Lines and columns count from 1 (0: not known); bytes count from 0.
struct Place {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::optional<std::uint64_t> byte;

  // "FILE:LINE:COLUMN", "FILE: byte N" or "FILE", with control characters of the name escaped.
  [[nodiscard]] std::string text() const;
};

// What is said of an error where options are written --name, as on a command line. The messages of the library are written
// so, and what(), message() and hint() have the bare names, for callers whose options have no dashes.
struct Said {
  std::string line, message, hint;
};
// The same for other text, such as notes: every --name at the beginning of a word without its dashes.
[[nodiscard]] std::string without_dashes(std::string_view text);

// Bad data, model or certificate file. what() is one line: PLACE: error: FOUND; EXPECTED (HINT).
class InputError : public std::runtime_error {
 public:
  InputError(Place place, const std::string& found, const std::string& expected = {},
             const std::string& hint = {});

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const std::string& message() const { return message_; }  // found; expected
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] const Said& said() const { return said_; }

 private:
  Place place_;
  Said said_;
  std::string message_;
  std::string hint_;
};

// The caller asked for something impossible: unknown option, value out of range, options that exclude each
// other.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, const std::string& hint = {});
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] const Said& said() const { return said_; }

 private:
  Said said_;
  std::string hint_;
};

// The machine would not: cannot open for writing, disk full, memory limit. what() is FILE: error: MESSAGE, or the
// message alone where there is no file.
class SystemError : public std::runtime_error {
 public:
  explicit SystemError(const std::string& message, std::string file = {});
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string message_;
  std::string file_;
};

// Text of the user made safe to print: control bytes, invalid UTF-8 and characters that pass for others (no-break and
// thin blanks, the minus sign, marks of direction) as \xNN, at most `limit` bytes kept.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);
[[nodiscard]] bool is_printable(std::string_view text);  // printable() would change nothing

}  // namespace halfspace
