// SPDX-License-Identifier: BSD-3-Clause
// Products of many rows with one plane or with many planes, for scoring.
#pragma once

#include <cstddef>

#include "halfspace/data/matrix.hpp"

namespace halfspace {

// out[i - begin] = dot(row i, w) for the rows [begin, end): the bits of dot().
template <class View>
void dot_rows(const View& view, std::size_t begin, std::size_t end, const double* w, double* out) noexcept;

// out[(i - begin) * planes + k] = row i times plane k, for weights stored feature after feature:
// w[feature * planes + k]. Every entry touches `planes` neighbouring doubles. Each sum is taken entry by
// entry in the order of the columns, so dense and sparse rows give the same bits here; they may differ from
// dot() in the last.
template <class View>
void dot_rows_planes(const View& view, std::size_t begin, std::size_t end, const double* w,
                     std::size_t planes, double* out) noexcept;

}  // namespace halfspace
