// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a table put together in order, and the table turned into features.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/csv/block.hpp"
#include "data/csv/layout.hpp"
#include "data/text/table.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// What is kept of a block. `map` takes the block's numbers of texts to those of the table; no_index:
// unknown.
struct StoredBlock {
  struct CategoryMap {
    std::uint32_t slot = 0;
    std::vector<std::uint32_t> map;
  };
  PackedBlock rows;
  std::vector<MissingCell> missing;
  std::vector<CategoryMap> categories;
  WordCounts words;
  std::vector<std::vector<std::uint32_t>> word_map;  // of every text column; empty when words are hashed
  std::uint64_t first_row = 0;
};

struct SlotCategories {
  std::uint32_t slot = 0;
  TextTable texts;
  std::vector<std::uint8_t> used;
  std::string unknown;  // with an encoding: the first text it does not know
};

struct CsvTable {
  std::vector<SlotKind> kinds;
  std::vector<std::uint32_t> dictionary;  // of every slot: its place in `categories`, or no_index
  std::vector<SlotCategories> categories;
  std::vector<BlockWords> vocabulary;  // of every text column
  std::vector<StoredBlock> blocks;
  std::vector<std::uint32_t> labels;
  TextTable label_texts;
  struct FilePlace {
    std::uint64_t line, column;
  };
  std::vector<FilePlace> label_first;
  std::vector<double> weights;
  std::vector<std::string> kept_cells;  // row after row
  std::uint64_t rows = 0, dropped = 0;

  explicit CsvTable(const CsvLayout& layout);
  // Whether the block was parsed with the kinds of columns that the blocks before it have settled.
  [[nodiscard]] bool agrees(const CsvBlock& block) const;
  // Requires agrees(block). `first_line`: line of the file that is the block's first. Throws InputError.
  void add(CsvBlock block, std::uint64_t first_line, const CsvLayout& layout, const std::string& name);

 private:
  void add_categories(CsvBlock& block, StoredBlock& stored, const CsvLayout& layout);
  void add_words(CsvBlock& block, StoredBlock& stored, const CsvLayout& layout);
  void add_labels(const CsvBlock& block, std::uint64_t first_line);
};

// Categories and vocabulary in the order of bytes, values that stand for missing ones.
[[nodiscard]] Encoding learn_encoding(const CsvTable& table, const CsvLayout& layout, const std::string& name,
                                      const ReadOptions& options);

// For every slot of numbers the weighted mean or median of its filled cells (0 when it has none).
[[nodiscard]] std::vector<double> column_means(const CsvTable& table);
[[nodiscard]] std::vector<double> column_medians(const CsvTable& table);
// For every slot the weight of the rows in which it is missing.
[[nodiscard]] std::vector<double> missing_weights(const CsvTable& table);

// The cells of numbers that are filled in, rows ascending; null: missing ones are not filled in.
[[nodiscard]] std::shared_ptr<const std::vector<Hole>> holes_of(const CsvTable& table,
                                                                const CsvLayout& layout,
                                                                const Encoding& encoding);
// The rows as features of the encoding. Frees the blocks of the table.
[[nodiscard]] StoredMatrix to_features(CsvTable& table, const CsvLayout& layout, const Encoding& encoding,
                                       const ReadOptions& options);

// What a person would not have meant, each with the option that cures it: numbers with commas, dates, sentences and
// identifiers that became categories, row numbers that became features, labels that are nearly continuous.
void say_oddities(const CsvTable& table, const CsvLayout& layout, std::vector<std::string>& notes);

// The value of entry k.
[[nodiscard]] double value_of(const PackedBlock& block, std::size_t k);

}  // namespace halfspace
