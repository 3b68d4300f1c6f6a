// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/cost_model.hpp"

#include <algorithm>

namespace halfspace::cost_model {

bool wants_factor(std::size_t rows, std::size_t columns) {
  return columns <= few_columns && rows * 4 >= columns;
}

bool enough_for_panels(std::size_t rows, std::size_t columns) {
  constexpr std::size_t least_rows = 2000, rows_per_unknown = 480;
  return rows >= std::max(least_rows, rows_per_unknown * (columns + 1));
}
bool full_enough_for_panels(std::size_t rows, std::size_t columns, std::uint64_t entries) {
  constexpr double zero_cost = 0.35;
  return static_cast<double>(entries) >= zero_cost * static_cast<double>(columns) * static_cast<double>(rows);
}

double patience_of_passes(bool logistic) { return logistic ? 10 : 60; }

}  // namespace halfspace::cost_model
