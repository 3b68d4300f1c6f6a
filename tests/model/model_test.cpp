// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "halfspace/core/random.hpp"
#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::linear_model;
using hs::testing::same_bits;

namespace {

const hs::Threads one{1};
using Labels = std::vector<std::uint32_t>;
using Scores = std::vector<double>;

hs::Model lookup_model(std::vector<std::string> classes) {
  hs::Model model;
  model.form = hs::LookupModel{
      .features = 2, .feature = 1, .values = {-1.5, 0, 2}, .labels = {1, 0, 1}, .fallback = 1};
  model.classes = std::move(classes);
  return model;
}

// The sum that a score is defined by.
double by_hand(const std::vector<double>& row, std::span<const double> weights, double offset) {
  double sum = 0;
  for (std::size_t j = 0; j < std::min(row.size(), weights.size()); ++j) {
    const volatile double product = row[j] * weights[j];
    sum += product;
  }
  return sum + offset;
}

}  // namespace

TEST_CASE("a score is the weights times the row plus the offset") {
  const auto model = linear_model({{2, -1}}, {0.5}, {"a", "b"});
  const auto data = dataset_from({{1, 1}, {0, 3}, {0, 0}, {0.25, 1}});
  CHECK(hs::scores(model, data, one) == Scores{1.5, -2.5, 0.5, 0});
  CHECK(model.features() == 2);
  CHECK(model.planes() == 1);
}

TEST_CASE("the tie rule decides a score of exactly zero") {
  auto model = linear_model({{1}}, {0}, {"a", "b"});
  const Scores f{1, -1, 0, -0.0, std::numeric_limits<double>::quiet_NaN()};
  model.tie = hs::Tie::Negative;
  CHECK(hs::labels_from_scores(model, f) == Labels{1, 0, 0, 0, 0});
  model.tie = hs::Tie::Positive;
  CHECK(hs::labels_from_scores(model, f) == Labels{1, 0, 1, 1, 1});
  model.tie = hs::Tie::Abstain;
  CHECK(hs::labels_from_scores(model, f) == Labels{1, 0, hs::abstained, hs::abstained, hs::abstained});
}

TEST_CASE("of many classes the largest score wins and the first of equal ones") {
  const auto model = linear_model({{1, 0}, {0, 1}, {-1, -1}}, {0, 0, 0}, {"a", "b", "c"});
  const auto data = dataset_from({{2, 1}, {1, 2}, {-1, -1}, {0, 0}, {1, 1}});
  const auto f = hs::scores(model, data, one);
  CHECK(f == Scores{2, 1, -3, 1, 2, -3, -1, -1, 2, 0, 0, 0, 1, 1, -2});
  CHECK(hs::labels_from_scores(model, f) == Labels{0, 1, 2, 0, 0});
}

TEST_CASE("rows wider and narrower than the model are scored by the features both have") {
  const auto binary = linear_model({{1, 10}}, {0}, {"a", "b"});
  const auto many = linear_model({{1, 10}, {2, 20}, {3, 30}}, {0, 0, 0}, {"a", "b", "c"});
  for (const bool dense : {true, false}) {
    CAPTURE(dense);
    // Far columns make the set sparse.
    const std::size_t features = dense ? 0 : 1000;
    const auto wide = dataset_from({{1, 1, 7}, {0, 2, 5}}, {}, {}, features);
    CHECK(wide.sparse() == !dense);
    CHECK(hs::scores(binary, wide, one) == Scores{11, 20});
    CHECK(hs::scores(many, wide, one) == Scores{11, 22, 33, 20, 40, 60});
  }
  const auto narrow = dataset_from({{3}, {-1}});
  CHECK(hs::scores(binary, narrow, one) == Scores{3, -1});
  CHECK(hs::scores(many, narrow, one) == Scores{3, 6, 9, -1, -2, -3});
}

TEST_CASE("unit rows divide the linear part by the norm of the whole row") {
  auto model = linear_model({{1, 2}}, {0.5}, {"a", "b"});
  model.unit_rows = true;
  CHECK(hs::scores(model, dataset_from({{3, 4}, {0, 0}, {2, 0}}), one) == Scores{11.0 / 5 + 0.5, 0.5, 1.5});
  // The feature the model does not know still belongs to the norm.
  CHECK(hs::scores(model, dataset_from({{0, 3, 4}}), one) == Scores{6.0 / 5 + 0.5});
}

