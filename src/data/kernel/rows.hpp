// SPDX-License-Identifier: BSD-3-Clause
// Rows laid out for blocks of kernel values, in float (solvers) or double (certificates, scores). Rows stand
// on the left of a block one by one and on the right in panels of a fixed width.
//   Dense        panels of all columns
//   Differences  the same, for squared distances without the detour over products and lengths, which loses what is small
//                against the lengths (rbf only)
//   Sparse       entries on the left; panels are filled from entries, all columns (few of them) or those that occur
//   Ones         rows of ones: entries on the left, panels of bytes
//   Multiples    values are small multiples of one unit (kernel_multiples.hpp), in place of Sparse with few columns
//   Given        the features are the kernel values themselves
// Memory: rows x columns numbers for Dense, Given and Sparse with few columns, half of that for Multiples, bytes for Ones;
// the entries otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernel/tiles.hpp"
#include "core/simd/aligned.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class RowForm { Dense, Differences, Sparse, Multiples, Ones, Given };

struct RowShape {
  std::size_t rows = 0, features = 0;
  std::uint64_t entries = 0;
  std::size_t longest = 0;  // entries of a row, if all values are ones
  bool ones = false;
};
[[nodiscard]] bool stores_ones(const Matrix& matrix);
[[nodiscard]] std::size_t longest_row(const RowAccess& rows);
// Whether rows like these are quicker as multiples, if they are such.
[[nodiscard]] bool worth_multiples(RowForm form, std::size_t features);
// The quickest form for products of rows like these; Multiples have to be asked for.
[[nodiscard]] RowForm form_for(const RowShape& shape);
[[nodiscard]] RowForm form_for(const Dataset& data, const KernelFunction& kernel);
// The same for kept rows on the left and others on the right; follows from the left ones alone unless all are rows of ones.
[[nodiscard]] bool all_ones(std::span<const double> values);
[[nodiscard]] RowForm form_of_both(const RowAccess& left, const RowAccess& right, bool ones);
// The form for values in double, of rows with squared lengths up to length2.
[[nodiscard]] RowForm exact_form(RowForm form, const KernelFunction& kernel, double length2,
                                 std::size_t features);

template <class T>
class KernelRows {
 public:
  // The chosen rows. Columns from `features` on stay out of the products but count in the lengths. Given:
  // column columns[i] holds the value with row i. Without panels: only to take rows from. length2: the squared lengths of
  // all rows, where they are known. Multiples: of which unit.
  KernelRows(const RowAccess& rows, std::span<const std::uint32_t> chosen, std::size_t features, RowForm form,
             const Threads& threads, std::span<const std::uint32_t> columns = {}, bool panels = true,
             std::span<const double> length2 = {}, double multiples_of = 0);

  // Some of the rows of another set.
  KernelRows(const KernelRows& from, std::span<const std::uint32_t> which);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t padded() const { return panels() * width_; }
  [[nodiscard]] std::size_t panels() const { return (size_ + width_ - 1) / width_; }
  [[nodiscard]] RowForm form() const { return form_; }
  [[nodiscard]] const T* length2() const { return length2_.data(); }
  // Most entries of a row (Sparse, Ones: those below `features`; Ones: at least those).
  [[nodiscard]] std::size_t longest() const;
  // About how many instructions one value costs before the kernel is applied.
  [[nodiscard]] double cost() const;
  // About how many bytes a walk over all rows reads.
  [[nodiscard]] std::uint64_t bytes() const;
  // K(row, row).
  [[nodiscard]] double own_value(const KernelFunction& kernel, std::size_t row) const;

 private:
  template <class U>
  friend class LeftRows;
  template <class U>
  friend class TileWalk;
  template <class U>
  friend void kernel_row(const KernelFunction&, const KernelRows<U>&, std::uint32_t, U*);

