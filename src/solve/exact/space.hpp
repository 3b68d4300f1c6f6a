// SPDX-License-Identifier: BSD-3-Clause
// The rows of a problem of fewest errors for floating point: columns that depend on others left out, the rest moved and
// turned so that all directions weigh the same. Float decides nothing: planes found here are counted in whole numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "certify/errors/error_rows.hpp"
#include "halfspace/core/parallel.hpp"

namespace halfspace::exact {

struct Space {
  std::size_t rows = 0, dimension = 0;  // dimension: the rank of the rows
  std::vector<std::uint32_t>
      columns;            // of the whole numbers, ascending: independent, all others depend on them
  std::vector<double> a;  // rows x dimension
  std::vector<double> weight;
  std::vector<int> exponent;  // of every column of `columns`: its entries are below 2^exponent
  std::vector<double> turn;   // dimension x dimension: whole-number columns (over 2^exponent) to ours

  [[nodiscard]] const double* row(std::size_t i) const { return a.data() + i * dimension; }
  // Weights for `columns`, each to be multiplied by 2^-exponent.
  [[nodiscard]] std::vector<double> weights_of(std::span<const double> theta) const;
};

[[nodiscard]] Space make_space(const detail::ErrorRows& rows, bool offset, const Threads& threads);

// A plane for the features of the data.
struct Plane {
  std::vector<double> theta;
  double theta0 = 0;
};
[[nodiscard]] Plane plane_of(const Space& space, std::span<const double> theta, std::size_t features);

}  // namespace halfspace::exact
