// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/kernel/pair_steps.hpp"
#include "data/kernel/multiples.hpp"
#include "data/kernel/rows.hpp"
#include "data/storage/equal_rows.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

testing::Rows random_rows(std::size_t rows, std::size_t columns, double density, bool ones,
                          std::uint64_t seed) {
  Random random(seed);
  testing::Rows out(rows, std::vector<double>(columns, 0.0));
  for (auto& row : out)
    for (double& x : row)
      if (random.uniform() < density) x = ones ? 1.0 : random.normal();
  return out;
}

double value_by_definition(const KernelFunction& kernel, const std::vector<double>& a,
                           const std::vector<double>& b) {
  double dot = 0, distance2 = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    dot += a[j] * b[j];
    distance2 += (a[j] - b[j]) * (a[j] - b[j]);
  }
  switch (kernel.kind) {
    case KernelKind::Rbf: return std::exp(-kernel.gamma * distance2);
    case KernelKind::Poly:
      return std::pow(kernel.gamma * dot + kernel.coef, static_cast<double>(kernel.degree));
    case KernelKind::Sigmoid: return std::tanh(kernel.gamma * dot + kernel.coef);
    default: return dot;
  }
}

std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> out(n);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

template <class T>
void check_block(const testing::Rows& rows, RowForm form, const KernelFunction& kernel, double tolerance,
                 double unit = 0) {
  const Dataset data = testing::dataset_from(rows);
  const auto access = RowAccess::of(data.matrix());
  const KernelRows<T> packed(*access, numbers(rows.size()), data.features(), form, Threads(2), {}, true, {},
                             unit);
  const std::vector<std::uint32_t> left = {3, 0, 5, 7, 1, 2, 11, 9};
  std::vector<T> block(left.size() * packed.padded());
  kernel_block(kernel, LeftRows<T>(packed, left), packed, block.data(), packed.padded(), Threads(2));
  std::vector<double> weights(2 * left.size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = 0.25 * static_cast<double>(k % 5) - 0.5;
  std::vector<double> sums(2 * packed.padded(), 1.0);
  add_kernel_sums(kernel, LeftRows<T>(packed, left), packed, LeftWeights<T>(weights, 2), sums.data(),
                  Threads(2));
  std::vector<T> alone(packed.padded());
  for (std::size_t r = 0; r < left.size() && form != RowForm::Differences; ++r) {
    kernel_row(kernel, packed, left[r], alone.data());
    CHECK(std::equal(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(rows.size()),
                     block.begin() + static_cast<std::ptrdiff_t>(r * packed.padded())));
  }
  double worst = 0, worst_sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double expected[2] = {1, 1};
    for (std::size_t r = 0; r < left.size(); ++r) {
      const double value = value_by_definition(kernel, rows[left[r]], rows[i]);
      worst = std::max(worst, std::abs(static_cast<double>(block[r * packed.padded() + i]) - value) /
                                  (1 + std::abs(value)));
      for (std::size_t p = 0; p < 2; ++p) expected[p] += weights[p * left.size() + r] * value;
    }
    for (std::size_t p = 0; p < 2; ++p)
      worst_sum = std::max(
          worst_sum, std::abs(sums[p * packed.padded() + i] - expected[p]) / (1 + std::abs(expected[p])));
  }
  // The same weights as lists, in any order of the rows.
  std::vector<std::uint64_t> first = {0};
  std::vector<std::uint32_t> row;
  std::vector<double> weight;
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t r = left.size(); r-- > 0;) {
      if (weights[p * left.size() + r] == 0) continue;
      row.push_back(static_cast<std::uint32_t>(r));
      weight.push_back(weights[p * left.size() + r]);
    }
    first.push_back(row.size());
  }
  std::vector<double> by_lists(sums.size(), 1.0);
  add_kernel_sums(kernel, LeftRows<T>(packed, left), packed, LeftWeights<T>(left.size(), first, row, weight),
                  by_lists.data(), Threads(1));
  CHECK(by_lists == sums);
  CHECK(worst < tolerance);
  CHECK(worst_sum < 20 * tolerance);
}

}  // namespace

