// SPDX-License-Identifier: BSD-3-Clause
// Rows for the products of one Newton step. Near the optimum most rows of a logistic problem have next to no curvature:
// those below a floor that have a few hundredths of it between them are drawn with a chance in proportion to theirs and
// stand for the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/core/team.hpp"

namespace halfspace {

struct CurvedRows {
  std::vector<std::uint32_t> place;  // in the list
  std::vector<double> weight;        // instead of their curvature
};

// h: curvature of every row of the list, whose part of this member it is. thin: the largest floor; 0 for all rows of
// curvature above 0 with what they have. A draw is a new one for every step.
[[nodiscard]] CurvedRows curved_rows(const Team& team, std::span<const double> h, double thin,
                                     std::uint64_t step);

}  // namespace halfspace
