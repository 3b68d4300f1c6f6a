// SPDX-License-Identifier: BSD-3-Clause
#include "data/libsvm/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/text/number.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {
namespace {

class LineReader {
 public:
  LineReader(std::string_view line, std::uint32_t base) : line_(line), base_(base) {}
  void read(LibsvmLine& out);
  [[nodiscard]] std::optional<LineFault> fault() && { return std::move(fault_); }

 private:
  void fault(const char* at, std::string found, std::string expected, std::string hint = {}) {
    fault_ = LineFault{1, static_cast<std::uint64_t>(at - line_.data()) + 1, std::move(found),
                       std::move(expected), std::move(hint)};
  }
  bool is_clean(std::string_view text);
  bool read_label(std::string_view token, LibsvmLine& out);
  bool read_entry(std::string_view token, LibsvmLine& out);

  std::string_view line_;
  std::uint32_t base_;
  std::optional<LineFault> fault_;
};

// Any bytes that are not text, named by their value.
bool LineReader::is_clean(std::string_view text) {
  for (const char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      fault(&c, fmt::format("byte 0x{:02x}", byte), "text", byte == '\r' ? "lines end in LF or CRLF" : "");
      return false;
    }
  }
  return true;
}

// Where the comment begins. 1.#INF and 1.#IND are how some programs write what is no number, not comments.
std::size_t comment_of(std::string_view text) {
  std::size_t at = text.find('#');
  while (at != std::string_view::npos && at > 0 && text[at - 1] == '.' && at + 1 < text.size() &&
         std::string_view("INQS").find(text[at + 1]) != std::string_view::npos)
    at = text.find('#', at + 1);
  return at;
}

void LineReader::read(LibsvmLine& out) {
  out.labelled = false;
  out.entries.clear();
  std::string_view text = line_.substr(0, line_.size() - (line_.ends_with('\r') ? 1 : 0));
  if (!is_clean(text)) return;  // comments are text too
  text = text.substr(0, comment_of(text));
  const char* p = text.data();
  const char* const stop = p + text.size();
  while (true) {
    while (p < stop && is_libsvm_blank(*p)) ++p;
    if (p == stop) return;
    const char* token_end = p;
    while (token_end < stop && !is_libsvm_blank(*token_end)) ++token_end;
    const std::string_view token(p, static_cast<std::size_t>(token_end - p));
    if (!(out.labelled ? read_entry(token, out) : read_label(token, out))) return;
    p = token_end;
  }
}

bool LineReader::read_label(std::string_view token, LibsvmLine& out) {
  const NumberResult number = parse_number(token);
  out.label = number.value;
  out.labelled = number.fault == NumberFault::None;
  switch (number.fault) {
    case NumberFault::None: return true;
    case NumberFault::NotFinite:
      fault(token.data(), fmt::format("label '{}'", printable(token)), "a label must be finite");
      return false;
    case NumberFault::OutOfRange:
      fault(token.data(), fmt::format("label '{}' is out of range", printable(token)), "a label is a number");
      return false;
    case NumberFault::NotANumber: break;
  }
  if (token.find(':') != std::string_view::npos) {
    fault(token.data(), fmt::format("'{}' where the label should be", printable(token)),
          "a row begins with its label: LABEL INDEX:VALUE ...");
  } else {
    const bool comma = token.find(',') != std::string_view::npos;
    fault(token.data() + number.at, fmt::format("label '{}' is not a number", printable(token)),
          "a label is a number", comma ? "is this CSV? --format csv" : "");
  }
  return false;
}

bool LineReader::read_entry(std::string_view token, LibsvmLine& out) {
  const auto colon = token.find(':');
  const std::string_view left = token.substr(0, colon);
  if (colon != std::string_view::npos && left == "qid") {
    fault(token.data(), fmt::format("'{}'", printable(token)), "ranking data (qid) are not supported");
    return false;
  }
  if (left.empty()) {
    fault(token.data(), fmt::format("no index before ':' in '{}'", printable(token)), "INDEX:VALUE");
    return false;
  }
  const bool negative = left[0] == '-';
  const std::string_view number = negative || left[0] == '+' ? left.substr(1) : left;
  const auto bad = std::find_if(number.begin(), number.end(), [](char c) { return c < '0' || c > '9'; });
  if (bad != number.end() || number.empty()) {
    fault(number.data() + (bad - number.begin()),
          fmt::format("index '{}' is not a whole number", printable(left)),
          colon == std::string_view::npos ? "INDEX:VALUE" : "an index is a whole number");
    return false;
  }
  if (colon == std::string_view::npos) {
    fault(token.data() + token.size(), fmt::format("no ':' after '{}'", printable(token)), "INDEX:VALUE",
          "is this CSV? --format csv");
    return false;
  }
  std::uint64_t index = 0;
  for (const char c : number)
    index = std::min<std::uint64_t>(index * 10 + static_cast<std::uint64_t>(c - '0'), 1ULL << 60U);
  if (negative || index < base_) {
    fault(token.data(), fmt::format("index {}", printable(left)), fmt::format("indices start at {}", base_),
          !negative && index == 0 ? "--zero-based reads files that count from 0" : "");
    return false;
  }
  const std::uint64_t column = index - base_;
  if (column >= most_features) {
    fault(token.data(), fmt::format("index {} is out of range", printable(left)),
          fmt::format("at most {} features", most_features));
    return false;
  }
  const auto j = static_cast<std::int64_t>(column);
  const std::int64_t previous = out.entries.empty() ? -1 : std::int64_t{out.entries.back().column};
  if (j <= previous) {
    fault(token.data(), fmt::format("{} index {}", j == previous ? "duplicate" : "unsorted", printable(left)),
          "indices ascend within a row");
    return false;
  }
  const std::string_view value = token.substr(colon + 1);
  if (value.empty()) {
    fault(value.data(), fmt::format("no value after '{}'", printable(token)),
          "a value follows the ':' without a blank");
    return false;
  }
  const NumberResult result = parse_number(value);
  switch (result.fault) {
    case NumberFault::None:
      out.entries.push_back({static_cast<std::uint32_t>(column), value, result.value});
      return true;
    case NumberFault::NotANumber:
      fault(value.data() + result.at, fmt::format("value '{}' is not a decimal number", printable(value)),
            "INDEX:VALUE with a decimal number", std::string(number_hint(value)));
      return false;
    case NumberFault::NotFinite:
      fault(value.data(), fmt::format("value '{}' is not finite", printable(value)), "a finite number");
      return false;
    case NumberFault::OutOfRange:
      fault(value.data(), fmt::format("value '{}' is out of range", printable(value, 40)), "at most 1.8e308");
      return false;
  }
  return false;
}

}  // namespace

std::optional<LineFault> read_libsvm_line(std::string_view line, std::uint32_t base, LibsvmLine& out) {
  LineReader reader(line, base);
  reader.read(out);
  return std::move(reader).fault();
}

}  // namespace halfspace
