// SPDX-License-Identifier: BSD-3-Clause
// How far a kernel machine is at most from the best one. theta = sum alpha_i y_i phi(x_i) is known by its
// coefficients only, so |theta|^2 and the products theta . phi(x) are sums of kernel values, computed here in
// double from the rows as they are stored, rounding counted against the claim on both sides. Rows that are no support
// vectors matter only if they lose: their products are first computed in float, and where the bound on the error of
// that shows a margin above 1, the loss is 0 and nothing more is needed. Holds for kernels whose matrix is positive
// semidefinite.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

class KernelData;
template <class T>
class KernelRows;

// Rows that were read and packed before: the data, and nothing that a solver has computed.
struct PackedData {
  const KernelData* data = nullptr;
  const KernelRows<float>* rows = nullptr;
  std::span<const std::uint32_t> place;  // in `rows`, of every row with a cost
};

class KernelGap {
 public:
  // The problem has hinge loss and a free offset. The point, whose rows are rows of the problem, is taken as it is;
  // values outside 0 <= alpha <= cost are moved to the nearest end.
  KernelGap(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
            const Threads& threads, const PackedData& packed = {});

  ~KernelGap();
  KernelGap(const KernelGap&) = delete;
  KernelGap& operator=(const KernelGap&) = delete;

  // theta . phi(x_i) of every row, 0 for absent rows; to double precision for support vectors and for rows that lose or
  // nearly lose at an offset that was asked for.
  [[nodiscard]] std::span<const double> products() const { return products_; }
  // How far each of them may be off.
  [[nodiscard]] std::span<const double> errors() const { return error_; }
  [[nodiscard]] double largest_value() const { return largest_value_; }  // sqrt of the largest K(x, x)
  // Products that may matter at this offset, or all of them, to double precision.
  void settle(double offset);
  void settle_all();
  [[nodiscard]] DualityGap at(double offset);

 private:
  struct Sums;
  void take_sums();
  // A bound on 1 - margin of a row.
  [[nodiscard]] double loss(std::size_t row, double offset) const;
  const Problem* problem_;
  std::unique_ptr<Sums> sums_;
  std::vector<double> alpha_;     // of every row
  std::vector<double> products_;  // of every row
  std::vector<double> error_;     // of the products
  double largest_value_ = 0;      // sqrt of the largest K(x, x)
};

}  // namespace halfspace
