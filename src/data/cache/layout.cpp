// SPDX-License-Identifier: BSD-3-Clause
#include "data/cache/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t alignment = 64;

// Bytes per value, and per column number of sparse rows (0: dense), for every kind of Matrix.
struct Kind {
  std::uint64_t value_bytes;
  std::uint64_t index_bytes;
};
template <class View>
constexpr std::uint64_t bytes_per_index() {
  if constexpr (is_sparse<View>) return sizeof(typename View::Index);
  return 0;
}
template <std::size_t... I>
constexpr std::array<Kind, sizeof...(I)> list_kinds(std::index_sequence<I...>) {
  return {[] {
    using View = std::variant_alternative_t<I, Matrix>;
    return Kind{std::is_empty_v<typename View::Value> ? 0 : sizeof(typename View::Value),
                bytes_per_index<View>()};
  }()...};
}
constexpr auto kinds = list_kinds(std::make_index_sequence<std::variant_size_v<Matrix>>());

class WordsWriter {
 public:
  void number(std::uint64_t value) { all_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    all_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  std::string take() { return std::move(all_); }

 private:
  std::string all_;
};

class WordsReader {
 public:
  WordsReader(std::string_view all, const std::string& file) : rest_(all), file_(file) {}

  std::uint64_t number(std::uint64_t limit = UINT64_MAX) {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) refuse();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    if (value > limit) refuse();
    return value;
  }
  std::string text() {
    const std::string_view value = rest_.substr(0, number_within());
    rest_.remove_prefix(value.size());
    return std::string(value);
  }
  std::vector<std::string> texts() {
    const std::uint64_t count =
        number(rest_.size() / sizeof(std::uint64_t));  // each takes at least its length
    std::vector<std::string> values;
    for (std::uint64_t i = 0; i < count; ++i) values.push_back(text());
    return values;
  }
  [[nodiscard]] bool ended() const { return rest_.empty(); }
  void end() const {
    if (!ended()) refuse();
  }
  [[noreturn]] void refuse() const { throw InputError(Place{file_}, "damaged cache: names cannot be read"); }

 private:
  // number() takes its bytes off rest_, so the limit is what will be left.
  std::uint64_t number_within() {
    const std::uint64_t length = number();
    if (length > rest_.size()) refuse();
    return length;
  }
  std::string_view rest_;
  const std::string& file_;
};

void put_encoding(WordsWriter& words, const Encoding& encoding) {
  words.number(encoding.columns.size());
  for (const Column& column : encoding.columns) {
    words.text(column.name);
    words.number(static_cast<std::uint64_t>(column.kind));
    words.texts(column.categories);
    words.number(column.hash_bits);
    words.number(column.fill ? 1 : 0);
    words.number(std::bit_cast<std::uint64_t>(column.fill.value_or(0)));
  }
  words.text(encoding.label_column);
  words.text(encoding.weight_column);
  words.number(encoding.header ? 1 : 0);
  words.number(static_cast<unsigned char>(encoding.delimiter));
  const bool plain = encoding.one_hot == OneHot::Full && encoding.decimal == DecimalMark::Point &&
                     std::none_of(encoding.columns.begin(), encoding.columns.end(),
                                  [](const Column& column) { return column.missing_feature; });
  if (encoding.ignored.empty() && encoding.missing == Missing::Error && encoding.missing_words.empty() &&
      plain)
    return;
  words.texts(encoding.ignored);
  words.number(static_cast<std::uint64_t>(encoding.missing));
  words.texts(encoding.missing_words);
  if (plain) return;
  words.number(static_cast<std::uint64_t>(encoding.one_hot));
  words.number(static_cast<std::uint64_t>(encoding.decimal));
  for (const Column& column : encoding.columns) words.number(column.missing_feature ? 1 : 0);
}

