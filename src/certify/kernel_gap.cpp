// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53. A product of rows is off by at most (entries + 4) 2u |x||z| (Higham, Accuracy and
// Stability of Numerical Algorithms, chapter 3), the kernel of it by KernelFunction::value_error; a sum of k
// weighted values by (k + 4) 2u times the sum of their sizes more. A residual r = sum alpha_i y_i costs |r|
// |b| for the best offset b, and |b| <= 1 + sqrt(max K(x, x)) sqrt(2 P).
#include "halfspace/certify/kernel_gap.hpp"

#include <algorithm>
#include <cmath>

#include "data/equal_rows.hpp"
#include "data/kernel_rows.hpp"

namespace halfspace {
namespace {

constexpr double unit = 0x1.0p-53;

double rounding(std::size_t terms) { return 2 * static_cast<double>(terms + 4) * unit; }

// A sum that carries its rounding errors along (Neumaier 1974).
struct ExactSum {
  double sum = 0, low = 0;
  void add(double x) {
    const double next = sum + x;
    low += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  [[nodiscard]] double value() const { return sum + low; }
};

}  // namespace

KernelGap::KernelGap(const Problem& problem, const KernelFunction& kernel, const DualPoint& point,
                     const Threads& threads)
    : problem_(&problem) {
  const std::size_t n = problem.rows();
  alpha_.assign(n, 0.0);
  for (std::size_t k = 0; k < std::min(point.rows.size(), point.alpha.size()); ++k) {
    const std::uint32_t i = point.rows[k];
    if (i < n && problem.cost[i] > 0 && point.alpha[k] > 0)
      alpha_[i] = std::min(point.alpha[k], problem.cost[i]);
  }
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < n; ++i)
    if (problem.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  const auto access = RowAccess::of(problem.data->matrix());
  const RowForm form = form_for(*problem.data, kernel);
  const bool given = form == RowForm::Given;
  const std::size_t id = given && problem.data->features() == n + 1 ? 1 : 0;

  // Equal rows have equal products: one of each is enough, with the coefficients of all.
  const EqualRows equal = given ? all_different(present.size()) : find_equal_rows(*access, present);
  std::vector<std::uint32_t> distinct, columns;
  for (const std::uint32_t k : equal.first) distinct.push_back(present[k]);
  if (given)
    for (const std::uint32_t i : distinct) columns.push_back(static_cast<std::uint32_t>(i + id));
  const KernelRows<double> rows(*access, distinct, problem.data->features(), form, threads, columns);
  std::vector<double> coefficient(distinct.size(), 0.0);
  double weight = 0, longest = 0, largest = 0;
  std::vector<double> length(distinct.size());
  for (std::size_t k = 0; k < present.size(); ++k) {
    coefficient[equal.group[k]] += problem.y[present[k]] * alpha_[present[k]];
    weight += alpha_[present[k]];
  }
  std::vector<std::uint32_t> left;
  std::vector<double> weights;
  for (std::size_t g = 0; g < distinct.size(); ++g) {
    length[g] = std::sqrt(rows.length2()[g]) * (1 + 1e-9);
    const double own = std::abs(rows.own_value(kernel, g));
    largest = std::max(largest, own);
    if (coefficient[g] == 0) continue;
    longest = std::max(longest, length[g]);
    left.push_back(static_cast<std::uint32_t>(g));
    weights.push_back(coefficient[g]);
  }
  std::vector<double> sums(rows.padded(), 0.0);
  if (!left.empty())
    add_kernel_sums(kernel, LeftRows<double>(rows, left), rows, weights, 1, sums.data(), threads);
  products_.assign(n, 0.0);
  error_.assign(n, 0.0);
  largest_value_ = std::sqrt(largest) * (1 + 1e-9);
  const double product_error = rounding(std::min<std::size_t>(problem.data->features(), 1U << 20U));
  for (std::size_t k = 0; k < present.size(); ++k) {
    const std::uint32_t g = equal.group[k];
    const double value_error = given ? 0 : kernel.value_error(product_error, length[g], longest);
    const double value = largest_value_ * largest_value_ * (1 + 1e-9);
    products_[present[k]] = sums[g];
    error_[present[k]] = weight * (value_error + rounding(left.size() + 8) * value);
  }
}

DualityGap KernelGap::at(double offset) const {
  const Problem& p = *problem_;
  double loss = 0, square = 0, square_error = 0;
  ExactSum gain, balance;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    if (p.cost[i] == 0) continue;
    const double margin = p.y[i] * (products_[i] + offset);
    const double margin_error = error_[i] + 4 * unit * (std::abs(products_[i]) + std::abs(offset));
    loss += p.cost[i] * std::max(0.0, 1 - margin + margin_error);
    if (alpha_[i] == 0) continue;
    square += p.y[i] * alpha_[i] * products_[i];
    square_error += alpha_[i] * (error_[i] + rounding(p.rows()) * std::abs(products_[i]));
    gain.add(alpha_[i]);
    balance.add(p.y[i] * alpha_[i]);
  }
  DualityGap out;
  out.primal = ((square + square_error) / 2 + loss * (1 + rounding(p.rows()))) * (1 + 8 * unit);
  const double residual =
      std::abs(balance.value()) + 4 * unit * unit * static_cast<double>(p.rows()) * gain.value();
  const double largest_offset = 1.01 * (1 + largest_value_ * std::sqrt(2 * std::max(0.0, out.primal)));
  const double dual = gain.value() * (1 - 4 * unit) - (square + square_error) / 2 - residual * largest_offset;
  out.dual = dual - std::abs(dual) * 8 * unit;
  return out;
}

}  // namespace halfspace
