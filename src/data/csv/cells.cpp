// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv/cells.hpp"

#include <fmt/format.h>

#include <cstring>

namespace halfspace {
namespace {

bool is_control(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; }

[[noreturn]] void refuse_long_cell(const CsvCell& cell, const char* hint) {
  throw CsvFailure{cell.line, cell.column, "a cell of more than 1 MiB", {}, hint};
}

}  // namespace

CellScanner::CellScanner(std::string_view bytes, char delimiter)
    : at_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      line_start_(at_),
      row_start_(at_),
      delimiter_(delimiter),
      quotes_(delimiter != '\t') {
  blank_[0] = delimiter == ' ' ? '\t' : ' ';
  blank_[1] = delimiter == '\t' ? ' ' : '\t';
  for (unsigned c = 0; c < 256; ++c) stops_[c] = is_control(static_cast<unsigned char>(c));
  stops_[static_cast<unsigned char>(delimiter)] = true;
}

bool CellScanner::begin_row() {
  while (at_ != end_) {
    const char* p = skip_blanks(at_);
    if (*p == '\r' && p[1] == '\n') ++p;
    if (*p != '\n') break;
    begin_line(p + 1);
  }
  row_start_ = at_;
  row_line_ = line_;
  return at_ != end_;
}

CsvCell CellScanner::next(bool& last) {
  const char* p = skip_blanks(at_);
  return quotes_ && *p == '"' ? quoted(p, last) : unquoted(p, last);
}

CsvCell CellScanner::unquoted(const char* first, bool& last) {
  const char* p = first;
  while (!stops_[static_cast<unsigned char>(*p)]) ++p;
  const char* text_end = p;
  while (text_end != first && blank(text_end[-1])) --text_end;
  // An empty cell starts right after the delimiter before it.
  CsvCell cell = place(text_end == first ? at_ : first);
  cell.text = {first, static_cast<std::size_t>(text_end - first)};
  if (cell.text.size() > csv_cell_limit) refuse_long_cell(cell, "");
  end_cell(p, last);
  return cell;
}

// What follows a cell: a delimiter or the end of the line.
void CellScanner::end_cell(const char* p, bool& last) {
  last = *p != delimiter_;
  if (!last) {
    at_ = p + 1;
    return;
  }
  if (*p == '\r' && p[1] == '\n') ++p;
  if (*p == '\n') {
    begin_line(p + 1);
  } else if (is_control(static_cast<unsigned char>(*p))) {
    refuse_byte(p);
  }
}

// A quote that has lost its partner takes everything up to the next one: what to look at is then where it was opened.
void CellScanner::refuse_text_after(const char* quote, const CsvCell& cell) const {
  if (line_ != cell.line) {
    throw CsvFailure{
        cell.line, cell.column,
        fmt::format("the quote opened here is closed {} lines below, before other text", line_ - cell.line),
        "a delimiter or the end of the line was expected there", "is this a stray quote?"};
  }
  throw CsvFailure{line_, column_of(quote), "text after the quote that closes a cell",
                   "a delimiter or the end of the line was expected",
                   "a quote inside a cell is written twice"};
}

// From p to the next quote; counts the lines on the way.
const char* CellScanner::quoted_part(const char* p, const CsvCell& cell) {
  for (; p != end_ && *p != '"'; ++p) {
    if (*p == '\n') {
      ++line_;
      line_start_ = p + 1;
    } else if (*p != '\r' && is_control(static_cast<unsigned char>(*p))) {
      refuse_byte(p);
    }
  }
  if (p == end_) {
    throw CsvFailure{cell.line,
                     cell.column,
                     "the quote opened here is never closed",
                     {},
                     "a quote inside a cell is written twice, in a quoted cell"};
  }
  return p;
}

CsvCell CellScanner::quoted(const char* quote, bool& last) {
  CsvCell cell = place(quote);
  cell.quoted = true;
  const char* part = quote + 1;
  const char* p = quoted_part(part, cell);
  cell.text = {part, static_cast<std::size_t>(p - part)};
  if (p[1] == '"') {  // the last byte is a newline, so there is a byte after any quote
    unescaped_.clear();
    while (p[1] == '"') {
      unescaped_.append(part, p + 1);
      part = p + 2;
      p = quoted_part(part, cell);
      if (unescaped_.size() > csv_cell_limit) break;
    }
    unescaped_.append(part, p);
    cell.text = unescaped_;
  }
  if (cell.text.size() > csv_cell_limit) refuse_long_cell(cell, "is the quote that opens it closed?");
  while (!cell.text.empty() && blank(cell.text.front())) cell.text.remove_prefix(1);
  while (!cell.text.empty() && blank(cell.text.back())) cell.text.remove_suffix(1);
  const char* const behind = skip_blanks(p + 1);
  if (!stops_[static_cast<unsigned char>(*behind)]) refuse_text_after(p, cell);
  end_cell(behind, last);
  return cell;
}

void CellScanner::refuse_byte(const char* p) const {
  const auto byte = static_cast<unsigned char>(*p);
  throw CsvFailure{line_, column_of(p), fmt::format("byte 0x{:02x}", byte), "text was expected",
                   byte == '\r' ? "lines end in LF or CRLF" : ""};
}

void CellScanner::check_row_length() const {
  if (static_cast<std::size_t>(at_ - row_start_) > csv_line_limit) {
    throw CsvFailure{row_line_, 1, "a row of more than 64 MiB"};
  }
}

void CellScanner::explain_row(std::size_t cells, const CsvFailure& failure) {
  // Lines inside the row may have been passed; begin again where it starts.
  at_ = line_start_ = row_start_;
  line_ = row_line_;
  std::size_t found = 0;
  CsvCell extra, long_cell;  // the first cell too many, the first one of several lines
  for (bool last = false; !last; ++found) {
    const CsvCell cell = next(last);
    if (found == cells) extra = cell;
    if (long_cell.text.empty() && cell.quoted && cell.text.find('\n') != std::string_view::npos)
      long_cell = cell;
  }
  check_row_length();
  if (found != cells) throw wrong_count(cells, found, extra, long_cell);
  throw failure;
}

// Called behind the row. Too many cells: the first of them; too few: the row.
CsvFailure CellScanner::wrong_count(std::size_t cells, std::size_t found, const CsvCell& extra,
                                    const CsvCell& long_cell) const {
  std::string what = fmt::format("{} cells expected, {} found", cells, found);
  if (!long_cell.text.empty()) {
    return {long_cell.line,
            long_cell.column,
            "the quote opened here takes in more than one line; " + std::move(what),
            {},
            "is this a stray quote?"};
  }
  if (found > cells) {
    return {extra.line,
            extra.column,
            std::move(what),
            {},
            delimiter_ == ',' ? "a cell that holds a comma, as a decimal comma, is written in quotes" : ""};
  }
  const std::string_view row(row_start_, static_cast<std::size_t>(at_ - row_start_));
  for (const char other : {'\t', ';', ',', '|'}) {
    if (found > 1 || other == delimiter_ || row.find(other) == std::string_view::npos) continue;
    return {row_line_,
            1,
            std::move(what),
            {},
            other == '\t' ? "are these cells separated by tabs?"
                          : fmt::format("are these cells separated by '{}'?", other)};
  }
  return {row_line_, 1, std::move(what)};
}

}  // namespace halfspace
