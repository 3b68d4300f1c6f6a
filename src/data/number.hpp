// SPDX-License-Identifier: BSD-3-Clause
// Numbers in text, the fast way and the careful way. The fast way reads eight characters at a time; whatever
// it does not understand goes to the careful way, which says what is wrong and where.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace halfspace {

// Readers must be able to look this many bytes past the end of their text.
inline constexpr std::size_t text_padding = 16;

inline constexpr std::array<std::uint64_t, 19> integer_power10 = {1ULL,
                                                                  10ULL,
                                                                  100ULL,
                                                                  1000ULL,
                                                                  10000ULL,
                                                                  100000ULL,
                                                                  1000000ULL,
                                                                  10000000ULL,
                                                                  100000000ULL,
                                                                  1000000000ULL,
                                                                  10000000000ULL,
                                                                  100000000000ULL,
                                                                  1000000000000ULL,
                                                                  10000000000000ULL,
                                                                  100000000000000ULL,
                                                                  1000000000000000ULL,
                                                                  10000000000000000ULL,
                                                                  100000000000000000ULL,
                                                                  1000000000000000000ULL};

// Up to eight digits at p: how many there are and the number they form.
struct Digits {
  unsigned count;
  std::uint32_t value;
};
inline Digits read_digits(const char* p) {
  static_assert(std::endian::native == std::endian::little,
                "eight characters at a time assume little-endian order");
  std::uint64_t x = 0;
  std::memcpy(&x, p, 8);
  x ^= 0x3030303030303030ULL;  // digits become 0..9
  const std::uint64_t other = ((x + 0x0606060606060606ULL) | x) & 0xF0F0F0F0F0F0F0F0ULL;
  const unsigned count = other == 0 ? 8U : static_cast<unsigned>(std::countr_zero(other)) / 8U;
  if (count == 0) return {0, 0};
  x <<= 64U - 8U * count;  // leading zeros; digits after the first non-digit fall out
  x = (x * 10 + (x >> 8U)) & 0x00FF00FF00FF00FFULL;
  x = (x * 100 + (x >> 16U)) & 0x0000FFFF0000FFFFULL;
  x = (x * 10000 + (x >> 32U)) & 0xFFFFFFFFULL;
  return {count, static_cast<std::uint32_t>(x)};
}

// digits / 10^decimals, with a sign: what most tokens are.
struct PlainDecimal {
  std::uint64_t digits = 0;
  int decimals = 0;
  bool negative = false;
};
// Reads [+-]DIGITS[.DIGITS] of at most 18 digits; moves p behind it. False (p undefined): something else is
// there.
inline bool read_plain_decimal(const char*& p, PlainDecimal& out) {
  out.negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  Digits part = read_digits(p);
  unsigned total = part.count;
  out.digits = part.value;
  p += part.count;
  while (part.count == 8) {
    part = read_digits(p);
    total += part.count;
    if (total > 18) return false;
    out.digits = out.digits * integer_power10[part.count] + part.value;
    p += part.count;
  }
  out.decimals = 0;
  if (*p == '.') {
    const unsigned whole = total;
    ++p;
    do {
      part = read_digits(p);
      total += part.count;
      if (total > 18) return false;
      out.digits = out.digits * integer_power10[part.count] + part.value;
      p += part.count;
    } while (part.count == 8);
    out.decimals = static_cast<int>(total - whole);
  }
  return total > 0;
}

inline constexpr std::uint64_t exact_digits = 1ULL << 53U;
// Correctly rounded when digits <= 2^53: both numbers are exact doubles.
inline double to_double(const PlainDecimal& d) {
  const double magnitude = static_cast<double>(d.digits) /
                           static_cast<double>(integer_power10[static_cast<std::size_t>(d.decimals)]);
  return d.negative ? -magnitude : magnitude;
}

enum class NumberFault { None, NotANumber, NotFinite, OutOfRange };
struct NumberResult {
  double value = 0;
  NumberFault fault = NumberFault::None;
  std::size_t at = 0;  // offset of the first character that does not belong
};
// The whole token as a decimal number, correctly rounded; what is too small for a double reads as 0.
[[nodiscard]] NumberResult parse_number(std::string_view token);

}  // namespace halfspace
