// SPDX-License-Identifier: BSD-3-Clause
// The system H s = -g of one Newton step where rows are few and features many, solved exactly through the products
// of the rows with each other.
//
// H = I + X'DX, and a column of ones for the offset. With S = D^(1/2), K = XX' and B = I + SKS, whose eigenvalues are
// all at least 1, H^-1 = I - X'S B^-1 SX (Woodbury), so that columns that move together, or an offset beside columns
// with a large mean, do no harm. A free offset has no 1 in H: it is eliminated, and its pivot 1'S B^-1 S1 is a sum
// of squares.
// Cost       K once: rows^2 / 2 products of rows. A step: two passes over the data and rows^3 / 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/simd/dense.hpp"
#include "solve/convex/solver.hpp"
#include "solve/systems/gathered_rows.hpp"

namespace halfspace {

class GramSystem {
 public:
  // Above this many rows the factor costs too much.
  static constexpr std::size_t most_rows = 3000;

  // Every member of a team gets the rows of all, and solves the system by itself.
  GramSystem(const RowAccess& rows, Offset offset, std::span<const std::uint32_t> ids, const Goal& goal);

  // s (features and offset) from g and the curvature h >= 0 of every row here. False: s is of no use, because it is not
  // finite or the clock said stop.
  bool solve(std::span<const double> g, std::span<const double> h, std::vector<double>& s);

 private:
  bool form();
  bool factor(std::span<const double> root);

  bool solve_all(std::span<const double> g, std::span<const double> h, std::vector<double>& s);

  GatheredRows gathered_;
  const RowAccess& rows_;
  Offset offset_;
  std::span<const std::uint32_t> ids_;
  const Goal& goal_;
  std::size_t n_, d_;
  std::size_t formed_ = 0;    // rows of K that are there
  std::vector<double> gram_;  // n x n, lower triangle
  Cholesky cholesky_;
  std::vector<std::vector<double>> part_;
};

}  // namespace halfspace
