// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv/block.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

bool is_word_byte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80 || (c >= 'A' && c <= 'Z');
}

class BlockParser {
 public:
  BlockParser(std::string_view bytes, const CsvLayout& layout, const std::vector<SlotKind>& kinds)
      : layout_(layout), scanner_(bytes, layout.delimiter), rows_(scratch()) {
    rows_.clear();
    block_.kinds = kinds;
    block_.vocabulary.resize(layout.text_columns);
    kept_.resize(layout.kept_columns);
  }

  CsvBlock parse() {
    try {
      while (scanner_.begin_row()) parse_row();
    } catch (const CsvFailure& failure) {
      block_.failure = failure;
    }
    block_.lines = scanner_.line() - 1;
    if (!block_.failure) block_.rows = pack(rows_);
    return std::move(block_);
  }

 private:
  // Its memory serves block after block.
  static RowBlock& scratch() {
    thread_local RowBlock rows;
    return rows;
  }

  void parse_row() {
    dropping_ = false;
    weight_ = 1;
    touched_.clear();
    try {
      read_cells();
    } catch (const CsvFailure& failure) {
      scanner_.explain_row(layout_.columns.size(), failure);
    }
    scanner_.check_row_length();
    if (dropping_) {
      roll_back();
    } else {
      keep_row();
    }
  }

  void read_cells() {
    const std::size_t cells = layout_.columns.size();
    const FileColumn* const columns = layout_.columns.data();
    bool last = false;
    for (std::size_t c = 0; c < cells; ++c) {
      if (last) throw CsvFailure{};  // explain_row() counts the cells
      const FileColumn& column = columns[c];
      double value = 0;
      if (column.role == CellRole::Feature && column.kept == no_index &&
          block_.kinds[column.slot] == SlotKind::Number && scanner_.next_number(value, last)) {
        rows_.add(column.slot, value);
        continue;
      }
      const CsvCell cell = scanner_.next(last);
      if (column.kept != no_index) {
        check_utf8(cell);
        kept_[column.kept] = cell.text;
      }
      switch (column.role) {
        case CellRole::Ignored: break;
        case CellRole::Label: take_label(cell, column); break;
        case CellRole::Weight: take_weight(cell, column); break;
        case CellRole::Feature: take_feature(cell, column.slot); break;
      }
    }
    if (!last) throw CsvFailure{};
  }

  void take_label(const CsvCell& cell, const FileColumn& column) {
    if (layout_.is_missing(cell.text)) {
      if (layout_.drop_unlabelled) {
        dropping_ = true;
        return;
      }
      throw CsvFailure{cell.line,
                       cell.column,
                       fmt::format("the label (column {}) is missing", printable(column.name)),
                       {},
                       layout_.encoding
                           ? fmt::format("--missing drop leaves such rows out, --ignore {} reads no labels",
                                         printable(column.name))
                           : "--missing drop leaves such rows out, --label NAME names another column"};
    }
    check_utf8(cell);
    label_ = cell.text;
    label_at_ = spot(cell);
  }

  [[nodiscard]] NumberResult number_of(std::string_view text) const {
    return layout_.decimal_comma ? comma_number(text) : cell_number(text);
  }

  void take_weight(const CsvCell& cell, const FileColumn& column) {
    const NumberResult number = number_of(cell.text);
    if (number.fault != NumberFault::None) refuse_number(cell, column.name, number.fault, "");
    if (number.value < 0) {
      throw CsvFailure{cell.line, cell.column, fmt::format("the weight {} is negative", printable(cell.text)),
                       "0 or more was expected"};
    }
    weight_ = number.value;
  }

