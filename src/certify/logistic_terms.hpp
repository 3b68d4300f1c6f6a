// SPDX-License-Identifier: BSD-3-Clause
// The logistic loss and its slope for many margins at once, for the certificate: nothing here is shared with the solvers.
#pragma once

#include <cstddef>

namespace halfspace {

// loss[k] = log(1 + exp(-m[k])) and share[k] = 1 / (1 + exp(m[k])), each off by less than 12 units of itself: Highway states at
// most one unit for its exponential and two for log(1 + x), and the few sums and quotients add a unit or two each. A margin that is
// no number has an infinite loss.
void logistic_terms(const double* m, std::size_t n, double* loss, double* share) noexcept;

}  // namespace halfspace
