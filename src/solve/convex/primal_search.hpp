// SPDX-License-Identifier: BSD-3-Clause
// The best plane in two cheap directions, on cached scores: another offset, another length.
#pragma once

#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

// The move of the offset that minimises sum cost loss(y (z + move)); exact for the hinge (a weighted
// quantile).
[[nodiscard]] double best_offset_move(const Problem& problem, const std::vector<double>& z,
                                      const Threads& threads);

// A line of planes: the scores are z + t dz, and the penalty is linear t + square t^2 / 2 and a constant.
struct PlaneLine {
  const double* z = nullptr;
  const double* dz = nullptr;
  double linear = 0, square = 0;
};
// The t whose objective is at most `enough` above the smallest on the line.
[[nodiscard]] double best_on_line(const Problem& problem, const PlaneLine& line, double enough,
                                  const Threads& threads);

}  // namespace halfspace
