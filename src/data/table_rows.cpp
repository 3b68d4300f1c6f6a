// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/csv/cells.hpp"
#include "data/text/number.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The bytes of every row, the header among them, without the line breaks between them.
std::vector<std::string_view> table_lines(std::string_view bytes, char delimiter) {
  std::vector<std::string_view> lines;
  CellScanner scanner(bytes, delimiter);
  while (scanner.begin_row()) {
    const char* const first = scanner.position();
    for (bool last = false; !last;) (void)scanner.next(last);
    lines.emplace_back(first, static_cast<std::size_t>(scanner.position() - first));
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
  only.missing = Missing::Mean;  // holes elsewhere do not matter
  only.need_labels = false;      // there may be as many groups as rows
  only.notes = nullptr;
  std::erase_if(only.ignore, [&](const std::string& name) { return name == column; });
  const Dataset rows = read(path, only);
  if (rows.rows() != data.rows())
    throw UsageError(fmt::format("--groups {}: {} rows have a group, {} are used", printable(column),
                                 rows.rows(), data.rows()),
                     encoding.missing == Missing::Drop
                         ? "leave out incomplete rows before: --missing drop is in the way"
                         : "");
  return {rows.labels().begin(), rows.labels().end()};
}

void copy_table_rows(const std::string& path, const Dataset& data, std::span<const std::uint32_t> rows,
                     const std::string& to) {
  check_file(path);
  const Encoding& encoding = *data.encoding();
  std::string bytes = read_all(*open_source(path), path);
  if (std::string_view(bytes).starts_with(byte_order_mark)) bytes.erase(0, byte_order_mark.size());
  if (bytes.empty() || bytes.back() != '\n') bytes += '\n';
  const std::size_t size = bytes.size();
  bytes.append(text_padding, '\0');
  const std::vector<std::string_view> lines =
      table_lines(std::string_view(bytes).substr(0, size), encoding.delimiter);
  const std::size_t head = encoding.header ? 1 : 0;
  if (lines.size() != data.rows() + head)
    throw InputError({.file = path}, fmt::format("{} rows", lines.size() - std::min(head, lines.size())),
                     fmt::format("the {} rows that were read before", data.rows()));
  write_packed_file(to, [&](ByteSink& sink) {
    if (encoding.header) sink.write(lines.front());
    for (const std::uint32_t row : rows) sink.write(lines[row + head]);
  });
}

}  // namespace halfspace
