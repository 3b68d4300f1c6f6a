// SPDX-License-Identifier: BSD-3-Clause
// What every column of a table is for, found out from its first row, the options and, when there is one, the
// encoding of the table a model was trained on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv/cells.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {

inline constexpr std::uint32_t no_index = UINT32_MAX;  // no text, no dictionary, no feature

enum class CellRole : std::uint8_t { Ignored, Label, Weight, Feature };
enum class SlotKind : std::uint8_t { Undecided, Number, Category, Words };
enum class MissingRule : std::uint8_t { Error, Fill, Drop };

struct FileColumn {
  std::string name;
  CellRole role = CellRole::Ignored;
  std::uint32_t slot = 0;         // Feature: its number among the feature columns, in the order of the file
  std::uint32_t kept = no_index;  // its number among the columns that are handed over as they are
};

struct Slot {
  std::uint32_t column = 0;  // of the file
  SlotKind kind = SlotKind::Undecided;
  MissingRule missing = MissingRule::Error;
  std::uint32_t text = 0;     // Words: its number among the text columns
  std::uint32_t encoded = 0;  // with an encoding: its column there
};

struct CsvLayout {
  char delimiter = ',';
  bool header = false;
  bool labelled = false;
  bool weighted = false;
  std::vector<FileColumn> columns;
  std::vector<Slot> slots;
  std::uint32_t text_columns = 0;
  std::uint32_t hash_bits = 0;
  std::vector<std::string> missing_words;
  bool drop_unlabelled = false;  // rows whose label is missing
  bool decimal_comma = false;
  std::size_t kept_columns = 0;
  std::shared_ptr<const Encoding> encoding;  // null: this table is the one to learn from
  bool in_order = true;                      // slots come in the order of the encoding's columns

  [[nodiscard]] bool is_missing(std::string_view text) const;
  [[nodiscard]] const std::string& slot_name(std::uint32_t slot) const {
    return columns[slots[slot].column].name;
  }
  [[nodiscard]] const Column* encoded(std::uint32_t slot) const {
    return encoding ? &encoding->columns[slots[slot].encoded] : nullptr;
  }
};

// nan, inf and infinity are NotFinite; a word that only begins like them is NotANumber.
[[nodiscard]] NumberResult cell_number(std::string_view text);
// The same where one comma may stand for the point.
[[nodiscard]] NumberResult comma_number(std::string_view text);

[[nodiscard]] char find_delimiter(std::string_view head, const std::string& name, const ReadOptions& options);

// `first_row`: the cells of the first row, each with its place. Throws InputError and UsageError.
struct FirstCell {
  std::string text;
  std::uint64_t line = 1, column = 1;
};
[[nodiscard]] CsvLayout make_layout(const std::vector<FirstCell>& first_row, std::string_view first_line,
                                    char delimiter, const std::string& name, const ReadOptions& options);

}  // namespace halfspace
