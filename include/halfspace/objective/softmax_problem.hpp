// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression with several classes at once: minimise  sum_k penalty(theta_k)  +  sum over rows of
// cost_i (log sum_k exp f_k(x_i) - f_{y_i}(x_i)),  f_k(x) = theta_k . x + theta0_k.
// A lifted offset is penalised like a weight. Its dual: maximise  sum cost_i entropy(q_i) -
// sum_k conjugate(sum_i cost_i ([y_i = k] - q_ik) x_i)  over distributions q_i on the classes, with
// sum_i cost_i ([y_i = k] - q_ik) = 0 for every k when the offsets are free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

struct SoftmaxProblem {
  const Dataset* data = nullptr;
  std::vector<double> cost;  // a row of cost 0 is absent
  Penalty penalty = L2{};
  Offset offset = Offset::Free;

  [[nodiscard]] std::size_t rows() const { return cost.size(); }
  [[nodiscard]] std::size_t classes() const { return data->classes().size(); }
};

[[nodiscard]] SoftmaxProblem make_softmax_problem(const Dataset& data, Offset offset, double C,
                                                  const std::vector<double>& class_weights = {},
                                                  Penalty penalty = L2{});
// What is minimised, in words.
[[nodiscard]] std::string softmax_formula(const Penalty& penalty, Offset offset, double C);

}  // namespace halfspace
