// SPDX-License-Identifier: BSD-3-Clause
#include "data/libsvm_piece.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <utility>

#include "data/plain_decimal.hpp"
#include "data/wide_text.hpp"

namespace halfspace {
namespace {

constexpr std::int64_t digits_limit = std::numeric_limits<std::int32_t>::max();

bool ends_token(char c) { return static_cast<unsigned char>(c) <= ' '; }
bool at_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

class PieceParser {
 public:
  PieceParser(std::string_view text, bool zero_based, LibsvmScratch& scratch, LibsvmPiece& piece)
      : begin_(text.data()),
        end_(text.data() + text.size()),
        base_(zero_based ? 0 : 1),
        s_(scratch),
        piece_(piece) {
    const std::size_t most_entries = text.size() / 4 + 2;  // an entry takes at least "1:1" and a blank
    if (s_.index.size() < most_entries) {
      s_.index.resize(most_entries);
      s_.digits.resize(most_entries);
      s_.decimals.resize(most_entries);
    }
    s_.start.assign(1, 0);
    s_.plain = true;
  }

  PackedRows parse(bool first) {
    const char* p = begin_;
    if (first) p = skip_mark(p);
    while (p < end_ && !piece_.fault) {
      const std::size_t row_start = entries_;
      const std::uint32_t columns = columns_;
      const char* next = p;
      if (!fast_line(next)) {
        entries_ = row_start;
        columns_ = columns;
        next = careful_line(p);
      }
      p = next;
      ++piece_.lines;
    }
    return piece_.fault ? PackedRows{} : finish();
  }

 private:
  // A UTF-8 mark at the beginning of the file is skipped; wider text is recognised and refused.
  const char* skip_mark(const char* p) {
    const std::string_view head(begin_, static_cast<std::size_t>(end_ - begin_));
    if (head.starts_with("\xEF\xBB\xBF")) return p + 3;
    if (const std::string_view wide = wide_text(head); !wide.empty())
      piece_.fault = LineFault{1, 1, std::string(wide) + " text", "plain text (UTF-8 or ASCII)",
                               "convert it with iconv -f " + std::string(wide) + " -t UTF-8"};
    return p;
  }

  // LABEL INDEX:VALUE INDEX:VALUE ... of plain decimals. False: read the line carefully.
  bool fast_line(const char*& p) {
    double label = 0;
    if (!fast_label(p, label)) return false;
    std::int64_t previous = -1;
    while (true) {
      // Most entries go by here; anything but a plain decimal of 32 bits is looked at below.
      p = s_.plain ? plain_entries(p, previous) : wide_entries(p, previous);
      if (at_line_end(p)) break;
      if (!is_libsvm_blank(*p)) return false;
      while (is_libsvm_blank(*p)) ++p;
      if (at_line_end(p)) break;
      if (!other_entry(p, previous)) return false;
    }
    p += *p == '\r' ? 2 : 1;
    end_row(label, previous);
    return true;
  }

  static bool fast_label(const char*& p, double& label) {
    const char* const first = p + (*p == '-' || *p == '+' ? 1 : 0);
    const Digits part = read_digits(first);
    if (part.count > 0 && part.count < 8 && ends_token(first[part.count])) {
      label = *p == '-' ? -static_cast<double>(part.value) : static_cast<double>(part.value);
      p = first + part.count;
      return true;
    }
    PlainDecimal number;
    return read_plain_decimal(p, number) && ends_token(*p) && to_double(number, label);
  }

  // Reads entries " INDEX:VALUE" as long as `read_value` can read them: it takes the place of a value and the
  // number of the entry, and says whether the value is kept, is zero, or is for others to read. Returns the
  // place behind the last. Everything in the loop is a local variable: stores to the arrays cannot touch
  // them.
  enum class Value { Kept, Zero, Other };
  template <class ReadValue>
  const char* read_entries(const char* p, std::int64_t& last_column, const ReadValue& read_value) {
    std::uint32_t* const index = s_.index.data();
    const std::uint32_t base = base_;
    std::size_t n = entries_;
    std::int64_t previous = last_column;
    while (is_libsvm_blank(*p)) {
      const char* q = p + 1;
      const Digits column = read_digits(q);
      q += column.count;
      const std::int64_t j = static_cast<std::int64_t>(column.value) - base;
      if (column.count == 0 || column.count == 8 || *q != ':' || j <= previous) break;
      ++q;
      const Value value = read_value(q, n);
      if (value == Value::Other || !ends_token(*q)) break;
      p = q;
      previous = j;
      index[n] = static_cast<std::uint32_t>(j);
      n += value == Value::Kept ? 1 : 0;
    }
    entries_ = n;
    last_column = previous;
    return p;
  }

