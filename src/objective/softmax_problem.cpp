// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/softmax_problem.hpp"

namespace halfspace {

SoftmaxProblem make_softmax_problem(const Dataset& data, Offset offset, double C,
                                    const std::vector<double>& class_weights) {
  SoftmaxProblem problem{.data = &data, .offset = offset};
  problem.cost.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    problem.cost[i] = C * data.weight(i) * (class_weights.empty() ? 1.0 : class_weights[data.labels()[i]]);
  return problem;
}

}  // namespace halfspace
