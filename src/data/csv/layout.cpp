// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "data/text/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return out;
}

bool named_tsv(const std::string& name) {
  std::string plain = lowered(name);
  for (const std::string_view suffix : {".gz", ".bz2", ".xz", ".zst"}) {
    if (plain.ends_with(suffix)) plain.resize(plain.size() - suffix.size());
  }
  return plain.ends_with(".tsv");
}

bool found_header(const std::vector<FirstCell>& first_row, const ReadOptions& options) {
  if (options.header != Header::Auto) return options.header == Header::Yes;
  if (options.encoding) return options.encoding->header;
  return std::none_of(first_row.begin(), first_row.end(), [](const FirstCell& cell) {
    const NumberFault fault = cell_number(cell.text).fault;
    return fault == NumberFault::None || fault == NumberFault::OutOfRange;
  });
}

// Gives the columns of one table their roles.
class Planner {
 public:
  Planner(const std::string& name, const ReadOptions& options) : name_(name), options_(options) {}

  // What the line has instead of commas: another delimiter, or the pairs of libsvm text.
  static std::string hint_for_one_column(std::string_view line, char used) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos && line.find(':', blank) != std::string_view::npos &&
        line.find_first_not_of("+-.0123456789e") == blank)
      return "is this libsvm text? --format libsvm";
    for (const char delimiter : {';', ',', '|', ' ', ':'}) {
      if (delimiter != used && line.find(delimiter) != std::string_view::npos)
        return fmt::format("--delimiter '{}'", delimiter);
    }
    return {};
  }

  CsvLayout plan(const std::vector<FirstCell>& first_row, std::string_view first_line, char delimiter) {
    layout_.delimiter = delimiter;
    layout_.header = found_header(first_row, options_);
    layout_.encoding = options_.encoding;
    layout_.missing_words = options_.missing_words;
    layout_.drop_unlabelled = options_.missing != Missing::Error;
    layout_.decimal_comma = options_.decimal == DecimalMark::Comma ||
                            (options_.encoding && options_.encoding->decimal == DecimalMark::Comma);
    // What stood for a missing value in training does so in every table of the model.
    if (options_.encoding)
      layout_.missing_words.insert(layout_.missing_words.end(), options_.encoding->missing_words.begin(),
                                   options_.encoding->missing_words.end());
    name_columns(first_row);
    const bool one_column_model = options_.encoding && options_.encoding->columns.size() < 2;
    const bool separated = first_line.find_first_of(";|") != std::string_view::npos;
    if (first_row.size() == 1 && (options_.need_labels || (separated && !one_column_model))) {
      throw InputError(place(1, 1), "one column found", "at least 2 expected",
                       hint_for_one_column(first_line, delimiter));
    }
    if (options_.encoding) {
      follow_encoding();
    } else {
      learn();
    }
    number_slots();
    find_kept();
    return std::move(layout_);
  }

 private:
  [[nodiscard]] Place place(std::uint64_t line, std::uint64_t column) const {
    return {.file = name_, .line = line, .column = column};
  }

  void note(std::string text) const {
    if (options_.notes != nullptr) options_.notes->push_back(std::move(text));
  }

  void name_columns(const std::vector<FirstCell>& first_row) {
    for (std::size_t c = 0; c < first_row.size(); ++c) {
      const FirstCell& cell = first_row[c];
      std::string column = fmt::format("c{}", c + 1);
      if (layout_.header && !cell.text.empty()) column = cell.text;
      if (find_invalid_utf8(column) != std::string::npos) {
        throw InputError(place(cell.line, cell.column),
                         fmt::format("the column name '{}' is not valid UTF-8", printable(column)));
      }
      if (!number_.emplace(column, c).second) {
        throw InputError(place(cell.line, cell.column),
                         fmt::format("two columns called '{}'", printable(column)), {},
                         "--header no when the first row is data");
      }
      layout_.columns.push_back({std::move(column)});
    }
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& wanted) const {
    const auto named = number_.find(wanted);
    if (named != number_.end()) return named->second;
    if (layout_.header) return std::nullopt;
    std::size_t number = 0;
    const auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (code != std::errc() || end != wanted.data() + wanted.size() || number < 1) return std::nullopt;
    if (number > layout_.columns.size()) return std::nullopt;
    return number - 1;
  }

  [[noreturn]] void not_found(const std::string& wanted, const std::string& hint) const {
    std::vector<std::string> names;
    for (const FileColumn& column : layout_.columns) names.push_back(column.name);
    std::string listed;
    constexpr std::size_t most = 20;
    for (std::size_t c = 0; c < std::min(most, names.size()); ++c) {
      listed += (c > 0 ? ", " : "") + printable(names[c], 40);
    }
    if (names.size() > most) listed += fmt::format(", ... ({} columns)", names.size());
    const std::string near = nearest_name(wanted, names);
    throw InputError(place(1, 1), fmt::format("no column '{}'", printable(wanted)),
                     "the columns are " + listed,
                     near.empty() ? hint : fmt::format("did you mean '{}'?", printable(near)));
  }

  void give(std::size_t c, CellRole role, const char* as) {
    std::string& taken = taken_[c];
    if (!taken.empty()) {
      throw UsageError(
          fmt::format("column '{}' cannot be {} and {}", printable(layout_.columns[c].name), taken, as));
    }
    taken = as;
    layout_.columns[c].role = role;
  }
  void give_named(const std::vector<std::string>& names, CellRole role, const char* as, SlotKind kind) {
    for (const std::string& wanted : names) {
      const auto c = find(wanted);
      if (!c) not_found(wanted, "");
      give(*c, role, as);
      kind_[*c] = kind;
    }
  }

  // The label column when the options do not name it.
  [[nodiscard]] std::optional<std::size_t> usual_label() const {
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      const std::string name = lowered(layout_.columns[c].name);
      if (!taken_.contains(c) && (name == "label" || name == "class" || name == "target" || name == "y"))
        return c;
    }
    if (!options_.need_labels) return std::nullopt;
    for (std::size_t c = layout_.columns.size(); c-- > 0;) {
      if (!taken_.contains(c)) return c;
    }
    return std::nullopt;
  }

  void take_label(std::optional<std::size_t> c) {
    if (!c) return;
    give(*c, CellRole::Label, "the label");
    layout_.labelled = true;
  }

  void learn() {
    give_named(options_.ignore, CellRole::Ignored, "ignored", SlotKind::Undecided);
    if (!options_.weight.empty()) {
      give_named({options_.weight}, CellRole::Weight, "the weight", SlotKind::Undecided);
      layout_.weighted = true;
    }
    give_named(options_.text, CellRole::Feature, "text", SlotKind::Words);
    give_named(options_.categorical, CellRole::Feature, "categorical", SlotKind::Category);
    if (options_.label.empty()) {
      const auto c = usual_label();
      take_label(c);
      if (c)
        note(fmt::format("the label is column {} (--label NAME for another)",
                         printable(layout_.columns[*c].name)));
    } else {
      const auto c = find(options_.label);
      if (!c && options_.need_labels) not_found(options_.label, "--label NAME");
      take_label(c);
    }
    layout_.hash_bits = options_.hash_bits;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      if (!taken_.contains(c)) layout_.columns[c].role = CellRole::Feature;
      if (layout_.columns[c].role != CellRole::Feature) continue;
      const auto kind = kind_.find(c);
      Slot slot{.column = static_cast<std::uint32_t>(c)};
      if (kind != kind_.end()) slot.kind = kind->second;
      slot.missing = options_.missing == Missing::Error  ? MissingRule::Error
                     : options_.missing == Missing::Drop ? MissingRule::Drop
                                                         : MissingRule::Fill;
      layout_.slots.push_back(slot);
    }
    if (layout_.slots.empty()) throw InputError(place(1, 1), "no feature columns", "at least one expected");
  }

  // A table without a header and without the label column has every column behind that one moved to the left.
  void restore_positions() {
    const Encoding& e = *options_.encoding;
    if (layout_.header || e.label_column.empty() || options_.need_labels) return;
    const auto position = [](const std::string& column) {
      std::size_t number = 0;
      if (column.size() > 1 && column[0] == 'c')
        (void)std::from_chars(column.data() + 1, column.data() + column.size(), number);
      return number;
    };
    const std::size_t label = position(e.label_column);
    std::size_t most = std::max(label, position(e.weight_column));
    for (const Column& column : e.columns) most = std::max(most, position(column.name));
    if (layout_.columns.size() + 1 != most || label == most || label == 0) return;
    number_.clear();
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      layout_.columns[c].name = fmt::format("c{}", c + 1 >= label ? c + 2 : c + 1);
      number_.emplace(layout_.columns[c].name, c);
    }
  }

  void follow_encoding() {
    const Encoding& e = *options_.encoding;
    restore_positions();
    give_named(options_.ignore, CellRole::Ignored, "ignored", SlotKind::Undecided);
    std::vector<std::uint32_t> encoded(layout_.columns.size());
    for (std::size_t k = 0; k < e.columns.size(); ++k) {
      const auto c = find(e.columns[k].name);
      if (!c) not_found(e.columns[k].name, "the model was trained with this column");
      give(*c, CellRole::Feature, "a feature of the model");
      encoded[*c] = static_cast<std::uint32_t>(k);
    }
    const std::string& weight = options_.weight.empty() ? e.weight_column : options_.weight;
    const auto weight_at = weight.empty() ? std::nullopt : find(weight);
    if (!weight_at && !options_.weight.empty()) not_found(options_.weight, "");
    if (weight_at && !taken_.contains(*weight_at)) {
      give(*weight_at, CellRole::Weight, "the weight");
      layout_.weighted = true;
    }
    const std::string label = options_.label.empty() ? e.label_column : options_.label;
    const auto label_at = label.empty() ? usual_label() : find(label);
    if (!label_at && options_.need_labels) not_found(label, "--label NAME");
    // Labels that are not wanted may be ignored: some may be missing.
    if (label_at && (options_.need_labels || layout_.columns[*label_at].role != CellRole::Ignored ||
                     !taken_.contains(*label_at)))
      take_label(label_at);
    std::string extra;
    for (std::size_t c = 0; c < layout_.columns.size(); ++c) {
      const bool kept = std::find(options_.keep.begin(), options_.keep.end(), layout_.columns[c].name) !=
                        options_.keep.end();
      if (!taken_.contains(c) && !kept)
        extra += (extra.empty() ? "" : ", ") + printable(layout_.columns[c].name, 40);
      if (layout_.columns[c].role != CellRole::Feature) continue;
      const Column& column = e.columns[encoded[c]];
      Slot slot{.column = static_cast<std::uint32_t>(c), .encoded = encoded[c]};
      slot.kind = column.kind == ColumnKind::Number     ? SlotKind::Number
                  : column.kind == ColumnKind::Category ? SlotKind::Category
                                                        : SlotKind::Words;
      slot.missing = options_.missing == Missing::Drop ? MissingRule::Drop
                     : column.fill                     ? MissingRule::Fill
                                                       : MissingRule::Error;
      if (slot.kind == SlotKind::Words) layout_.hash_bits = column.hash_bits;
      if (!layout_.slots.empty() && layout_.slots.back().encoded > slot.encoded) layout_.in_order = false;
      layout_.slots.push_back(slot);
    }
    if (!extra.empty())
      note(fmt::format("columns the model does not know were ignored: {}", printable(extra, 400)));
  }

  void find_kept() {
    for (const std::string& wanted : options_.keep) {
      const auto c = find(wanted);
      if (!c) not_found(wanted, "");
      if (layout_.columns[*c].kept != no_index)
        throw UsageError(fmt::format("--keep: column '{}' twice", printable(wanted)));
      layout_.columns[*c].kept = static_cast<std::uint32_t>(layout_.kept_columns++);
    }
  }

  void number_slots() {
    for (std::uint32_t s = 0; s < layout_.slots.size(); ++s) {
      Slot& slot = layout_.slots[s];
      layout_.columns[slot.column].slot = s;
      if (slot.kind == SlotKind::Words) slot.text = layout_.text_columns++;
    }
  }

  const std::string& name_;
  const ReadOptions& options_;
  CsvLayout layout_;
  std::unordered_map<std::string, std::size_t> number_;  // looked up only
  std::unordered_map<std::size_t, std::string> taken_;   // what a column is already used for
  std::unordered_map<std::size_t, SlotKind> kind_;
};

}  // namespace

