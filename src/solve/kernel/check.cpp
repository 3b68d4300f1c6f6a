// SPDX-License-Identifier: BSD-3-Clause
#include "solve/kernel/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// A column for every training row, the same read down as across; in front of them, perhaps, the numbers of
// the rows.
void check_given_kernel(const Dataset& data, double largest) {
  const std::size_t n = data.rows();
  const std::size_t numbered = data.features() == n + 1 ? 1 : 0;
  if (data.features() != n + numbered) {
    throw InputError({.file = data.name()}, fmt::format("{} features for {} rows", data.features(), n),
                     "a precomputed kernel has one column for every training row",
                     "or one more in front with the numbers of the rows, as LIBSVM writes it: --zero-based");
  }
  const auto access = RowAccess::of(data.matrix());
  std::vector<double> matrix(n * n);
  std::vector<double> row(access->cols());
  for (std::size_t i = 0; i < n; ++i) {
    access->expand(i, 1.0, row.data());
    if (numbered == 1 && row[0] != static_cast<double>(i + 1)) {
      throw InputError({.file = data.name(), .line = i + 1},
                       fmt::format("row {} is numbered {}", i + 1, row[0]),
                       "rows numbered 1, 2, 3, ... in the column in front of a precomputed kernel");
    }
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(numbered), n,
                matrix.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (matrix[i * n + i] < 0) {
      throw InputError({.file = data.name(), .line = i + 1},
                       fmt::format("the kernel of row {} with itself is {}", i + 1, matrix[i * n + i]),
                       "squared lengths on the diagonal: a positive semidefinite matrix");
    }
    for (std::size_t j = 0; j <= i; ++j) {
      const double a = matrix[i * n + j], b = matrix[j * n + i];
      if (std::abs(a) > largest) {
        throw InputError({.file = data.name(), .line = i + 1},
                         fmt::format("the kernel of rows {} and {} is {}", i + 1, j + 1, a),
                         fmt::format("values below {:g}", largest));
      }
      if (std::abs(a - b) <= 1e-6 * std::max({1.0, std::abs(a), std::abs(b)})) continue;
      throw InputError({.file = data.name(), .line = i + 1},
                       fmt::format("the kernel of rows {} and {} is {} and {}", i + 1, j + 1, a, b),
                       "a symmetric matrix");
    }
  }
}

}  // namespace

void check_kernel(const Dataset& data, const KernelFunction& kernel, double largest) {
  if (kernel.kind == KernelKind::Precomputed) return check_given_kernel(data, largest);
  // Distances may be infinite: such rows have nothing to do with each other.
  if (kernel.kind == KernelKind::Rbf) return;
  const auto access = RowAccess::of(data.matrix());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double length = std::sqrt(access->norm2(i));
    // The size of tanh says nothing about what it is taken of.
    const double value =
        kernel.kind == KernelKind::Sigmoid ? length * length : kernel.largest(length, length);
    if (value <= largest) continue;
    throw InputError({.file = data.name()},
                     fmt::format("values so large that the kernel of row {} overflows", i + 1),
                     fmt::format("kernel values below {:g}", largest), "scale the data: --scale standard");
  }
}

}  // namespace halfspace
