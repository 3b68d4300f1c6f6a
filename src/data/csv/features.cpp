// SPDX-License-Identifier: BSD-3-Clause
// From slots to features: a number is one feature, a category column one feature per category (in the order
// of bytes), a text column one feature per word of its vocabulary, or per bucket when words are hashed.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/csv/table.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr double vocabulary_rows = 2;  // a word of one row says nothing about any other

// Numbers of the texts that pass, in the order of the bytes of the texts.
template <class Passes>
std::vector<std::string> sorted_texts(const TextTable& texts, Passes&& passes) {
  std::vector<std::string> out;
  for (std::uint32_t id = 0; id < texts.size(); ++id) {
    if (passes(id)) out.emplace_back(texts.text(id));
  }
  std::sort(out.begin(), out.end());
  return out;
}

void note(const ReadOptions& options, std::string text) {
  if (options.notes != nullptr) options.notes->push_back(std::move(text));
}

// For every text of the table the feature within its column, or none.
std::vector<std::uint32_t> feature_of_texts(const TextTable& texts,
                                            const std::vector<std::string>& features) {
  std::vector<std::uint32_t> out(texts.size(), no_index);
  for (std::uint32_t f = 0; f < features.size(); ++f) {
    if (const auto id = texts.find(features[f])) out[*id] = f;
  }
  return out;
}

class FeatureMaker {
 public:
  FeatureMaker(const CsvTable& table, const CsvLayout& layout, const Encoding& encoding)
      : table_(table), layout_(layout), encoding_(encoding), words_slot_(layout.text_columns) {
    for (const SlotCategories& c : table.categories) {
      std::vector<std::uint32_t> features = feature_of_texts(c.texts, column(c.slot).categories);
      for (std::uint32_t& f : features)
        if (f != no_index) f = column(c.slot).category_feature(f).value_or(no_index);
      category_feature_.push_back(std::move(features));
    }
    word_feature_.resize(layout.text_columns);
    for (std::uint32_t s = 0; s < layout.slots.size(); ++s) {
      if (layout.slots[s].kind != SlotKind::Words) continue;
      const std::uint32_t t = layout.slots[s].text;
      words_slot_[t] = s;
      word_feature_[t] = feature_of_texts(table.vocabulary[t].texts, column(s).categories);
    }
  }

  [[nodiscard]] const Column& column(std::uint32_t slot) const {
    return encoding_.columns[layout_.encoding ? layout_.slots[slot].encoded : slot];
  }

  // `unknown` counts, for every category column of the table, the cells that hold no known category.
  PackedBlock make(const StoredBlock& block, std::vector<std::uint64_t>& unknown) const {
    std::vector<const StoredBlock::CategoryMap*> maps(table_.categories.size());
    for (const auto& map : block.categories) maps[table_.dictionary[map.slot]] = &map;
    unknown.assign(table_.categories.size(), 0);
    RowBlock out;
    std::size_t missing = 0;
    for (std::uint32_t r = 0; r < block.rows.rows(); ++r) {
      std::uint32_t text = 0;
      // Everything of the row that lies before `slot` and is not stored as an entry: fills and words.
      const auto catch_up = [&](std::uint32_t slot) {
        while (true) {
          const bool has_missing = missing < block.missing.size() && block.missing[missing].row == r &&
                                   block.missing[missing].slot < slot;
          const bool has_text = text < layout_.text_columns && words_slot_[text] < slot;
          if (has_missing && (!has_text || block.missing[missing].slot < words_slot_[text])) {
            const Column& c = column(block.missing[missing++].slot);
            if (c.kind == ColumnKind::Number) out.add(c.first_feature, c.fill.value_or(0));
            if (c.missing_feature) out.add(c.first_feature + c.value_features(), 1);
          } else if (has_text) {
            add_words(block, r, text++, out);
          } else {
            return;
          }
        }
      };
      for (std::size_t k = block.rows.start[r]; k < block.rows.start[r + 1]; ++k) {
        const std::uint32_t slot = block.rows.index[k];
        catch_up(slot);
        const double value = value_of(block.rows, k);
        if (table_.kinds[slot] == SlotKind::Number) {
          out.add(column(slot).first_feature, value);
          continue;
        }
        const std::uint32_t d = table_.dictionary[slot];
        const std::uint32_t id = maps[d]->map[static_cast<std::size_t>(value) - 1];
        const std::uint32_t feature = id == no_index ? no_index : category_feature_[d][id];
        if (feature != no_index) out.add(column(slot).first_feature + feature, 1);
        if (id == no_index) ++unknown[d];
      }
      catch_up(no_index);
      if (!layout_.in_order) sort_row(out);
      out.end_row();
    }
    return pack(out);
  }

