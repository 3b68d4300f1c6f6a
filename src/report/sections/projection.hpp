// SPDX-License-Identifier: BSD-3-Clause
// Rows seen from two directions, for pictures of data with more than two columns.
#pragma once

#include <span>
#include <vector>

#include "report/sections/sections.hpp"

namespace halfspace::report {

// The direction of length 1 in which the rows spread most about `center`, among those at right angles to `others` (each of
// length 1); zeros when they do not spread. By power iteration from a fixed start.
[[nodiscard]] std::vector<double> widest_direction(std::span<const Entries> rows,
                                                   const std::vector<double>& center,
                                                   std::span<const std::vector<double>> others);
[[nodiscard]] double product(const Entries& row, const std::vector<double>& direction);
[[nodiscard]] double product(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace halfspace::report
