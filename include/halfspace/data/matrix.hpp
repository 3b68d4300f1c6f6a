// SPDX-License-Identifier: BSD-3-Clause
// Views of rows, dense or sparse (CSR), in the smallest storage that loses nothing. A view owns nothing.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "halfspace/core/stored_row.hpp"

namespace halfspace {

// Column numbers take 16 bits when there are at most 65536 columns, else 32.
template <class V, class I = std::uint32_t>
struct CsrView {
  using Value = V;
  using Index = I;
  std::size_t rows = 0;
  std::size_t cols = 0;
  const std::uint64_t* start = nullptr;  // rows + 1 entries
  const I* index = nullptr;              // ascending in every row, below cols
  const V* value = nullptr;              // null for One; no stored zeros
  double divisor = 1;

  [[nodiscard]] SparseRow<V, I> row(std::size_t i) const {
    return {index + start[i], value == nullptr ? nullptr : value + start[i], start[i + 1] - start[i],
            divisor};
  }
};

template <class V>
struct DenseView {
  using Value = V;
  std::size_t rows = 0;
  std::size_t cols = 0;
  const V* value = nullptr;  // row after row
  double divisor = 1;

  [[nodiscard]] DenseRow<V> row(std::size_t i) const { return {value + i * cols, cols, divisor}; }
};

// Opened once per solve with std::visit, never per row.
using Matrix = std::variant<CsrView<One>, CsrView<float>, CsrView<Decimal>, CsrView<double>, DenseView<float>,
                            DenseView<Decimal>, DenseView<double>, CsrView<One, std::uint16_t>,
                            CsrView<float, std::uint16_t>, CsrView<Decimal, std::uint16_t>,
                            CsrView<double, std::uint16_t>>;

template <class View>
inline constexpr bool is_sparse = requires(View v) {
  v.start;
};

// f(column, value) for every entry of the row that is not zero, in ascending order of columns.
template <class V, class I, class F>
void for_entries(const SparseRow<V, I>& row, F&& f) {
  for (std::size_t k = 0; k < row.size; ++k) {
    if constexpr (!std::is_empty_v<V>) {
      f(std::uint32_t{row.index[k]}, decode(row.value[k], row.divisor));
    } else {
      f(std::uint32_t{row.index[k]}, 1.0);
    }
  }
}
template <class V, class F>
void for_entries(const DenseRow<V>& row, F&& f) {
  for (std::size_t j = 0; j < row.size; ++j) {
    const double x = decode(row.value[j], row.divisor);
    if (x != 0) f(static_cast<std::uint32_t>(j), x);
  }
}

}  // namespace halfspace
