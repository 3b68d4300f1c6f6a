// SPDX-License-Identifier: BSD-3-Clause
// The rows of a data set as the whole numbers they stand for, for the checker of separability certificates:
// x_ij = number * base^scale with one scale for the whole set. No solver code.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "certify/separation/exact_number.hpp"
#include "core/large_vector.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/certify/separation.hpp"

namespace halfspace::detail {

__extension__ typedef __int128 Int128;

// Rationals over their common denominator.
struct WholeNumbers {
  std::vector<mpz_class> numbers;
  mpz_class denominator = 1;
};
// False: it has more bits than that.
[[nodiscard]] bool common_denominator(const std::vector<mpq_class>& of, std::size_t most_bits,
                                      mpz_class& out);
[[nodiscard]] WholeNumbers over_denominator(const std::vector<mpq_class>& from, mpz_class denominator);
[[nodiscard]] std::size_t bits_of(const mpz_class& x);

// Weights for some features and the constant, up to a common positive factor.
struct WholePlane {
  std::vector<std::uint32_t> columns;
  std::vector<mpz_class> weights;
  mpz_class b;
  // For every feature: a bit where there is a weight, and the weights as machine words when sums of products
  // with the entries stay below 2^125, else as they are.
  std::vector<std::uint64_t> used;
  LargeVector<std::int64_t> small;
  std::vector<mpz_class> large;

  [[nodiscard]] bool has(std::uint32_t j) const { return (used[j / 64] >> (j % 64) & 1U) != 0; }
};

class ExactRows {
 public:
  // The entries that are not zero, number * base^power; all powers are 0 when every number of the set has at
  // most 60 bits without them.
  struct Row {
    std::size_t size = 0;
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    std::vector<std::int64_t> number;
    std::vector<std::uint16_t> power;
  };
  // What one thread needs to read rows.
  struct Reader {
    explicit Reader(const ExactRows& rows);
    StoredNumbers numbers;
    Row row;
  };

  // Rows with y = 0 do not take part.
  ExactRows(const Dataset& data, std::span<const std::int8_t> y, Values values, const Threads& threads);

  [[nodiscard]] const mpz_class& one() const { return one_; }           // what 1 becomes
  [[nodiscard]] std::size_t value_bits() const { return value_bits_; }  // no number of the rows is longer
  [[nodiscard]] const Row& read(std::size_t i, Reader& reader) const;
  [[nodiscard]] mpz_class value(const Row& row, std::size_t k) const;
  void add_product(mpz_class& sum, const mpz_class& weight, const Row& row, std::size_t k) const;

  // f(slice, i, row) for all rows that take part, in order within a slice; slices run side by side.
  [[nodiscard]] std::size_t slices() const { return slices_; }
  template <class F>
  void each(const F& f) const {
    threads_.run(slices_, [&](std::size_t slice) {
      Reader reader(*this);
      for (std::size_t i = y_.size() * slice / slices_; i < y_.size() * (slice + 1) / slices_; ++i)
        if (y_[i] != 0) f(slice, i, read(i, reader));
    });
  }

  [[nodiscard]] WholePlane plane(const std::vector<std::uint32_t>& columns, std::vector<mpz_class> weights,
                                 const mpz_class& offset) const;
  // w . x + b times one().
  [[nodiscard]] mpz_class score(const Row& row, const WholePlane& plane) const;
  [[nodiscard]] int sign(const Row& row, const WholePlane& plane) const;
  // Whether sums of entries times weights of so many bits can be taken by add_short().
  [[nodiscard]] bool sums_are_short(std::size_t weight_bits) const {
    return one_power_ && weight_bits <= 62 && fits(weight_bits + number_bits_);
  }
  static void add_short(Int128& sum, std::int64_t weight, const Row& row, std::size_t k) {
    sum += static_cast<Int128>(weight) * row.number[k];
  }
  [[nodiscard]] mpz_class squares(const Row& row) const;  // |x|^2 times one()^2

 private:
  void find_scale();
  [[nodiscard]] Int128 short_score(const Row& row, const WholePlane& plane) const;
  [[nodiscard]] mpz_class joined(const std::vector<Int128>& by_power, int times) const;
  [[nodiscard]] bool fits(std::size_t bits) const;

  const Dataset& data_;
  std::span<const std::int8_t> y_;
  Values values_;
  const Threads& threads_;
  std::unique_ptr<RowAccess> rows_;
  std::size_t slices_ = 1, longest_ = 0;  // longest: most entries of a row
  int scale_ = 0;
  mpz_class one_;
  std::size_t value_bits_ = 0, number_bits_ = 0;
  bool one_power_ = false;
  std::vector<mpz_class> powers_;
  std::vector<std::int64_t> small_powers_;
};

}  // namespace halfspace::detail
