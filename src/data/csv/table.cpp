// SPDX-License-Identifier: BSD-3-Clause
#include "data/csv/table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <tuple>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// The failure that comes first in the block.
void keep_earlier(std::optional<CsvFailure>& failure, CsvFailure other) {
  if (!failure || std::tie(other.line, other.column) < std::tie(failure->line, failure->column)) {
    failure = std::move(other);
  }
}

}  // namespace

CsvTable::CsvTable(const CsvLayout& layout) : vocabulary(layout.text_columns) {
  kinds.reserve(layout.slots.size());
  for (const Slot& slot : layout.slots) kinds.push_back(slot.kind);
  dictionary.assign(layout.slots.size(), no_index);
  if (!layout.encoding) return;
  for (std::uint32_t s = 0; s < layout.slots.size(); ++s) {
    const Column& column = *layout.encoded(s);
    if (kinds[s] == SlotKind::Category) {
      dictionary[s] = static_cast<std::uint32_t>(categories.size());
      categories.push_back({.slot = s});
      for (const std::string& text : column.categories) categories.back().texts.intern(text);
    } else if (kinds[s] == SlotKind::Words) {
      for (const std::string& text : column.categories) vocabulary[layout.slots[s].text].texts.intern(text);
    }
  }
}

bool CsvTable::agrees(const CsvBlock& block) const {
  for (std::size_t s = 0; s < kinds.size(); ++s) {
    if (kinds[s] != block.kinds[s] && kinds[s] != SlotKind::Undecided &&
        block.kinds[s] != SlotKind::Undecided) {
      return false;
    }
  }
  return true;
}

void CsvTable::add(CsvBlock block, std::uint64_t first_line, const CsvLayout& layout,
                   const std::string& name) {
  StoredBlock stored;
  for (std::size_t s = 0; s < kinds.size(); ++s) {
    if (kinds[s] == SlotKind::Undecided) kinds[s] = block.kinds[s];
  }
  add_categories(block, stored, layout);
  if (block.failure) {
    const CsvFailure& f = *block.failure;
    throw InputError({.file = name, .line = first_line + f.line - 1, .column = f.column}, f.found, f.expected,
                     f.hint);
  }
  add_words(block, stored, layout);
  add_labels(block, first_line);
  weights.insert(weights.end(), block.weights.begin(), block.weights.end());
  kept_cells.insert(kept_cells.end(), std::make_move_iterator(block.kept_cells.begin()),
                    std::make_move_iterator(block.kept_cells.end()));
  stored.rows = std::move(block.rows);
  stored.missing = std::move(block.missing);
  stored.words = std::move(block.words);
  stored.first_row = rows;
  rows += block.kept;
  dropped += block.dropped;
  if (block.kept > 0) blocks.push_back(std::move(stored));
}

void CsvTable::add_categories(CsvBlock& block, StoredBlock& stored, const CsvLayout& layout) {
  for (BlockCategories& local : block.categories) {
    std::uint32_t& d = dictionary[local.slot];
    if (d == no_index) {
      d = static_cast<std::uint32_t>(categories.size());
      categories.push_back({.slot = local.slot});
    }
    SlotCategories& global = categories[d];
    StoredBlock::CategoryMap map{local.slot, {}};
    map.map.reserve(local.texts.size());
    for (std::uint32_t id = 0; id < local.texts.size(); ++id) {
      const std::string_view text = local.texts.text(id);
      if (layout.encoding) {
        map.map.push_back(global.texts.find(text).value_or(no_index));
        if (map.map.back() == no_index && global.unknown.empty()) global.unknown = text;
        continue;
      }
      map.map.push_back(global.texts.intern(text));
      if (map.map.back() == csv_category_limit) {
        const std::string column = printable(layout.slot_name(local.slot));
        keep_earlier(block.failure,
                     {local.first[id].line,
                      local.first[id].column,
                      fmt::format("more than {} categories in column {}", csv_category_limit, column),
                      {},
                      fmt::format("--ignore {}", column)});
        break;
      }
      global.used.resize(global.texts.size());
      global.used[map.map.back()] |= local.used[id];
    }
    stored.categories.push_back(std::move(map));
    local = {};  // frees the texts
  }
}

void CsvTable::add_words(CsvBlock& block, StoredBlock& stored, const CsvLayout& layout) {
  if (layout.hash_bits > 0) return;
  for (std::size_t t = 0; t < vocabulary.size(); ++t) {
    BlockWords& local = block.vocabulary[t];
    BlockWords& global = vocabulary[t];
    local.rows.resize(local.texts.size());
    std::vector<std::uint32_t>& map = stored.word_map.emplace_back();
    map.reserve(local.texts.size());
    for (std::uint32_t id = 0; id < local.texts.size(); ++id) {
      if (layout.encoding) {
        map.push_back(global.texts.find(local.texts.text(id)).value_or(no_index));
        continue;
      }
      map.push_back(global.texts.intern(local.texts.text(id)));
      global.rows.resize(global.texts.size());
      global.rows[map.back()] += local.rows[id];
    }
    local = {};
  }
}

void CsvTable::add_labels(const CsvBlock& block, std::uint64_t first_line) {
  std::vector<std::uint32_t> map;
  for (std::uint32_t id = 0; id < block.label_texts.size(); ++id) {
    map.push_back(label_texts.intern(block.label_texts.text(id)));
    if (map.back() == label_first.size()) {
      label_first.push_back({first_line + block.label_first[id].line - 1, block.label_first[id].column});
    }
  }
  labels.reserve(labels.size() + block.labels.size());
  for (const std::uint32_t id : block.labels) labels.push_back(map[id]);
}

}  // namespace halfspace
