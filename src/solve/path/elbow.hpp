// SPDX-License-Identifier: BSD-3-Clause
// The rows whose margin is held at 1, and the equations that hold them there: with the matrix G of their products,
//   G g + 1 b = r,  sum g = s  (free offset)   or   G g = r  (none; lifted: 1 is added to every product).
// Cholesky factors are kept while rows come and go. A free offset needs G + c 1 1' for some c > 0: where sum g is fixed, that
// changes b alone, and it is positive definite when the rows are affinely independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/objective/offset.hpp"

namespace halfspace {

class Elbow {
 public:
  // `scale`: of the products, |x|^2 of a usual row.
  Elbow(const RowAccess& rows, Offset offset, double scale);

  [[nodiscard]] std::span<const std::uint32_t> rows() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  // False: the row depends on those that are there, up to rounding; it was not added.
  [[nodiscard]] bool add(std::uint32_t row);
  void remove(std::size_t place);

  struct Values {
    std::vector<double> g;
    double b = 0;  // 0 without a free offset
  };
  [[nodiscard]] Values solve(std::vector<double> r, double s) const;

 private:
  void factor_again();
  [[nodiscard]] bool append(const std::vector<double>& products);
  [[nodiscard]] std::vector<double> solve_factored(std::vector<double> r) const;
  [[nodiscard]] std::vector<double> solve_exactly(const std::vector<double>& r) const;

  const RowAccess& all_;
  Offset offset_;
  double constant_;  // added to every product
  std::vector<std::uint32_t> members_;
  std::vector<std::vector<double>> product_;  // lower triangle, constant included
  std::vector<std::vector<double>> factor_;   // lower triangle
  std::vector<double> spread_;                // a row written out
  std::size_t changes_ = 0;                   // since the last factorisation from the products
};

}  // namespace halfspace
