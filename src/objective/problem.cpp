// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/problem.hpp"

namespace halfspace {

Problem make_problem(const Dataset& data, std::uint32_t positive, Loss loss, Offset offset, double C,
                     const std::vector<double>& class_weights) {
  Problem problem{.data = &data, .loss = loss, .offset = offset};
  problem.y.resize(data.rows());
  problem.cost.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::uint32_t label = data.labels()[i];
    problem.y[i] = label == positive ? 1 : -1;
    problem.cost[i] = C * data.weight(i) * (class_weights.empty() ? 1.0 : class_weights[label]);
  }
  return problem;
}

}  // namespace halfspace
