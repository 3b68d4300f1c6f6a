// SPDX-License-Identifier: BSD-3-Clause
// G = sum of cost (x, 1)(x, 1)' over the rows with 0 < alpha < cost, kept from step to step: the system of
// the semismooth Newton steps is (delta R + G) s = right-hand side, with R = 1 for features and rho for the
// offset.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/simd/dense.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace {

// Rows side by side: place in the level, number in the data, cost and alpha.
struct FreeRows {
  std::span<const std::uint32_t> place, row;
  std::span<const double> cost, alpha;
};

class FreeMatrix {
 public:
  FreeMatrix(const RowAccess& rows, bool with_offset, std::size_t places, const Team& team);

  // Brings G to the rows that are free now: adds those that became free, takes off those that no longer are.
  void correct(const FreeRows& rows);
  // x has features + 1 entries; without an offset the last one stays as it is.
  void solve(double delta, double rho, std::vector<double>& x);
  template <class Archive>
  void state(Archive& a) {
    a.part(normal_);
    a.array(free_, free_.size());
    a(corrections_);
  }

 private:
  void form_anew();

  NormalMatrix normal_;
  Team team_;
  std::size_t features_;
  Cholesky cholesky_;
  std::vector<char> free_;  // by place
  std::vector<double> weight_, lower_;
  std::vector<std::uint32_t> enter_, now_;  // rows that come or go; rows that are free
  std::vector<double> now_cost_;
  double free_cost_ = 0;
  int corrections_ = 0;
};

}  // namespace halfspace
