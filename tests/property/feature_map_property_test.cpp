// SPDX-License-Identifier: BSD-3-Clause
// Laws of features in place of a kernel, on rows drawn at random.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "feature_products.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/prepare/feature_map.hpp"
#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::kernel_of;
using hs::testing::product;
using hs::testing::same_bits;

namespace {

const hs::Threads one{1};

// Eighths between -4 and 4, many of them zero and many rows equal.
hs::testing::Rows any_rows(std::size_t rows, std::size_t columns) {
  const auto number = rc::gen::resize(rc::kNominalSize, rc::gen::map(rc::gen::inRange(-64, 64), [](int x) {
                                        return x % 2 == 0 ? x / 16.0 : 0.0;
                                      }));
  return *rc::gen::container<hs::testing::Rows>(rows,
                                                rc::gen::container<std::vector<double>>(columns, number));
}

hs::KernelFunction any_kernel() {
  return *rc::gen::element(hs::KernelFunction{hs::KernelKind::Rbf, 0.25},
                           hs::KernelFunction{hs::KernelKind::Rbf, 4},
                           hs::KernelFunction{hs::KernelKind::Poly, 0.5, 1, 2}, hs::KernelFunction{});
}

hs::Model model_on(const hs::FeatureMap& map, std::uint64_t seed) {
  hs::Random random(seed);
  std::vector<double> plane;
  for (std::size_t k = 0; k < map.outputs; ++k) plane.push_back(random.normal());
  auto model = hs::testing::linear_model({plane}, {0.5}, {"0", "1"});
  model.map = std::make_shared<hs::FeatureMap>(map);
  return model;
}

}  // namespace

TEST_CASE("with every row a landmark, products of nystrom features are the kernel") {
  CHECK(rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 30);
    const auto rows = any_rows(n, *rc::gen::inRange<std::size_t>(1, 8));
    const auto data = dataset_from(rows, {}, {}, rows[0].size());
    const auto kernel = any_kernel();
    RC_PRE(data.nonzeros() > 0);
    const auto map = hs::learn_features(data, {hs::MapKind::Nystrom, n}, kernel, 1, one);
    const auto mapped = hs::apply_features(data, map, one);
    double largest = 1;
    for (const auto& row : rows) largest = std::max(largest, kernel_of(map.kernel, row, row));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        RC_ASSERT(std::abs(product(mapped, i, j) - kernel_of(map.kernel, rows[i], rows[j])) <=
                  2e-5 * largest);
  }));
}

TEST_CASE("nystrom never gives a row more than its own kernel value") {
  CHECK(rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(3, 30);
    const auto rows = any_rows(n, *rc::gen::inRange<std::size_t>(1, 8));
    const auto data = dataset_from(rows, {}, {}, rows[0].size());
    const hs::KernelFunction kernel{hs::KernelKind::Rbf, 0.5};
    const auto map = hs::learn_features(data, {hs::MapKind::Nystrom, n / 2}, kernel,
                                        *rc::gen::arbitrary<std::uint64_t>(), one);
    const auto mapped = hs::apply_features(data, map, one);
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(product(mapped, i, i) <= 1 + 1e-5);
  }));
}

TEST_CASE(
    "a stored map scores every row with the same bits, alone or in a batch, for any number of threads") {
  CHECK(rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 40);
    const auto columns = *rc::gen::inRange<std::size_t>(1, 8);
    const auto data = dataset_from(any_rows(n, columns), {}, {}, columns);
    RC_PRE(data.nonzeros() > 0);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    const bool fourier = *rc::gen::arbitrary<bool>();
    const hs::MapChoice choice{fourier ? hs::MapKind::Fourier : hs::MapKind::Nystrom,
                               2 * *rc::gen::inRange<std::size_t>(1, 20)};
    const auto kernel = fourier ? hs::KernelFunction{hs::KernelKind::Rbf, 0.25} : any_kernel();
    auto model = model_on(hs::learn_features(data, choice, kernel, seed, one), seed);
    model.unit_rows = *rc::gen::arbitrary<bool>();
    if (!model.unit_rows && *rc::gen::arbitrary<bool>())
      model.scaling = hs::learn_scaling(data, hs::ScaleKind::MinMax, one);
    const std::string bytes = hs::to_bytes(model);
    const auto back = hs::model_from_bytes(bytes, "m");
    RC_ASSERT(hs::to_bytes(back) == bytes);
    const auto all = hs::scores(model, data, one);
    RC_ASSERT(same_bits(all, hs::scores(back, data, hs::Threads(3))));
    const auto row = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(n));
    const std::vector<std::uint32_t> single{row};
    RC_ASSERT(same_bits({all[row]}, hs::scores(back, data.subset(single), one)));
  }));
}
