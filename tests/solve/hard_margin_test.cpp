// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/core/random.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "halfspace/solve/separability.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

Separability bracketed(const Dataset& data, Offset offset = Offset::Free) {
  Separability answer = separability(data, {.offset = offset, .margin = MarginWork::Full});
  REQUIRE(answer.decided);
  REQUIRE(answer.margin.has_value());
  CHECK(answer.check.holds);
  CHECK(answer.margin->upper / answer.margin->lower - 1 <= 1e-6);
  return answer;
}

TEST_CASE("hard margin of two points: the plane is their bisector, the margin half their distance") {
  const Dataset data = dataset_from({{1, 1}, {4, 5}}, {-1, 1});
  const Fit fit = train(data, HardMargin{});
  const auto& model = std::get<LinearModel>(fit.model().form);
  // theta = 2 (3, 4) / 25, and the middle (2.5, 3) has score 0.
  CHECK(model.weights[0] == doctest::Approx(0.24).epsilon(1e-6));
  CHECK(model.weights[1] == doctest::Approx(0.32).epsilon(1e-6));
  CHECK(model.offsets[0] == doctest::Approx(-1.56).epsilon(1e-6));
  CHECK(*fit.trace.support_vectors == 2);
  CHECK(1 / std::hypot(model.weights[0], model.weights[1]) == doctest::Approx(2.5).epsilon(1e-6));
  CHECK(fit.proof.objective->relative_gap() <= 1e-5);
}

TEST_CASE("classes that overlap have no plane with a hard margin, and the proof is there") {
  const Dataset data = dataset_from({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {-1, 1, 1, -1});
  const Fit fit = train(data, HardMargin{});
  CHECK(fit.outcome() == Outcome::No);
  CHECK_FALSE(fit.has_model());
  REQUIRE(fit.proof.separation != nullptr);
  CHECK(fit.proof.separation->verdict == Separation::Overlapping);
  CHECK(verify(*fit.proof.separation, data).holds);
  try {
    static_cast<void>(fit.model());
    FAIL("a model that is not there was handed out");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("the rest are overlapping") != std::string::npos);
  }
}

TEST_CASE("margins with a free, a lifted and no offset") {
  const Dataset line = dataset_from({{1}, {3}}, {-1, 1});
  CHECK(bracketed(line).margin->lower == doctest::Approx(1));
  // Lifted: (-1, -1) and (3, 1), and the point of their segment nearest to the origin is 2 / |(4, 2)| away.
  CHECK(bracketed(line, Offset::Lifted).margin->lower == doctest::Approx(2 / std::sqrt(20.0)));
  const Dataset through = dataset_from({{-1, 0}, {3, 4}}, {-1, 1});
  CHECK(bracketed(through, Offset::None).margin->lower == doctest::Approx(1));  // at (1, 0)
}

TEST_CASE("the margin of random data is that of its support rows alone") {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t d = 1 + random.below(6);
    Rows rows;
    std::vector<int> labels;
    std::vector<double> plane;
    for (std::size_t j = 0; j < d; ++j) plane.push_back(random.normal());
    while (rows.size() < 60) {
      std::vector<double> x;
      double sum = 0.3;
      for (std::size_t j = 0; j < d; ++j) {
        x.push_back(random.normal());
        sum += x[j] * plane[j];
      }
      if (std::abs(sum) < 0.1 && rows.size() > 1) continue;
      labels.push_back(rows.size() < 2 ? (rows.empty() ? 1 : -1) : (sum > 0 ? 1 : -1));
      if (rows.size() < 2)
        for (std::size_t j = 0; j < d; ++j) x[j] = plane[j] * (rows.empty() ? 9 : -9);
      rows.push_back(x);
    }
    const Dataset data = dataset_from(rows, labels);
    const Separability all = bracketed(data);
    Rows few;
    std::vector<int> few_labels;
    for (const std::uint32_t i : all.proof.hull.rows) {
      few.push_back(rows[i]);
      few_labels.push_back(labels[i]);
    }
    CHECK(bracketed(dataset_from(few, few_labels)).margin->lower ==
          doctest::Approx(all.margin->lower).epsilon(1e-5));
  }
}

TEST_CASE("a tampered margin is refused") {
  Separability answer = bracketed(dataset_from({{0, 0}, {1, 0}, {3, 0}, {4, 9}}, {-1, -1, 1, 1}));
  const Dataset data = dataset_from({{0, 0}, {1, 0}, {3, 0}, {4, 9}}, {-1, -1, 1, 1});
  SeparationProof proof = answer.proof;
  proof.margin_lower = "1.001";
  CHECK_FALSE(verify(proof, data).holds);
  proof = answer.proof;
  proof.margin_upper = "0.999";
  CHECK_FALSE(verify(proof, data).holds);
  proof = answer.proof;
  proof.radius = "9.8";
  CHECK_FALSE(verify(proof, data).holds);
}

TEST_CASE("hard margin of three classes stands against the rest") {
  const Dataset data = dataset_from({{0, 0}, {1, 0}, {10, 0}, {11, 0}, {5, 9}, {6, 9}}, {1, 1, 2, 2, 3, 3});
  const Fit fit = train(data, HardMargin{});
  CHECK(fit.has_model());
  CHECK(std::get<LinearModel>(fit.model().form).planes == 3);
  CHECK(labels_from_scores(fit.model(), scores(fit.model(), data, Threads(1))) ==
        std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
}

}  // namespace
}  // namespace halfspace