  const char* plain_entries(const char* p, std::int64_t& last_column) {
    return read_entries(
        p, last_column,
        [digits = s_.digits.data(), decimals = s_.decimals.data()](const char*& q, std::size_t n) {
          std::int32_t value = 0;
          unsigned places = 0;
          if (!read_small_decimal(q, value, places)) return Value::Other;
          digits[n] = value;
          decimals[n] = static_cast<std::uint8_t>(places);
          return value != 0 ? Value::Kept : Value::Zero;
        });
  }

  const char* wide_entries(const char* p, std::int64_t& last_column) {
    return read_entries(p, last_column, [values = s_.value.data()](const char*& q, std::size_t n) {
      PlainDecimal number;
      double x = 0;
      if (!read_plain_decimal(q, number) || !to_double(number, x)) return Value::Other;
      values[n] = x;
      return x != 0 ? Value::Kept : Value::Zero;
    });
  }

  // INDEX:VALUE with any number that a fast line may have. False: read the line carefully.
  bool other_entry(const char*& p, std::int64_t& previous) {
    const Digits column = read_digits(p);
    if (column.count == 0 || column.count == 8 || p[column.count] != ':' || column.value < base_)
      return false;
    const std::int64_t j = static_cast<std::int64_t>(column.value) - base_;
    if (j <= previous) return false;
    previous = j;
    p += column.count + 1;
    PlainDecimal number;
    double value = 0;
    const char* token = p;
    if (read_plain_decimal(p, number) && ends_token(*p) && to_double(number, value)) {
      put(static_cast<std::uint32_t>(j), number, value);
      return true;
    }
    p = token;
    while (!ends_token(*p)) ++p;
    const NumberResult result = parse_number({token, static_cast<std::size_t>(p - token)});
    if (result.fault != NumberFault::None) return false;
    put_wide(static_cast<std::uint32_t>(j), result.value);
    return true;
  }

  // A number that was read as the decimal it is, and as the double next to that.
  void put(std::uint32_t column, const PlainDecimal& number, double x) {
    const bool small =
        number.digits <= static_cast<std::uint64_t>(digits_limit) && number.decimals <= max_decimals;
    if (!s_.plain || !small) return put_wide(column, x);
    if (x == 0) return;
    const auto digits = static_cast<std::int32_t>(number.digits);
    s_.index[entries_] = column;
    s_.digits[entries_] = number.negative ? -digits : digits;
    s_.decimals[entries_] = static_cast<std::uint8_t>(number.decimals);
    ++entries_;
  }

  void put_wide(std::uint32_t column, double x) {
    if (x == 0) return;
    if (s_.plain) go_wide();
    s_.index[entries_] = column;
    s_.value[entries_] = x;
    ++entries_;
  }

  // Kept as a plain decimal when it is one.
  void put_text(const LibsvmEntry& entry) {
    PlainDecimal number;
    const char* p = entry.text.data();
    const bool plain = read_plain_decimal(p, number) && p == entry.text.data() + entry.text.size();
    plain ? put(entry.column, number, entry.value) : put_wide(entry.column, entry.value);
  }

  // From here on the values of this piece are doubles.
  void go_wide() {
    if (s_.value.size() < s_.index.size()) s_.value.resize(s_.index.size());
    for (std::size_t k = 0; k < entries_; ++k) s_.value[k] = plain_value(k);
    s_.plain = false;
  }

  [[nodiscard]] double plain_value(std::size_t k) const {
    return static_cast<double>(s_.digits[k]) / static_cast<double>(integer_power10[s_.decimals[k]]);
  }

  void end_row(double label, std::int64_t last_column) {
    s_.start.push_back(static_cast<std::uint32_t>(entries_));
    columns_ = std::max(columns_, static_cast<std::uint32_t>(last_column + 1));
    if (piece_.classes.empty() || label != piece_.classes[last_class_]) {
      const auto found = std::find(piece_.classes.begin(), piece_.classes.end(), label);
      last_class_ = static_cast<std::size_t>(found - piece_.classes.begin());
      if (found == piece_.classes.end()) piece_.classes.push_back(label);
    }
    piece_.labels.push_back(static_cast<std::uint32_t>(last_class_));
  }

  const char* careful_line(const char* line);
  PackedRows finish();
  bool finish_plain(PackedRows& rows);
  template <class V>
  std::vector<V>& values_as();