  void pack_dense(const RowAccess& rows, std::span<const std::uint32_t> chosen, const Threads& threads);
  void pack_sparse(const RowAccess& rows, std::span<const std::uint32_t> chosen);
  void pack_ones(const RowAccess& rows, std::span<const std::uint32_t> chosen, bool panels,
                 const Threads& threads);
  void fill_ones(const Threads& threads);
  void pack_given(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                  std::span<const std::uint32_t> columns, const Threads& threads);
  void fill_panels(const Threads& threads);
  void pack_multiples(const RowAccess& rows, std::span<const std::uint32_t> chosen, const Threads& threads);
  void fill_pairs(const Threads& threads);

  std::size_t size_ = 0, features_ = 0, width_ = 0;
  RowForm form_;
  AlignedVector<T> length2_;             // padded
  AlignedVector<T> panel_;               // Dense, Given (row after row), Sparse with few columns
  std::vector<std::uint64_t> start_{0};  // Sparse, Ones, Multiples
  std::vector<std::uint32_t> index_;
  std::vector<T> value_;
  AlignedVector<std::uint8_t> ones_;  // Ones: pairs of panels
  std::vector<std::uint8_t> ones_length_;
  double unit_ = 0;  // Multiples
  std::vector<std::uint32_t> pair_value_;
  AlignedVector<std::uint32_t> pairs_;  // panels
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
  std::vector<detail::Entries<T>> entries_;  // Sparse, Ones
  std::vector<detail::PairEntries> pairs_;   // Multiples
};

// out[r * stride + i] = K(left r, right i); stride >= right.padded(), and what lies beyond right.size() is
// undefined.
template <class T>
void kernel_block(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right, T* out,
                  std::size_t stride, const Threads& threads);

// out[i] = K(row, i) for all rows i of the set, on this thread; room for padded() values.
template <class T>
void kernel_row(const KernelFunction& kernel, const KernelRows<T>& rows, std::uint32_t row, T* out);

// The weights that planes give to left rows, tile by tile.
template <class T>
class LeftWeights {
 public:
  // weights[p * rows + r]
  explicit LeftWeights(std::span<const double> weights, std::size_t planes = 1);
  // Plane p has the weights weight[at] of the left rows row[at], at from first[p] to first[p + 1].
  LeftWeights(std::size_t rows, std::span<const std::uint64_t> first, std::span<const std::uint32_t> row,
              std::span<const double> weight);

  struct Part {
    std::uint32_t plane;
    T weight[detail::tile_rows];
  };
  // Of the planes that have a part in a tile, in their order.
  [[nodiscard]] std::span<const Part> parts(std::size_t tile) const {
    return {parts_.data() + start_[tile], parts_.data() + start_[tile + 1]};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<Part> parts_;
};

// sums[p * right.padded() + i] += sum over r of weight of r in plane p times K(left r, right i).
template <class T>
void add_kernel_sums(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right,
                     const LeftWeights<T>& weights, double* sums, const Threads& threads);

// sums[i] += sum over r of weights[r] K(row r, row i), for the rows of one set: each value is computed once and serves both.
void add_own_sums(const KernelFunction& kernel, const KernelRows<double>& rows,
                  std::span<const double> weights, double* sums, const Threads& threads);

// What a bound on the error of such a sum needs to know of the left rows.
struct LeftScale {
  RowForm form = RowForm::Dense;
  std::size_t rows = 0;
  std::size_t entries = 0;  // most entries of a row: KernelRows::longest()
  double length = 0;        // a bound on their lengths
  double deviation = 0;     // Multiples: how far rows of either side are from theirs at most
};
// A bound on the error of a sum of add_kernel_sums in T (or of add_own_sums, in double), divided by the sum of the sizes of its weights, for a right row
// no longer than `length`. (Higham, Accuracy and Stability of Numerical Algorithms, chapter 3.)
template <class T>
[[nodiscard]] double sum_error(const KernelFunction& kernel, const LeftScale& left, double length);

}  // namespace halfspace