std::shared_ptr<const Encoding> take_encoding(WordsReader& words) {
  auto encoding = std::make_shared<Encoding>();
  const std::uint64_t columns = words.number();
  std::uint64_t feature = 0;
  for (std::uint64_t i = 0; i < columns; ++i) {
    Column column;
    column.name = words.text();
    column.kind = static_cast<ColumnKind>(words.number(static_cast<std::uint64_t>(ColumnKind::Words)));
    column.categories = words.texts();
    column.hash_bits = static_cast<std::uint32_t>(words.number(most_hash_bits));
    const bool filled = words.number(1) == 1;
    const double fill = std::bit_cast<double>(words.number());
    if (filled && !std::isfinite(fill)) words.refuse();
    if (filled) column.fill = fill;
    column.first_feature = static_cast<std::uint32_t>(feature);
    feature += column.features();
    if (feature > most_features) words.refuse();
    encoding->columns.push_back(std::move(column));
  }
  encoding->label_column = words.text();
  encoding->weight_column = words.text();
  encoding->header = words.number(1) == 1;
  encoding->delimiter = static_cast<char>(words.number(UINT8_MAX));
  if (words.ended()) return encoding;
  encoding->ignored = words.texts();
  encoding->missing = static_cast<Missing>(words.number(static_cast<std::uint64_t>(Missing::Indicator)));
  encoding->missing_words = words.texts();
  if (words.ended()) return encoding;
  encoding->one_hot = static_cast<OneHot>(words.number(static_cast<std::uint64_t>(OneHot::Reference)));
  encoding->decimal = static_cast<DecimalMark>(words.number(static_cast<std::uint64_t>(DecimalMark::Comma)));
  feature = 0;
  for (Column& column : encoding->columns) {
    column.missing_feature = words.number(1) == 1;
    if (column.missing_feature && (!column.fill || column.kind == ColumnKind::Words)) words.refuse();
    column.reference = encoding->one_hot == OneHot::Reference && column.kind == ColumnKind::Category;
    column.first_feature = static_cast<std::uint32_t>(feature);
    feature += column.features();
    if (feature > most_features) words.refuse();
  }
  return encoding;
}

}  // namespace

bool lay_out(CacheHeader& header, std::uint64_t words_bytes, bool labelled, bool weighted) {
  const Kind kind = kinds.at(header.kind);
  std::array<std::uint64_t, section_count> bytes{};
  bytes[Words] = words_bytes;
  std::uint64_t values = header.nonzeros;
  if (kind.index_bytes > 0) {
    std::uint64_t starts = 0;
    if (!checked_add(header.rows, 1, starts) || !checked_mul(starts, 8, bytes[Start])) return false;
    if (!checked_mul(header.nonzeros, kind.index_bytes, bytes[Index])) return false;
  } else if (!checked_mul(header.rows, header.cols, values)) {
    return false;
  }
  if (!checked_mul(values, kind.value_bytes, bytes[Value])) return false;
  if (labelled && !checked_mul(header.rows, 4, bytes[Labels])) return false;
  if (weighted && !checked_mul(header.rows, 8, bytes[Weights])) return false;
  std::uint64_t end = sizeof(CacheHeader);
  for (std::size_t s = 0; s < section_count; ++s) {
    if (!checked_add(end, alignment - 1, end)) return false;
    end -= end % alignment;
    header.sections[s] = {end, bytes[s]};
    if (!checked_add(end, bytes[s], end)) return false;
  }
  header.file_bytes = end;
  return true;
}

std::string cache_checksum(const CacheHeader& header, std::string_view words) {
  Fingerprint hash;
  hash.add(std::as_bytes(std::span(&header, 1)).first(offsetof(CacheHeader, checksum)));
  hash.add(std::as_bytes(std::span(words)));
  return hash.hex();
}

std::string cache_words(const Dataset& data) {
  WordsWriter words;
  words.text(data.name());
  words.text(data.fingerprint());
  words.texts(data.classes());
  words.number(data.encoding() ? 1 : 0);
  if (data.encoding()) put_encoding(words, *data.encoding());
  return words.take();
}

void read_cache_words(std::string_view text, const std::string& file, DatasetParts& parts) {
  WordsReader words(text, file);
  parts.name = words.text();
  parts.stored_fingerprint = words.text();
  parts.classes = words.texts();
  if (words.number(1) == 1) parts.encoding = take_encoding(words);
  words.end();
}

}  // namespace halfspace
