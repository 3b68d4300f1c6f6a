// SPDX-License-Identifier: BSD-3-Clause
#include "data/libsvm_piece.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr std::int64_t digits_limit = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t'; }
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
  // A UTF-8 mark at the beginning of the file is skipped; UTF-16 is recognised and refused.
  const char* skip_mark(const char* p) {
    const std::string_view head(begin_, static_cast<std::size_t>(end_ - begin_));
    if (head.starts_with("\xEF\xBB\xBF")) return p + 3;
    const bool marked = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
    const bool every_other =
        head.size() >= 4 && ((head[0] == 0) != (head[1] == 0)) && ((head[2] == 0) != (head[3] == 0));
    if (marked || every_other)
      fault(begin_, begin_, "UTF-16 text", "plain text (UTF-8 or ASCII)",
            "convert it with iconv -f UTF-16 -t UTF-8");
    return p;
  }

  void fault(const char* line, const char* at, std::string found, std::string expected,
             std::string hint = {}) {
    piece_.fault = LineFault{piece_.lines + 1, static_cast<std::uint64_t>(at - line) + 1, std::move(found),
                             std::move(expected), std::move(hint)};
  }

  // LABEL INDEX:VALUE INDEX:VALUE ... with single blanks and plain decimals. False: read the line carefully.
  bool fast_line(const char*& p) {
    PlainDecimal number;
    if (!read_plain_decimal(p, number) || !ends_token(*p) || number.digits > exact_digits) return false;
    const double label = to_double(number);
    std::int64_t previous = -1;
    while (true) {
      // Most entries go by here; anything but a plain decimal of 32 bits is looked at below.
      if (s_.plain) p = plain_entries(p, previous);
      if (at_line_end(p)) break;
      if (!is_blank(*p)) return false;
      ++p;
      if (at_line_end(p)) break;  // a blank before the line end
      if (!other_entry(p, previous)) return false;
    }
    p += *p == '\r' ? 2 : 1;
    end_row(label, previous);
    return true;
  }

  // Reads entries " INDEX:DIGITS" and " INDEX:DIGITS.DIGITS" as long as there are any; returns the place
  // behind the last. Everything in the loop is a local variable: stores to the arrays cannot touch them.
  const char* plain_entries(const char* p, std::int64_t& last_column) {
    std::uint32_t* const index = s_.index.data();
    std::int32_t* const digits = s_.digits.data();
    std::uint8_t* const decimals = s_.decimals.data();
    const std::uint32_t base = base_;
    std::size_t n = entries_;
    std::int64_t previous = last_column;
    while (*p == ' ') {
      const char* q = p + 1;
      const Digits column = read_digits(q);
      q += column.count;
      const std::int64_t j = static_cast<std::int64_t>(column.value) - base;
      if (column.count == 0 || column.count == 8 || *q != ':' || j <= previous) break;
      ++q;
      std::uint32_t value = 0;
      unsigned places = 0;
      if (q[1] == '.' && q[0] >= '0' && q[0] <= '9') {
        const Digits part = read_digits(q + 2);
        places = part.count;
        value = part.value;
        q += 2 + places;
        const auto whole = static_cast<std::uint32_t>(q[-2 - static_cast<int>(places)] - '0');
        value += whole * static_cast<std::uint32_t>(integer_power10[places]);
        if (places == 8) {
          // A ninth digit; 0.xxxxxxxxx still fits.
          const Digits more = read_digits(q);
          if (more.count == 1 && value < 200'000'000) {
            value = value * 10 + more.value;
            places = 9;
            ++q;
          } else if (more.count != 0) {
            break;
          }
        }
      } else {
        const bool negative = *q == '-';
        q += negative ? 1 : 0;
        const Digits part = read_digits(q);
        if (part.count == 0 || part.count == 8) break;
        value = part.value;
        q += part.count;
        if (*q == '.') {
          const Digits fraction = read_digits(q + 1);
          if (part.count + fraction.count > 9) break;
          value = value * static_cast<std::uint32_t>(integer_power10[fraction.count]) + fraction.value;
          places = fraction.count;
          q += 1 + fraction.count;
        }
        if (negative) value = 0U - value;
      }
      if (!ends_token(*q)) break;
      p = q;
      previous = j;
      index[n] = static_cast<std::uint32_t>(j);
      digits[n] = static_cast<std::int32_t>(value);
      decimals[n] = static_cast<std::uint8_t>(places);
      n += value != 0 ? 1 : 0;
    }
    entries_ = n;
    last_column = previous;
    return p;
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
    const char* token = p;
    const bool plain = read_plain_decimal(p, number);
    if (plain && ends_token(*p)) {
      if (number.digits <= static_cast<std::uint64_t>(digits_limit)) {
        const auto digits = static_cast<std::int32_t>(number.digits);
        put(static_cast<std::uint32_t>(j), number.negative ? -digits : digits,
            static_cast<std::uint8_t>(number.decimals));
        return true;
      }
      if (number.digits <= exact_digits) {
        put_wide(static_cast<std::uint32_t>(j), to_double(number));
        return true;
      }
    }
    p = token;
    while (!ends_token(*p)) ++p;
    const NumberResult result = parse_number({token, static_cast<std::size_t>(p - token)});
    if (result.fault != NumberFault::None) return false;
    put_wide(static_cast<std::uint32_t>(j), result.value);
    return true;
  }

  void put(std::uint32_t column, std::int32_t digits, std::uint8_t decimals) {
    if (digits == 0) return;
    if (!s_.plain) {
      put_wide(column, to_double({static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(digits))),
                                  decimals, digits < 0}));
      return;
    }
    s_.index[entries_] = column;
    s_.digits[entries_] = digits;
    s_.decimals[entries_] = decimals;
    ++entries_;
  }

  void put_wide(std::uint32_t column, double x) {
    if (x == 0) return;
    if (s_.plain) go_wide();
    s_.index[entries_] = column;
    s_.value[entries_] = x;
    ++entries_;
  }

  // A number in text that is known to be `x`; kept as a plain decimal when it is one.
  void put_text(std::uint32_t column, std::string_view text, double x) {
    PlainDecimal number;
    const char* p = text.data();
    const bool plain = read_plain_decimal(p, number) && p == text.data() + text.size();
    if (plain && number.digits <= static_cast<std::uint64_t>(digits_limit)) {
      const auto digits = static_cast<std::int32_t>(number.digits);
      put(column, number.negative ? -digits : digits, static_cast<std::uint8_t>(number.decimals));
    } else {
      put_wide(column, x);
    }
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
  bool careful_label(const char* line, std::string_view token, double& label);
  bool careful_entry(const char* line, std::string_view token, std::int64_t& previous);
  bool text_is_clean(const char* line, const char* stop);
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

// Any bytes that are not text, named by their value.
bool PieceParser::text_is_clean(const char* line, const char* stop) {
  for (const char* p = line; p < stop; ++p) {
    const auto byte = static_cast<unsigned char>(*p);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      fault(line, p, fmt::format("byte 0x{:02x}", byte), "text");
      return false;
    }
  }
  return true;
}