 private:
  void add_words(const StoredBlock& block, std::uint32_t row, std::uint32_t text, RowBlock& out) const {
    const std::size_t cell = std::size_t{row} * layout_.text_columns + text;
    const std::uint32_t first = column(words_slot_[text]).first_feature;
    const std::size_t begin = out.index.size();
    for (std::uint32_t k = block.words.start[cell]; k < block.words.start[cell + 1]; ++k) {
      std::uint32_t feature = block.words.id[k];
      if (!block.word_map.empty()) {
        feature = block.word_map[text][feature];
        if (feature != no_index) feature = word_feature_[text][feature];
      }
      if (feature != no_index) out.add(first + feature, block.words.count[k]);
    }
    if (!block.word_map.empty()) sort_entries(out, begin);
  }

  void sort_row(RowBlock& out) const { sort_entries(out, out.start.back()); }

  static void sort_entries(RowBlock& out, std::size_t begin) {
    const auto from = static_cast<std::ptrdiff_t>(begin);
    if (std::is_sorted(out.index.begin() + from, out.index.end())) return;
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t k = begin; k < out.index.size(); ++k) entries.emplace_back(out.index[k], out.value[k]);
    std::sort(entries.begin(), entries.end());
    for (std::size_t k = 0; k < entries.size(); ++k) {
      out.index[begin + k] = entries[k].first;
      out.value[begin + k] = entries[k].second;
    }
  }

  const CsvTable& table_;
  const CsvLayout& layout_;
  const Encoding& encoding_;
  std::vector<std::uint32_t> words_slot_;
  std::vector<std::vector<std::uint32_t>> category_feature_;  // of every category column, of every text
  std::vector<std::vector<std::uint32_t>> word_feature_;
};

// Slots are features already: only numbers, nothing to fill in.
bool plain(const CsvTable& table, const CsvLayout& layout, const Encoding& encoding) {
  return layout.in_order && encoding.columns.size() == layout.slots.size() &&
         encoding.features() == layout.slots.size() &&
         std::all_of(encoding.columns.begin(), encoding.columns.end(),
                     [](const Column& c) { return c.kind == ColumnKind::Number && !c.missing_feature; }) &&
         std::all_of(table.blocks.begin(), table.blocks.end(),
                     [](const StoredBlock& b) { return b.missing.empty(); });
}

}  // namespace

double value_of(const PackedBlock& block, std::size_t k) {
  switch (block.value.index()) {
    case 1: return static_cast<double>(std::get<1>(block.value)[k]);
    case 2:
      return static_cast<double>(std::get<2>(block.value)[k].digits) /
             static_cast<double>(integer_power10[static_cast<std::size_t>(block.decimals)]);
    case 3: return std::get<3>(block.value)[k];
    default: return 1;
  }
}

