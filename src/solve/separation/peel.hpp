// SPDX-License-Identifier: BSD-3-Clause
// Peeling: a column whose entries a_ij have one sign over the rows that are left puts all rows it touches on
// their side, whatever the other columns need, and no such row can be part of a witness. These rows are set
// aside; columns that had waited for them follow. O(entries).
#pragma once

#include <cstdint>
#include <vector>

#include "solve/separation/exact/integer_rows.hpp"

namespace halfspace::separation {

struct Peeling {
  struct Step {
    std::uint32_t column = 0;
    int sign = 0;
    std::vector<std::uint32_t> rows;
  };
  std::vector<Step> steps;          // in order
  std::vector<std::uint32_t> core;  // rows that are left, ascending
};

[[nodiscard]] Peeling peel(const IntegerRows& rows, const Threads& threads);

// Gives the peeled columns weights under which every peeled row has a positive margin, for any weights of the
// others.
void unpeel(const IntegerRows& rows, const Peeling& peeling, std::vector<mpz_class>& weights);

}  // namespace halfspace::separation