  void take_feature(const CsvCell& cell, std::uint32_t slot) {
    SlotKind& kind = block_.kinds[slot];
    if (kind == SlotKind::Words) {
      take_words(cell, slot);
      return;
    }
    if (layout_.is_missing(cell.text)) {
      take_missing(cell, slot);
      return;
    }
    if (kind == SlotKind::Category) {
      take_category(cell, slot);
      return;
    }
    const NumberResult number = number_of(cell.text);
    if (kind == SlotKind::Undecided) {
      kind = number.fault == NumberFault::NotANumber ? SlotKind::Category : SlotKind::Number;
      if (kind == SlotKind::Category) {
        take_category(cell, slot);
        return;
      }
    }
    if (number.fault != NumberFault::None) refuse_feature(cell, slot, number.fault);
    rows_.add(slot, number.value);
  }

  [[noreturn]] void refuse_feature(const CsvCell& cell, std::uint32_t slot, NumberFault fault) const {
    const std::string& name = layout_.slot_name(slot);
    const std::size_t quote = cell.quoted ? std::string_view::npos : cell.text.find('"');
    if (quote != std::string_view::npos) {
      throw CsvFailure{cell.line,
                       cell.column + quote,
                       fmt::format("a stray quote: '{}' in column {} is not a number",
                                   printable(cell.text, 40), printable(name)),
                       {},
                       "a quoted cell begins with its quote"};
    }
    const std::string text = printable(cell.text, 40);
    std::string hint = fault == NumberFault::NotANumber ? std::string(number_hint(cell.text)) : "";
    if (!hint.empty() && comma_number(cell.text).fault == NumberFault::None)
      hint += ": --decimal comma reads it";
    if (hint.empty() && fault == NumberFault::NotANumber && layout_.encoding == nullptr)
      hint = fmt::format("--categorical {} or --missing-words {}", printable(name), text);
    refuse_number(cell, name, fault, hint.empty() ? fmt::format("--missing-words {}", text) : hint);
  }

  [[noreturn]] static void refuse_number(const CsvCell& cell, const std::string& column, NumberFault fault,
                                         const std::string& hint) {
    const char* what = fault == NumberFault::NotFinite    ? "not finite"
                       : fault == NumberFault::OutOfRange ? "out of range"
                                                          : "not a number";
    throw CsvFailure{
        cell.line,
        cell.column,
        fmt::format("'{}' in column {} is {}", printable(cell.text, 40), printable(column), what),
        {},
        hint};
  }

  void take_missing(const CsvCell& cell, std::uint32_t slot) {
    switch (layout_.slots[slot].missing) {
      case MissingRule::Drop: dropping_ = true; return;
      case MissingRule::Fill:
        block_.missing.push_back({static_cast<std::uint32_t>(block_.kept), slot});
        return;
      case MissingRule::Error: break;
    }
    const std::string found = cell.text.empty() ? "the cell" : fmt::format("'{}'", printable(cell.text, 40));
    throw CsvFailure{cell.line,
                     cell.column,
                     fmt::format("{} in column {} is missing", found, printable(layout_.slot_name(slot))),
                     {},
                     layout_.encoding ? "train with --missing mean|median|indicator, or --missing drop"
                                      : "--missing mean|median|indicator|drop"};
  }

  void take_category(const CsvCell& cell, std::uint32_t slot) {
    if (dictionary_.empty()) dictionary_.assign(layout_.slots.size(), no_index);
    std::uint32_t& d = dictionary_[slot];
    if (d == no_index) {
      d = static_cast<std::uint32_t>(block_.categories.size());
      block_.categories.push_back({.slot = slot});
    }
    BlockCategories& categories = block_.categories[d];
    const std::uint32_t id = categories.texts.intern(cell.text);
    if (id == categories.first.size()) {
      categories.first.push_back(spot(cell));
      categories.used.push_back(0);
      check_utf8(cell);
    }
    touched_.push_back({d, id});
    rows_.add(slot, static_cast<double>(id) + 1);
  }