TEST_CASE("unit rows survive squares beyond the range of double") {
  auto model = linear_model({{1, 1}}, {0}, {"a", "b"});
  model.unit_rows = true;
  const auto f = hs::scores(model, dataset_from({{3e200, 4e200}, {3e-200, 4e-200}}), one);
  CHECK(f[0] == doctest::Approx(1.4).epsilon(1e-15));
  CHECK(f[1] == doctest::Approx(1.4).epsilon(1e-15));
}

TEST_CASE("a score has the bits of the plain sum in every layout, batch and number of threads") {
  hs::Random random(7);
  for (const std::size_t planes : {1U, 3U, 7U, 10U, 26U}) {
    CAPTURE(planes);
    hs::testing::Rows weights(planes, std::vector<double>(37));
    std::vector<double> offsets(planes);
    std::vector<std::string> classes;
    for (std::size_t k = 0; k < std::max<std::size_t>(planes, 2); ++k)
      classes.push_back(std::string(1, static_cast<char>('a' + k)));
    for (auto& plane : weights)
      for (double& w : plane) w = random.normal();
    for (double& b : offsets) b = random.normal();
    const auto model = linear_model(weights, offsets, classes);
    hs::testing::Rows rows(3000, std::vector<double>(40));
    for (auto& row : rows)
      for (double& x : row) x = random.uniform() < 0.9 ? random.normal() : 0;

    const auto dense = dataset_from(rows);
    const auto sparse = dataset_from(rows, {}, {}, 5000);
    CHECK(!dense.sparse());
    CHECK(sparse.sparse());
    const auto f = hs::scores(model, dense, one);
    CHECK(same_bits(f, hs::scores(model, sparse, one)));
    CHECK(same_bits(f, hs::scores(model, dense, hs::Threads(3))));
    CHECK(same_bits(f, hs::scores(model, sparse, hs::Threads(8))));
    bool by_row = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < planes; ++k) {
        by_row = by_row && f[i * planes + k] == by_hand(rows[i], weights[k], offsets[k]);
      }
    }
    CHECK(by_row);
    const auto alone = hs::scores(model, dataset_from({rows[11]}), one);
    CHECK(same_bits(alone, Scores(f.begin() + static_cast<std::ptrdiff_t>(11 * planes),
                                  f.begin() + static_cast<std::ptrdiff_t>(12 * planes))));
  }
}

TEST_CASE("a lookup answers by the exact value of its feature and falls back for values never seen") {
  const auto data = dataset_from({{9, -1.5}, {9, 0}, {9, 2}, {9, 3}, {9, -0.0}, {9}});
  const auto two = lookup_model({"a", "b"});
  CHECK(hs::scores(two, data, one) == Scores{1, -1, 1, 1, -1, -1});
  const auto three = lookup_model({"a", "b", "c"});
  CHECK(three.planes() == 3);
  const auto f = hs::scores(three, data, one);
  CHECK(hs::labels_from_scores(three, f) == Labels{1, 0, 1, 1, 0, 0});
  CHECK(f[0] == 0);
  CHECK(f[1] == 1);
  CHECK(f[2] == 0);
}

TEST_CASE("a lookup learned on unit rows finds the values of those rows again") {
  hs::Random random(5);
  hs::testing::Rows rows(200, std::vector<double>(50));
  for (auto& row : rows)
    for (double& x : row) x = random.normal();
  const auto data = dataset_from(rows);
  const auto scaled = hs::apply_scaling(data, hs::learn_scaling(data, hs::ScaleKind::Unit, one), one);
  const auto& dense = std::get<hs::DenseView<double>>(scaled.matrix());
  hs::LookupModel lookup{.features = 50, .feature = 7};
  for (std::size_t i = 0; i < rows.size(); ++i) lookup.values.push_back(dense.row(i).value[7]);
  std::sort(lookup.values.begin(), lookup.values.end());
  lookup.labels.assign(rows.size(), 1);
  hs::Model model;
  model.form = lookup;
  model.classes = {"a", "b"};
  model.unit_rows = true;
  CHECK(hs::scores(model, data, one) == Scores(200, 1.0));
}

TEST_CASE("an empty set has no scores") {
  const auto model = linear_model({{1}}, {0}, {"a", "b"});
  CHECK(hs::scores(model, hs::Dataset(), one).empty());
}
