// SPDX-License-Identifier: BSD-3-Clause
// What the tests of feature maps share: the product of two mapped rows, and the kernel value that it stands
// for.
#pragma once

#include <variant>
#include <vector>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::testing {

inline double product(const Dataset& data, std::size_t i, std::size_t j) {
  const auto& x = std::get<DenseView<float>>(data.matrix());
  double sum = 0;
  for (std::size_t k = 0; k < x.cols; ++k)
    sum += static_cast<double>(x.value[i * x.cols + k]) * static_cast<double>(x.value[j * x.cols + k]);
  return sum;
}

inline double kernel_of(const KernelFunction& kernel, const std::vector<double>& a,
                        const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    ab += a[j] * b[j];
    aa += a[j] * a[j];
    bb += b[j] * b[j];
  }
  return kernel(ab, aa, bb);
}

}  // namespace halfspace::testing
