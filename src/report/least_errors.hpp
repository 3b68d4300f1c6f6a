// SPDX-License-Identifier: BSD-3-Clause
// How few rows any plane can get wrong, where the exact search ends quickly: what a page may ask on the side.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/solve/run.hpp"

namespace halfspace::report {

struct LeastErrors {
  double upper = 0;  // weight of the rows that one plane gets wrong
  double lower = 0;  // no plane has less, proved
  bool exact = false;
  std::vector<std::uint32_t>
      rows;  // those wrong rows, from 0, ascending: without them a plane separates the classes
};

// Of data with two classes. The search ends after so many nodes, so that the answer does not depend on the machine; nothing
// when it would not end soon: too many numbers, or the time of the run.
[[nodiscard]] std::optional<LeastErrors> least_errors(const Dataset& data, Offset offset, std::int64_t nodes,
                                                      const Run& run);

}  // namespace halfspace::report
