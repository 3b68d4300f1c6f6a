// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/explanation.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::linear_model;

namespace {
const hs::Threads one{1};
}

TEST_CASE("the nearest point, the distance and the shortest moves of a plane are those of geometry") {
  hs::Model model = linear_model({{3, 4}}, {-5}, {"no", "yes"});
  const hs::Dataset data = dataset_from({{5, 5}});
  const hs::Explanation found = hs::explain(model, data, 0, {}, one);
  CHECK(found.score == 30);
  CHECK(*found.distance == doctest::Approx(6));
  REQUIRE(found.nearest.size() == 2);
  CHECK(found.nearest[0].feature == 1);
  CHECK(found.nearest[0].to == doctest::Approx(5 - 6 * 0.8));
  CHECK(found.nearest[1].to == doctest::Approx(5 - 6 * 0.6));
  // Without deviations a unit of every column is as long: column 2 alone moves by 30/4, both together by 6.
  REQUIRE(found.changes.size() == 3);
  CHECK(*found.changes[0].deviations == doctest::Approx(7.5));
  CHECK(*found.changes[1].deviations == doctest::Approx(10));
  CHECK(*found.changes[2].deviations == doctest::Approx(6));
  // A column that varies more moves more easily.
  model.deviations = {10, 1};
  const hs::Explanation wide = hs::explain(model, data, 0, {}, one);
  CHECK(wide.changes[0].moved[0].feature == 0);
  CHECK(*wide.changes[0].deviations == doctest::Approx(1));
  const std::uint32_t fixed[] = {0};
  const hs::Explanation held = hs::explain(model, data, 0, fixed, one);
  REQUIRE(held.changes.size() == 1);
  CHECK(held.changes[0].moved[0].feature == 1);
}

TEST_CASE("of several classes the second score is where the label turns") {
  const hs::Model model = linear_model({{1, 0}, {0, 1}, {-1, -1}}, {0, 0, 0}, {"a", "b", "c"});
  const hs::Explanation found = hs::explain(model, dataset_from({{3, 1}}), 0, {}, one);
  CHECK(found.given == 0);
  CHECK(found.score == 3);
  CHECK(*found.rival == 1);
  CHECK(*found.distance == doctest::Approx(2 / std::sqrt(2)));
  REQUIRE(!found.changes.empty());
  CHECK(found.changes[0].label == 1);
}

TEST_CASE("a constant plane has contributions of the offset only, and nothing turns its label") {
  const hs::Model model = linear_model({{0, 0}}, {2}, {"no", "yes"});
  const hs::Explanation found = hs::explain(model, dataset_from({{3, 1}}), 0, {}, one);
  CHECK(found.contributions.empty());
  CHECK(found.score == 2);
  CHECK(!found.distance);
  CHECK(found.changes.empty());
  CHECK_THROWS_AS((void)hs::explain(model, dataset_from({{3, 1}}), 1, {}, one), hs::UsageError);
}
