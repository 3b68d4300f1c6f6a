// SPDX-License-Identifier: BSD-3-Clause
// The number a stored double stands for, as digits and an exponent of ten or two.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace halfspace::separation {

struct Number {
  std::int64_t digits = 0;
  int exponent = 0;
};

// The shortest decimal of a double; trailing zeros become part of the exponent.
[[nodiscard]] Number decimal_of(double x);
[[nodiscard]] Number binary_of(double x);

// Few values of a data set are distinct: remembers the last ones.
class Converter {
 public:
  explicit Converter(bool decimals) : decimals_(decimals) {}
  Number operator()(double x) {
    Slot& slot = slots_[(std::bit_cast<std::uint64_t>(x) * 0xD6E8FEB86659FD93ULL) >> 52U];
    if (slot.x != x) slot = {x, decimals_ ? decimal_of(x) : binary_of(x)};
    return slot.number;
  }

 private:
  struct Slot {
    double x = 0;
    Number number;
  };
  bool decimals_;
  std::array<Slot, 4096> slots_;
};

}  // namespace halfspace::separation
