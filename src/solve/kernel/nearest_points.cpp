// SPDX-License-Identifier: BSD-3-Clause
// Problem  minimise 1/2 |sum alpha_i y_i phi(x_i)|^2 with alpha >= 0 that sum to 1 in each class.
// Method   active sets: on the rows W with a weight the optimum without alpha >= 0 solves Q alpha = rho of
//          the class, by Cholesky and a step of refinement. Rows that get no positive weight leave; then
//          the rows that lie nearer to the other class than those of W come in. Cost: |W|^3 a round, so W
//          is limited.
#include "solve/kernel/nearest_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/kernel_gap.hpp"
#include "core/simd/dense.hpp"
#include "data/kernel/rows.hpp"
#include "data/storage/equal_rows.hpp"

namespace halfspace {
namespace {

constexpr std::size_t most_rows = 3000;

// Q alpha = rho_+ on positive rows and rho_- on negative ones, with sums 1.
class Balance {
 public:
  Balance(std::vector<double> kernel, std::vector<std::int8_t> y) : q_(std::move(kernel)), y_(std::move(y)) {
    const std::size_t n = y_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) q_[i * n + j] *= y_[i] * y_[j];
  }

  // False: the rows are too dependent.
  bool solve(std::vector<double>& alpha, const Threads& threads) {
    const std::size_t n = y_.size();
    Cholesky factor;
    if (!factor.factor(q_, n, 1e-15 * static_cast<double>(n), threads)) return false;
    std::vector<double> side[2];
    for (int s = 0; s < 2; ++s) {
      side[s].resize(n);
      for (std::size_t i = 0; i < n; ++i) side[s][i] = (y_[i] > 0) == (s == 1) ? 1.0 : 0.0;
      refine(factor, side[s]);
    }
    double sum[2][2] = {{0, 0}, {0, 0}};  // [class][side]
    for (std::size_t i = 0; i < n; ++i)
      for (int s = 0; s < 2; ++s) sum[y_[i] > 0 ? 1 : 0][s] += side[s][i];
    const double determinant = sum[0][0] * sum[1][1] - sum[0][1] * sum[1][0];
    if (!(std::abs(determinant) > 0)) return false;
    const double rho[2] = {(sum[1][1] - sum[0][1]) / determinant, (sum[0][0] - sum[1][0]) / determinant};
    alpha.resize(n);
    for (std::size_t i = 0; i < n; ++i) alpha[i] = rho[0] * side[0][i] + rho[1] * side[1][i];
    return std::all_of(alpha.begin(), alpha.end(), [](double a) { return std::isfinite(a); });
  }

 private:
  // x becomes the solution for the right-hand side x, with steps of refinement.
  void refine(const Cholesky& factor, std::vector<double>& x) const {
    const std::size_t n = x.size();
    const std::vector<double> wanted = x;
    factor.solve(x.data());
    for (int step = 0; step < 3; ++step) {
      std::vector<double> rest(n);
      for (std::size_t i = 0; i < n; ++i) {
        long double sum = wanted[i];
        for (std::size_t j = 0; j < n; ++j) sum -= static_cast<long double>(q_[i * n + j]) * x[j];
        rest[i] = static_cast<double>(sum);
      }
      factor.solve(rest.data());
      for (std::size_t i = 0; i < n; ++i) x[i] += rest[i];
    }
  }

  std::vector<double> q_;  // [n][n]
  std::vector<std::int8_t> y_;
};

}  // namespace

DualPoint refine_nearest(const Problem& problem, const KernelFunction& kernel, const DualPoint& rough,
                         const Threads& threads) {
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  const auto access = RowAccess::of(problem.data->matrix());
  const EqualRows equal = find_equal_rows(*access, present);
  std::vector<double> weight(equal.first.size(), 0.0);
  std::vector<std::uint32_t> group(problem.rows(), 0);
  for (std::size_t k = 0; k < present.size(); ++k) group[present[k]] = equal.group[k];
  for (std::size_t k = 0; k < rough.rows.size(); ++k) weight[group[rough.rows[k]]] += rough.alpha[k];

  // The present margins: rows below those of the weighted rows come in, the worst first.
  Problem unbounded = problem;
  for (double& cost : unbounded.cost)
    if (cost > 0) cost = std::numeric_limits<double>::infinity();
  const KernelGap sums(unbounded, kernel, rough, threads);
  double level[2] = {0, 0}, total[2] = {0, 0};
  for (std::size_t k = 0; k < rough.rows.size(); ++k) {
    const std::uint32_t i = rough.rows[k];
    const int s = problem.y[i] > 0 ? 1 : 0;
    level[s] += rough.alpha[k] * problem.y[i] * sums.products()[i];
    total[s] += rough.alpha[k];
  }
  if (!(total[0] > 0 && total[1] > 0)) return rough;
  std::vector<std::pair<double, std::uint32_t>> outside;
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t k : equal.first) {
    const std::uint32_t i = present[k];
    const int s = problem.y[i] > 0 ? 1 : 0;
    const double below = problem.y[i] * sums.products()[i] - level[s] / total[s];
    if (weight[group[i]] > 0) {
      chosen.push_back(i);
    } else if (below < 0) {
      outside.emplace_back(below, i);
    }
  }
  std::sort(outside.begin(), outside.end());
  outside.resize(std::min(outside.size(), std::max<std::size_t>(32, chosen.size() / 8)));
  for (const auto& [below, i] : outside) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());

  std::vector<double> alpha;
  while (true) {
    const std::size_t n = chosen.size();
    if (n < 2 || n > most_rows) return rough;
    const KernelRows<double> rows(*access, chosen, problem.data->features(), form_for(*problem.data, kernel),
                                  threads);
    std::vector<std::uint32_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i);
    std::vector<double> values(n * rows.padded());
    kernel_block(kernel, LeftRows<double>(rows, all), rows, values.data(), rows.padded(), threads);
    std::vector<double> matrix(n * n);
    std::vector<std::int8_t> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = problem.y[chosen[i]];
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * rows.padded()), n,
                  matrix.begin() + static_cast<std::ptrdiff_t>(i * n));
    }
    if (!Balance(std::move(matrix), std::move(y)).solve(alpha, threads)) return rough;
    std::vector<std::uint32_t> left;
    std::vector<double> positive;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(alpha[i] > 0)) continue;
      left.push_back(chosen[i]);
      positive.push_back(alpha[i]);
    }
    if (left.size() == n) return {std::move(left), std::move(positive)};
    chosen = std::move(left);
  }
}

}  // namespace halfspace
