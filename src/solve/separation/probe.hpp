// SPDX-License-Identifier: BSD-3-Clause
// A quick search for a plane, and the way from weights in floating point to whole numbers that are proved.
#pragma once

#include <optional>
#include <vector>

#include "solve/separation/core_rows.hpp"

namespace halfspace::separation {

struct Probe {
  std::vector<double> weights;  // of the approximate columns
  std::vector<double> margins;  // of the rows
  std::vector<double> alpha;    // of the rows, >= 0: weights is their sum
  std::size_t errors = 0;
};
// Coordinate steps on the dual of a nearly hard margin. A pass costs the entries of the core.
[[nodiscard]] Probe probe(const CoreRows& core, std::uint64_t seed);

// The smallest whole numbers near the weights that `accept` takes, one per core column; nothing when it takes
// none.
template <class Accept>
[[nodiscard]] std::optional<std::vector<mpz_class>> whole_weights(const CoreRows& core,
                                                                  const std::vector<double>& weights,
                                                                  const Accept& accept);
// Rounded so that the largest has `bits` bits.
[[nodiscard]] std::vector<mpz_class> rounded(const CoreRows& core, const std::vector<double>& weights,
                                             int bits);
[[nodiscard]] std::vector<int> precisions(const CoreRows& core);

template <class Accept>
std::optional<std::vector<mpz_class>> whole_weights(const CoreRows& core, const std::vector<double>& weights,
                                                    const Accept& accept) {
  for (const int bits : precisions(core)) {
    std::vector<mpz_class> whole = rounded(core, weights, bits);
    if (accept(whole)) return whole;
  }
  return std::nullopt;
}

}  // namespace halfspace::separation
