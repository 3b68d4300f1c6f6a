// SPDX-License-Identifier: BSD-3-Clause
// The rows that take part as whole numbers a_i = y_i (x_i, 1): every column multiplied by a power of ten
// (decimals) or two (doubles) and divided by what its entries have in common. None of this changes who can be
// separated.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/large_vector.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::separation {

// Entries as 64-bit numbers, or all of them as numbers of any size when one has 62 bits or more.
struct IntegerRows {
  std::vector<std::uint32_t> row;  // number in the data set
  std::vector<std::int8_t> y;
  std::size_t columns = 0;  // features, and one more with an offset: the last one, which is y_i
  bool offset = true;
  std::vector<std::uint64_t> start{0};
  LargeVector<std::uint32_t> index;
  LargeVector<std::int64_t> small;
  std::vector<mpz_class> large;

  // What a feature was multiplied by: base^-exponent / divisor.
  unsigned long base = 10;
  std::vector<int> exponent;
  std::vector<std::int64_t> divisor;

  [[nodiscard]] std::size_t rows() const { return row.size(); }
  [[nodiscard]] bool wide() const { return !large.empty(); }
  [[nodiscard]] mpz_class value(std::size_t entry) const {
    return wide() ? large[entry] : mpz_class(static_cast<long>(small[entry]));
  }
  [[nodiscard]] int sign(std::size_t entry) const {
    return wide() ? sgn(large[entry]) : (small[entry] > 0) - (small[entry] < 0);
  }
  // Weights for these columns as a plane for the data, in the smallest whole numbers.
  [[nodiscard]] ExactPlane plane(std::span<const mpz_class> weights) const;
  [[nodiscard]] mpq_class factor(std::size_t feature) const;
};

[[nodiscard]] IntegerRows integer_rows(const Dataset& data, std::span<const std::int8_t> sides, Values values,
                                       bool offset);

}  // namespace halfspace::separation
