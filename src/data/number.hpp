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

inline constexpr std::array<std::uint64_t, 19> integer_power10 = [] {
  std::array<std::uint64_t, 19> table{1};
  for (std::size_t k = 1; k < table.size(); ++k) table[k] = table[k - 1] * 10;
  return table;
}();

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

// Reads [-]DIGITS[.DIGITS] as digits / 10^places in 32 bits, which is what most values of a text are; moves p
// behind it. False (p undefined): something else is there. A digit at p: there were more than 32 bits hold.
inline bool read_small_decimal(const char*& p, std::int32_t& digits, unsigned& places) {
  std::uint32_t value = 0;
  bool negative = false;
  places = 0;
  if (p[1] == '.' && p[0] >= '0' && p[0] <= '9') {
    const Digits part = read_digits(p + 2);
    places = part.count;
    const auto whole = static_cast<std::uint32_t>(*p - '0');
    value = part.value + whole * static_cast<std::uint32_t>(integer_power10[places]);
    p += 2 + places;
    if (places == 8) {
      // A ninth digit; 0.xxxxxxxxx still fits.
      const Digits more = read_digits(p);
      if (more.count == 1 && value < 200'000'000) {
        value = value * 10 + more.value;
        places = 9;
        ++p;
      } else if (more.count != 0) {
        return false;
      }
    }
  } else {
    negative = *p == '-';
    p += negative ? 1 : 0;
    const Digits part = read_digits(p);
    if (part.count == 0 || part.count == 8) return false;
    value = part.value;
    p += part.count;
    if (*p == '.') {
      const Digits fraction = read_digits(p + 1);
      if (part.count + fraction.count > 9) return false;
      value = value * static_cast<std::uint32_t>(integer_power10[fraction.count]) + fraction.value;
      places = fraction.count;
      p += 1 + fraction.count;
    }
  }
  digits = static_cast<std::int32_t>(negative ? 0U - value : value);
  return true;
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
