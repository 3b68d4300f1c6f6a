// SPDX-License-Identifier: BSD-3-Clause
#include "data/text/number.hpp"

#include <algorithm>
#include <charconv>

namespace halfspace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

// Where the decimal number at the front of the token ends, and the power of ten of its first non-zero digit.
struct Scan {
  std::size_t end = 0;
  bool number = false;
  bool zero = true;
  std::int64_t magnitude = 0;
};

Scan scan(std::string_view s) {
  Scan out;
  std::size_t i = 0;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  std::int64_t before = 0, zeros_after = 0;
  bool digits = false;
  for (; i < s.size() && is_digit(s[i]); ++i) {
    digits = true;
    if (s[i] != '0') out.zero = false;
    if (!out.zero) ++before;
  }
  if (i < s.size() && s[i] == '.') {
    ++i;
    for (; i < s.size() && is_digit(s[i]); ++i) {
      digits = true;
      if (s[i] != '0') out.zero = false;
      if (out.zero) ++zeros_after;
    }
  }
  out.end = i;
  if (!digits) return out;
  out.number = true;
  std::int64_t exponent = 0;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    std::size_t j = i + 1;
    const bool negative = j < s.size() && s[j] == '-';
    if (j < s.size() && (s[j] == '+' || s[j] == '-')) ++j;
    if (j < s.size() && is_digit(s[j])) {
      for (; j < s.size() && is_digit(s[j]); ++j)
        exponent = std::min<std::int64_t>(exponent * 10 + (s[j] - '0'), 1'000'000'000);
      if (negative) exponent = -exponent;
      out.end = j;
    }
  }
  out.magnitude = (before > 0 ? before : -zeros_after) + exponent;
  return out;
}

}  // namespace

NumberResult parse_number(std::string_view token) {
  NumberResult result;
  std::string_view body = token;
  if (!body.empty() && (body[0] == '+' || body[0] == '-')) body.remove_prefix(1);
  // 1.#INF, 1.#IND: so does one system write them.
  const bool hashed = body.find(".#") != std::string_view::npos;
  if (begins_with_word(body, "nan") || begins_with_word(body, "inf") || hashed) {
    result.fault = NumberFault::NotFinite;
    return result;
  }
  const bool negative = body.size() < token.size() && token[0] == '-';
  const char* const last = token.data() + token.size();
  const bool signed_twice = body.starts_with('-');
  const auto [end, code] = std::from_chars(body.data(), last, result.value);
  if (code == std::errc() && end == last && !signed_twice) {
    if (negative && result.value != 0) result.value = -result.value;  // -0 is 0
    return result;
  }
  // Not a number, or one that no double is near to.
  result.value = 0;
  const Scan shape = scan(token);
  if (!shape.number || shape.end != token.size()) {
    result.fault = NumberFault::NotANumber;
    result.at = shape.end;
  } else if (!shape.zero && shape.magnitude > 0) {
    result.fault = NumberFault::OutOfRange;
  }
  return result;
}

std::string_view number_hint(std::string_view token) {
  if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
  if (token.empty() || !(is_digit(token[0]) || token[0] == '.' || token[0] == ',')) return {};
  const std::size_t end = std::min(token.find_first_not_of("0123456789.,'_"), token.size());
  const std::string_view digits = token.substr(0, end);
  const std::string_view exponent = token.substr(end);
  const bool fortran = exponent.size() > 1 && lower(exponent[0]) == 'd' &&
                       exponent.find_first_not_of("+-0123456789", 1) == std::string_view::npos;
  if (fortran && digits.find_first_of(",'_") == std::string_view::npos)
    return "an exponent is written with E";
  if (!exponent.empty() && lower(exponent[0]) != 'e') return {};
  const auto commas = std::count(digits.begin(), digits.end(), ',');
  const std::size_t comma = digits.find(',');
  if (digits.ends_with(',')) return {};
  if (commas == 1 && digits.find_first_of(".'_") == std::string_view::npos)
    return digits.size() - comma == 4 && comma > 0 && comma < 4
               ? "a decimal comma is written as a point, a thousands separator not at all"
               : "a decimal comma is written as a point";
  if (commas > 0 || digits.find_first_of("'_") != std::string_view::npos)
    return "thousands separators are left out";
  return {};
}

}  // namespace halfspace
