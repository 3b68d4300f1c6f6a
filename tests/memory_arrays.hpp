// SPDX-License-Identifier: BSD-3-Clause
// Rows as arrays of a caller, for the tests of sets from memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/core/random.hpp"
#include "halfspace/data/dataset.hpp"
#include "support.hpp"

namespace halfspace::testing {

// Small whole numbers, halves, zeros, and a column of zeros at the end.
inline Rows sample_rows(std::size_t rows, std::size_t cols, std::uint64_t seed = 5) {
  Random random(seed);
  Rows out;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row;
    for (std::size_t j = 0; j + 1 < cols; ++j)
      row.push_back(random.below(3) == 0 ? 0 : (static_cast<double>(random.below(41)) - 20) / 2);
    row.push_back(0);
    out.push_back(row);
  }
  return out;
}
inline std::vector<int> sample_labels(std::size_t rows) {
  std::vector<int> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(i % 3 == 0 ? 1 : -1);
  return out;
}

template <class T>
std::vector<T> flat(const Rows& rows, Layout layout = Layout::RowMajor) {
  std::vector<T> out;
  const std::size_t cols = rows[0].size();
  if (layout == Layout::RowMajor) {
    for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  } else {
    for (std::size_t j = 0; j < cols; ++j)
      for (const auto& row : rows) out.push_back(static_cast<T>(row[j]));
  }
  return out;
}

template <class V, class I, class S>
struct Csr {
  std::vector<V> values;
  std::vector<I> columns;
  std::vector<S> starts{0};
  std::size_t cols = 0;

  void add(std::size_t column, double x) {
    values.push_back(static_cast<V>(x));
    columns.push_back(static_cast<I>(column));
  }
  void end_row() { starts.push_back(static_cast<S>(values.size())); }
  [[nodiscard]] Dataset data(ArrayOptions options = {}) const {
    return Dataset::csr(values, columns, starts, cols, std::move(options));
  }
};
template <class V = double, class I = std::int32_t, class S = std::int32_t>
Csr<V, I, S> csr_of(const Rows& rows) {
  Csr<V, I, S> out;
  out.cols = rows[0].size();
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) out.add(j, row[j]);
    out.end_row();
  }
  return out;
}

}  // namespace halfspace::testing
