// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/csv/cells.hpp"
#include "data/csv/layout.hpp"
#include "data/text/number.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The bytes of a row, without the line break before it.
struct TableLine {
  std::string_view bytes;
  bool labelled = true;  // its cell in the label column is there
};

constexpr std::size_t no_column = SIZE_MAX;

// Where the label stands, by the cells of the first row.
std::size_t label_place(const Encoding& encoding, const std::vector<std::string>& first_row) {
  for (std::size_t c = 0; c < first_row.size(); ++c) {
    const std::string name = encoding.header ? first_row[c] : fmt::format("c{}", c + 1);
    if (name == encoding.label_column) return c;
  }
  return no_column;
}

// Every row, the header among them.
std::vector<TableLine> table_lines(std::string_view bytes, const Encoding& encoding) {
  CsvLayout layout;  // for what counts as missing
  layout.missing_words = encoding.missing_words;
  std::vector<TableLine> lines;
  std::vector<std::string> first_row;
  CellScanner scanner(bytes, encoding.delimiter);
  std::size_t label = no_column;
  while (scanner.begin_row()) {
    const char* const first = scanner.position();
    TableLine line;
    std::size_t column = 0;
    for (bool last = false; !last; ++column) {
      const CsvCell cell = scanner.next(last);
      if (lines.empty()) first_row.emplace_back(cell.text);
      if (column == label) line.labelled = !layout.is_missing(cell.text);
    }
    if (lines.empty()) {
      label = label_place(encoding, first_row);
      if (!encoding.header && label != no_column) line.labelled = !layout.is_missing(first_row[label]);
    }
    line.bytes = {first, static_cast<std::size_t>(scanner.position() - first)};
    lines.push_back(line);
  }
  return lines;
}

void check_file(const std::string& path) {
  if (path == "-")
    throw UsageError("a table that is split is read twice, and standard input comes once", "a file");
}

}  // namespace

std::vector<std::uint32_t> read_groups(const std::string& path, const ReadOptions& options,
                                       const std::string& column, const Dataset& data) {
  if (data.encoding() == nullptr)
    throw UsageError(fmt::format("--groups {}: groups are a column of a table", printable(column)),
                     "a CSV or TSV file");
  check_file(path);
  const Encoding& encoding = *data.encoding();
  ReadOptions only = options;
  only.label = column;
  only.weight.clear();
  only.text.clear();
  only.categorical.clear();
  // Every row has a group. Holes elsewhere do not matter: of the other columns one is read, as words, of which there may be none.
  only.missing = Missing::Error;
  only.hash_bits = 1;
  for (const Column& other : encoding.columns) {
    if (other.name == column) continue;
    (only.text.empty() ? only.text : only.ignore).push_back(other.name);
  }
  for (const std::string& other : {encoding.label_column, encoding.weight_column})
    if (!other.empty()) only.ignore.push_back(other);
  only.need_labels = false;  // there may be as many groups as rows
  only.notes = nullptr;
  std::erase_if(only.ignore, [&](const std::string& name) { return name == column; });
  const Dataset rows = [&] {
    try {
      return read(path, only);
    } catch (const InputError& error) {
      if (error.place().line == 0 || error.message().find("is missing") == std::string::npos) throw;
      throw InputError(error.place(), fmt::format("the row has no group (column {})", printable(column)),
                       "a group in every row", "give it a group of its own, or take the row out");
    }
  }();
  if (rows.rows() != data.rows())
    throw UsageError(fmt::format("--groups {}: {} rows have a group, {} are used", printable(column),
                                 rows.rows(), data.rows()),
                     encoding.missing == Missing::Drop
                         ? "leave out incomplete rows before: --missing drop is in the way"
                         : "rows without a label are left out: take them out of the file");
  return {rows.labels().begin(), rows.labels().end()};
}

std::size_t copy_table_rows(const std::string& path, const Dataset& data, std::span<const std::uint32_t> rows,
                            const std::string& to) {
  check_file(path);
  const Encoding& encoding = *data.encoding();
  std::string bytes = read_all(*open_source(path), path);
  if (std::string_view(bytes).starts_with(byte_order_mark)) bytes.erase(0, byte_order_mark.size());
  if (bytes.empty() || bytes.back() != '\n') bytes += '\n';
  const std::size_t size = bytes.size();
  bytes.append(text_padding, '\0');
  std::vector<TableLine> lines = table_lines(std::string_view(bytes).substr(0, size), encoding);
  const std::size_t head = encoding.header ? 1 : 0, before = lines.size();
  // Rows without a label are not among those that were read.
  if (lines.size() != data.rows() + head) {
    const auto body = lines.begin() + static_cast<std::ptrdiff_t>(std::min(head, lines.size()));
    lines.erase(std::remove_if(body, lines.end(), [](const TableLine& line) { return !line.labelled; }),
                lines.end());
  }
  if (lines.size() != data.rows() + head)
    throw InputError({.file = path}, fmt::format("{} rows", lines.size() - std::min(head, lines.size())),
                     fmt::format("the {} rows that were read before", data.rows()));
  write_packed_file(to, [&](ByteSink& sink) {
    if (encoding.header) sink.write(lines.front().bytes);
    for (const std::uint32_t row : rows) sink.write(lines[row + head].bytes);
  });
  return before - lines.size();
}

}  // namespace halfspace
