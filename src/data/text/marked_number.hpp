// SPDX-License-Identifier: BSD-3-Clause
// Numbers in a text whose marks are known.
#pragma once

#include "data/text/marks.hpp"
#include "data/text/number.hpp"
#include "data/text/plain_decimal.hpp"

namespace halfspace {

// [-]DIGITS[.DIGITS] of at most 19 digits at p. `mark` points to the first mark at or behind p and is moved to the one
// behind the number. False: something else is there.
inline bool read_wide_decimal(const char* text, const char* p, const TextMarks::Mark*& mark,
                              PlainDecimal& out) {
  out.negative = *p == '-';
  p += out.negative ? 1 : 0;
  mark += out.negative ? 1 : 0;
  const char* end = text + *mark;
  const auto whole = static_cast<std::size_t>(end - p);
  if (whole - 1 >= 18) return false;
  out.digits = long_number(p, whole);
  out.decimals = 0;
  if (*end == '.') {
    const char* const fraction = end + 1;
    end = text + *++mark;
    const auto count = static_cast<std::size_t>(end - fraction);
    if (count == 0) return true;
    if (count > 19 || (out.digits != 0 && whole + count > 19)) return false;
    out.digits = (out.digits == 0 ? 0 : out.digits * integer_power10[count]) + long_number(fraction, count);
    out.decimals = static_cast<int>(count);
  }
  return true;
}

}  // namespace halfspace
