// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "data/decimal.hpp"
#include "data/row_store.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t huge_entries = std::uint64_t{1} << 21U;  // arrays of many megabytes

bool is_float(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

// Fewest decimals that hold every value, or -1.
int fewest_decimals(const std::vector<double>& values) {
  int decimals = 0;
  std::int32_t digits = 0;
  for (const double x : values) {
    while (!as_decimal(x, decimals, digits)) {
      if (++decimals > max_decimals ||
          std::abs(x) * power10[static_cast<std::size_t>(decimals)] > digits_limit)
        return -1;
    }
  }
  return decimals;
}

}  // namespace

PackedBlock pack(const RowBlock& block) {
  PackedBlock packed;
  packed.start = block.start;
  packed.index = block.index;
  const std::vector<double>& values = block.value;
  if (std::all_of(values.begin(), values.end(), [](double x) { return x == 1; })) return packed;
  if (std::all_of(values.begin(), values.end(), is_float)) {
    packed.value = std::vector<float>(values.begin(), values.end());
    return packed;
  }
  packed.decimals = fewest_decimals(values);
  std::vector<Decimal> digits;
  if (packed.decimals >= 0) {
    digits.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      // An early value may overflow with the decimals that a later one needs.
      if (!as_decimal(values[k], packed.decimals, digits[k].digits)) {
        packed.decimals = -1;
        break;
      }
      packed.max_digits = std::max(packed.max_digits, std::abs(static_cast<std::int64_t>(digits[k].digits)));
    }
  }
  if (packed.decimals >= 0) {
    packed.value = std::move(digits);
  } else {
    packed.decimals = 0;
    packed.max_digits = 0;
    packed.value = values;
  }
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
  RowStore store(rows, entries, cols, entries >= huge_entries);
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
