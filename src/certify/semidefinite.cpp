// SPDX-License-Identifier: BSD-3-Clause
// A matrix A is positive semidefinite if Cholesky's factorisation of A - c I runs to its end in floating point, where c is a
// bound on what rounding can hide (Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3; Rump, Verification
// of positive definiteness, BIT 46, 2006): the factors R of B have R'R = B + E with |E| <= g |R'||R|, g = (n + 1) u / (1 - (n
// + 1) u), so |E| <= g trace(R'R) <= g / (1 - g) trace(B). Singular matrices are not proved this way; equal rows, the common
// reason, are left out first: with them or without, the matrix is semidefinite or not.
#include "certify/semidefinite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>
#include <vector>

#include "certify/rounding.hpp"

namespace halfspace::detail {
namespace {

constexpr std::size_t most_rows = 2048;  // n^3 / 3 products: about a second

// The matrix, row after row; empty if it is none.
std::vector<double> matrix_of(const Dataset& data) {
  const std::size_t n = data.rows(), skipped = data.features() == n + 1 ? 1 : 0;
  std::vector<double> out(n * n, 0.0);
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < n; ++i)
          for_entries(view.row(i), [&](std::uint32_t j, double x) {
            if (j >= skipped) out[i * n + (j - skipped)] = x;
          });
      },
      data.matrix());
  return out;
}

// One of every set of equal rows; with symmetry their columns are equal too.
std::vector<std::size_t> distinct_rows(const std::vector<double>& matrix, std::size_t n) {
  const auto row = [&](std::size_t i) { return matrix.begin() + static_cast<std::ptrdiff_t>(i * n); };
  const auto end = [&](std::size_t i) { return row(i) + static_cast<std::ptrdiff_t>(n); };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(row(a), end(a), row(b), end(b));
  });
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < n; ++k)
    if (k == 0 || !std::equal(row(order[k]), end(order[k]), row(order[k - 1]))) out.push_back(order[k]);
  return out;
}

// Upper triangle in place, row after row: the loop inside runs along rows.
bool has_cholesky_factor(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    double* const pivot_row = a.data() + k * n;
    if (!(pivot_row[k] > 0) || !std::isfinite(pivot_row[k])) return false;
    const double root = std::sqrt(pivot_row[k]);
    for (std::size_t j = k; j < n; ++j) pivot_row[j] /= root;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = pivot_row[i];
      double* const row = a.data() + i * n;
      if (factor == 0) continue;
      for (std::size_t j = i; j < n; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
}

}  // namespace

std::string why_not_semidefinite(const KernelFunction& kernel, const Dataset& data) {
  if (kernel.kind != KernelKind::Precomputed) {
    if (kernel.semidefinite()) return {};
    return fmt::format("{} is not positive semidefinite", OptionType<KernelFunction>::print(kernel));
  }
  const std::size_t n = data.rows();
  if (data.features() != n && data.features() != n + 1) return "the kernel matrix is not square";
  if (n > most_rows)
    return fmt::format("the kernel matrix has more than {} rows: not checked to be positive semidefinite",
                       most_rows);
  const std::vector<double> matrix = matrix_of(data);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(matrix[i * n + j] == matrix[j * n + i])) return "the kernel matrix is not symmetric";
  const std::vector<std::size_t> rows = distinct_rows(matrix, n);
  const std::size_t m = rows.size();
  std::vector<double> a(m * m, 0.0);
  double trace = 0;
  for (std::size_t i = 0; i < m; ++i) {
    trace += std::abs(matrix[rows[i] * n + rows[i]]);
    for (std::size_t j = i; j < m; ++j) a[i * m + j] = matrix[rows[i] * n + rows[j]];
  }
  // Twice the bound for the rounding of the bound, and one more for that of the shifted diagonal.
  const auto count = static_cast<double>(m);
  const double shift = 4 * (count + 4) * unit * trace + count * count * std::numeric_limits<double>::min();
  for (std::size_t i = 0; i < m; ++i) a[i * m + i] -= shift;
  return has_cholesky_factor(a, m) ? "" : "the kernel matrix is not proved to be positive semidefinite";
}

}  // namespace halfspace::detail
