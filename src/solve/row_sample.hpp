// SPDX-License-Identifier: BSD-3-Clause
// Rows that stand for all others in the first steps of a solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/objective/problem.hpp"

namespace halfspace {

// The rows with a cost.
[[nodiscard]] std::vector<std::uint32_t> present_rows(const Problem& problem);

// `wanted` of the rows in their order, one from each of as many equal stretches, at a place drawn for it:
// files sorted by class are represented fairly, and files that repeat with a period are too. All of them when
// `wanted` says so.
[[nodiscard]] std::vector<std::uint32_t> spread_sample(std::span<const std::uint32_t> rows,
                                                       std::size_t wanted);

}  // namespace halfspace
