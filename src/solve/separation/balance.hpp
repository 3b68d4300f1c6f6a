// SPDX-License-Identifier: BSD-3-Clause
// min 1/2 sum max(0, 1 - a_i . w)^2 over some rows, without a penalty. Where it is least, the weights
// lambda_i = max(0, 1 - a_i . w) have sum lambda_i a_i = 0: rows that balance each other, a witness in
// floating point with far more rows than it needs; without any such row w is a plane. Newton's method with
// an exact line search; the function is quadratic in pieces, so it ends after finitely many steps (O. L.
// Mangasarian, A finite Newton method for classification, 2002). A step costs the rows that change sides and
// a Cholesky factor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace::separation {

struct Balance {
  std::vector<std::uint32_t> rows;
  std::vector<double> weights;  // all > 0; their rows sum to zero up to rounding
  std::vector<double> plane;    // w
  bool separated = false;       // every one of the rows is on its side of the plane
};

// `plane`: where to begin. Neither rows nor separated: it gave up.
[[nodiscard]] Balance balance(const RowAccess& rows, std::span<const std::uint32_t> chosen,
                              std::vector<double> plane, const Threads& threads);

}  // namespace halfspace::separation