TEST_CASE(
    "blocks of kernel values are those of the definition, in every form of rows and in both precisions") {
  const KernelFunction kernels[] = {
      {}, {KernelKind::Rbf, 0.05}, {KernelKind::Poly, 0.1, 1, 3}, {KernelKind::Sigmoid, 0.02, -0.5}};
  for (const KernelFunction& kernel : kernels) {
    for (const RowForm form : {RowForm::Dense, RowForm::Sparse}) {
      check_block<float>(random_rows(45, 37, 0.6, false, 1), form, kernel, 5e-6);
      check_block<double>(random_rows(45, 37, 0.6, false, 2), form, kernel, 1e-14);
    }
    check_block<double>(random_rows(45, 3000, 0.01, false, 3), RowForm::Sparse, kernel, 1e-14);
    check_block<float>(random_rows(40, 1100, 0.05, true, 4), RowForm::Ones, kernel, 5e-6);
    check_block<double>(random_rows(40, 1100, 0.05, true, 5), RowForm::Ones, kernel, 1e-14);
    check_block<float>(random_rows(40, 30, 0.5, true, 6), RowForm::Ones, kernel, 5e-6);
  }
  check_block<double>(random_rows(45, 37, 0.6, false, 7), RowForm::Differences, kernels[1], 1e-14);
}

TEST_CASE("sums over a set of its own rows, with every value computed once, are those over all pairs") {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{31}, std::size_t{33}, std::size_t{95}, std::size_t{1300}}) {
    for (const RowForm form : {RowForm::Dense, RowForm::Differences, RowForm::Sparse, RowForm::Ones}) {
      CAPTURE(count);
      const bool ones = form == RowForm::Ones;
      const Dataset data = testing::dataset_from(random_rows(count, 9, ones ? 0.4 : 0.7, ones, count));
      const auto access = RowAccess::of(data.matrix());
      const KernelFunction kernel{KernelKind::Rbf, 0.1};
      const KernelRows<double> packed(*access, numbers(count), data.features(), form, Threads(1));
      std::vector<double> weights(count);
      for (std::size_t k = 0; k < count; ++k) weights[k] = 0.5 * static_cast<double>(k % 7) - 1.4;
      std::vector<double> all(packed.padded(), 1.0), own(packed.padded(), 1.0), three(packed.padded(), 1.0);
      add_kernel_sums(kernel, LeftRows<double>(packed, numbers(count)), packed, LeftWeights<double>(weights),
                      all.data(), Threads(1));
      add_own_sums(kernel, packed, weights, own.data(), Threads(1));
      add_own_sums(kernel, packed, weights, three.data(), Threads(3));
      CHECK(own == three);
      for (std::size_t i = 0; i < count; ++i) CHECK(std::abs(own[i] - all[i]) <= 1e-11);
    }
  }
}

// Whole multiples of a unit, written with so many digits.
testing::Rows multiples(std::size_t count, std::size_t features, double unit, double digits,
                        std::uint64_t seed) {
  testing::Rows rows = random_rows(count, features, 0.4, false, seed);
  for (auto& row : rows) {
    for (double& x : row) x = std::round(std::clamp(40 * x, -200.0, 200.0)) * unit;
    for (double& x : row) x = std::round(x * digits) / digits;
  }
  rows[0][0] = std::round(unit * digits) / digits;
  rows[0][1] = std::round(255 * unit * digits) / digits;
  return rows;
}

TEST_CASE("rows of multiples of a unit are found and give the kernel values of the definition") {
  const KernelFunction kernels[] = {{}, {KernelKind::Rbf, 0.05}, {KernelKind::Poly, 0.1, 1, 3}};
  for (const std::size_t features : {std::size_t{36}, std::size_t{37}}) {
    for (const double unit : {1.0, 1.0 / 255}) {
      const testing::Rows rows = multiples(45, features, unit, 1e7, features);
      const Multiples found =
          find_multiples(*RowAccess::of(testing::dataset_from(rows).matrix()), Threads(2));
      REQUIRE(found.unit > 0);
      CHECK(std::abs(found.unit / unit - 1) < 1e-5);
      CHECK((found.deviation == 0) == (unit == 1));
      KernelFunction linear = kernels[0];
      check_block<double>(rows, RowForm::Multiples, linear, unit == 1 ? 1e-14 : 1e-4, found.unit);
      if (unit == 1) continue;
      for (const KernelFunction& kernel : kernels)
        check_block<float>(rows, RowForm::Multiples, kernel, 2e-5, found.unit);
    }
  }
  const testing::Rows any = random_rows(45, 37, 0.6, false, 11);
  CHECK(find_multiples(*RowAccess::of(testing::dataset_from(any).matrix()), Threads(1)).unit == 0);
  testing::Rows spoiled = multiples(45, 37, 1, 1, 12);
  spoiled[44][3] = 0.7;
  CHECK(find_multiples(*RowAccess::of(testing::dataset_from(spoiled).matrix()), Threads(1)).unit == 0);
}

