// SPDX-License-Identifier: BSD-3-Clause
// CSV and TSV: bytes come in blocks of whole rows (feed), blocks are parsed in parallel (block), put
// together in order (table) and become features once all categories are known (features). One pass
// over the bytes; what is kept of them is as compact as the result. A column is numeric or categorical by its
// first filled cell. Which cell that is may be known only after earlier blocks are done: a block that guessed
// otherwise is parsed again.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/csv/feed.hpp"
#include "data/csv/table.hpp"
#include "data/readers.hpp"
#include "data/text/other_file.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

[[noreturn]] void refuse(const CsvFailure& f, std::uint64_t first_line, const std::string& name) {
  throw InputError({.file = name, .line = first_line + f.line - 1, .column = f.column}, f.found, f.expected,
                   f.hint);
}

void skip_byte_order_mark(CsvFeed& feed, const std::string& name) {
  const std::string_view head = feed.head();
  if (const auto other = other_file(head)) {
    throw InputError({.file = name, .line = other->line, .column = other->column},
                     "the file is " + other->what, "a table in UTF-8 was expected", other->hint);
  }
  if (head.starts_with("\xEF\xBB\xBF")) feed.skip(3);
}

class CsvReader {
 public:
  CsvReader(ByteSource& source, const std::string& name, const ReadOptions& options, std::size_t piece_bytes)
      : feed_(source, piece_bytes), name_(name), options_(options) {}

  DatasetParts read() {
    skip_byte_order_mark(feed_, name_);
    delimiter_ = find_delimiter(feed_.head(), name_, options_);
    std::vector<std::string_view> blocks = next_blocks();
    const CsvLayout layout = begin(blocks);
    CsvTable table(layout);
    while (!blocks.empty()) {
      add_blocks(blocks, layout, table);
      blocks = next_blocks();
    }
    return finish(layout, table);
  }

 private:
  std::vector<std::string_view> next_blocks() {
    std::vector<std::string_view> blocks = feed_.next(delimiter_);
    if (!feed_.overlong().empty()) refuse_overlong(feed_.overlong());
    return blocks;
  }

  // Most likely a quote that is not closed: then say where it is.
  [[noreturn]] void refuse_overlong(std::string_view bytes) {
    try {
      CellScanner scanner(bytes, delimiter_);
      if (scanner.begin_row()) {
        for (bool last = false; !last;) (void)scanner.next(last);
        scanner.check_row_length();
      }
    } catch (const CsvFailure& failure) {
      refuse(failure, line_, name_);
    }
    refuse({.found = "a row of more than 64 MiB"}, line_, name_);
  }

  // Reads the first row; when it is a header, moves behind it.
  CsvLayout begin(std::vector<std::string_view>& blocks) {
    while (true) {
      if (blocks.empty()) {
        throw InputError({.file = name_, .line = 1, .column = 1}, "the file is empty: no header and no rows",
                         "a table was expected");
      }
      CellScanner scanner(blocks.front(), delimiter_);
      if (scanner.begin_row()) {
        CsvLayout layout = lay_out(scanner, blocks.front());
        if (layout.header) {
          blocks.front().remove_prefix(static_cast<std::size_t>(scanner.position() - blocks.front().data()));
          line_ += scanner.line() - 1;
        }
        return layout;
      }
      line_ += scanner.line() - 1;
      blocks.erase(blocks.begin());
      if (blocks.empty()) blocks = next_blocks();
    }
  }

  CsvLayout lay_out(CellScanner& scanner, std::string_view block) const {
    const auto start = static_cast<std::size_t>(scanner.position() - block.data());
    const std::string_view first_line = block.substr(start, block.find('\n', start) - start);
    std::vector<FirstCell> cells;
    try {
      for (bool last = false; !last;) {
        const CsvCell cell = scanner.next(last);
        if (cells.size() == csv_column_limit) {
          throw CsvFailure{cell.line, cell.column, fmt::format("more than {} columns", csv_column_limit)};
        }
        cells.push_back({std::string(cell.text), line_ + cell.line - 1, cell.column});
      }
    } catch (const CsvFailure& failure) {
      refuse(failure, line_, name_);
    }
    return make_layout(cells, first_line, delimiter_, name_, options_);
  }

  void add_blocks(const std::vector<std::string_view>& bytes, const CsvLayout& layout, CsvTable& table) {
    std::vector<CsvBlock> parsed(bytes.size());
    options_.threads.run(bytes.size(),
                         [&](std::size_t b) { parsed[b] = parse_block(bytes[b], layout, table.kinds); });
    for (std::size_t b = 0; b < bytes.size(); ++b) {
      if (!table.agrees(parsed[b])) parsed[b] = parse_block(bytes[b], layout, table.kinds);
      const std::uint64_t lines = parsed[b].lines;
      table.add(std::move(parsed[b]), line_, layout, name_);
      line_ += lines;
    }
  }

