// SPDX-License-Identifier: BSD-3-Clause
#include "data/libsvm/piece.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

#include "data/libsvm/entries.hpp"
#include "data/text/marked_number.hpp"
#include "data/text/other_file.hpp"
#include "data/text/plain_decimal.hpp"

namespace halfspace {
namespace {

constexpr auto whole_limit = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());

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
      s_.index = Pages<std::uint32_t>(most_entries);
      s_.digits = Pages<std::int32_t>(most_entries);
      s_.decimals = Pages<std::uint8_t>(most_entries);
    }
    s_.start.assign(1, 0);
    s_.plain = true;
    s_.marks.begin(text);
  }

  PackedRows parse(bool first) {
    const char* p = begin_;
    if (first) p = skip_mark(p);
    while (p < end_ && !piece_.fault) {
      if (*p == '\n') {  // any number of empty lines, for nothing
        ++p;
        ++piece_.lines;
        continue;
      }
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
  // A UTF-8 mark at the beginning of the file is skipped.
  [[nodiscard]] const char* skip_mark(const char* p) const {
    const std::string_view head(begin_, static_cast<std::size_t>(end_ - begin_));
    return head.starts_with("\xEF\xBB\xBF") ? p + 3 : p;
  }

  // LABEL INDEX:VALUE INDEX:VALUE ... of plain decimals. False: read the line carefully.
  bool fast_line(const char*& p) {
    double label = 0;
    if (!fast_label(p, label)) return false;
    std::uint32_t next_column = 0;
    while (true) {
      // Most entries go by here; anything but a plain decimal of 32 bits is looked at below.
      s_.marks.pass_to_place(static_cast<std::size_t>(p - begin_));
      s_.plain ? plain_entries(next_column) : wide_entries(next_column);
      p = begin_ + *s_.marks.next();
      if (at_line_end(p)) break;
      if (!is_libsvm_blank(*p)) return false;
      while (is_libsvm_blank(*p)) ++p;
      if (at_line_end(p)) break;
      if (!other_entry(p, next_column)) return false;
    }
    p += *p == '\r' ? 2 : 1;
    end_row(label, next_column);
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

  // Entries of plain decimals of 32 bits.
  void plain_entries(std::uint32_t& next_column) {
    PlainEntries entries{s_.index.get(), s_.digits.get(), s_.decimals.get(), entries_,
                         decimals_seen_, negatives_,      next_column};
    do {
      s_.marks.pass_to(read_plain_(begin_, s_.marks.next(), s_.marks.ready(), base_, entries));
    } while (s_.marks.next() < s_.marks.ready() ? longer_entry(entries) : s_.marks.find_more());
    entries_ = entries.count;
    decimals_seen_ = entries.decimals_seen;
    negatives_ = entries.negatives;
    next_column = entries.next_column;
  }

  // The same for one entry whose value has up to 19 digits but fits, as 0.0123456789 does. False: there is none.
  bool longer_entry(PlainEntries& entries) {
    WideEntry entry;
    if (!wide_entry(entries.next_column, entry) || entry.number.digits > whole_limit ||
        entry.number.decimals > max_decimals)
      return false;
    const std::size_t n = entries.count;
    const auto digits = static_cast<std::int32_t>(entry.number.digits);
    entries.column[n] = entry.column;
    entries.digits[n] = entry.number.negative ? -digits : digits;
    entries.decimals[n] = static_cast<std::uint8_t>(entry.number.decimals);
    const std::uint32_t kept = digits != 0 ? 1 : 0;
    entries.decimals_seen |= kept << static_cast<unsigned>(entry.number.decimals);
    entries.count += kept;
    entries.next_column = entry.column + 1;
    s_.marks.pass_to(entry.end);
    return true;
  }

  // Entries of plain decimals as doubles.
  void wide_entries(std::uint32_t& next_column) {
    WideEntry entry;
    double value = 0;
    while ((s_.marks.next() < s_.marks.ready() || s_.marks.find_more()) && wide_entry(next_column, entry) &&
           to_double(entry.number, value)) {
      s_.index[entries_] = entry.column;
      s_.value[entries_] = value;
      entries_ += value != 0 ? 1 : 0;
      next_column = entry.column + 1;
      s_.marks.pass_to(entry.end);
    }
  }

  struct WideEntry {
    std::uint32_t column = 0;
    PlainDecimal number;
    const TextMarks::Mark* end = nullptr;
  };
  // The entry at the next mark, of up to 19 digits. False: something else is there.
  bool wide_entry(std::uint32_t next_column, WideEntry& entry) const {
    const TextMarks::Mark* const mark = s_.marks.next();
    const char* const blank = begin_ + mark[0];
    const char* const colon = begin_ + mark[1];
    const auto width = static_cast<std::size_t>(colon - blank) - 1;
    if (!is_libsvm_blank(*blank) || *colon != ':' || width - 1 >= 8) return false;
    const std::uint32_t index = short_number(blank + 1, width);
    entry.column = index - base_;
    entry.end = mark + 2;
    return index >= next_column + base_ && read_wide_decimal(begin_, colon + 1, entry.end, entry.number) &&
           ends_token(begin_[*entry.end]);
  }

  // INDEX:VALUE with any number that a fast line may have. False: read the line carefully.
  bool other_entry(const char*& p, std::uint32_t& next_column) {
    const Digits column = read_digits(p);
    if (column.count == 0 || column.count == 8 || p[column.count] != ':' ||
        column.value < next_column + base_)
      return false;
    const std::uint32_t j = column.value - base_;
    next_column = j + 1;
    p += column.count + 1;
    PlainDecimal number;
    double value = 0;
    const char* token = p;
    if (read_plain_decimal(p, number) && ends_token(*p) && to_double(number, value)) {
      put(j, number, value);
      return true;
    }
    p = token;
    while (!ends_token(*p)) ++p;
    const NumberResult result = parse_number({token, static_cast<std::size_t>(p - token)});
    if (result.fault != NumberFault::None) return false;
    put_wide(j, result.value);
    return true;
  }

  // A number that was read as the decimal it is, and as the double next to that.
  void put(std::uint32_t column, const PlainDecimal& number, double x) {
    const bool small = number.digits <= whole_limit && number.decimals <= max_decimals;
    if (!s_.plain || !small) return put_wide(column, x);
    if (x == 0) return;
    const auto digits = static_cast<std::int32_t>(number.digits);
    s_.index[entries_] = column;
    s_.digits[entries_] = number.negative ? -digits : digits;
    s_.decimals[entries_] = static_cast<std::uint8_t>(number.decimals);
    decimals_seen_ |= 1U << static_cast<unsigned>(number.decimals);
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
    if (s_.value.size() < s_.index.size()) s_.value = Pages<double>(s_.index.size());
    for (std::size_t k = 0; k < entries_; ++k) s_.value[k] = plain_value(k);
    s_.plain = false;
  }

  [[nodiscard]] double plain_value(std::size_t k) const {
    return static_cast<double>(s_.digits[k]) / static_cast<double>(integer_power10[s_.decimals[k]]);
  }

  void end_row(double label, std::uint32_t next_column) {
    s_.start.push_back(static_cast<std::uint32_t>(entries_));
    columns_ = std::max(columns_, next_column);
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
  const ReadPlainEntries read_plain_ = plain_entries_reader();
  std::size_t entries_ = 0;
  std::uint32_t decimals_seen_ = 0;  // bit d: a plain value with d decimals
  std::uint32_t negatives_ = 0;
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
    end_row(s_.line.label, s_.line.entries.empty() ? 0 : s_.line.entries.back().column + 1);
  }
  return line_end + 1;
}

// Room for the entries in the storage V, kept from piece to piece.
template <class V>
std::vector<V>& PieceParser::values_as() {
  auto& value = s_.packed.value;
  if (!std::holds_alternative<std::vector<V>>(value)) value = std::vector<V>();
  auto& values = std::get<std::vector<V>>(value);
  if (values.size() < entries_) values.resize(entries_ + entries_ / 8);
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
  const int most = static_cast<int>(std::bit_width(decimals_seen_)) - 1;
  std::array<std::int64_t, max_decimals + 1> powers{};
  for (int p = 0; p <= most; ++p) {
    // Beyond 32 bits it is all the same: no value fits then.
    constexpr std::uint64_t too_large = std::uint64_t{1} << 32U;
    powers[static_cast<std::size_t>(p)] =
        static_cast<std::int64_t>(std::min(integer_power10[static_cast<std::size_t>(most - p)], too_large));
  }
  std::vector<Decimal>& values = values_as<Decimal>();
  Decimal* const out = values.data();
  const std::int32_t* const digits = s_.digits.get();
  const std::uint8_t* const decimals = s_.decimals.get();
  const std::int64_t* const power = powers.data();
  std::int64_t largest = 0, smallest = 0;
  for (k = 0; k < entries_; ++k) {
    const std::int64_t scaled = digits[k] * power[decimals[k]];
    largest = std::max(largest, scaled);
    smallest = std::min(smallest, scaled);
    out[k].digits = static_cast<std::int32_t>(scaled);
  }
  largest = std::max(largest, -smallest);
  const bool tens = std::all_of(out, out + entries_, [](Decimal v) { return v.digits % 10 == 0; });
  if (static_cast<std::uint64_t>(largest) > whole_limit || tens) return false;
  rows.value = std::span<const Decimal>(values.data(), entries_);
  rows.decimals = most;
  rows.max_digits = largest;
  return true;
}

PackedRows PieceParser::finish() {
  piece_.columns = columns_;
  PackedRows rows;
  rows.start = s_.start;
  rows.index = std::span<const std::uint32_t>(s_.index.get(), entries_);
  rows.columns = columns_;
  const bool smallest = !(s_.one_set && s_.doubles);
  if (s_.plain && smallest && finish_plain(rows)) return rows;
  if (s_.plain) go_wide();
  const std::span<const double> values(s_.value.get(), entries_);
  // Rarely smaller; the room that plain decimals have had is kept for the next piece.
  PackedBlock smaller;
  if (smallest && pack_values(values, smaller)) {
    s_.packed = std::move(smaller);
    const PackedRows packed = s_.packed.view();
    rows.value = packed.value;
    rows.decimals = packed.decimals;
    rows.max_digits = packed.max_digits;
  } else {
    s_.doubles = true;
    rows.value = values;
  }
  return rows;
}

}  // namespace

std::optional<LineFault> libsvm_head_fault(std::string_view head) {
  const auto other = other_file(head);
  if (!other) return std::nullopt;
  return LineFault{other->line, other->column, "the file is " + other->what,
                   "rows LABEL INDEX:VALUE ... were expected", other->hint};
}

PackedRows parse_libsvm_piece(std::string_view text, bool first, bool zero_based, LibsvmScratch& scratch,
                              LibsvmPiece& piece) {
  return PieceParser(text, zero_based, scratch, piece).parse(first);
}

}  // namespace halfspace