  const char* begin_;
  const char* end_;
  std::uint32_t base_;
  LibsvmScratch& s_;
  LibsvmPiece& piece_;
  std::size_t entries_ = 0;
  std::uint32_t columns_ = 0;
  std::size_t last_class_ = 0;
};

const char* PieceParser::careful_line(const char* line) {
  const char* const line_end = std::find(line, end_, '\n');
  const std::string_view text(line, static_cast<std::size_t>(line_end - line));
  if (auto found = read_libsvm_line(text, base_, s_.line)) {
    piece_.fault = std::move(found);
    piece_.fault->line = piece_.lines + 1;
  } else if (s_.line.labelled) {
    for (const LibsvmEntry& entry : s_.line.entries) put_text(entry);
    end_row(s_.line.label, s_.line.entries.empty() ? -1 : std::int64_t{s_.line.entries.back().column});
  }
  return line_end + 1;
}

// Room for the entries in the storage V, kept from piece to piece.
template <class V>
std::vector<V>& PieceParser::values_as() {
  auto& value = s_.packed.value;
  if (!std::holds_alternative<std::vector<V>>(value)) value = std::vector<V>();
  auto& values = std::get<std::vector<V>>(value);
  if (values.size() < entries_) values.resize(s_.index.size());
  return values;
}

// Plain decimals without a detour through doubles. False: they need more than 32 bits.
bool PieceParser::finish_plain(PackedRows& rows) {
  const auto is_one = [&](std::size_t k) {
    return static_cast<std::uint64_t>(s_.digits[k]) == integer_power10[s_.decimals[k]];
  };
  std::size_t k = 0;
  while (k < entries_ && is_one(k)) ++k;
  if (k == entries_) return true;  // all ones
  for (k = 0; k < entries_ && static_cast<double>(static_cast<float>(plain_value(k))) == plain_value(k);) ++k;
  if (k == entries_) {
    std::vector<float>& values = values_as<float>();
    for (k = 0; k < entries_; ++k) values[k] = static_cast<float>(plain_value(k));
    rows.value = std::span<const float>(values.data(), entries_);
    return true;
  }
  const std::uint8_t* decimals = s_.decimals.data();
  const int most = *std::max_element(decimals, decimals + entries_);
  std::vector<Decimal>& values = values_as<Decimal>();
  std::array<std::int64_t, max_decimals + 1> power{};  // 0 where 32 bits cannot hold the product
  for (int p = 0; p <= most; ++p) {
    const std::uint64_t ten = integer_power10[static_cast<std::size_t>(most - p)];
    power[static_cast<std::size_t>(p)] =
        ten <= static_cast<std::uint64_t>(digits_limit) ? static_cast<std::int64_t>(ten) : 0;
  }
  std::int64_t largest = 0;
  bool fits = true;
  for (k = 0; k < entries_; ++k) {
    const std::int64_t factor = power[decimals[k]];
    const std::int64_t digits = s_.digits[k] * factor;  // both fit 32 bits
    fits = fits && factor != 0;
    largest = std::max(largest, std::abs(digits));
    values[k].digits = static_cast<std::int32_t>(digits);
  }
  const bool tens =
      std::all_of(values.data(), values.data() + entries_, [](Decimal v) { return v.digits % 10 == 0; });
  if (!fits || largest > digits_limit || tens) return false;
  rows.value = std::span<const Decimal>(values.data(), entries_);
  rows.decimals = most;
  rows.max_digits = largest;
  return true;
}

PackedRows PieceParser::finish() {
  piece_.columns = columns_;
  PackedRows rows;
  rows.start = s_.start;
  rows.index = std::span<const std::uint32_t>(s_.index.data(), entries_);
  rows.columns = columns_;
  if (s_.plain && finish_plain(rows)) return rows;
  if (s_.plain) go_wide();
  const std::span<const double> values(s_.value.data(), entries_);
  s_.packed = {};
  if (pack_values(values, s_.packed)) {
    const PackedRows packed = s_.packed.view();
    rows.value = packed.value;
    rows.decimals = packed.decimals;
    rows.max_digits = packed.max_digits;
  } else {
    rows.value = values;
  }
  return rows;
}

}  // namespace

PackedRows parse_libsvm_piece(std::string_view text, bool first, bool zero_based, LibsvmScratch& scratch,
                              LibsvmPiece& piece) {
  return PieceParser(text, zero_based, scratch, piece).parse(first);
}

}  // namespace halfspace
