// SPDX-License-Identifier: BSD-3-Clause
// What the checker of certificates says no with, and the numbers of a claim, which are no longer than a proof
// can need.
#pragma once

#include <fmt/format.h>
#include <gmpxx.h>

#include <cstdint>
#include <string>
#include <vector>

#include "certify/separation/exact_rows.hpp"

namespace halfspace::detail {

struct Refused {
  std::string why;
};
inline void require(bool holds, const char* why) {
  if (!holds) throw Refused{why};
}
inline constexpr std::uint32_t none = UINT32_MAX;
// `row`: the first one that breaks a rule, or none.
inline void require_none(std::uint32_t row, const char* what) {
  if (row != none) throw Refused{fmt::format("row {} {}", std::uint64_t{row} + 1, what)};
}

// How long the numbers of a proof may be. A proof that is a vertex of a polyhedron has weights that are ratios of
// minors of the rows (Cramer): of order r and with entries below 2^b these are below (2^b sqrt(r))^r (Hadamard), and
// their common denominator is one of them. Twice as many bits are allowed, and some thousand more for decimals with
// exponents as doubles have them.
class NumberLimits {
 public:
  NumberLimits(std::size_t rows, std::size_t columns, std::size_t value_bits);
  [[nodiscard]] std::size_t bits() const { return bits_; }

  // Refuses what is no number or too long, before it is read.
  [[nodiscard]] mpq_class number(const std::string& text) const;
  // Over their common denominator. Together they are not far longer than they were written: 256 bits for a character.
  [[nodiscard]] WholeNumbers numbers(const std::vector<std::string>& texts) const;

 private:
  std::size_t bits_;
};

}  // namespace halfspace::detail
