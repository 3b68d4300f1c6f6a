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

// The factor t > 0 that minimises t^2 square / 2 + sum cost loss(y t z), to a few digits.
[[nodiscard]] double best_length(const Problem& problem, const std::vector<double>& z, double square,
                                 const Threads& threads);

}  // namespace halfspace