const char* PieceParser::careful_line(const char* line) {
  const char* line_end = std::find(line, end_, '\n');
  const char* stop = line_end;
  if (stop > line && stop[-1] == '\r') --stop;
  stop = std::find(line, stop, '#');
  if (!text_is_clean(line, stop)) return line_end + 1;
  const char* p = line;
  double label = 0;
  bool have_label = false;
  std::int64_t previous = -1;
  while (true) {
    while (p < stop && is_blank(*p)) ++p;
    if (p == stop) break;
    const char* token_end = p;
    while (token_end < stop && !is_blank(*token_end)) ++token_end;
    const std::string_view token(p, static_cast<std::size_t>(token_end - p));
    if (!have_label) {
      if (!careful_label(line, token, label)) return line_end + 1;
      have_label = true;
    } else if (!careful_entry(line, token, previous)) {
      return line_end + 1;
    }
    p = token_end;
  }
  if (have_label) end_row(label, previous);
  return line_end + 1;
}

bool PieceParser::careful_label(const char* line, std::string_view token, double& label) {
  const NumberResult number = parse_number(token);
  label = number.value;
  switch (number.fault) {
    case NumberFault::None: return true;
    case NumberFault::NotFinite:
      fault(line, token.data(), fmt::format("label '{}'", printable(token)), "a label must be finite");
      return false;
    case NumberFault::OutOfRange:
      fault(line, token.data(), fmt::format("label '{}' is out of range", printable(token)),
            "a label is a number");
      return false;
    case NumberFault::NotANumber: break;
  }
  if (token.find(':') != std::string_view::npos) {
    fault(line, token.data(), fmt::format("'{}' where the label should be", printable(token)),
          "a row begins with its label: LABEL INDEX:VALUE ...");
  } else {
    const bool comma = token.find(',') != std::string_view::npos;
    fault(line, token.data() + number.at, fmt::format("label '{}' is not a number", printable(token)),
          "a label is a number", comma ? "is this CSV? --format csv" : "");
  }
  return false;
}

