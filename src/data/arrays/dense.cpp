// SPDX-License-Identifier: BSD-3-Clause
// Dense arrays. Rows that lie one after the other can be used where they are; others are gathered in blocks of rows, and so
// are rows that are mostly zeros: whoever visits the rows again and again is done with their entries several times sooner.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <type_traits>

#include "data/arrays/rows.hpp"
#include "data/storage/value_loops.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {
namespace {

// Value (i, j) stands at i * down + j * across.
struct DensePlaces {
  std::size_t rows = 0, cols = 0;
  std::uint64_t down = 0, across = 0;

  [[nodiscard]] bool row_after_row() const {
    return (cols <= 1 || across == 1) && (rows <= 1 || down == cols);
  }
};

DensePlaces places_of(std::size_t size, std::size_t rows, std::size_t cols, const ArrayOptions& options) {
  if (cols > most_features)
    throw InputError({.file = options.name}, fmt::format("{} columns", cols),
                     fmt::format("at most {} columns", most_features));
  const bool by_rows = options.layout == Layout::RowMajor;
  const std::uint64_t lines = by_rows ? rows : cols;
  const std::uint64_t length = by_rows ? cols : rows;
  const std::uint64_t stride = options.stride == 0 ? length : options.stride;
  if (stride < length)
    throw InputError({.file = options.name}, fmt::format("a stride of {} for {} of {} values", stride,
                                                         by_rows ? "rows" : "columns", length));
  std::uint64_t needed = 0;
  const bool fits =
      lines == 0 || (checked_mul(lines - 1, stride, needed) && checked_add(needed, length, needed));
  // Without gaps the array is as long as the rows ask for; with gaps the last row may have one behind it too.
  const bool right = fits && (options.stride == 0 ? size == needed : size >= needed);
  if (!right) {
    throw InputError(
        {.file = options.name},
        fmt::format("{} values for {} rows of {} columns{}", size, rows, cols,
                    options.stride == 0 ? "" : fmt::format(" with a stride of {}", options.stride)),
        fits ? fmt::format("{} values", needed) : "as many as fit into memory");
  }
  return by_rows ? DensePlaces{rows, cols, stride, 1} : DensePlaces{rows, cols, 1, stride};
}

template <class V>
std::uint64_t check_dense_rows(const V* values, const DensePlaces& at, const ArrayOptions& options) {
  return sum_blocks(options.threads, at.rows, std::clamp<std::size_t>(65536 / at.cols, 1, row_block),
                    std::uint64_t{0}, [&](std::size_t begin, std::size_t end) {
                      std::uint64_t nonzeros = 0;
                      for (std::size_t k = begin * at.cols; k < end * at.cols; ++k) {
                        const double x = static_cast<double>(values[k]);
                        if (!std::isfinite(x)) refuse_value(options.name, k / at.cols, k % at.cols, x);
                        nonzeros += x != 0 ? 1 : 0;
                      }
                      return nonzeros;
                    });
}

// Whether rows that could be read where they are had better be stored without their zeros. An entry of a sparse row takes up to
// 12 bytes where a dense one has 4 or 8, and a product with it takes as long as some three of a dense row, so that a quarter of
// the values is where copying begins to pay; few values are not worth a copy. Looks at rows spread over the array.
template <class V>
bool mostly_zeros(const V* values, const DensePlaces& at) {
  constexpr std::size_t few_values = std::size_t{1} << 16U, looked_at = 256;
  if (at.rows < 16 || at.rows * at.cols < few_values) return false;
  const std::size_t every = std::max<std::size_t>(1, at.rows / looked_at);
  std::size_t nonzeros = 0, all = 0;
  for (std::size_t i = every / 2; i < at.rows; i += every, all += at.cols)
    nonzeros += at.cols -
                static_cast<std::size_t>(std::count(values + i * at.cols, values + (i + 1) * at.cols, V{0}));
  return nonzeros * 4 <= all;
}

// Columns are read a few values at a time: at least a line of the processor's cache.
std::size_t rows_per_block(const DensePlaces& at) {
  constexpr std::size_t values = 65536, line = 8, most_cols = std::size_t{1} << 20U;
  const std::size_t few = at.across > 1 && at.cols <= most_cols ? line : 1;
  return std::clamp<std::size_t>(values / std::max<std::size_t>(1, at.cols), few, 4096);
}

// An exponent of ones alone, which infinities and NaN have, becomes the highest bit when one is added to it.
bool all_finite(const double* x, std::size_t n) {
  constexpr std::uint64_t exponent = 0x7FF0000000000000, one = 0x0010000000000000;
  std::uint64_t seen = 0;
  for (std::size_t k = 0; k < n; ++k) seen |= (std::bit_cast<std::uint64_t>(x[k]) & exponent) + one;
  return (seen >> 63U) == 0;
}

// Rows of doubles whose values lie side by side: in whole vectors, zeros left out.
RowBlock take_rows(const double* values, const DensePlaces& at, std::size_t begin, std::size_t end,
                   const std::string& name) {
  constexpr std::size_t room = 16;  // take_nonzeros() writes whole vectors
  std::vector<double> value;
  std::vector<std::uint32_t> index;
  value.resize((end - begin) * at.cols + room);
  index.resize(value.size());
  RowBlock block;
  block.start.reserve(end - begin + 1);
  std::size_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double* const row = values + i * at.down;
    if (!all_finite(row, at.cols)) {
      for (std::size_t j = 0; j < at.cols; ++j)
        if (!std::isfinite(row[j])) refuse_value(name, i, j, row[j]);
    }
    count += take_nonzeros(row, at.cols, 0, value.data() + count, index.data() + count);
    block.start.push_back(static_cast<std::uint32_t>(count));
  }
  block.value.assign(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(count));
  block.index.assign(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(count));
  return block;
}

