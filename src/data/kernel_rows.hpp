// SPDX-License-Identifier: BSD-3-Clause
// Rows laid out for blocks of kernel values, in float (solvers) or double (certificates, scores). Rows stand
// on the left of a block one by one and on the right in panels of a fixed width.
//   Dense   panels of all columns
//   Sparse  entries on the left; panels are filled from entries, all columns (few of them) or those that
//   occur Bits    rows of ones as words of bits, counted by population count Given   the features are the
//   kernel values themselves
// Memory: rows x columns numbers for Dense, Given and Sparse with few columns; the entries otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/aligned.hpp"
#include "core/kernel_tiles.hpp"
#include "data/row_access.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class RowForm { Dense, Sparse, Bits, Given };

// The quickest form for products of rows like these; `ones`: all values are 1.
[[nodiscard]] RowForm form_for(std::size_t rows, std::size_t features, std::uint64_t entries, bool ones);
[[nodiscard]] RowForm form_for(const Dataset& data, const KernelFunction& kernel);

template <class T>
class KernelRows {
 public:
  // The chosen rows. Columns from `features` on stay out of the products but count in the lengths. Given:
  // column columns[i] holds the value with row i. Without panels: only to take rows from.
  KernelRows(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::size_t features, RowForm form,
             const Threads& threads, std::span<const std::uint32_t> columns = {}, bool panels = true);

  // Some of the rows of another set.
  KernelRows(const KernelRows& from, std::span<const std::uint32_t> which);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t padded() const { return panels() * width_; }
  [[nodiscard]] std::size_t panels() const { return (size_ + width_ - 1) / width_; }
  [[nodiscard]] RowForm form() const { return form_; }
  [[nodiscard]] const T* length2() const { return length2_.data(); }
  // About how many instructions one value costs before the kernel is applied.
  [[nodiscard]] double cost() const;
  // K(row, row).
  [[nodiscard]] double own_value(const KernelFunction& kernel, std::size_t row) const;

 private:
  template <class U>
  friend class LeftRows;
  template <class U>
  friend class TileWalk;

  void pack_dense(const RowAccess& rows, std::span<const std::uint32_t> chosen, const Threads& threads);
  void pack_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen);
  void pack_bits(const RowAccess& rows, std::span<const std::uint32_t> chosen);
  void pack_given(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                  std::span<const std::uint32_t> columns, const Threads& threads);
  void fill_panels(const Threads& threads);

  std::size_t size_ = 0, features_ = 0, width_ = 0, words_ = 0;
  RowForm form_;
  AlignedVector<T> length2_;             // padded
  AlignedVector<T> panel_;               // Dense, Given (row after row), Sparse with few columns
  std::vector<std::uint64_t> start_{0};  // Sparse
  std::vector<std::uint32_t> index_;
  std::vector<T> value_;
  std::vector<std::uint32_t> bits_;  // row after row
  AlignedVector<std::uint32_t> bit_panel_;
};

// Rows of a set, ready to stand on the left. Points into the set.
template <class T>
class LeftRows {
 public:
  LeftRows(const KernelRows<T>& rows, std::span<const std::uint32_t> which);
  [[nodiscard]] std::size_t size() const { return which_.size(); }

 private:
  template <class U>
  friend class TileWalk;
  const KernelRows<T>* rows_;
  std::vector<std::uint32_t> which_;
  std::vector<T> length2_;
  AlignedVector<T> packed_;                  // Dense: [group][column][6]
  std::vector<detail::Entries<T>> entries_;  // Sparse
  std::vector<std::uint32_t> bits_;          // Bits
};

// out[r * stride + i] = K(left r, right i); stride >= right.padded(), and what lies beyond right.size() is
// undefined.
template <class T>
void kernel_block(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right, T* out,
                  std::size_t stride, const Threads& threads);

// sums[p * right.padded() + i] += sum over r of weights[p * left.size() + r] K(left r, right i), for every
// plane p.
template <class T>
void add_kernel_sums(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right,
                     std::span<const double> weights, std::size_t planes, double* sums,
                     const Threads& threads);

}  // namespace halfspace
