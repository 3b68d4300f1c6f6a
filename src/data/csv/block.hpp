// SPDX-License-Identifier: BSD-3-Clause
// One block of a table's rows, parsed on its own: numbers as they are, categories, labels and words as
// numbers of texts that count within the block. Blocks are parsed in parallel and put together in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv/layout.hpp"
#include "data/text/table.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {

inline constexpr std::uint32_t csv_category_limit = 65536;

// Where in the block a text was first met.
struct Spot {
  std::uint32_t line = 0, column = 0;
};

struct BlockCategories {
  std::uint32_t slot = 0;
  TextTable texts;
  std::vector<Spot> first;         // of every text
  std::vector<std::uint8_t> used;  // text is in a row that was kept and weighs something
};

struct MissingCell {
  std::uint32_t row = 0, slot = 0;
};

// The words of text column t in row r are [start[r * columns + t], start[r * columns + t + 1]).
struct WordCounts {
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> id;  // ascending within a cell
  std::vector<std::uint32_t> count;
};

struct BlockWords {
  TextTable texts;           // empty when words are hashed
  std::vector<double> rows;  // how many rows (by weight) have the word
};

struct CsvBlock {
  PackedBlock rows;  // column: slot; value: the number, or 1 + the number of the category's text
  std::vector<MissingCell> missing;
  std::vector<std::uint32_t> labels;
  TextTable label_texts;
  std::vector<Spot> label_first;
  std::vector<double> weights;
  std::vector<std::string> kept_cells;  // row after row
  std::vector<BlockCategories> categories;
  WordCounts words;
  std::vector<BlockWords> vocabulary;  // of every text column
  std::vector<SlotKind> kinds;         // as known at the end of the block
  std::uint64_t lines = 0;
  std::uint64_t kept = 0, dropped = 0;
  std::optional<CsvFailure> failure;  // the first thing wrong; what comes after it was not read
};

// `kinds`: of the slots, as far as they are known. Never throws for bad input: see CsvBlock::failure.
[[nodiscard]] CsvBlock parse_block(std::string_view bytes, const CsvLayout& layout,
                                   const std::vector<SlotKind>& kinds);

}  // namespace halfspace
