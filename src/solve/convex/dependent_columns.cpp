// SPDX-License-Identifier: BSD-3-Clause
// The factor of Cholesky row by row, in the order of the columns with the constant first: the pivot of a column is what is
// left of its length when the part within the columns before it is taken away. Where nothing is left but rounding, the
// column is a combination of those, and the triangular system has its coefficients. O(size^3), once, before a refusal.
#include "solve/convex/dependent_columns.hpp"

#include <algorithm>
#include <cmath>

namespace halfspace {
namespace {

constexpr std::size_t most_columns_examined = 1000;
constexpr std::size_t most_dependent = 3;
constexpr double nothing_left = 1e-9;  // of the square of the length
constexpr double no_part = 1e-6;       // of the length

}  // namespace

std::vector<DependentColumn> dependent_columns(std::span<const double> lower, std::size_t size,
                                               bool with_constant) {
  std::vector<DependentColumn> out;
  if (size > most_columns_examined) return out;
  std::vector<std::uint32_t> order;
  if (with_constant) order.push_back(static_cast<std::uint32_t>(size - 1));
  for (std::uint32_t j = 0; j < size - (with_constant ? 1 : 0); ++j) order.push_back(j);
  const auto at = [&](std::uint32_t a, std::uint32_t b) {
    return lower[std::max(a, b) * size + std::min(a, b)];
  };
  std::vector<std::uint32_t> kept;          // independent so far
  std::vector<std::vector<double>> factor;  // their rows of the triangle
  for (const std::uint32_t j : order) {
    std::vector<double> row;
    double left = at(j, j);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      double sum = at(j, kept[k]);
      for (std::size_t m = 0; m < k; ++m) sum -= row[m] * factor[k][m];
      row.push_back(sum / factor[k][k]);
      left -= row.back() * row.back();
    }
    if (left > nothing_left * at(j, j)) {
      row.push_back(std::sqrt(left));
      factor.push_back(std::move(row));
      kept.push_back(j);
      continue;
    }
    // Back through the triangle: coefficients of the combination.
    std::vector<double> coefficient = row;
    for (std::size_t k = kept.size(); k-- > 0;) {
      for (std::size_t m = k + 1; m < kept.size(); ++m) coefficient[k] -= factor[m][k] * coefficient[m];
      coefficient[k] /= factor[k][k];
    }
    DependentColumn found{.column = j, .of = {}};
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (std::abs(coefficient[k]) * std::sqrt(at(kept[k], kept[k])) <= no_part * std::sqrt(at(j, j)))
        continue;
      found.of.push_back(with_constant && kept[k] == size - 1 ? DependentColumn::constant : kept[k]);
    }
    out.push_back(std::move(found));
    if (out.size() == most_dependent) break;
  }
  return out;
}

}  // namespace halfspace
