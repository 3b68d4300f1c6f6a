// SPDX-License-Identifier: BSD-3-Clause
// What a proximal Newton step is made from: the rows of a level, and the matrix of the working columns.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/sparse/chosen_columns.hpp"

namespace halfspace {

// Some rows, or all, with costs of their own.
struct SparseLevel {
  Problem problem;
  std::vector<std::uint32_t> ids;
  Stretch list;
};

[[nodiscard]] SparseLevel sparse_level(const Team& team, const Problem& from, std::size_t wanted);

inline constexpr std::size_t most_matrix = 3000;  // columns of a matrix
// Whether forming the matrix once is worth the sweeps over the rows that it saves.
[[nodiscard]] bool wants_matrix(const ChosenColumns& columns);

// H = sum h_i x_i x_i' of the columns, written out in full, the constant 1 last where there is an offset. Of many rows a sample,
// `sample` times as large as it need be: those of large curvature for certain, the others with a chance in proportion to it
// and a weight that makes up for that. precise: products in double, not in float.
[[nodiscard]] std::vector<double> curvature_of(const ChosenColumns& columns, const std::vector<double>& h,
                                               bool with_offset, double sample, bool precise,
                                               const Team& team);

}  // namespace halfspace
