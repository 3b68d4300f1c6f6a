// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "data/storage/decimal.hpp"
#include "data/storage/row_store.hpp"

namespace halfspace {
namespace {

// Fewest decimals that hold every value, or -1.
int fewest_decimals(std::span<const double> values) {
  int decimals = 0;
  const bool fit =
      std::all_of(values.begin(), values.end(), [&](double x) { return raise_decimals(x, decimals); });
  return fit ? decimals : -1;
}

}  // namespace

bool pack_values(std::span<const double> values, PackedBlock& packed) {
  if (std::all_of(values.begin(), values.end(), [](double x) { return x == 1; })) return true;
  if (std::all_of(values.begin(), values.end(), is_float)) {
    packed.value = std::vector<float>(values.begin(), values.end());
    return true;
  }
  const int decimals = fewest_decimals(values);
  if (decimals < 0) return false;
  std::vector<Decimal> digits(values.size());
  std::int64_t largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    // An early value may overflow with the decimals that a later one needs.
    if (!as_decimal(values[k], decimals, digits[k].digits)) return false;
    largest = std::max(largest, std::abs(static_cast<std::int64_t>(digits[k].digits)));
  }
  packed.value = std::move(digits);
  packed.decimals = decimals;
  packed.max_digits = largest;
  return true;
}

PackedBlock pack(const RowBlock& block) {
  PackedBlock packed;
  packed.start = block.start;
  packed.index = block.index;
  if (!pack_values(block.value, packed)) packed.value = block.value;
  return packed;
}

PackedBlock::PackedBlock(const PackedRows& rows)
    : start(rows.start.begin(), rows.start.end()),
      index(rows.index.begin(), rows.index.end()),
      decimals(rows.decimals),
      max_digits(rows.max_digits) {
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>)
          value = std::vector(values.begin(), values.end());
      },
      rows.value);
}

PackedRows PackedBlock::view() const {
  PackedRows rows{.start = start, .index = index, .decimals = decimals, .max_digits = max_digits};
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>)
          rows.value = std::span(values);
      },
      value);
  return rows;
}

StoredMatrix join(std::vector<PackedBlock> blocks, std::size_t cols, const Threads& threads) {
  std::uint64_t rows = 0, entries = 0;
  for (const PackedBlock& b : blocks) {
    rows += b.rows();
    entries += b.index.size();
  }
  RowStore store(rows, entries, cols);
  std::vector<Segment> segments;
  segments.reserve(blocks.size());
  for (const PackedBlock& b : blocks) segments.push_back(store.take(b.view()));
  threads.run(blocks.size(), [&](std::size_t t) {
    const PackedBlock block = std::exchange(blocks[t], PackedBlock{});  // freed when done
    RowStore::write(segments[t], block.view());
  });
  return store.finish(cols, threads);
}

void MatrixBuilder::end_row() {
  block_.end_row();
  ++rows_;
  if (block_.index.size() >= (1U << 16U)) {
    packed_.push_back(pack(block_));
    block_.clear();
  }
}

StoredMatrix MatrixBuilder::finish(std::size_t cols, const Threads& threads) {
  if (block_.rows() > 0) packed_.push_back(pack(block_));
  block_.clear();
  rows_ = 0;
  return join(std::exchange(packed_, {}), cols, threads);
}

}  // namespace halfspace
