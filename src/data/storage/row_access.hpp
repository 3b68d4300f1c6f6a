// SPDX-License-Identifier: BSD-3-Clause
// Rows behind one interface, whatever their storage: solvers are written and compiled once. A call costs a
// few nanoseconds more than the kernel it reaches; loops over many rows have calls of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

// A plane w, offset and the labels of the rows: the margin of row i is y_i (x_i . w + offset), y_i = 1 for
// `positive`.
struct PlaneScan {
  const double* w = nullptr;
  double offset = 0;
  const std::uint32_t* labels = nullptr;
  std::uint32_t positive = 1;
  double above = 0;
};

class RowAccess {
 public:
  static std::unique_ptr<RowAccess> of(const Matrix& matrix);
  // The same with products and norms whose bits depend on the entries of the row alone, not on whether the
  // set is stored sparse or dense: a row that is more than two thirds full up to its last entry is summed as
  // a dense row of that length, any other one entry by entry. So rows that come by a stream give the bits of
  // rows in memory.
  static std::unique_ptr<RowAccess> by_row(const Matrix& matrix);
  virtual ~RowAccess() = default;
  RowAccess() = default;
  RowAccess(const RowAccess&) = delete;
  RowAccess& operator=(const RowAccess&) = delete;

  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual std::size_t cols() const = 0;
  [[nodiscard]] virtual bool sparse() const = 0;
  [[nodiscard]] virtual std::size_t entries(std::size_t i) const = 0;  // stored entries of a row

  [[nodiscard]] virtual double dot(std::size_t i, const double* w) const = 0;
  virtual void axpy(double a, std::size_t i, double* w) const = 0;  // w += a x_i
  [[nodiscard]] virtual double norm2(std::size_t i) const = 0;
  virtual void prefetch(std::size_t i) const = 0;  // the row will be used soon
  // How many of the first rows of `order` have a margin above scan.above; `score` gets x . w + offset of the
  // row after.
  virtual std::size_t scan(std::span<const std::uint32_t> order, const PlaneScan& scan,
                           double& score) const = 0;

  // For weights stored feature after feature, w[feature * planes + k]: all products of the row at once (the
  // bits of dot_rows_planes), and a x_i added to one plane, w being its first weight.
  virtual void dot_planes(std::size_t i, const double* w, std::size_t planes, double* out) const = 0;
  virtual void axpy_plane(double a, std::size_t i, double* w, std::size_t planes) const = 0;

  // out[k] = x_{rows[k]} . w and w += sum a[k] x_{rows[k]} (zeros in a are skipped).
  virtual void dots(std::span<const std::uint32_t> rows, const double* w, double* out) const = 0;
  virtual void axpys(std::span<const std::uint32_t> rows, const double* a, double* w) const = 0;
  // The same for the rows [begin, end).
  virtual void dots(std::size_t begin, std::size_t end, const double* w, double* out) const = 0;
  virtual void axpys(std::size_t begin, std::size_t end, const double* a, double* w) const = 0;

  // The entries of a row that are not zero; both arrays have room for cols(). Returns how many there are.
  virtual std::size_t copy_entries(std::size_t i, std::uint32_t* index, double* value) const = 0;
  // a x_i written out in full, cols() numbers.
  virtual void expand(std::size_t i, double a, double* out) const = 0;
  virtual void expand(std::size_t i, float a, float* out) const = 0;
  // w[j] += a x_ij^2 for every entry: diagonals and column scales.
  virtual void add_squares(double a, std::size_t i, double* w) const = 0;
  // w[2 j] += a x_ij where that is positive, w[2 j + 1] -= a x_ij where it is negative.
  virtual void add_sides(double a, std::size_t i, double* w) const = 0;

  // Copies of some rows with some of their columns, in the same storage. place[j]: the new number of column j, in the same
  // order, or no_column.
  [[nodiscard]] virtual std::unique_ptr<RowAccess> select(std::span<const std::uint32_t> rows,
                                                          std::span<const std::uint32_t> place,
                                                          std::size_t columns,
                                                          const Threads& threads) const = 0;
  static constexpr std::uint32_t no_column = UINT32_MAX;
};

// out = X w of all rows here; and out += X' a over all rows of the team, of which `all` are here, through slices of rows
// whose number depends on the shape alone (core/row_sums.hpp). The same bits for any number of threads.
void row_products(const RowAccess& rows, const double* w, double* out, const Threads& threads);
void add_row_sum(const RowAccess& rows, const double* a, double* out, const Team& team, const Stretch& all);
inline void add_row_sum(const RowAccess& rows, const double* a, double* out, const Team& team) {
  add_row_sum(rows, a, out, team, team.stretch(rows.rows()));
}

}  // namespace halfspace
