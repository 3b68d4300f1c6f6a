// SPDX-License-Identifier: BSD-3-Clause
// Rows that stand for all others in the first steps of a solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

// The rows with a cost.
[[nodiscard]] std::vector<std::uint32_t> present_rows(const Problem& problem);

// Some rows, in order, and what their costs are multiplied by so that they stand for all rows of their class.
struct RowSample {
  std::vector<std::uint32_t> rows;
  std::vector<double> factor;
};

// About `wanted` of the rows in their order, one from each of as many equal stretches, at a place drawn for it:
// files sorted by class are represented fairly, and files that repeat with a period are too. All of them when
// `wanted` says so. A class of which this would show only a handful is drawn by itself, and whole when it has no
// more than that: without a row of one class a free offset is held by nothing. `label(row)` is below `labels`.
// The rows are those of all members of the team, `wanted` counts all, and every member gets those that it holds.
[[nodiscard]] RowSample spread_sample(const Team& team, std::span<const std::uint32_t> rows,
                                      std::size_t wanted, std::size_t labels,
                                      const std::function<std::uint32_t(std::uint32_t)>& label);
// The same for the two classes of a problem, of its rows with a cost.
[[nodiscard]] RowSample spread_sample(const Team& team, const Problem& problem, std::size_t wanted);

}  // namespace halfspace
