// SPDX-License-Identifier: BSD-3-Clause
// The step of a proximal Newton method: minimise over w
//   g . (w - w0) + 1/2 (w - w0)' H (w - w0) + sum_j (sizes_j |w_j| + squares_j w_j^2 / 2),
// by coordinate descent, each step in closed form. H is given as a matrix, or as rows with curvatures.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "solve/sparse/chosen_columns.hpp"

namespace halfspace {

struct QuadraticTask {
  std::vector<double> g;               // of the smooth part at w0
  std::vector<double> w;               // w0, and then the answer
  std::vector<double> sizes, squares;  // of the penalty; both 0: a free offset
};

// How far the slope is from one that w allows: 0 where no small step helps.
[[nodiscard]] double violation(double slope, double w, double size, double square);

// H as a symmetric matrix, written out in full. Besides coordinate steps: where these take long, exact steps among
// the weights that are not 0, up to the first that would change its sign. Stops once the sum of violations is `least`.
void solve_by_matrix(const std::vector<double>& H, QuadraticTask& task, double least, const Threads& threads);

// H = sum h_i (x_i, 1)(x_i, 1)' over the rows of the columns; the last coordinate of the task, if it has one more than
// there are columns, is that of the constant 1.
// Returns how many sweeps it took; at most `most`.
int solve_by_columns(ChosenColumns& columns, const std::vector<double>& h, QuadraticTask& task, double least,
                     int most, const Threads& threads);

}  // namespace halfspace
