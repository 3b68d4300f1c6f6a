// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra for the normal equations of a few hundred to a few thousand unknowns, on Highway, so
// that no BLAS has to be loaded. Matrices are stored row after row; symmetric ones by their lower triangle.
#pragma once

#include <cstddef>
#include <vector>

#include "halfspace/core/parallel.hpp"

namespace halfspace {

// Columns of a panel and the largest depth of one: a panel holds `panel_columns` columns of up to
// `panel_depth` rows, row after row, and fits the nearest cache.
inline constexpr std::size_t panel_columns = 48;
template <class T>
inline constexpr std::size_t panel_depth = 512 / sizeof(T);
// C[i][j] += sign * sum over rows k < depth of A[k][i] B[k][j] for two panels; only the first `rows` x
// `columns` of the square are added. Products and sums over k in the type of the panels, added to C as
// doubles.
void add_panels(const float* a, const float* b, std::size_t depth, double sign, std::size_t rows,
                std::size_t columns, double* c, std::size_t stride_c) noexcept;
void add_panels(const double* a, const double* b, std::size_t depth, double sign, std::size_t rows,
                std::size_t columns, double* c, std::size_t stride_c) noexcept;

// C[i][j] -= sum over k of A[i][k] B[j][k], all in double.
void subtract_products(const double* a, std::size_t rows_a, std::size_t stride_a, const double* b,
                       std::size_t rows_b, std::size_t stride_b, std::size_t depth, double* c,
                       std::size_t stride_c);

// A symmetric positive definite system, solved by Cholesky after scaling its diagonal to 1 (columns of very
// different size then do no harm).
class Cholesky {
 public:
  // Takes the lower triangle of an n x n matrix (the array is used up). False: not positive definite to
  // working precision; then `ridge` times the diagonal was not enough.
  [[nodiscard]] bool factor(std::vector<double> matrix, std::size_t n, double ridge, const Threads& threads);
  void solve(double* x) const;  // x becomes the solution for the right-hand side x
  [[nodiscard]] std::size_t size() const { return n_; }
  // Hands the array back for reuse.
  [[nodiscard]] std::vector<double> release() { return std::move(l_); }
  // The factor, of none or of `n` unknowns, for a checkpoint (solve/convex/solver_state.hpp).
  template <class Archive>
  void state(Archive& a, std::size_t n) {
    bool there = n_ > 0 && l_.size() == n_ * n_;
    a(there);
    if (!there) *this = Cholesky();
    if (there) n_ = n;
    a.array(l_, n_ * n_);
    a.array(scale_, n_);
  }

 private:
  std::vector<double> l_;
  std::vector<double> scale_, packed_;
  std::size_t n_ = 0;
};

}  // namespace halfspace
