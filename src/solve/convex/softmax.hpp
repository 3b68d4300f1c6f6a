// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression with several classes at once.
#pragma once

#include <cstdint>

#include "halfspace/objective/softmax_problem.hpp"
#include "solve/convex/solver.hpp"

namespace halfspace {

struct SoftmaxSolution {
  LinearModel model;
  std::uint64_t iterations = 0;
  Stop stop = Stop::Converged;

  template <class Archive>
  void state(Archive& a) {
    a(model.features, model.planes, model.weights, model.offsets, iterations, stop);
  }
};

// `start`: planes to start from, or null.
[[nodiscard]] SoftmaxSolution solve_softmax(const SoftmaxProblem& problem, const RowAccess& rows,
                                            const Goal& goal, const SoftmaxSolution* start = nullptr);
// The same for penalties that make weights 0 (solve/sparse/).
[[nodiscard]] SoftmaxSolution solve_sparse_softmax(const SoftmaxProblem& problem, const RowAccess& rows,
                                                   const Goal& goal, const SoftmaxSolution* start = nullptr);

}  // namespace halfspace
