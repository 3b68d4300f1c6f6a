// SPDX-License-Identifier: BSD-3-Clause
// Numbers of up to 19 digits, the fast way: as whole numbers over powers of ten, and as the doubles next to them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "data/text/number.hpp"

namespace halfspace {

// digits / 10^decimals, with a sign: what most tokens are.
struct PlainDecimal {
  std::uint64_t digits = 0;
  int decimals = 0;
  bool negative = false;
};
inline constexpr int most_decimals = 27;  // 5^27 is the last power of five in 64 bits

// The power of ten behind an 'e' at p, of at most two digits; moves p behind it. False: something else is
// there.
inline bool read_exponent(const char*& p, int& power) {
  ++p;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const Digits part = read_digits(p);
  p += part.count;
  power = negative ? -static_cast<int>(part.value) : static_cast<int>(part.value);
  return part.count >= 1 && part.count <= 2;
}

// Reads [+-]DIGITS[.DIGITS][eDIGITS] of at most 19 digits, not counting zeros before the others; moves p
// behind it. False (p undefined): something else is there.
inline bool read_plain_decimal(const char*& p, PlainDecimal& out) {
  out = {};
  out.negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  unsigned total = 0;
  const auto read_part = [&] {
    Digits part{};
    do {
      part = read_digits(p);
      if (part.count > 0 && out.digits >= integer_power10[19 - part.count]) return false;
      out.digits = out.digits * integer_power10[part.count] + part.value;
      total += part.count;
      p += part.count;
    } while (part.count == 8);
    return true;
  };
  if (p[1] == '.' && p[0] >= '0' && p[0] <= '9') {  // most have one digit before the point
    out.digits = static_cast<std::uint64_t>(*p++ - '0');
    total = 1;
  } else if (!read_part()) {
    return false;
  }
  unsigned places = 0;
  if (*p == '.') {
    const unsigned whole = total;
    ++p;
    if (!read_part()) return false;
    places = total - whole;
  }
  if (total == 0 || places > 1000) return false;
  out.decimals = static_cast<int>(places);
  if (*p == 'e' || *p == 'E') {
    int power = 0;
    if (!read_exponent(p, power)) return false;
    out.decimals -= power;
    if (out.decimals < 0) {
      const int zeros = -out.decimals;
      if (zeros > 18 || out.digits >= integer_power10[static_cast<std::size_t>(19 - zeros)]) return false;
      out.digits *= integer_power10[static_cast<std::size_t>(zeros)];
      out.decimals = 0;
    }
  }
  return out.decimals <= most_decimals;
}

__extension__ using Wide = unsigned __int128;

// 1 / 5^d as multiple * 2^-shift: the first 64 bits of it, cut off.
struct FifthPower {
  std::uint64_t multiple = 0;
  int shift = 0;
};
inline constexpr std::array<FifthPower, most_decimals + 1> fifth_powers = [] {
  std::array<FifthPower, most_decimals + 1> table{};
  std::uint64_t power = 1;
  for (FifthPower& entry : table) {
    entry.shift = 62 + static_cast<int>(std::bit_width(power)) + (std::has_single_bit(power) ? 0 : 1);
    entry.multiple = static_cast<std::uint64_t>((static_cast<Wide>(1) << entry.shift) / power);
    power *= 5;
  }
  return table;
}();

inline constexpr std::uint64_t exact_digits = 1ULL << 53U;
// The nearest double. False: too near to the middle between two of them to say which.
//
// Up to 2^53 both numbers of the fraction are doubles themselves, and the quotient is rounded once. Beyond,
// the digits are multiplied by the first 64 bits of 1 / 5^d, as Lemire does it (Number parsing at a gigabyte
// per second, 2021): the product is too small by less than one unit of its upper half, which rarely matters.
inline bool to_double(const PlainDecimal& d, double& out) {
  if (d.digits <= exact_digits && d.decimals <= 18) {  // 10^18 < 2^64 has no more than 53 bits that count
    out = static_cast<double>(d.digits) /
          static_cast<double>(integer_power10[static_cast<std::size_t>(d.decimals)]);
  } else if (d.digits == 0) {
    out = 0;
  } else {
    const FifthPower& fifth = fifth_powers[static_cast<std::size_t>(d.decimals)];
    const int zeros = std::countl_zero(d.digits);
    const std::uint64_t factor = d.digits << static_cast<unsigned>(zeros);
    const Wide product = static_cast<Wide>(factor) * fifth.multiple;
    const auto upper = static_cast<std::uint64_t>(product >> 64U);
    const auto lower = static_cast<std::uint64_t>(product);
    const unsigned spare = upper >> 63U == 1 ? 11 : 10;  // bits of the upper half below the last of a double
    const std::uint64_t half = 1ULL << (spare - 1);
    const std::uint64_t rest = upper & (2 * half - 1);
    const bool carry = lower + factor < lower;  // the true product may have one more in its upper half
    if ((rest == half && lower == 0) || (rest + 1 == half && carry)) return false;
    const std::uint64_t significand = (upper >> spare) + (rest >= half ? 1 : 0);
    const int exponent = 64 + static_cast<int>(spare) - zeros - fifth.shift - d.decimals;
    // A significand rounded up to 2^53 raises the exponent by itself.
    const auto bits = (static_cast<std::uint64_t>(exponent + 1075 - 1) << 52U) + significand;
    out = std::bit_cast<double>(bits);
  }
  if (d.negative) out = -out;
  return true;
}

}  // namespace halfspace
