// SPDX-License-Identifier: BSD-3-Clause
// min 1/2 |theta|^2  s.t.  m_i = y_i (theta . x_i + theta0) >= 1: the plane with the widest margin 1 /
// |theta|, its dual the two closest points of the hulls. Offset lifted: 1/2 theta0^2 is added, and the hull
// is that of all y_i (x_i, 1).
//
// Augmented Lagrangian: alpha <- max(0, alpha + sigma (1 - m)), each step minimised by Newton's method on a
// function that is quadratic in pieces, with an exact line search; sigma grows. The Newton systems have the
// size of the features or of the rows that are active, whichever is smaller. Only rows near the plane take
// part at first; the others are looked at after every round and join when they are violated. The bounds count
// all rows. Once nearly all of the rows with weight are known, an active set method ends it, exactly but for
// rounding. Reference: Niu, Wang, Zhang, Xiu, Sparse semismooth Newton methods for support vector machines
// (2019).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/convex/clock.hpp"

namespace halfspace::separation {

struct WidestMargin {
  std::vector<double> theta;
  double theta0 = 0;
  std::vector<double> alpha;                                          // of every row
  double lower = 0, upper = std::numeric_limits<double>::infinity();  // of the margin, by floating point
  std::uint64_t steps = 0;
  Stop stop = Stop::Converged;  // Limit: the bounds are not as close as was asked for
};

// For data that are separable. `y`: +1, -1, or 0 for rows that do not take part. `hint`: weights of a plane
// near which the rows that matter are likely to be, or nothing.
[[nodiscard]] WidestMargin widest_margin(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset,
                                         double gap, std::span<const double> hint, const Threads& threads,
                                         const Clock& clock);

}  // namespace halfspace::separation
