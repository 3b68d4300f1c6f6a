// SPDX-License-Identifier: BSD-3-Clause
// An order of rows that follows from what stands in them.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// The rows of positive weight, sorted by a number of 64 bits that is made of their entries, then by class and weight. The same
// for any storage of the same values. Rows that are equal in all of this stand as they lie, so that whoever goes by this order
// does the same to the same values wherever the rows lie.
[[nodiscard]] std::vector<std::uint32_t> content_order(const Dataset& data, const Threads& threads);

struct RankedRow {
  std::uint32_t row = 0, rank = 0;
};
// The same order, with ranks from 0 on: one rank for rows that are equal in all of this, so that it can be told which may stand
// for each other.
[[nodiscard]] std::vector<RankedRow> content_ranks(const Dataset& data, const Threads& threads);

}  // namespace halfspace
