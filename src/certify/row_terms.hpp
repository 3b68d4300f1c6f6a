// SPDX-License-Identifier: BSD-3-Clause
// Sums within rows, some rows at a time: those of different rows do not wait for each other. Each is added up in the order
// of its columns, so that it has the bits it has alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include "core/relief.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

inline constexpr std::size_t rows_together = 8;

// Of theta . x + theta0: the sum, the sum of the sizes of its terms, their number; and |x|^2.
struct RowTerms {
  double f = 0, size = 0, norm = 0;
  std::size_t terms = 1;
};

template <class V, class I>
[[nodiscard]] double entry_value(const SparseRow<V, I>& row, std::size_t entry) {
  if constexpr (std::is_empty_v<V>)
    return 1.0;
  else
    return decode(row.value[entry], row.divisor);
}

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
    // Two rows side by side: the sums of one wait for each other.
    const auto add = [&](const auto& row, std::size_t begin, std::size_t end, RowTerms& terms) {
      for (std::size_t e = begin; e < end; ++e) {
        const double x = entry_value(row, e), term = theta[row.index[e]] * x;
        terms.f += term;
        terms.size += std::abs(term);
        terms.norm += x * x;
      }
    };
    for (std::size_t k = 0; k < count_; k += 2) {
      const auto row = counted_row(view, rows_[k]);
      RowTerms one{theta0, std::abs(theta0)}, other = one;
      one.terms += row.size;
      std::size_t both = 0;
      if (k + 1 < count_) {
        const auto next = counted_row(view, rows_[k + 1]);
        other.terms += next.size;
        both = std::min(row.size, next.size);
        for (std::size_t e = 0; e < both; ++e) {
          add(row, e, e + 1, one);
          add(next, e, e + 1, other);
        }
        add(next, both, next.size, other);
        out[k + 1] = other;
      }
      add(row, both, row.size, one);
      out[k] = one;
    }
  }
  template <class V>
  void measure(const DenseView<V>& view, std::span<const double> theta, double theta0,
               std::array<RowTerms, rows_together>& out) const {
    const auto rows = all(view);
    double f[rows_together], size[rows_together], norm[rows_together] = {};
    std::size_t terms[rows_together];
    for (std::size_t r = 0; r < rows_together; ++r) {
      f[r] = theta0;
      size[r] = std::abs(theta0);
      terms[r] = 1;
    }
    for (std::size_t j = 0; j < view.cols; ++j) {
      const double w = theta[j];
      for (std::size_t r = 0; r < rows_together; ++r) {
        const double x = decode(rows[r][j], view.divisor);
        const double term = w * x;
        f[r] += term;
        size[r] += std::abs(term);
        norm[r] += x * x;
        terms[r] += x != 0 ? 1 : 0;
      }
    }
    for (std::size_t r = 0; r < rows_together; ++r) out[r] = {f[r], size[r], norm[r], terms[r]};
  }

  // s += factor x of every row, one row after the other, and |x|^2 of each.
  template <class View>
  void add_to(const View& view, const double* factor, double* s, double* norm) const {
    for (std::size_t k = 0; k < count_; ++k) {
      double sum = 0;
      for_entries(counted_row(view, rows_[k]), [&](std::uint32_t j, double x) {
        s[j] += factor[k] * x;
        sum += x * x;
      });
      norm[k] = sum;
    }
  }
  template <class V>
  void add_to(const DenseView<V>& view, const double* factor, double* s, double* norm) const {
    const auto rows = all(view);
    double sum[rows_together] = {};
    for (std::size_t j = 0; j < view.cols; ++j) {
      double to = s[j];
      for (std::size_t r = 0; r < rows_together; ++r) {
        const double x = decode(rows[r][j], view.divisor);
        to += factor[r] * x;
        sum[r] += x * x;
      }
      s[j] = to;
    }
    for (std::size_t r = 0; r < rows_together; ++r) norm[r] = sum[r];
  }

 private:
  // Where there are fewer, the first one stands in for the others.
  template <class V>
  [[nodiscard]] std::array<const V*, rows_together> all(const DenseView<V>& view) const {
    std::array<const V*, rows_together> out{};
    for (std::size_t r = 0; r < rows_together; ++r)
      out[r] = counted_row(view, rows_[r < count_ ? r : 0]).value;
    return out;
  }

  std::array<std::size_t, rows_together> rows_{};
  std::size_t count_ = 0;
};

}  // namespace halfspace
