// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression with several classes at once: minimise  1/2 sum_k |theta_k|^2  +  sum over rows of
// cost_i (log sum_k exp f_k(x_i) - f_{y_i}(x_i)),  f_k(x) = theta_k . x + theta0_k.
// Offset: free, lifted (1/2 theta0_k^2 is added) or none. Its dual: maximise  sum cost_i entropy(q_i) -
// 1/2 sum_k |sum_i cost_i ([y_i = k] - q_ik) x_i|^2  over distributions q_i on the classes, with
// sum_i cost_i ([y_i = k] - q_ik) = 0 for every k when the offsets are free.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

struct SoftmaxProblem {
  const Dataset* data = nullptr;
  std::vector<double> cost;  // a row of cost 0 is absent
  Offset offset = Offset::Free;

  [[nodiscard]] std::size_t rows() const { return cost.size(); }
  [[nodiscard]] std::size_t classes() const { return data->classes().size(); }
};

[[nodiscard]] SoftmaxProblem make_softmax_problem(const Dataset& data, Offset offset, double C,
                                                  const std::vector<double>& class_weights = {});

}  // namespace halfspace
