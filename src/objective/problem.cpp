// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/objective/problem.hpp"

#include <fmt/format.h>

namespace halfspace {

Problem make_problem(const Dataset& data, std::uint32_t positive, Loss loss, Offset offset, double C,
                     const std::vector<double>& class_weights, Penalty penalty) {
  Problem problem{.data = &data, .loss = loss, .penalty = penalty, .offset = offset};
  problem.y.resize(data.rows());
  problem.cost.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::uint32_t label = data.labels()[i];
    problem.y[i] = label == positive ? 1 : -1;
    problem.cost[i] = C * data.weight(i) * (class_weights.empty() ? 1.0 : class_weights[label]);
  }
  return problem;
}

std::string formula(const Loss& loss, const Penalty& penalty, Offset offset, double C) {
  return std::visit(
      [&](const auto& p) {
        if (p.formula("theta").empty())
          return fmt::format("minimise sum {}(m), without a penalty", name_of(loss));
        const std::string lifted = offset == Offset::Lifted ? " + " + p.term("theta0") : "";
        return fmt::format("minimise {}{} + {} sum {}(m)", p.formula("theta"), lifted, C, name_of(loss));
      },
      penalty);
}

}  // namespace halfspace