bool PieceParser::careful_entry(const char* line, std::string_view token, std::int64_t& previous) {
  const std::string shown = printable(token);
  const auto colon = token.find(':');
  const std::string_view left = token.substr(0, colon);
  if (colon != std::string_view::npos && left == "qid") {
    fault(line, token.data(), fmt::format("'{}'", shown), "ranking data (qid) are not supported");
    return false;
  }
  if (left.empty()) {
    fault(line, token.data(), fmt::format("no index before ':' in '{}'", shown), "INDEX:VALUE");
    return false;
  }
  const bool negative = left[0] == '-';
  const std::string_view number = negative || left[0] == '+' ? left.substr(1) : left;
  const auto bad = std::find_if(number.begin(), number.end(), [](char c) { return c < '0' || c > '9'; });
  if (bad != number.end() || number.empty()) {
    fault(line, number.data() + (bad - number.begin()),
          fmt::format("index '{}' is not a whole number", printable(left)),
          colon == std::string_view::npos ? "INDEX:VALUE" : "an index is a whole number");
    return false;
  }
  if (colon == std::string_view::npos) {
    fault(line, token.data() + token.size(), fmt::format("no ':' after '{}'", shown), "INDEX:VALUE",
          "is this CSV? --format csv");
    return false;
  }
  std::uint64_t index = 0;
  for (const char c : number)
    index = std::min<std::uint64_t>(index * 10 + static_cast<std::uint64_t>(c - '0'), 1ULL << 60U);
  if (negative || index < base_) {
    fault(line, token.data(), fmt::format("index {}", printable(left)),
          fmt::format("indices start at {}", base_),
          !negative && index == 0 ? "--zero-based reads files that count from 0" : "");
    return false;
  }
  const std::uint64_t column = index - base_;
  if (column >= most_features) {
    fault(line, token.data(), fmt::format("index {} is out of range", printable(left)),
          fmt::format("at most {} features", most_features));
    return false;
  }
  const auto j = static_cast<std::int64_t>(column);
  if (j <= previous) {
    fault(line, token.data(),
          fmt::format("{} index {}", j == previous ? "duplicate" : "unsorted", printable(left)),
          "indices ascend within a row");
    return false;
  }
  previous = j;
  const std::string_view value = token.substr(colon + 1);
  if (value.empty()) {
    fault(line, value.data(), fmt::format("no value after '{}'", shown),
          "a value follows the ':' without a blank");
    return false;
  }
  const NumberResult result = parse_number(value);
  switch (result.fault) {
    case NumberFault::None: put_text(static_cast<std::uint32_t>(column), value, result.value); return true;
    case NumberFault::NotANumber:
      fault(line, value.data() + result.at,
            fmt::format("value '{}' is not a decimal number", printable(value)), "a decimal number");
      return false;
    case NumberFault::NotFinite:
      fault(line, value.data(), fmt::format("value '{}' is not finite", printable(value)), "a finite number");
      return false;
    case NumberFault::OutOfRange:
      fault(line, value.data(), fmt::format("value '{}' is out of range", printable(value, 40)),
            "at most 1.8e308");
      return false;
  }
  return false;
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
  RowBlock block;
  block.start = s_.start;
  block.index.assign(rows.index.begin(), rows.index.end());
  block.value.assign(s_.value.begin(), s_.value.begin() + static_cast<std::ptrdiff_t>(entries_));
  s_.packed = pack(block);
  rows = s_.packed.view();
  rows.columns = columns_;
  return rows;
}

}  // namespace

PackedRows parse_libsvm_piece(std::string_view text, bool first, bool zero_based, LibsvmScratch& scratch,
                              LibsvmPiece& piece) {
  return PieceParser(text, zero_based, scratch, piece).parse(first);
}

}  // namespace halfspace