TEST_CASE("values of rows near multiples are off by no more than their bound") {
  const testing::Rows rows = multiples(45, 60, 1.0 / 255, 1e7, 13);
  const Dataset data = testing::dataset_from(rows);
  const auto access = RowAccess::of(data.matrix());
  const Multiples found = find_multiples(*access, Threads(1));
  REQUIRE(found.deviation > 0);
  for (const KernelFunction& kernel :
       {KernelFunction{KernelKind::Rbf, 0.3}, KernelFunction{KernelKind::Poly, 0.5, 1, 2}}) {
    const KernelRows<float> packed(*access, numbers(rows.size()), data.features(), RowForm::Multiples,
                                   Threads(1), {}, true, {}, found.unit);
    std::vector<float> values(packed.padded());
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      kernel_row(kernel, packed, r, values.data());
      const LeftScale left{RowForm::Multiples, 1, packed.longest(), std::sqrt(access->norm2(r)),
                           found.deviation};
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double off =
            std::abs(static_cast<double>(values[i]) - value_by_definition(kernel, rows[r], rows[i]));
        CHECK(off <= sum_error<float>(kernel, left, std::sqrt(access->norm2(i))));
      }
    }
  }
}

TEST_CASE("squared distances by differences keep what products of long rows lose") {
  testing::Rows rows = random_rows(20, 5, 1.0, false, 8);
  for (auto& row : rows)
    for (double& x : row) x += 1e7;
  check_block<double>(rows, RowForm::Differences, {KernelKind::Rbf, 0.05}, 1e-14);
}

TEST_CASE("rows of ones are packed as such, with column numbers of either width") {
  const Dataset data = testing::dataset_from(random_rows(30, 40, 0.3, true, 9));
  CHECK(stores_ones(data.matrix()));
  CHECK(form_for(data, {KernelKind::Rbf, 0.1}) == RowForm::Ones);
  CHECK(form_for(RowShape{10, 1000, 2000, 200, true}) != RowForm::Ones);
}

TEST_CASE("a kernel is read and printed as text") {
  using Type = OptionType<KernelFunction>;
  for (const char* text :
       {"linear", "poly:3", "poly:4,0.5,1", "rbf", "rbf:0.25", "sigmoid", "sigmoid:0.1,-1", "precomputed"})
    CHECK(Type::print(Type::parse("kernel", text, {})) == text);
  CHECK(Type::print(Type::parse("kernel", "poly:2,0.5", {})) == "poly:2,0.5,0");
  for (const char* text :
       {"rfb", "rbf:", "rbf:0", "rbf:-1", "rbf:1,2", "poly:0", "poly:1.5", "linear:1", "sigmoid:1,2,3", ""})
    CHECK_THROWS_AS((void)Type::parse("kernel", text, {}), UsageError);
}

TEST_CASE("equal rows are found whatever lies between them") {
  const Dataset data = testing::dataset_from({{1, 2}, {2, 1}, {1, 2}, {0, 0}, {2, 1}, {0, 0}, {1, 2.5}});
  const EqualRows equal = find_equal_rows(*RowAccess::of(data.matrix()), numbers(7));
  CHECK(equal.group == std::vector<std::uint32_t>{0, 1, 0, 2, 1, 2, 3});
  CHECK(equal.first == std::vector<std::uint32_t>{0, 1, 3, 6});
}

TEST_CASE("steps on pairs solve a small problem to its optimum") {
  // Two points at distance 2 on a line, targets 1 and -1, bound 10: beta = (1/2, -1/2).
  constexpr std::size_t size = detail::pair_padding;
  AlignedVector<float> kernel(size * size, 0.0F), diagonal(size, 1.0F);
  kernel[0] = 1;
  kernel[1] = kernel[size] = -1;
  kernel[size + 1] = 1;
  AlignedVector<double> slope(size, 0.0), up(size), low(size);
  std::vector<double> beta(size, 0.0), lower(size, 0.0), upper(size, 0.0);
  slope[0] = 1;
  slope[1] = -1;
  upper[0] = 10;
  lower[1] = -10;
  detail::PairProblem<double> p;
  p.size = p.split = p.stride = size;
  p.kernel = kernel.data();
  p.diagonal = diagonal.data();
  p.slope = slope.data();
  p.up = up.data();
  p.low = low.data();
  p.beta = beta.data();
  p.lower = lower.data();
  p.upper = upper.data();
  p.stop = 1e-9;
  p.most = 100;
  CHECK(detail::pair_steps(p).apart <= 1e-9);
  CHECK(beta[0] == doctest::Approx(0.5));
  CHECK(beta[1] == doctest::Approx(-0.5));
}
