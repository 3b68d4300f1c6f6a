// SPDX-License-Identifier: BSD-3-Clause
// What a reader of tables takes literally and a person would not have meant. Only texts that differ are looked at, and
// columns of numbers until the first that is no row number.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "data/csv/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t enough_rows_to_tell = 20;  // below, everything differs by chance
constexpr double nearly_all = 0.9;

bool has_decimal_comma(std::string_view text) {
  return text.find(',') != std::string_view::npos && comma_number(text).fault == NumberFault::None;
}

// 2024-01-31, 31.01.2024, 1/31/24, each perhaps with a time behind it.
bool is_date(std::string_view text) {
  text = text.substr(0, text.find_first_of(" T"));
  std::size_t parts = 1, digits = 0, longest = 0;
  char mark = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      longest = std::max(longest, ++digits);
      continue;
    }
    if ((c != '-' && c != '/' && c != '.') || digits == 0 || (mark != 0 && c != mark)) return false;
    mark = c;
    digits = 0;
    ++parts;
  }
  return parts == 3 && digits > 0 && longest <= 4 && longest >= 2;
}

std::size_t words_in(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !blank && !inside ? 1 : 0;
    inside = !blank;
  }
  return words;
}

double share_of(const TextTable& texts, const std::function<bool(std::string_view)>& holds) {
  std::uint64_t found = 0;
  for (std::uint32_t id = 0; id < texts.size(); ++id) found += holds(texts.text(id)) ? 1 : 0;
  return texts.size() == 0 ? 0 : static_cast<double>(found) / static_cast<double>(texts.size());
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && code == std::errc() && end == text.data() + text.size();
}

// A column of numbers but for a word or two that stand for what is missing; empty: it is none.
std::string stray_words(const std::string& column, const TextTable& texts) {
  constexpr std::size_t few = 3, enough_numbers = 8;
  std::string words;
  std::size_t others = 0, numbers = 0;
  for (std::uint32_t id = 0; id < texts.size(); ++id) {
    if (is_number(texts.text(id))) {
      ++numbers;
    } else if (++others <= few) {
      words += (words.empty() ? "" : ",") + printable(texts.text(id), 40);
    }
  }
  if (others == 0 || others > few || numbers < enough_numbers) return {};
  return fmt::format(
      "column {} holds numbers and {}, read as {} categories: --missing-words '{}' --missing indicator",
      column, words, texts.size(), words);
}

// What is odd about a column of categories; empty: nothing.
std::string category_oddity(const std::string& column, const TextTable& texts, std::uint64_t rows) {
  const double size = texts.size();
  const auto numbers = [](std::string_view text) { return comma_number(text).fault == NumberFault::None; };
  if (share_of(texts, numbers) >= nearly_all && share_of(texts, has_decimal_comma) > 0.5)
    return fmt::format("column {} holds numbers with a decimal comma, read as {} categories: --decimal comma",
                       column, texts.size());
  if (share_of(texts, is_date) >= nearly_all)
    return fmt::format(
        "column {} holds dates, read as {} categories: --ignore {}, or write what matters as numbers", column,
        texts.size(), column);
  if (std::string words = stray_words(column, texts); !words.empty()) return words;
  if (rows < enough_rows_to_tell) return {};
  double words = 0;
  for (std::uint32_t id = 0; id < texts.size(); ++id) words += static_cast<double>(words_in(texts.text(id)));
  if (words >= 3 * size && texts.size() > rows / 2)
    return fmt::format("column {} holds sentences, read as {} categories: --text {} reads their words",
                       column, texts.size(), column);
  if (size >= nearly_all * static_cast<double>(rows))
    return fmt::format(
        "column {} is different in nearly every row ({} values in {} rows), like an identifier: --ignore {}",
        column, texts.size(), rows, column);
  return {};
}

// Slots of numbers that count the rows one after the other. Values that are not stored are 0.
std::vector<std::uint32_t> row_numbers(const CsvTable& table) {
  std::vector<std::uint32_t> alive;
  for (std::uint32_t s = 0; s < table.kinds.size(); ++s)
    if (table.kinds[s] == SlotKind::Number) alive.push_back(s);
  std::vector<double> last(table.kinds.size()), now(table.kinds.size());
  std::uint64_t row = 0;
  for (const StoredBlock& block : table.blocks) {
    for (std::size_t r = 0; r < block.rows.rows() && !alive.empty(); ++r, ++row) {
      for (const std::uint32_t s : alive) now[s] = 0;
      for (std::size_t k = block.rows.start[r]; k < block.rows.start[r + 1]; ++k)
        now[block.rows.index[k]] = value_of(block.rows, k);
      alive.erase(std::remove_if(alive.begin(), alive.end(),
                                 [&](std::uint32_t s) { return row > 0 && now[s] != last[s] + 1; }),
                  alive.end());
      last.swap(now);
    }
  }
  return alive;
}

std::string label_oddity(const CsvTable& table, const CsvLayout& layout) {
  constexpr std::uint32_t many_classes = 20;
  constexpr std::uint64_t rows_per_class = 10;
  const TextTable& texts = table.label_texts;
  if (!layout.labelled || texts.size() <= many_classes || table.rows >= rows_per_class * texts.size())
    return {};
  const auto number = [](std::string_view text) { return comma_number(text).fault == NumberFault::None; };
  if (share_of(texts, number) < 1) return {};
  const auto label = std::find_if(layout.columns.begin(), layout.columns.end(),
                                  [](const FileColumn& column) { return column.role == CellRole::Label; });
  return fmt::format(
      "the label {} has {} different numbers in {} rows, like the target of a regression: --label NAME for "
      "another column, or "
      "make classes of it first",
      printable(label->name), texts.size(), table.rows);
}

}  // namespace

void say_oddities(const CsvTable& table, const CsvLayout& layout, std::vector<std::string>& notes) {
  const auto say = [&](std::string text) {
    if (!text.empty()) notes.push_back(std::move(text));
  };
  for (const SlotCategories& categories : table.categories) {
    if (layout.slots[categories.slot].kind == SlotKind::Category) continue;  // asked for
    say(category_oddity(printable(layout.slot_name(categories.slot)), categories.texts, table.rows));
  }
  if (table.rows >= enough_rows_to_tell) {
    for (const std::uint32_t s : row_numbers(table))
      say(fmt::format("column {0} numbers the rows: --ignore {0}", printable(layout.slot_name(s))));
  }
  say(label_oddity(table, layout));
}

}  // namespace halfspace
