// SPDX-License-Identifier: BSD-3-Clause
// Labels, weights and names that come with arrays.
#pragma once

#include <memory>

#include "halfspace/data/arrays.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// Sets labels, classes and weights of `parts`, which has its name, for so many rows.
void set_array_labels(DatasetParts& parts, std::size_t rows, const ArrayOptions& options);
// The table of so many columns that the names make; null: there are none.
[[nodiscard]] std::shared_ptr<const Encoding> array_encoding(std::size_t cols, const ArrayOptions& options);

}  // namespace halfspace
