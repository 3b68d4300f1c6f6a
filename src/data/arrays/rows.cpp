// SPDX-License-Identifier: BSD-3-Clause
#include "data/arrays/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "data/storage/row_store.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {

void refuse_value(const std::string& name, std::size_t row, std::size_t column, double value) {
  throw InputError({.file = name}, fmt::format("row {}, column {}: {}", row + 1, column + 1, value),
                   "a finite number");
}

void refuse_copy(const std::string& name, const std::string& why) {
  throw InputError({.file = name}, why, "arrays that can be used where they are",
                   "Hold::Borrow copies what it must");
}

StoredMatrix store_blocks(const BlockSizes& sizes, const std::function<RowBlock(std::size_t)>& make,
                          const Threads& threads) {
  RowStore store(sizes.rows, sizes.most_entries, sizes.cols);
  const std::size_t wave = 4 * static_cast<std::size_t>(threads.count());
  for (std::size_t first = 0; first < sizes.blocks; first += wave) {
    std::vector<PackedBlock> packed(std::min(wave, sizes.blocks - first));
    threads.run(packed.size(), [&](std::size_t t) { packed[t] = pack(make(first + t)); });
    std::vector<Segment> places;
    places.reserve(packed.size());
    for (const PackedBlock& block : packed) places.push_back(store.take(block.view()));
    threads.run(packed.size(), [&](std::size_t t) { RowStore::write(places[t], packed[t].view()); });
  }
  return store.finish(sizes.cols, threads);
}

}  // namespace halfspace
