// SPDX-License-Identifier: BSD-3-Clause
// What is odd about a data set before training.
#pragma once

#include <string>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

struct Finding {
  std::string
      kind;  // "contradiction", "duplicates", "constant-column", "scale", "imbalance", "rare-class", ...
  std::string text;    // what was found, with numbers and row or column names
  std::string advice;  // what one may do
};
struct Examination {
  std::vector<Finding> findings;
  std::vector<std::uint64_t> class_rows;  // rows per class
  std::uint64_t distinct_rows = 0;        // distinct x
  double min_value = 0, max_value = 0;
};
[[nodiscard]] Examination examine(const Dataset& data, const Threads& threads);

}  // namespace halfspace