template <class V>
RowBlock gather_rows(const V* values, const DensePlaces& at, std::size_t begin, std::size_t end,
                     const std::string& name) {
  if constexpr (std::is_same_v<V, double>)
    if (at.across == 1) return take_rows(values, at, begin, end, name);
  RowBlock block;
  const auto add_row = [&](std::size_t i, const auto* row) {
    for (std::size_t j = 0; j < at.cols; ++j) {
      if (row[j] == 0) continue;
      const double x = static_cast<double>(row[j]);
      if (!std::isfinite(x)) refuse_value(name, i, j, x);
      block.add(static_cast<std::uint32_t>(j), x);
    }
    block.end_row();
  };
  if (at.across == 1) {
    for (std::size_t i = begin; i < end; ++i) add_row(i, values + i * at.down);
    return block;
  }
  std::vector<double> all((end - begin) * at.cols);
  for (std::size_t j = 0; j < at.cols; ++j)
    for (std::size_t i = begin; i < end; ++i)
      all[(i - begin) * at.cols + j] = static_cast<double>(values[i * at.down + j * at.across]);
  for (std::size_t i = begin; i < end; ++i) add_row(i, all.data() + (i - begin) * at.cols);
  return block;
}

template <class V>
ArrayRows dense_rows_of(std::span<const V> values, const DensePlaces& at, const ArrayOptions& options) {
  const bool in_place = options.hold != Hold::Copy && at.cols > 0 && at.row_after_row();
  if (in_place && (options.hold == Hold::BorrowOnly || !mostly_zeros(values.data(), at))) {
    const std::uint64_t nonzeros = check_dense_rows(values.data(), at, options);
    return {{DenseView<V>{at.rows, at.cols, values.data()}, options.owner}, nonzeros};
  }
  if (options.hold == Hold::BorrowOnly && at.cols > 0)
    refuse_copy(options.name, options.layout == Layout::ColumnMajor ? "columns one after the other"
                                                                    : "rows with gaps between them");
  const std::size_t block = rows_per_block(at);
  const BlockSizes sizes{(at.rows + block - 1) / block, at.rows, values.size(), at.cols};
  std::atomic<std::uint64_t> nonzeros{0};
  const auto make = [&](std::size_t t) {
    RowBlock rows =
        gather_rows(values.data(), at, t * block, std::min(at.rows, (t + 1) * block), options.name);
    nonzeros += rows.index.size();
    return rows;
  };
  StoredMatrix stored = store_blocks(sizes, make, options.threads);
  return {std::move(stored), nonzeros};
}

}  // namespace

ArrayRows dense_rows(const ValueArray& values, std::size_t rows, std::size_t cols,
                     const ArrayOptions& options) {
  return std::visit(
      [&](const auto& array) {
        return dense_rows_of(array, places_of(array.size(), rows, cols, options), options);
      },
      values);
}

}  // namespace halfspace
