// SPDX-License-Identifier: BSD-3-Clause
// What peeling leaves: its distinct rows, its columns renumbered, and a copy in floating point with columns
// of largest entry 1 and rows of length 1, which is what the searches look at. Nothing they find is believed
// before it was checked on the whole numbers.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "data/storage/row_access.hpp"
#include "solve/separation/exact/integer_rows.hpp"

namespace halfspace::separation {

class CoreRows {
 public:
  CoreRows(const IntegerRows& all, std::span<const std::uint32_t> rows, const Threads& threads);
  CoreRows(const CoreRows&) = delete;
  CoreRows& operator=(const CoreRows&) = delete;

  [[nodiscard]] const IntegerRows& all() const { return all_; }
  [[nodiscard]] std::size_t rows() const { return row_.size(); }
  [[nodiscard]] std::size_t columns() const { return column_.size(); }
  // Pairs of distinct rows with a_i = -a_k: the same x in both classes.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& contradictions() const {
    return pairs_;
  }

  // The distinct row that a row of all() is equal to.
  [[nodiscard]] std::uint32_t twin(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t row(std::size_t i) const { return row_[i]; }                // in all()
  [[nodiscard]] std::uint32_t column(std::size_t j) const { return column_[j]; }          // in all()
  [[nodiscard]] std::span<const std::uint32_t> core_columns() const { return column_; }   // in all()
  [[nodiscard]] std::uint64_t begin(std::size_t i) const { return all_.start[row_[i]]; }  // entries in all()
  [[nodiscard]] std::uint64_t end(std::size_t i) const { return all_.start[row_[i] + 1]; }
  [[nodiscard]] std::uint32_t place(std::uint64_t entry) const { return place_[all_.index[entry]]; }

  [[nodiscard]] const RowAccess& approximate() const { return *access_; }
  void check() const { threads_.check(); }  // throws Stopped
  [[nodiscard]] const StopHandle& stop() const { return threads_.stop(); }
  // Which core column a column of the approximation is; all of them unless some were chosen.
  [[nodiscard]] std::uint32_t approximated(std::size_t k) const {
    return chosen_.empty() ? static_cast<std::uint32_t>(k) : chosen_[k];
  }
  // Leaves only these core columns (ascending) in the approximation.
  void approximate_columns(std::vector<std::uint32_t> columns);
  // Weights for the approximate columns times this are weights for the whole numbers, up to a common factor.
  [[nodiscard]] double column_scale(std::size_t j) const { return scale_[j]; }
  [[nodiscard]] int column_exponent(std::size_t j) const { return exponent_[j]; }

  // A row of the approximation is the row with its columns scaled, times this.
  [[nodiscard]] double row_scale(std::size_t i) const { return row_scale_[i]; }

  // y f of every row by whole numbers, one weight per core column: the signs.
  [[nodiscard]] std::vector<std::int8_t> signs(std::span<const mpz_class> weights) const;
  // True: no row is negative (strict: every row is positive). Stops at the first one that is.
  [[nodiscard]] bool on_their_side(std::span<const mpz_class> weights, bool strict) const;

 private:
  void find_distinct(std::span<const std::uint32_t> rows);
  void number_columns();
  void find_scales();
  void make_approximation();
  [[nodiscard]] bool same(std::uint32_t a, std::uint32_t b, int factor) const;
  class Signs;

  const IntegerRows& all_;
  const Threads& threads_;
  std::vector<std::uint32_t> row_, column_, place_, chosen_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> twins_;  // (row of all(), the row kept for it), sorted
  std::vector<double> scale_, row_scale_;
  std::vector<int> exponent_;
  std::vector<std::uint64_t> start_;
  Pages<std::uint32_t> index_;
  Pages<double> value_;
  std::unique_ptr<RowAccess> access_;
};

}  // namespace halfspace::separation
