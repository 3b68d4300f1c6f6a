// SPDX-License-Identifier: BSD-3-Clause
// H = I + sum h_i (x_i, 1)(x_i, 1)' of a smooth loss, formed and factored for Newton steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/simd/dense.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace {

class CurvatureMatrix {
 public:
  // precise: products in double, for a matrix that is corrected many times and used by itself; otherwise in
  // float, for a preconditioner.
  CurvatureMatrix(const RowAccess& rows, Offset offset, bool precise, const Team& team);

  // The factor of another one, for a solver with a team of its own.
  CurvatureMatrix(const CurvatureMatrix& from, const Team& team);

  // The rows of curvature h > 0 that came since the last call are added, those that went are taken off:
  // their curvature is `curvature` times their cost. ids, h and cost run over the same rows in every call.
  void correct(std::span<const std::uint32_t> ids, std::span<const double> h, std::span<const double> cost,
               double curvature);
  // A factor of H from `rows` of curvature h, from all of them or from a sample: rows of large curvature for
  // certain, the others with a chance in proportion to it and a weight that makes up for that. H of nearby
  // planes, and of a part of the rows with costs scaled up, is much the same: the factor at hand stays until
  // the iterations it took too many (`took`) are worth a new one.
  void prepare(std::span<const std::uint32_t> rows, std::span<const double> h, double rows_per_feature = 5);
  void took(int iterations) { waste_ += std::max(0, iterations - fresh_iterations); }
  void outlived() { waste_ = cost_; }  // the next call makes a new one

  // H of these rows and no others; factor() then makes its factor.
  void form(std::span<const std::uint32_t> rows, std::span<const double> h) {
    matrix_.clear();
    matrix_.add(rows, h);
  }
  void factor();
  void solve(std::vector<double>& x) const;  // H x = right-hand side; an absent offset is left alone

  // For a checkpoint. A matrix that is not corrected is used by its factor alone.
  template <class Archive>
  void state(Archive& a) {
    if (precise_) a.part(matrix_);
    cholesky_.state(a, matrix_.size());
    a(inside_, cost_, waste_);
  }

 private:
  static constexpr int fresh_iterations = 3;  // what a new factor needs as well
  void raise_diagonal(std::span<const std::uint32_t> rows, const Stretch& list, std::span<const double> h);
  [[nodiscard]] double weight_of_one(const Stretch& list, std::span<const double> h, double wanted) const;
  double sample_size(std::span<const std::uint32_t> rows, const Stretch& list, double rows_per_feature);

  const RowAccess& rows_;
  Offset offset_;
  Team team_;
  std::size_t d_;
  bool precise_;
  NormalMatrix matrix_;
  Cholesky cholesky_;
  std::vector<double> lower_;
  std::vector<char> inside_;
  double cost_ = 0, waste_ = 0;  // of making the factor, and of its age, in products with H
};

}  // namespace halfspace
