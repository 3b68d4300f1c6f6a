// SPDX-License-Identifier: BSD-3-Clause
// The rows that take part as whole numbers a_i = y_i (x_i, 1): every column multiplied by a power of ten
// (decimals) or two (doubles) and divided by what its entries have in common. None of this changes who can be
// separated.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/storage/pages.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::separation {

// Entries take 32 bits when all of them have room there, else 64; those of 62 bits or more are kept apart.
struct IntegerRows {
  static constexpr std::int64_t small_limit = std::int64_t{1} << 62;

  std::vector<std::uint32_t> row;  // number in the data set
  std::vector<std::int8_t> y;
  std::size_t columns = 0;  // features, and one more with an offset: the last one, which is y_i
  bool offset = true;
  std::vector<std::uint64_t> start{0};
  Pages<std::uint32_t> index;
  Pages<std::int32_t> half_words;
  Pages<std::int64_t> words;  // small_limit + k stands for large[k]
  std::vector<mpz_class> large;

  // What a feature was multiplied by: base^-exponent / divisor.
  unsigned long base = 10;
  std::vector<int> exponent;
  std::vector<std::int64_t> divisor;

  [[nodiscard]] std::size_t rows() const { return row.size(); }
  [[nodiscard]] std::uint64_t entries() const { return start.back(); }
  [[nodiscard]] bool wide() const { return !large.empty(); }  // some entries are large
  [[nodiscard]] bool is_large(std::uint64_t entry) const { return wide() && words[entry] >= small_limit; }
  // Of an entry that is not large.
  [[nodiscard]] std::int64_t small(std::uint64_t entry) const {
    return words.size() == 0 ? half_words[entry] : words[entry];
  }
  [[nodiscard]] const mpz_class& large_at(std::uint64_t entry) const {
    return large[static_cast<std::size_t>(words[entry] - small_limit)];
  }
  [[nodiscard]] mpz_class value(std::uint64_t entry) const {
    return is_large(entry) ? large_at(entry) : mpz_class(static_cast<long>(small(entry)));
  }
  [[nodiscard]] int sign(std::uint64_t entry) const {
    if (is_large(entry)) return sgn(large_at(entry));
    return (small(entry) > 0) - (small(entry) < 0);
  }
  // Weights for some columns, in ascending order, as a plane for the data, in the smallest whole numbers.
  [[nodiscard]] ExactPlane plane(std::span<const std::uint32_t> of, std::span<const mpz_class> weights) const;
  [[nodiscard]] mpq_class factor(std::size_t feature) const;
};

[[nodiscard]] IntegerRows integer_rows(const Dataset& data, std::span<const std::int8_t> sides, Values values,
                                       bool offset, const Threads& threads);

}  // namespace halfspace::separation
