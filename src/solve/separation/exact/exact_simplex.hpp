// SPDX-License-Identifier: BSD-3-Clause
// The ray simplex in rational numbers, for what floating point cannot settle: small or nearly touching sets.
#pragma once

#include <vector>

#include "solve/separation/core_rows.hpp"
#include "solve/separation/exact/exact_solve.hpp"

namespace halfspace::separation {

struct ExactOutcome {
  bool decided = false;
  std::vector<ExactCombination> witnesses;  // in order, each with its fresh rows positive
  std::vector<mpz_class> weights;  // of the plane, one per core column; empty: no row is left to separate
};

// `free`: rows that are proved already; `hint`: rows to begin with. Gives up after `pivots` pivots.
[[nodiscard]] ExactOutcome exact_simplex(const CoreRows& core, const std::vector<std::uint32_t>& free,
                                         const std::vector<std::uint32_t>& hint, std::uint64_t pivots);

}  // namespace halfspace::separation
