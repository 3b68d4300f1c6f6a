// SPDX-License-Identifier: BSD-3-Clause
// Exact numbers for the checker: texts of certificates as rationals, stored doubles as the numbers they stand
// for.
#pragma once

#include <gmpxx.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "halfspace/certify/separation.hpp"

namespace halfspace::detail {

// Whole, fraction or decimal with an exponent of at most four digits; false for anything else.
[[nodiscard]] bool exact_number(std::string_view text, mpq_class& out);
[[nodiscard]] bool is_exact_number(std::string_view text);  // the same without the number
// At least the bits of numerator and denominator together, from the length of the text and its exponent alone.
[[nodiscard]] std::size_t most_bits(std::string_view text);

// mantissa * base^exponent, base 10 for decimals and 2 for doubles.
struct Stored {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

// The number that a double stands for. Data have few distinct values: the last ones are remembered.
class StoredNumbers {
 public:
  explicit StoredNumbers(Values values) : decimals_(values == Values::Decimals) {}
  [[nodiscard]] unsigned long base() const { return decimals_ ? 10 : 2; }
  [[nodiscard]] const Stored& of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    Memory& memory = memory_[(bits * 0x9E3779B97F4A7C15ULL) >> (64U - memory_bits)];
    if (memory.bits != bits) memory = {bits, convert(x)};
    return memory.number;
  }

 private:
  static constexpr unsigned memory_bits = 12;
  struct Memory {
    std::uint64_t bits = 0;  // of +0.0, which is never asked for otherwise
    Stored number;
  };
  [[nodiscard]] Stored convert(double x) const;

  bool decimals_;
  std::array<Memory, std::size_t{1} << memory_bits> memory_;
};

}  // namespace halfspace::detail