  DatasetParts finish(const CsvLayout& layout, CsvTable& table) {
    if (table.rows == 0) {
      const Place place{.file = name_, .line = line_, .column = 1};
      if (table.dropped == 0) throw InputError(place, "no rows", "at least one expected below the header");
      throw InputError(place, fmt::format("no rows are left: all {} have a missing value", table.dropped), {},
                       "--missing mean|median|indicator, or --ignore COLUMN");
    }
    say_notes(layout, table);
    DatasetParts parts;
    parts.name = name_;
    if (options_.kept != nullptr) *options_.kept = std::move(table.kept_cells);
    if (layout.labelled) name_classes(table, parts);
    std::shared_ptr<const Encoding> encoding = options_.encoding;
    if (!encoding) encoding = std::make_shared<Encoding>(learn_encoding(table, layout, name_, options_));
    parts.holes = holes_of(table, layout, *encoding);
    StoredMatrix stored = to_features(table, layout, *encoding, options_);
    parts.matrix = stored.matrix;
    parts.storage = std::move(stored.storage);
    parts.weights = std::move(table.weights);
    parts.encoding = std::move(encoding);
    return parts;
  }

  void name_classes(CsvTable& table, DatasetParts& parts) const {
    std::vector<NumberResult> number;
    for (std::uint32_t k = 0; k < table.label_texts.size(); ++k)
      number.push_back(cell_number(table.label_texts.text(k)));
    const auto with = [&](NumberFault fault) {
      return std::find_if(number.begin(), number.end(),
                          [&](const NumberResult& n) { return n.fault == fault; });
    };
    TextTable classes;
    std::vector<std::uint32_t> map;
    const bool words = with(NumberFault::NotANumber) != number.end();
    // Among numbers, a label that is not finite is a damaged number; among words it is a word.
    const auto bad = std::find_if(number.begin(), number.end(),
                                  [](const NumberResult& n) { return n.fault != NumberFault::None; });
    if (!words && bad != number.end() && with(NumberFault::None) != number.end()) {
      const auto k = static_cast<std::uint32_t>(bad - number.begin());
      refuse({table.label_first[k].line, table.label_first[k].column,
              fmt::format("the label '{}' is {}", printable(table.label_texts.text(k), 40),
                          bad->fault == NumberFault::NotFinite ? "not finite" : "out of range")},
             1, name_);
    }
    const bool numbers = bad == number.end();
    for (std::uint32_t k = 0; k < table.label_texts.size(); ++k) {
      map.push_back(numbers ? classes.intern(label_text(number[k].value))
                            : classes.intern(table.label_texts.text(k)));
    }
    parts.labels = std::move(table.labels);
    for (std::uint32_t& label : parts.labels) label = map[label];
    for (std::uint32_t k = 0; k < classes.size(); ++k) parts.classes.emplace_back(classes.text(k));
    sort_classes(parts.classes, parts.labels);
  }

  // Cells that were missing and were filled in, by column.
  void say_missing(const CsvLayout& layout, const CsvTable& table) const {
    std::map<std::uint32_t, std::uint64_t> cells;
    for (const StoredBlock& block : table.blocks)
      for (const MissingCell& cell : block.missing) ++cells[cell.slot];
    std::string words;
    for (const auto& [slot, count] : cells)
      words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", printable(layout.slot_name(slot)), count);
    if (!words.empty())
      options_.notes->push_back(
          fmt::format("missing values were filled in, of {} rows: {}", table.rows, words));
  }

  void say_notes(const CsvLayout& layout, const CsvTable& table) const {
    if (options_.notes == nullptr) return;
    if (table.dropped > 0) {
      options_.notes->push_back(fmt::format("{} of {} rows were dropped: a value is missing", table.dropped,
                                            table.dropped + table.rows));
    }
    say_missing(layout, table);
    if (!layout.encoding) say_oddities(table, layout, *options_.notes);
    const bool numbers = std::any_of(table.kinds.begin(), table.kinds.end(),
                                     [](SlotKind kind) { return kind == SlotKind::Number; });
    if (layout.header && !layout.encoding && options_.header == Header::Auto && !numbers) {
      options_.notes->push_back("the first row was taken for a header; use --header no when it is data");
    }
  }

  CsvFeed feed_;
  const std::string& name_;
  const ReadOptions& options_;
  char delimiter_ = ',';
  std::uint64_t line_ = 1;  // of the first byte that is not in the table yet
};

}  // namespace

namespace {

// Options under which a table is read as it was when `choices` came of it.
ReadOptions chosen_again(ReadOptions options) {
  const Encoding& choices = *options.choices;
  options.label = choices.label_column;
  options.weight = choices.weight_column;
  options.ignore = choices.ignored;
  options.categorical.clear();
  options.text.clear();
  options.hash_bits = 0;
  for (const Column& column : choices.columns) {
    if (column.kind == ColumnKind::Category) options.categorical.push_back(column.name);
    if (column.kind != ColumnKind::Words) continue;
    options.text.push_back(column.name);
    options.hash_bits = column.hash_bits;
  }
  options.delimiter = choices.delimiter;
  options.header = choices.header ? Header::Yes : Header::No;
  options.missing = choices.missing;
  options.missing_words = choices.missing_words;
  options.one_hot = choices.one_hot;
  options.decimal = choices.decimal;
  options.encoding = nullptr;
  return options;
}

}  // namespace

DatasetParts read_csv(ByteSource& source, const std::string& name, const ReadOptions& options,
                      std::size_t piece_bytes) {
  if (!options.choices) return CsvReader(source, name, options, piece_bytes).read();
  const ReadOptions again = chosen_again(options);
  try {
    return CsvReader(source, name, again, piece_bytes).read();
  } catch (const UsageError&
               wrong) {  // nobody typed these options: they were recorded with another table, or made up
    throw InputError({.file = name},
                     fmt::format("the table cannot be read as the model says: {}", wrong.said().message));
  }
}

}  // namespace halfspace
