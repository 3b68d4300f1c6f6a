// SPDX-License-Identifier: BSD-3-Clause
// Exact linear algebra on rows of the core: which rows depend on others, by elimination modulo a prime, and
// square systems solved by p-adic lifting (J. D. Dixon, Exact solution of linear equations using p-adic
// expansions, Numer. Math. 40, 1982). Remainders and residuals are whole numbers below 2^53 kept in doubles,
// so the products run on the vector kernels.
#pragma once

#include <gmpxx.h>

#include <optional>
#include <vector>

#include "solve/separation/core_rows.hpp"

namespace halfspace::separation {

// A combination with sum weight_k row_k = 0, not all weights 0.
struct ExactCombination {
  std::vector<std::uint32_t> rows;  // of the core
  std::vector<mpz_class> weights;
};

// Rows of the core that are independent, found in the order given, with as many columns on which they are so.
class IndependentRows {
 public:
  explicit IndependentRows(const CoreRows& core);
  ~IndependentRows();
  IndependentRows(const IndependentRows&) = delete;
  IndependentRows& operator=(const IndependentRows&) = delete;

  // True: the row is independent of those before it and was added.
  bool add(std::uint32_t row);
  [[nodiscard]] const std::vector<std::uint32_t>& rows() const;
  // Which of these rows lie in the span, by their product with two random vectors that are orthogonal to it
  // modulo the prime: wrong once in about 10^12.
  [[nodiscard]] std::vector<std::uint32_t> members(const std::vector<std::uint32_t>& candidates) const;
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const;  // pivots, one for every row

  // The combination with these rows and `others`, whose weights are given up to a common positive factor.
  // Nothing: their sum does not depend on these rows.
  [[nodiscard]] std::optional<ExactCombination> combination(const ExactCombination& others);
  // Weights for all core columns with rows() . w = 0 and the given ones in the columns that are no pivots;
  // scaled by a common positive factor to be whole.
  [[nodiscard]] std::optional<std::vector<mpz_class>> orthogonal(std::vector<mpz_class> weights);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halfspace::separation
