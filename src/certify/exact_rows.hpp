// SPDX-License-Identifier: BSD-3-Clause
// The rows of a data set as the whole numbers they stand for, for the checker of separability certificates:
// x_ij = number * base^scale with one scale for the whole set. No solver code.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "certify/exact_number.hpp"
#include "data/row_access.hpp"
#include "halfspace/certify/separation.hpp"

namespace halfspace::detail {

__extension__ typedef __int128 Int128;

[[nodiscard]] mpz_class from_int128(Int128 x);
[[nodiscard]] inline std::size_t bits_of(const mpz_class& x) {
  return x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2);
}

// Rationals over their common denominator.
struct WholeNumbers {
  std::vector<mpz_class> numbers;
  mpz_class denominator = 1;
};
[[nodiscard]] WholeNumbers without_denominators(const std::vector<mpq_class>& from);

// Weights for every feature and the constant, up to a common positive factor.
struct WholePlane {
  std::vector<mpz_class> w;
  mpz_class b;
  std::vector<std::int64_t> small;  // w again, when sums of products with the entries stay below 2^125
};

class ExactRows {
 public:
  // Entries that are not zero: `small` or, when one of the set has more than 60 bits, `large`.
  struct Row {
    std::size_t size = 0;
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    std::vector<std::int64_t> small;
    std::vector<mpz_class> large;
  };
  // What one thread needs to read rows.
  struct Reader {
    explicit Reader(const ExactRows& rows);
    StoredNumbers numbers;
    Row row;
  };

  // Rows with y = 0 do not take part.
  ExactRows(const Dataset& data, std::span<const std::int8_t> y, Values values, const Threads& threads);

  [[nodiscard]] const mpz_class& one() const { return one_; }  // what 1 becomes
  [[nodiscard]] bool narrow() const { return narrow_; }
  [[nodiscard]] const Row& read(std::size_t i, Reader& reader) const;

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

  [[nodiscard]] WholePlane plane(const std::vector<std::uint32_t>& columns,
                                 const std::vector<mpz_class>& weights, const mpz_class& offset) const;
  // w . x + b times one(): the short way needs plane.small.
  [[nodiscard]] Int128 short_score(const Row& row, const WholePlane& plane) const;
  [[nodiscard]] mpz_class score(const Row& row, const WholePlane& plane) const;
  [[nodiscard]] int sign(const Row& row, const WholePlane& plane) const;
  [[nodiscard]] mpz_class squares(const Row& row) const;  // |x|^2 times one()^2
  static void add_product(mpz_class& sum, const mpz_class& weight, const Row& row, std::size_t k,
                          bool narrow);

 private:
  void find_scale();

  const Dataset& data_;
  std::span<const std::int8_t> y_;
  Values values_;
  const Threads& threads_;
  std::unique_ptr<RowAccess> rows_;
  std::size_t slices_;
  int scale_ = 0;
  mpz_class one_;
  std::size_t value_bits_ = 0;
  bool narrow_ = false;
  std::vector<mpz_class> powers_;
  std::vector<std::int64_t> small_powers_;
};

}  // namespace halfspace::detail
