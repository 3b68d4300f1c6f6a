// SPDX-License-Identifier: BSD-3-Clause
// The system H s = -g of one Newton step, solved by preconditioned conjugate gradients.
//
// Rows    H = I + sum h_i (x_i, 1)(x_i, 1)' over the rows that have curvature (curved_rows).
// Factor  up to `factor_limit` features the Cholesky factor of a sample (CurvatureMatrix), beyond a
//         hundredth of the diagonal (all of it hurts rows of equal length).
// End     with a factor: when the residual has fallen to a seventh in the norm of its inverse, where a step
//         of large C counts in all directions alike. A residual that is small enough for the gap ends both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solve/convex/solver.hpp"
#include "solve/systems/curvature_matrix.hpp"

namespace halfspace {

class NewtonSystem {
 public:
  static constexpr std::size_t factor_limit = 2000;

  // sampled: the factor, for all levels of a solver; null beyond the limit. radius2: |x|^2 of the longest rows: a
  // free offset that is fitted after the step moves the gradient by its residual times such a row.
  NewtonSystem(const RowAccess& rows, Offset offset, const Goal& goal, CurvatureMatrix* sampled,
               double radius2 = 1);

  // H of the rows `ids` with curvature h; `thin`: small curvatures by a draw, a new one for every `step`.
  void take(std::span<const std::uint32_t> ids, std::span<const double> h, bool thin, std::uint64_t step);
  [[nodiscard]] std::size_t rows() const { return chosen_.size(); }

  // s (features and offset) from g; `enough`: a residual that needs no better. Returns how many products
  // with H it took.
  int solve(std::span<const double> g, double enough, std::uint64_t step, std::vector<double>& s);
  // What lasts from step to step; the factor is somebody else's.
  template <class Archive>
  void state(Archive& a) {
    a(last_norm_);
  }

 private:
  [[nodiscard]] double length(std::span<const double> residual) const;
  void multiply(const std::vector<double>& v, std::vector<double>& out);
  void prepare_preconditioner();
  void precondition(const std::vector<double>& residual, std::vector<double>& scaled) const;

  const RowAccess& rows_;
  Offset offset_;
  const Goal& goal_;
  CurvatureMatrix* sampled_;
  double offset_weight_;
  std::size_t d_;
  bool has_offset_;
  std::vector<std::uint32_t> chosen_;
  Stretch list_;  // the chosen rows
  std::vector<double> weight_;
  std::vector<double> product_of_row_, diagonal_, residual_, scaled_, product_, direction_;
  std::vector<std::vector<double>> part_;
  double last_norm_ = 0;
};

}  // namespace halfspace
