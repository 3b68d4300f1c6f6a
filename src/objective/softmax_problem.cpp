// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/softmax_problem.hpp"

#include <fmt/format.h>

namespace halfspace {

SoftmaxProblem make_softmax_problem(const Dataset& data, Offset offset, double C,
                                    const std::vector<double>& class_weights, Penalty penalty) {
  SoftmaxProblem problem{.data = &data, .penalty = penalty, .offset = offset};
  problem.cost.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    problem.cost[i] = C * data.weight(i) * (class_weights.empty() ? 1.0 : class_weights[data.labels()[i]]);
  return problem;
}

std::string softmax_formula(const Penalty& penalty, Offset offset, double C) {
  return std::visit(
      [&](const auto& p) {
        const std::string lifted = offset == Offset::Lifted ? " + sum " + p.term("theta0_k") : "";
        return fmt::format("minimise sum {}{} + {} sum (log sum exp f_k - f_y)", p.formula("theta_k"), lifted,
                           C);
      },
      penalty);
}

}  // namespace halfspace
