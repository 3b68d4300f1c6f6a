// SPDX-License-Identifier: BSD-3-Clause
// The best model that does not look at the rows: the zero plane with its best offset. Whatever a solver returns
// is at least as good.
#pragma once

#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/objective/softmax_problem.hpp"

namespace halfspace {

struct ConstantPlane {
  double theta0 = 0;
  double objective = 0;
};
// positive, negative: the costs of the two classes.
[[nodiscard]] ConstantPlane best_constant(const Loss& loss, Offset offset, double positive, double negative);
// Of the rows of all members.
[[nodiscard]] ConstantPlane best_constant(const Problem& problem, const Team& team = Threads(1));

struct ConstantPlanes {
  std::vector<double> offsets;  // one for every class; -745 (a probability of 0) for a class without cost
  double objective = 0;
};
[[nodiscard]] ConstantPlanes best_constants(const SoftmaxProblem& problem, const Team& team = Threads(1));

}  // namespace halfspace
