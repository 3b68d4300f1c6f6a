// SPDX-License-Identifier: BSD-3-Clause
// The linear systems of the widest margin, in the features or in the active rows, whichever are fewer. Sums
// and products of rows are kept from one system to the next: active sets change by few rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/simd/dense.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"
#include "solve/separation/margin/inner_products.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace::separation {

class MarginSystems {
 public:
  MarginSystems(const RowAccess& rows, std::span<const std::int8_t> y, Offset offset, const Threads& threads);

  // Newton's step for 1/2 |theta|^2 + sigma/2 sum over the active rows (1 - m_i)^2: `gradient` has the
  // features and the offset, which is penalised when it is lifted. False: too ill-conditioned.
  [[nodiscard]] bool step(std::span<const std::uint32_t> active, double sigma,
                          const std::vector<double>& gradient, std::vector<double>& step, double& step0);
  // The plane theta = sum weight_i y_i x_i for which every active row has margin 1. False as above.
  [[nodiscard]] bool meet(std::span<const std::uint32_t> active, std::vector<double>& weights,
                          std::vector<double>& theta, double& theta0);

 private:
  [[nodiscard]] bool by_features(std::span<const std::uint32_t> active, double sigma,
                                 const std::vector<double>& gradient, std::vector<double>& step,
                                 double& step0);
  [[nodiscard]] bool by_rows(std::span<const std::uint32_t> active, double sigma,
                             const std::vector<double>& gradient, std::vector<double>& step, double& step0);
  void change_normal(std::span<const std::uint32_t> active);
  [[nodiscard]] bool factor_rows(std::span<const std::uint32_t> active, double more);
  template <class Fill>
  [[nodiscard]] bool factor(std::size_t size, const Fill& fill);

  const RowAccess& rows_;
  std::span<const std::int8_t> y_;
  const Threads& threads_;
  std::size_t d_;
  Offset offset_;
  double rho_;                            // 1: the offset is penalised
  std::unique_ptr<NormalMatrix> normal_;  // made when first needed
  std::vector<std::uint32_t> normal_rows_;
  std::vector<char> in_normal_;
  InnerProducts products_;
  Cholesky cholesky_;  // one for all steps: its memory stays
};

}  // namespace halfspace::separation
