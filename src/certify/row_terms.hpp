// SPDX-License-Identifier: BSD-3-Clause
// Sums within rows for the certificate, some rows at a time, in the processor's vectors. Nothing here is shared with the
// solvers. In which order a row is added up depends on its length and on whether it is sparse alone, so that it has the
// same bits beside any other rows, with its values stored in any way, and on any processor; the bounds on rounding hold for
// any order.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/relief.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

inline constexpr std::size_t rows_together = 32;

// Of theta . x + theta0: the sum, the sum of the sizes of its terms, no less than their number; and |x|^2.
struct RowTerms {
  double f = 0, size = 0, norm = 0;
  std::size_t terms = 1;
};

// Of `count` rows of the view by their numbers.
template <class View>
void measure_rows(const View& view, const std::size_t* rows, std::size_t count, const double* theta,
                  double theta0, RowTerms* out) noexcept;
// s += factor x of every row, one row after the other, and |x|^2 of each.
template <class View>
void add_rows_to(const View& view, const std::size_t* rows, std::size_t count, const double* factor,
                 double* s, double* norm) noexcept;

// Some rows by their numbers, at most rows_together of them.
class SomeRows {
 public:
  void add(std::size_t row) { rows_[count_++] = row; }
  void clear() { count_ = 0; }
  [[nodiscard]] bool full() const { return count_ == rows_together; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t operator[](std::size_t k) const { return rows_[k]; }

  template <class View>
  void measure(const View& view, std::span<const double> theta, double theta0,
               std::array<RowTerms, rows_together>& out) const {
    count(view);
    measure_rows(view, rows_.data(), count_, theta.data(), theta0, out.data());
  }
  template <class View>
  void add_to(const View& view, const double* factor, double* s, double* norm) const {
    count(view);
    add_rows_to(view, rows_.data(), count_, factor, s, norm);
  }

 private:
  template <class View>
  void count(const View& view) const {
    for (std::size_t k = 0; k < count_; ++k) count_row(view, rows_[k]);
  }

  std::array<std::size_t, rows_together> rows_{};
  std::size_t count_ = 0;
};

}  // namespace halfspace
