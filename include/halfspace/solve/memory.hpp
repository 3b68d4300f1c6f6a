// SPDX-License-Identifier: BSD-3-Clause
// What training keeps in memory when the rows themselves lie in files (ReadOptions::spill): numbers for every row, and for
// every feature. Estimates from above, from the shape of the data alone.
#pragma once

#include <cstdint>

#include "halfspace/data/dataset.hpp"
#include "halfspace/solve/penalised.hpp"

namespace halfspace {

struct MemoryShape {
  std::uint64_t rows = 0, features = 0, classes = 2;
  bool sparse = true, weighted = false;
  int threads = 1;
};
[[nodiscard]] MemoryShape memory_shape(const Dataset& data, int threads);

// UsageError for a penalty or a kernel that needs the rows in memory.
[[nodiscard]] std::uint64_t memory_of(const Svm& options, const MemoryShape& shape);
[[nodiscard]] std::uint64_t memory_of(const LogisticRegression& options, const MemoryShape& shape);
// Online learners.
[[nodiscard]] std::uint64_t memory_of_walk(const MemoryShape& shape);

}  // namespace halfspace
