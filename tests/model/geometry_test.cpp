// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/geometry.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::linear_model;

namespace {
const hs::Threads one{1};
const hs::LinearModel& form(const hs::Model& model) { return std::get<hs::LinearModel>(model.form); }
}  // namespace

TEST_CASE("the plane 3x + 4y = 10 lies 2 from the origin") {
  const auto model = linear_model({{3, 4}}, {-10}, {"a", "b"});
  const auto g = hs::geometry(form(model));
  CHECK(g.norm == 5);
  CHECK(g.distance_from_origin == 2);
  CHECK(g.threshold == 10);
  CHECK(g.normal == std::vector<double>{0.6, 0.8});
  const auto data = dataset_from({{0, 0}, {2, 1}, {3, 4}});
  CHECK(hs::signed_distances(model, data, one) == std::vector<double>{-2, 0, 3});
  CHECK(hs::rows_on_plane(model, data, one) == std::vector<std::uint32_t>{1});
}

TEST_CASE("a plane through the origin has threshold and distance zero, not minus zero") {
  const auto g = hs::geometry(form(linear_model({{1, 0}}, {0}, {"a", "b"})));
  CHECK(!std::signbit(g.threshold));
  CHECK(!std::signbit(g.distance_from_origin));
}

TEST_CASE("weights that are all zero have no direction") {
  const auto model = linear_model({{0, 0}}, {3}, {"a", "b"});
  const auto g = hs::geometry(form(model));
  CHECK(g.norm == 0);
  CHECK(g.distance_from_origin == 0);
  CHECK(g.threshold == -3);
  CHECK(g.normal == std::vector<double>{0, 0});
  CHECK(hs::signed_distances(model, dataset_from({{1, 1}}), one) == std::vector<double>{0});
}

TEST_CASE("lengths whose squares leave the range of double are still right") {
  for (const double unit : {1e200, 1e-200}) {
    const auto g = hs::geometry(form(linear_model({{3 * unit, 4 * unit}}, {-10 * unit}, {"a", "b"})));
    CHECK(g.norm == doctest::Approx(5 * unit).epsilon(1e-14));
    CHECK(g.distance_from_origin == doctest::Approx(2).epsilon(1e-14));
    CHECK(g.normal[0] == doctest::Approx(0.6).epsilon(1e-14));
  }
}

TEST_CASE("each plane of many classes has its own geometry") {
  const auto model = linear_model({{1, 0}, {0, 2}, {3, 4}}, {0, -4, 5}, {"a", "b", "c"});
  CHECK(hs::geometry(form(model), 1).distance_from_origin == 2);
  CHECK(hs::geometry(form(model), 2).distance_from_origin == -1);
}

TEST_CASE("models without one plane refuse questions about it") {
  const auto data = dataset_from({{1, 1}});
  const auto many = linear_model({{1, 0}, {0, 1}, {1, 1}}, {0, 0, 0}, {"a", "b", "c"});
  CHECK_THROWS_AS((void)hs::signed_distances(many, data, one), hs::UsageError);
  CHECK_THROWS_AS((void)hs::rows_on_plane(many, data, one), hs::UsageError);
  hs::Model lookup;
  lookup.form = hs::LookupModel{.features = 1};
  lookup.classes = {"a", "b"};
  CHECK_THROWS_AS((void)hs::rows_on_plane(lookup, data, one), hs::UsageError);
}
