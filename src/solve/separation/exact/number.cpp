// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/exact/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace halfspace::separation {
namespace {

// Decimals of at most 15 digits differ as doubles too: one that is read as the double is the shortest.
bool short_decimal(double size, Number& out) {
  static const std::array<double, 23> power = [] {
    std::array<double, 23> p{1};
    for (std::size_t k = 1; k < p.size(); ++k) p[k] = p[k - 1] * 10;
    return p;
  }();
  if (!(size >= 1e-7 && size < 1e14)) return false;
  const int top = ((std::ilogb(size) + 1) * 1233) >> 12;  // log10, never too small
  const double by = power[static_cast<std::size_t>(14 - top)];
  out.digits = static_cast<std::int64_t>(size * by + 0.5);  // NOLINT: checked in the next line
  if (static_cast<double>(out.digits) / by != size) return false;
  out.exponent = top - 14;
  for (; out.digits % 10 == 0; out.digits /= 10) ++out.exponent;
  return true;
}

}  // namespace

Number decimal_of(double x) {
  Number quick;
  if (short_decimal(std::abs(x), quick)) return {x < 0 ? -quick.digits : quick.digits, quick.exponent};
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(x), std::chars_format::scientific).ptr;
  const auto e = std::find(text.data(), end, 'e');
  Number out;
  for (const char* p = text.data(); p != e; ++p)
    if (*p != '.') out.digits = out.digits * 10 + (*p - '0');
  const bool down = e[1] == '-';
  std::from_chars(e + 2, end, out.exponent);
  if (down) out.exponent = -out.exponent;
  const auto fraction = e - text.data() - 2;  // after "d."
  if (fraction > 0) out.exponent -= static_cast<int>(fraction);
  if (x < 0) out.digits = -out.digits;
  return out;
}

Number binary_of(double x) {
  int exponent = 0;
  auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = digits == 0 ? 0 : std::countr_zero(static_cast<std::uint64_t>(digits));
  return {digits / (std::int64_t{1} << zeros), exponent - 53 + zeros};
}

}  // namespace halfspace::separation
