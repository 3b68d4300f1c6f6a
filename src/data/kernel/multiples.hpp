// SPDX-License-Identifier: BSD-3-Clause
// Rows whose values are whole multiples of one unit, as the grey values of pixels are: products of small whole numbers,
// two columns at a time, exact whatever the order, in half the memory of floats.
#pragma once

#include <span>

#include "data/storage/row_access.hpp"

namespace halfspace {

struct Multiples {
  double unit = 0;       // 0: the rows are no such rows
  double deviation = 0;  // no row is further than this from its multiples
};
// Values written in decimals may miss their multiple by 2^-20 of the largest value of
// their row: about as much as floats lose in a sum.
[[nodiscard]] Multiples find_multiples(const RowAccess& rows, const Threads& threads);
// How far these rows are from multiples of a unit; unit 0 if they are too far.
[[nodiscard]] Multiples hold_against(const RowAccess& rows, double unit, const Threads& threads);

}  // namespace halfspace
