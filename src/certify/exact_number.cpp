// SPDX-License-Identifier: BSD-3-Clause
#include "certify/exact_number.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace halfspace::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits from `at` on, moved over; false when there are none.
bool take_digits(std::string_view text, std::size_t& at, std::string& digits) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  digits.append(text.substr(begin, at - begin));
  return at > begin;
}

mpz_class power(unsigned long base, unsigned long exponent) {
  mpz_class out;
  mpz_ui_pow_ui(out.get_mpz_t(), base, exponent);
  return out;
}

}  // namespace

bool exact_number(std::string_view text, mpq_class& out) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  std::string digits;
  if (!take_digits(text, at, digits)) return false;
  mpz_class bottom = 1;
  long exponent = 0;
  if (at < text.size() && text[at] == '/') {
    std::string below;
    ++at;
    if (!take_digits(text, at, below) || bottom.set_str(below, 10) != 0 || bottom == 0) return false;
  } else {
    if (at < text.size() && text[at] == '.') {
      ++at;
      const std::size_t whole = digits.size();
      if (!take_digits(text, at, digits)) return false;
      exponent = -static_cast<long>(digits.size() - whole);
    }
    if (at < text.size() && text[at] == 'e') {
      const std::size_t sign = at + 1;
      const bool down = sign < text.size() && text[sign] == '-';
      at = sign + (sign < text.size() && (text[sign] == '-' || text[sign] == '+') ? 1 : 0);
      std::string size;
      if (!take_digits(text, at, size) || size.size() > 4) return false;
      exponent += (down ? -1 : 1) * std::stol(size);
    }
  }
  if (at != text.size()) return false;
  mpz_class top;
  if (top.set_str(digits, 10) != 0) return false;
  if (negative) top = -top;
  if (exponent > 0) top *= power(10, static_cast<unsigned long>(exponent));
  if (exponent < 0) bottom *= power(10, static_cast<unsigned long>(-exponent));
  out = mpq_class(top, bottom);
  out.canonicalize();
  return true;
}

Stored StoredNumbers::convert(double x) const {
  Stored out;
  if (!decimals_) {
    int exponent = 0;
    out.mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    out.exponent = exponent - 53;
    if (out.mantissa != 0) {
      const int zeros = std::countr_zero(static_cast<std::uint64_t>(out.mantissa));
      out.mantissa /= std::int64_t{1} << zeros;
      out.exponent += zeros;
    }
    return out;
  }
  // d.ddde+xx: at most 17 digits.
  std::array<char, 40> text{};
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific).ptr;
  const char* p = text.data();
  const bool negative = *p == '-';
  if (negative) ++p;
  bool after = false;
  for (; p < end && *p != 'e'; ++p) {
    if (*p == '.') {
      after = true;
      continue;
    }
    out.mantissa = out.mantissa * 10 + (*p - '0');
    out.exponent -= after ? 1 : 0;
  }
  int shift = 0;
  p += p + 1 < end && p[1] == '+' ? 2 : 1;
  std::from_chars(p, end, shift);
  out.exponent += shift;
  if (negative) out.mantissa = -out.mantissa;
  return out;
}

}  // namespace halfspace::detail
