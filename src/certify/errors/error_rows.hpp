// SPDX-License-Identifier: BSD-3-Clause
// The rows of a problem of fewest errors in whole numbers. A plane that meets rows can be moved a little without
// more errors, since those rows are errors already: only planes that meet no row matter. So of equal rows of both classes
// the lighter side is an error whatever the plane (`base`), and the heavier one counts with what it has more.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/certify/separation.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::detail {

// Weights of rows as whole multiples of one unit, read as the values are.
struct WholeWeights {
  std::vector<std::int64_t> of;  // every row; 0: it takes no part
  mpq_class unit = 1;
  [[nodiscard]] mpq_class value(std::int64_t units) const {
    return unit * mpz_class(static_cast<long>(units));
  }
};
// Throws InputError where their sum is more than 2^40 units.
[[nodiscard]] WholeWeights whole_weights(const Dataset& data, std::span<const std::int8_t> y, Values values);

struct ErrorRows {
  std::size_t columns = 0;           // the features, and the constant with an offset
  std::vector<std::uint32_t> first;  // of every group of equal rows that counts: its first row in the data
  std::vector<std::int64_t> weight;  // above 0
  std::int64_t base = 0;
  std::vector<mpz_class> a;  // y (x, 1), group after group; empty: there would be too many
  [[nodiscard]] std::size_t size() const { return first.size(); }
  [[nodiscard]] bool written_out() const { return !a.empty(); }
  [[nodiscard]] std::span<const mpz_class> row(std::size_t i) const {
    return std::span(a).subspan(i * columns, columns);
  }
};
inline constexpr std::size_t most_error_entries = 3'000'000;
[[nodiscard]] ErrorRows error_rows(const Dataset& data, std::span<const std::int8_t> y, bool offset,
                                   Values values, const WholeWeights& weights, const Threads& threads);

// Which rows that take part have an error on this plane, in exact arithmetic: y (theta . x + theta0) <= 0.
[[nodiscard]] std::vector<std::uint32_t> rows_in_error(const Dataset& data, std::span<const std::int8_t> y,
                                                       Values values, std::span<const double> theta,
                                                       double theta0, const Threads& threads);

}  // namespace halfspace::detail
