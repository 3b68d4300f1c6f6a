// SPDX-License-Identifier: BSD-3-Clause
// The cells of a table, one after the other, by RFC 4180: quoted cells may hold delimiters, line breaks and
// doubled quotes; lines end in LF or CRLF. Besides the RFC, blanks around a cell are trimmed, blank lines are
// skipped, and a quote inside a cell that did not begin with one is an ordinary character. With a tab as
// delimiter every quote is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/plain_decimal.hpp"

namespace halfspace {

inline constexpr std::size_t csv_line_limit = std::size_t{64} << 20;
inline constexpr std::size_t csv_cell_limit = std::size_t{1} << 20;
inline constexpr std::size_t csv_column_limit = std::size_t{1} << 20;

// Something wrong at a place of the block (its lines count from 1). Thrown inside the reader only; the one
// who knows where the block lies in the file makes an InputError of it.
struct CsvFailure {
  std::uint64_t line = 1;
  std::uint64_t column = 1;
  std::string found;
  std::string expected = {};
  std::string hint = {};
};

struct CsvCell {
  std::string_view text;   // trimmed and unquoted; good until the next cell is read
  std::uint64_t line = 1;  // where it starts: at the opening quote, or the first byte that is not blank
  std::uint64_t column = 1;
  bool quoted = false;
};

class CellScanner {
 public:
  // `bytes` must end in a newline and text_padding readable bytes must follow.
  CellScanner(std::string_view bytes, char delimiter);

  // Goes to the next row that is not blank; false when there is none.
  bool begin_row();
  // Reads a cell. `last`: the row ends after it. Throws CsvFailure.
  CsvCell next(bool& last);
  // The same when the cell is a plain number; false: nothing was read, use next().
  bool next_number(double& value, bool& last) {
    const char* p = skip_blanks(at_);
    const bool quote = quotes_ && *p == '"';
    if (quote) ++p;
    PlainDecimal decimal;
    if (!read_plain_decimal(p, decimal) || !to_double(decimal, value)) return false;
    if (quote && *p++ != '"') return false;
    p = skip_blanks(p);
    if (*p == delimiter_) {
      at_ = p + 1;
      last = false;
      return true;
    }
    if (*p == '\r' && p[1] == '\n') ++p;
    if (*p != '\n') return false;
    begin_line(p + 1);
    last = true;
    return true;
  }
  // After the last cell of a row. Throws CsvFailure when the row is longer than a line may be.
  void check_row_length() const;
  // From the beginning of the current row: what is wrong with its cells as such, or with their number?
  // Throws that; otherwise `failure`.
  [[noreturn]] void explain_row(std::size_t cells, const CsvFailure& failure);

  [[nodiscard]] std::uint64_t line() const { return line_; }  // of the byte to be read next
  [[nodiscard]] const char* position() const { return at_; }

 private:
  [[nodiscard]] bool blank(char c) const { return c == blank_[0] || c == blank_[1]; }
  [[nodiscard]] const char* skip_blanks(const char* p) const {
    while (blank(*p)) ++p;
    return p;
  }
  void begin_line(const char* first) {
    at_ = line_start_ = first;
    ++line_;
  }
  [[nodiscard]] std::uint64_t column_of(const char* p) const {
    return static_cast<std::uint64_t>(p - line_start_) + 1;
  }
  [[nodiscard]] CsvCell place(const char* p) const { return {{}, line_, column_of(p)}; }
  CsvCell unquoted(const char* first, bool& last);
  CsvCell quoted(const char* quote, bool& last);
  const char* quoted_part(const char* p, const CsvCell& cell);
  void end_cell(const char* p, bool& last);
  [[noreturn]] void refuse_text_after(const char* quote, const CsvCell& cell) const;
  [[nodiscard]] CsvFailure wrong_count(std::size_t cells, std::size_t found, const CsvCell& extra,
                                       const CsvCell& long_cell) const;
  [[noreturn]] void refuse_byte(const char* p) const;

  const char* at_;
  const char* end_;
  const char* line_start_;
  const char* row_start_;
  std::uint64_t line_ = 1;
  std::uint64_t row_line_ = 1;
  char delimiter_;
  bool quotes_;
  std::array<char, 2> blank_;
  std::array<bool, 256> stops_{};  // bytes that end or spoil a cell without quotes
  std::string unescaped_;
};

}  // namespace halfspace
