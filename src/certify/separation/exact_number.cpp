// SPDX-License-Identifier: BSD-3-Clause
#include "certify/separation/exact_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

namespace halfspace::detail {
namespace {

// GMP aborts when memory runs out, and its numbers are not whole while an exception passes through them. So such an
// exception goes no further than this: the program's handler of termination says "out of memory" and leaves in order.
// Set before main, so that a program with an allocator of its own can still set that.
// NOLINTBEGIN(cppcoreguidelines-no-malloc): GMP asks for functions of this kind
[[noreturn]] void out_of_memory() { throw std::bad_alloc(); }
void* allocate(std::size_t size) noexcept {
  void* const at = std::malloc(size);
  if (at == nullptr) out_of_memory();
  return at;
}
void* reallocate(void* at, std::size_t, std::size_t size) noexcept {
  void* const moved = std::realloc(at, size);
  if (moved == nullptr) out_of_memory();
  return moved;
}
void release(void* at, std::size_t) noexcept { std::free(at); }
// NOLINTEND(cppcoreguidelines-no-malloc)
[[maybe_unused]] const bool memory_is_set = (mp_set_memory_functions(allocate, reallocate, release), true);

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

// sign digits/below, or sign digits e exponent
struct NumberParts {
  bool negative = false;
  std::string digits, below;
  long exponent = 0;
};

bool split_number(std::string_view text, NumberParts& out) {
  std::size_t at = 0;
  out.negative = !text.empty() && text[0] == '-';
  if (out.negative) ++at;
  if (!take_digits(text, at, out.digits)) return false;
  if (at < text.size() && text[at] == '/') {
    ++at;
    return take_digits(text, at, out.below) && at == text.size() &&
           out.below.find_first_not_of('0') != std::string::npos;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    const std::size_t whole = out.digits.size();
    if (!take_digits(text, at, out.digits)) return false;
    out.exponent = -static_cast<long>(out.digits.size() - whole);
  }
  if (at < text.size() && text[at] == 'e') {
    const std::size_t sign = at + 1;
    const bool down = sign < text.size() && text[sign] == '-';
    at = sign + (sign < text.size() && (text[sign] == '-' || text[sign] == '+') ? 1 : 0);
    std::string size;
    if (!take_digits(text, at, size) || size.size() > 4) return false;
    out.exponent += (down ? -1 : 1) * std::stol(size);
  }
  return at == text.size();
}

}  // namespace

bool is_exact_number(std::string_view text) {
  NumberParts parts;
  return split_number(text, parts);
}

std::size_t most_bits(std::string_view text) {
  const auto bits = [](std::size_t digits) { return digits * 10 / 3 + 1; };  // log2(10) < 10 / 3
  const std::size_t mark = text.find('e');
  std::size_t exponent = 0;
  if (mark != std::string_view::npos) {
    const std::string_view size = text.substr(
        std::min(text.size(), mark + (text.size() > mark + 1 && !is_digit(text[mark + 1]) ? 2 : 1)));
    std::from_chars(size.data(), size.data() + size.size(), exponent);
    exponent = std::min<std::size_t>(exponent, 99999);
  }
  // A decimal point moves digits below: as many again.
  const std::size_t digits = std::min(text.size(), mark);
  const bool point = text.substr(0, digits).find('.') != std::string_view::npos;
  return bits(point ? 2 * digits : digits) + bits(exponent) + 1;
}

bool exact_number(std::string_view text, mpq_class& out) {
  NumberParts parts;
  if (!split_number(text, parts)) return false;
  mpz_class top, bottom = 1;
  if (top.set_str(parts.digits, 10) != 0) return false;
  if (!parts.below.empty() && bottom.set_str(parts.below, 10) != 0) return false;
  if (parts.negative) top = -top;
  if (parts.exponent > 0) top *= power(10, static_cast<unsigned long>(parts.exponent));
  if (parts.exponent < 0) bottom *= power(10, static_cast<unsigned long>(-parts.exponent));
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
