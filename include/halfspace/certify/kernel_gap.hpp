// SPDX-License-Identifier: BSD-3-Clause
// How far a kernel machine is at most from the best one. theta = sum alpha_i y_i phi(x_i) is known by its
// coefficients only, so |theta|^2 and the products theta . phi(x) are sums of kernel values, computed here in
// double from the rows as they are stored, rounding counted against the claim on both sides. Holds for
// kernels whose matrix is positive semidefinite.
#pragma once

#include <span>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

class KernelGap {
 public:
  // The problem has hinge loss and a free offset. The point is taken as it is; values outside 0 <= alpha <=
  // cost are moved to the nearest end.
  KernelGap(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
            const Threads& threads);

  // theta . phi(x_i) of every row, 0 for absent rows.
  [[nodiscard]] std::span<const double> products() const { return products_; }
  [[nodiscard]] DualityGap at(double offset) const;

 private:
  const Problem* problem_;
  std::vector<double> alpha_;     // of every row
  std::vector<double> products_;  // of every row
  std::vector<double> error_;     // of the products
  double largest_value_ = 0;      // sqrt of the largest K(x, x)
};

}  // namespace halfspace