  void take_words(const CsvCell& cell, std::uint32_t slot) {
    check_utf8(cell);
    BlockWords& vocabulary = block_.vocabulary[layout_.slots[slot].text];
    word_ids_.clear();
    for (std::size_t at = 0; at < cell.text.size(); ++at) {
      if (!is_word_byte(static_cast<unsigned char>(cell.text[at]))) continue;
      word_.clear();
      for (; at < cell.text.size() && is_word_byte(static_cast<unsigned char>(cell.text[at])); ++at) {
        const char c = cell.text[at];
        word_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
      }
      if (layout_.hash_bits > 0) {
        const std::uint64_t mask = (std::uint64_t{1} << layout_.hash_bits) - 1;
        word_ids_.push_back(static_cast<std::uint32_t>(XXH64(word_.data(), word_.size(), 0) & mask));
      } else {
        word_ids_.push_back(vocabulary.texts.intern(word_));
      }
    }
    std::sort(word_ids_.begin(), word_ids_.end());
    WordCounts& words = block_.words;
    for (std::size_t k = 0; k < word_ids_.size(); ++k) {
      if (k > 0 && word_ids_[k] == word_ids_[k - 1]) {
        ++words.count.back();
      } else {
        words.id.push_back(word_ids_[k]);
        words.count.push_back(1);
      }
    }
    words.start.push_back(static_cast<std::uint32_t>(words.id.size()));
  }

  static void check_utf8(const CsvCell& cell) {
    if (find_invalid_utf8(cell.text) != std::string_view::npos) {
      throw CsvFailure{
          cell.line,
          cell.column,
          fmt::format("'{}' is not valid UTF-8", printable(cell.text, 40)),
          {},
          "iconv -f LATIN1 -t UTF-8 FILE converts a file of Western Europe; -f WINDOWS-1252 one of Excel"};
    }
  }

  static Spot spot(const CsvCell& cell) {
    return {static_cast<std::uint32_t>(cell.line), static_cast<std::uint32_t>(cell.column)};
  }

  void roll_back() {
    const std::size_t entries = rows_.start.back();
    rows_.index.resize(entries);
    rows_.value.resize(entries);
    WordCounts& words = block_.words;
    words.start.resize(block_.kept * layout_.text_columns + 1);
    words.id.resize(words.start.back());
    words.count.resize(words.start.back());
    while (!block_.missing.empty() && block_.missing.back().row == block_.kept) block_.missing.pop_back();
    ++block_.dropped;
  }

  void keep_row() {
    rows_.end_row();
    if (layout_.labelled) {
      const std::uint32_t id = block_.label_texts.intern(label_);
      if (id == block_.label_first.size()) block_.label_first.push_back(label_at_);
      block_.labels.push_back(id);
    }
    if (layout_.weighted) block_.weights.push_back(weight_);
    for (std::string& text : kept_) block_.kept_cells.push_back(std::move(text));
    if (weight_ > 0) {
      for (const auto& [d, id] : touched_) block_.categories[d].used[id] = 1;
      if (layout_.text_columns > 0 && layout_.hash_bits == 0) count_rows_of_words();
    }
    ++block_.kept;
  }

  void count_rows_of_words() {
    const WordCounts& words = block_.words;
    for (std::uint32_t t = 0; t < layout_.text_columns; ++t) {
      BlockWords& vocabulary = block_.vocabulary[t];
      vocabulary.rows.resize(vocabulary.texts.size());
      const std::size_t cell = block_.kept * layout_.text_columns + t;
      for (std::uint32_t k = words.start[cell]; k < words.start[cell + 1]; ++k)
        vocabulary.rows[words.id[k]] += weight_;
    }
  }

  struct Touched {
    std::uint32_t dictionary, id;
  };

  const CsvLayout& layout_;
  CellScanner scanner_;
  CsvBlock block_;
  RowBlock& rows_;
  std::vector<std::uint32_t> dictionary_;  // of every slot, or none
  std::vector<Touched> touched_;           // categories of the current row
  std::vector<std::uint32_t> word_ids_;
  std::string word_;
  std::string label_;
  Spot label_at_;
  std::vector<std::string> kept_;  // of the current row
  double weight_ = 1;
  bool dropping_ = false;
};

}  // namespace

CsvBlock parse_block(std::string_view bytes, const CsvLayout& layout, const std::vector<SlotKind>& kinds) {
  return BlockParser(bytes, layout, kinds).parse();
}

}  // namespace halfspace