Encoding learn_encoding(const CsvTable& table, const CsvLayout& layout, const std::string& name,
                        const ReadOptions& options) {
  Encoding encoding{.header = layout.header, .delimiter = layout.delimiter};
  for (const FileColumn& column : layout.columns) {
    if (column.role == CellRole::Label) encoding.label_column = column.name;
    if (column.role == CellRole::Weight) encoding.weight_column = column.name;
    if (column.role == CellRole::Ignored) encoding.ignored.push_back(column.name);
  }
  encoding.missing = options.missing;
  encoding.missing_words = options.missing_words;
  encoding.one_hot = options.one_hot;
  encoding.decimal = options.decimal;
  const bool fills = options.missing != Missing::Error && options.missing != Missing::Drop;
  std::vector<double> fill;
  if (fills) fill = options.missing == Missing::Median ? column_medians(table) : column_means(table);
  const std::vector<double> missing = missing_weights(table);
  std::uint64_t features = 0;
  for (std::uint32_t s = 0; s < layout.slots.size(); ++s) {
    Column column{.name = layout.slot_name(s)};
    if (table.kinds[s] == SlotKind::Category) {
      column.kind = ColumnKind::Category;
      if (table.dictionary[s] != no_index) {
        const SlotCategories& c = table.categories[table.dictionary[s]];
        column.categories = sorted_texts(c.texts, [&](std::uint32_t id) { return c.used[id] != 0; });
      }
      column.reference = options.one_hot == OneHot::Reference;
      if (fills) column.fill = 0;
      column.missing_feature = fills && missing[s] > 0;  // nothing is learned about what was never seen
    } else if (table.kinds[s] == SlotKind::Words) {
      column.kind = ColumnKind::Words;
      column.hash_bits = layout.hash_bits;
      const BlockWords& words = table.vocabulary[layout.slots[s].text];
      column.categories =
          sorted_texts(words.texts, [&](std::uint32_t id) { return words.rows[id] >= vocabulary_rows; });
      if (layout.hash_bits == 0) {
        note(options, fmt::format("column {}: {} of {} words are in at least 2 rows and became features",
                                  printable(column.name), column.categories.size(), words.texts.size()));
      }
    } else {
      if (fills) column.fill = fill[s];
      column.missing_feature = options.missing == Missing::Indicator && missing[s] > 0;
      if (table.kinds[s] == SlotKind::Undecided) {
        note(options, fmt::format("column {} has no values: it is 0 in every row", printable(column.name)));
      }
    }
    column.first_feature = static_cast<std::uint32_t>(features);
    features += column.features();
    if (features > most_features)
      throw InputError({.file = name}, fmt::format("more than {} features", most_features),
                       "fewer columns or words");
    encoding.columns.push_back(std::move(column));
  }
  if (features == 0)
    throw InputError({.file = name}, "no features", "a column with values or words expected");
  return encoding;
}

std::shared_ptr<const std::vector<Hole>> holes_of(const CsvTable& table, const CsvLayout& layout,
                                                  const Encoding& encoding) {
  std::vector<Hole> out;
  for (const StoredBlock& block : table.blocks) {
    for (const MissingCell& cell : block.missing) {
      const Column& column = encoding.columns[layout.encoding ? layout.slots[cell.slot].encoded : cell.slot];
      if (column.kind == ColumnKind::Number)
        out.push_back({static_cast<std::uint32_t>(block.first_row + cell.row), column.first_feature});
    }
  }
  if (!layout.in_order)
    std::sort(out.begin(), out.end(), [](const Hole& a, const Hole& b) {
      return std::pair(a.row, a.feature) < std::pair(b.row, b.feature);
    });
  const bool fills = encoding.missing != Missing::Error && encoding.missing != Missing::Drop;
  return fills ? std::make_shared<const std::vector<Hole>>(std::move(out)) : nullptr;
}

StoredMatrix to_features(CsvTable& table, const CsvLayout& layout, const Encoding& encoding,
                         const ReadOptions& options) {
  const std::size_t cols = std::max<std::size_t>(encoding.features(), options.features);
  std::vector<PackedBlock> packed(table.blocks.size());
  if (plain(table, layout, encoding)) {
    for (std::size_t b = 0; b < packed.size(); ++b) packed[b] = std::move(table.blocks[b].rows);
    return join(std::move(packed), cols, options.threads);
  }
  const FeatureMaker maker(table, layout, encoding);
  std::vector<std::vector<std::uint64_t>> unknown(packed.size());
  options.threads.run(packed.size(), [&](std::size_t b) {
    packed[b] = maker.make(table.blocks[b], unknown[b]);
    table.blocks[b] = {};
  });
  for (std::size_t d = 0; d < table.categories.size(); ++d) {
    std::uint64_t cells = 0;
    for (const auto& counts : unknown) cells += counts[d];
    if (cells == 0) continue;
    const SlotCategories& c = table.categories[d];
    note(options,
         fmt::format("column {}: {} cells hold a category the model does not know (first: '{}'); they count "
                     "as {}",
                     printable(layout.slot_name(c.slot)), cells, printable(c.unknown, 40),
                     encoding.one_hot == OneHot::Reference ? "the reference" : "none of its categories"));
  }
  return join(std::move(packed), cols, options.threads);
}

}  // namespace halfspace
