// SPDX-License-Identifier: BSD-3-Clause
// All stored values of a view, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/relief.hpp"
#include "halfspace/data/matrix.hpp"

namespace halfspace {

// Rows may be a part of a set, whose first entry is not the first of its arrays.
template <class View>
std::size_t first_value(const View& view) {
  if constexpr (is_sparse<View>) return view.rows == 0 ? 0 : view.start[0];
  return 0;
}
template <class View>
std::size_t stored_values(const View& view) {
  if constexpr (is_sparse<View>) return view.rows == 0 ? 0 : view.start[view.rows];
  return view.rows * view.cols;
}

constexpr std::size_t piece = 4096;  // values that are looked at, converted or hashed at once

// Values of these views lie one after the other, and those of sparse ones are no zeros.
template <class View>
constexpr bool of_doubles = std::is_same_v<typename View::Value, double>;

// f(values, count) for pieces of all stored values; ends where it returns false.
template <class View, class F>
bool in_pieces(const View& view, std::size_t count, const F& f) {
  for (std::size_t k = first_value(view); k < count; k += piece) {
    if (!f(view.value + k, std::min(piece, count - k))) return false;
    relieve();
  }
  return true;
}

}  // namespace halfspace
