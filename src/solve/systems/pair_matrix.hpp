// SPDX-License-Identifier: BSD-3-Clause
// H of softmax for all planes at once, formed and factored.
//
// A row of cost v and probabilities p has the curvature v (diag p - p p') = sum over pairs of classes c < e of
// v p_c p_e (u_c - u_e)(u_c - u_e)', so H = I + sum over pairs of (u_c - u_e)(u_c - u_e)' x M_ce with
// M_ce = sum over the rows of v p_c p_e (x, 1)(x, 1)'. Every pair keeps the rows that weigh most for it, and draws from
// the others in proportion to their weight: whatever rows it takes, H stays positive definite.
// Cost       classes^2 / 2 times rows * features^2 / 2, and (classes * features)^3 / 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/simd/dense.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace {

class PairMatrix {
 public:
  PairMatrix(const RowAccess& rows, Offset offset, std::size_t planes, const Team& team);

  // More unknowns than this take too much memory.
  static constexpr std::size_t most_unknowns = 4000;
  // What forming and factoring cost, in multiplications.
  [[nodiscard]] double cost(std::size_t rows) const;

  // Row ids[k] has the cost v[k] and the probabilities p[k * stride ...].
  void form(std::span<const std::uint32_t> ids, std::span<const double> v, const double* p,
            std::size_t stride);
  // H x = right-hand side for weights that lie feature after feature, the offsets last.
  void solve(const std::vector<double>& right, std::vector<double>& x, std::size_t stride) const;
  template <class Archive>
  void state(Archive& a) {
    cholesky_.state(a, planes_ * size_);
  }

 private:
  [[nodiscard]] double rows_of_pair() const;
  void add_pair(std::size_t c, std::size_t e);
  void choose(std::span<const std::uint32_t> ids);
  void factor();

  Offset offset_;
  Team team_;
  std::size_t planes_, d_, size_;  // size_: unknowns of a plane
  NormalMatrix pair_;
  std::vector<double> weight_, kept_weight_;
  std::vector<std::uint32_t> kept_;
  std::vector<double> lower_;
  Cholesky cholesky_;
};

}  // namespace halfspace