bool CsvLayout::is_missing(std::string_view text) const {
  if (text.empty()) return true;
  if (text.size() <= 4 &&
      (text == "?" || text == "NA" || text == "N/A" || text == "null" || text == "NULL")) {
    return true;
  }
  return !missing_words.empty() &&
         std::find(missing_words.begin(), missing_words.end(), text) != missing_words.end();
}

NumberResult cell_number(std::string_view text) {
  NumberResult result = parse_number(text);
  if (result.fault == NumberFault::NotFinite) {
    const std::string word = lowered(text[0] == '+' || text[0] == '-' ? text.substr(1) : text);
    if (word != "nan" && word != "inf" && word != "infinity") result.fault = NumberFault::NotANumber;
  }
  return result;
}

NumberResult comma_number(std::string_view text) {
  NumberResult result = cell_number(text);
  const std::size_t comma = text.find(',');
  if (result.fault != NumberFault::NotANumber || comma == std::string_view::npos ||
      text.find_first_of(",.", comma + 1) != std::string_view::npos ||
      text.find('.') != std::string_view::npos)
    return result;
  std::string point(text);
  point[comma] = '.';
  return cell_number(point);
}

char find_delimiter(std::string_view head, const std::string& name, const ReadOptions& options) {
  if (options.delimiter) {
    const char c = *options.delimiter;
    const bool number_part = (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-';
    if (number_part || c == '"' || (c < 0x20 && c != '\t') || c == 0x7F) {
      throw UsageError(
          "--delimiter: a digit, a sign, a point, a quote or a control character cannot separate cells",
          "--delimiter ';'");
    }
    return c;
  }
  const std::size_t text = std::min(head.find_first_not_of("\r\n "), head.size());
  const std::string_view line = head.substr(text, head.find('\n', text) - text);
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  if (options.encoding && has(options.encoding->delimiter)) return options.encoding->delimiter;
  if (named_tsv(name) || (has('\t') && !has(','))) return '\t';
  // No comma anywhere: another mark. With commas further down, which may be those of decimals, the reader has to say so; a
  // table for a model of one column may have any marks in its cells.
  constexpr std::size_t looked_at = 4096;
  if (head.substr(0, looked_at).find(',') != std::string_view::npos) return ',';
  if (options.encoding && options.encoding->columns.size() < 2) return ',';
  const char found = has(';') ? ';' : has('|') ? '|' : ',';
  if (found != ',' && options.notes != nullptr)
    options.notes->push_back(fmt::format("cells are read as separated by {} (--delimiter)", found));
  return found;
}

CsvLayout make_layout(const std::vector<FirstCell>& first_row, std::string_view first_line, char delimiter,
                      const std::string& name, const ReadOptions& options) {
  if (options.hash_bits > most_hash_bits)
    throw UsageError(fmt::format("--hash: at most {} bits", most_hash_bits));
  if (options.hash_bits > 0 && options.text.empty() && !options.encoding)
    throw UsageError("--hash is for columns of words", "name them with --text");
  return Planner(name, options).plan(first_row, first_line, delimiter);
}

}  // namespace halfspace
