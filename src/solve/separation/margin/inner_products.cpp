// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/margin/inner_products.hpp"

#include <algorithm>

#include "core/simd/dense.hpp"

namespace halfspace::separation {

void InnerProducts::take(std::span<const std::uint32_t> rows) {
  const std::size_t first = taken_.size(), columns = rows_.cols();
  for (const std::uint32_t i : rows) {
    if (slot_[i] != none) continue;
    slot_[i] = static_cast<std::uint32_t>(taken_.size());
    taken_.push_back(i);
    products_.emplace_back(taken_.size());
  }
  const std::size_t fresh = taken_.size() - first;
  const bool dense = columns <= most_dense;
  if (dense) {
    dense_.resize(taken_.size() * columns);
    for (std::size_t s = first; s < taken_.size(); ++s)
      rows_.expand(taken_[s], 1.0, dense_.data() + s * columns);
  }
  for_blocks(threads_, fresh, 32, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = first + end;  // every row with those before it, and itself
    if (!dense) {
      std::vector<double> row(columns);
      for (std::size_t s = first + begin; s < count; ++s) {
        rows_.expand(taken_[s], 1.0, row.data());
        rows_.dots(std::span(taken_).first(s + 1), row.data(), products_[s].data());
      }
      return;
    }
    std::vector<double> block((end - begin) * count, 0.0);
    subtract_products(dense_.data() + (first + begin) * columns, end - begin, columns, dense_.data(), count,
                      columns, columns, block.data(), count);
    for (std::size_t s = first + begin; s < count; ++s)
      for (std::size_t k = 0; k <= s; ++k) products_[s][k] = -block[(s - first - begin) * count + k];
  });
}

}  // namespace halfspace::separation
