// SPDX-License-Identifier: BSD-3-Clause
// What is odd about a data set before training.
#pragma once

#include <cstdint>
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
// The finding that most likely makes a model useless, or a test of it; null: none does.
[[nodiscard]] const Finding* gravest(const Examination& found);

// Rows of `test` whose values are those of a training row. Features that only one of the two has count as 0.
struct Overlap {
  std::uint64_t rows = 0;
  std::uint64_t same_label = 0;                  // and whose label is that of the first such row
  std::uint32_t training_row = 0, test_row = 0;  // the first pair
};
[[nodiscard]] Overlap overlap(const Dataset& training, const Dataset& test, const Threads& threads);

}  // namespace halfspace
