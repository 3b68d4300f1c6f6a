// SPDX-License-Identifier: BSD-3-Clause
// Circuits: few rows with sum lambda_k a_k = 0, lambda > 0, of which one is an error on every plane. Looked for by the
// simplex method: min cost . lambda, sum lambda_i a_i = 0, sum lambda_i = 1, lambda >= 0. Its dual solution is a plane.
// In floating point: what is found here is proved elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/core/random.hpp"
#include "halfspace/core/stop.hpp"
#include "solve/exact/space.hpp"

namespace halfspace::exact {

// What is known of the rows: 1 right, -1 wrong (the row enters with its sign turned), 0 nothing.
using Known = std::vector<std::int8_t>;

class CircuitSearch {
 public:
  CircuitSearch(const Space& space, std::uint64_t seed, StopHandle stop);

  struct Found {
    bool none = false;  // the rows can all be as they should: `plane` shows it
    std::vector<std::vector<std::uint32_t>>
        rows;  // circuits whose prices sum to less than 1, the least first
    std::vector<double> plane;
  };
  // price: of rows about which nothing is known; the others cost nothing.
  [[nodiscard]] Found search(const Known& known, std::span<const double> price);

 private:
  void restart();
  void factor();
  // False: artificial columns are left over, so that there is no circuit.
  [[nodiscard]] bool run(std::span<const double> cost, std::span<const double> price, const Known& known,
                         Found& found);
  void column(std::uint32_t i, double* out) const;
  void keep(std::span<const double> price, const Known& known, Found& found) const;

  const Space& space_;
  Random random_;
  StopHandle stop_;
  std::size_t m_;
  std::vector<double> a_;  // rows x m: turned rows with their share in the sum
  std::vector<double> inverse_, x_, right_;
  std::vector<std::uint32_t> basis_;  // rows, or rows + k for the artificial column k
  std::vector<double> pi_;
  mutable std::vector<double> sums_;
};

}  // namespace halfspace::exact
