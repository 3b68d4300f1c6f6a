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
inline constexpr std::size_t text_padding = 72;

inline constexpr std::array<std::uint64_t, 19> integer_power10 = [] {
  std::array<std::uint64_t, 19> table{1};
  for (std::size_t k = 1; k < table.size(); ++k) table[k] = table[k - 1] * 10;
  return table;
}();

// The number of eight digits, a byte each, the first one lowest.
inline std::uint32_t eight_digits(std::uint64_t x) {
  x = x * (10 * 0x100U + 1) >> 8U & 0x00FF00FF00FF00FFULL;      // numbers below 100, two bytes each
  x = x * (100 * 0x10000U + 1) >> 16U & 0x0000FFFF0000FFFFULL;  // below 10000
  return static_cast<std::uint32_t>(x * (10000 * 0x100000000ULL + 1) >> 32U);
}

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
  return {count, eight_digits(x << (64U - 8U * count))};
}

// The number that `count` digits at p form, 1 to 8 of them.
inline std::uint32_t short_number(const char* p, std::size_t count) {
  std::uint64_t x = 0;
  std::memcpy(&x, p, 8);
  return eight_digits((x ^ 0x3030303030303030ULL) << (64U - 8U * count));
}
// The same, 1 to 19 of them.
inline std::uint64_t long_number(const char* p, std::size_t count) {
  std::uint64_t value = 0;
  for (; count > 8; p += 8, count -= 8) value = value * 100'000'000U + short_number(p, 8);
  return value * integer_power10[count] + short_number(p, count);
}

enum class NumberFault { None, NotANumber, NotFinite, OutOfRange };
struct NumberResult {
  double value = 0;
  NumberFault fault = NumberFault::None;
  std::size_t at = 0;  // offset of the first character that does not belong
};
// The whole token as a decimal number, correctly rounded; what is too small for a double reads as 0.
[[nodiscard]] NumberResult parse_number(std::string_view token);
// How to write what is no number here but is one elsewhere: 1,5 and 1'000 and 1.5D+03. Empty for anything else.
[[nodiscard]] std::string_view number_hint(std::string_view token);

}  // namespace halfspace
