// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/ranking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"

namespace hs = halfspace;

namespace {
using Marks = std::vector<std::uint8_t>;

hs::Ranking ranked(const std::vector<double>& scores, const Marks& positive,
                   const std::vector<double>& weights = {}) {
  return hs::rank_scores(scores, positive, weights);
}
}  // namespace

TEST_CASE("rows of one score stand together, rows of weight 0 are absent") {
  const auto r = ranked({2, 1, 2, 1, 7}, {1, 0, 0, 1, 1}, {1, 2, 3, 4, 0});
  REQUIRE(r.steps.size() == 2);
  CHECK(r.steps[0].positive == 4);
  CHECK(r.steps[0].negative == 2);
  CHECK(r.steps[1].positive == 1);
  CHECK(r.steps[1].negative == 3);
  CHECK(r.positive == 5);
  CHECK(r.whole_weights);
  CHECK(!ranked({1}, {1}, {0.5}).whole_weights);
}

TEST_CASE("average precision is counted at every threshold that differs") {
  // Precisions 1, 2/3 and 3/5 at the three positive rows.
  CHECK(*hs::average_precision(ranked({5, 4, 3, 2, 1}, {1, 0, 1, 0, 1})) ==
        doctest::Approx((1 + 2.0 / 3 + 3.0 / 5) / 3));
  // All tied: the share of the positive rows, whatever their order.
  CHECK(*hs::average_precision(ranked({1, 1, 1, 1}, {1, 0, 0, 0})) == doctest::Approx(0.25));
  CHECK(!hs::average_precision(ranked({1, 2}, {1, 1})));
}

TEST_CASE("DeLong's interval agrees with its definition by pairs") {
  // 300 rows of each class: no part of the rule for few rows. Some scores are tied.
  hs::Random random(7);
  std::vector<double> f(600);
  Marks positive(600);
  for (std::size_t i = 0; i < f.size(); ++i) {
    positive[i] = i % 2 == 0 ? 1 : 0;
    f[i] = std::round(4 * (random.normal() + (i % 2 == 0 ? 1 : 0))) / 4;
  }
  const auto psi = [&](std::size_t i, std::size_t j) { return f[i] > f[j] ? 1.0 : f[i] == f[j] ? 0.5 : 0.0; };
  std::vector<double> of_positive(300), of_negative(300);
  double area = 0;
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 300; ++j) {
      const double value = psi(2 * i, 2 * j + 1) / 300;
      of_positive[i] += value;
      of_negative[j] += value;
      area += value / 300;
    }
  double variance = 0;
  for (std::size_t i = 0; i < 300; ++i)
    variance += (std::pow(of_positive[i] - area, 2) + std::pow(of_negative[i] - area, 2)) / 299 / 300;
  const double logit = std::log(area / (1 - area));
  const double half = 1.959963984540054 * std::sqrt(variance) / (area * (1 - area));
  const auto r = ranked(f, positive);
  CHECK(*hs::area_under_curve(r) == doctest::Approx(area).epsilon(1e-12));
  CHECK(hs::area_interval(r)->low == doctest::Approx(1 / (1 + std::exp(half - logit))).epsilon(1e-10));
  CHECK(hs::area_interval(r)->high == doctest::Approx(1 / (1 + std::exp(-half - logit))).epsilon(1e-10));
}

TEST_CASE("classes in perfect order have an interval too, which is Newcombe's") {
  const auto r = ranked({1, 2, 3, 4}, {0, 0, 1, 1});
  CHECK(*hs::area_under_curve(r) == 1);
  const auto interval = hs::area_interval(r);
  CHECK(interval->high == 1);
  // At its low end the area 1 is z standard errors away, with two rows of each class.
  const double t = interval->low;
  const double variance = t * (1 - t) * (1 + (1 - t) / (2 - t) + t / (1 + t)) / 4;
  CHECK((1 - t) / std::sqrt(variance) == doctest::Approx(1.959964).epsilon(1e-6));
  CHECK(!hs::area_interval(ranked({1, 2}, {1, 1})));
  CHECK(!hs::area_interval(ranked({1, 2}, {0, 1}, {1.5, 1})));
}

TEST_CASE("a row of weight k is k rows in the interval of the area") {
  const auto weighted = hs::area_interval(ranked({1, 2, 3, 4}, {0, 1, 0, 1}, {3, 2, 1, 4}));
  const auto copied =
      hs::area_interval(ranked({1, 1, 1, 2, 2, 3, 4, 4, 4, 4}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 1}));
  CHECK(weighted->low == doctest::Approx(copied->low).epsilon(1e-12));
  CHECK(weighted->high == doctest::Approx(copied->high).epsilon(1e-12));
}

TEST_CASE("the curve goes from none to all, and corners of its hull are marked") {
  const auto points = hs::curve_points(ranked({5, 4, 3, 2, 1}, {1, 0, 1, 0, 0}));
  REQUIRE(points.size() == 6);
  CHECK(points.front().true_positive_rate == 0);
  CHECK(points.front().precision == 1);
  CHECK(points.front().threshold > 5);
  CHECK(points[1].precision == 1);
  CHECK(points[2].precision == 0.5);
  CHECK(points[3].true_positive_rate == 1);
  CHECK(points[3].false_positive_rate == doctest::Approx(1.0 / 3));
  CHECK(points.back().false_positive_rate == 1);
  const bool corners[] = {true, true, false, true, false, true};
  for (std::size_t k = 0; k < points.size(); ++k) CHECK(points[k].hull == corners[k]);
  CHECK(hs::curve_points(ranked({1}, {1})).empty());
}

TEST_CASE("a thinned curve keeps its ends and its hull") {
  std::vector<double> f(5000);
  Marks positive(5000);
  hs::Random random(3);
  for (std::size_t i = 0; i < f.size(); ++i) {
    positive[i] = i % 3 == 0 ? 1 : 0;
    f[i] = random.normal() + positive[i];
  }
  const auto points = hs::curve_points(ranked(f, positive));
  const auto few = hs::thinned(points, 200);
  const auto hulls = [](const auto& list) {
    return std::count_if(list.begin(), list.end(), [](const auto& p) { return p.hull; });
  };
  CHECK(few.size() <= 200);
  CHECK(few.size() > 100);
  CHECK(hulls(few) == hulls(points));
  CHECK(few.front().true_positive_rate == 0);
  CHECK(few.back().true_positive_rate == 1);
  CHECK(hs::thinned(points, 100000).size() == points.size());
}

TEST_CASE("the cheapest threshold lies between scores and moves with the costs") {
  const auto r = ranked({-2, -1, 1, 2, 3}, {0, 1, 0, 1, 1});
  CHECK(hs::cost_at(r, {1, 1}, 0) == 2);
  // Misses dear: everything from -1 on is called positive. Alarms dear: from 2 on.
  const auto low = hs::cheapest_threshold(r, {1, 10});
  CHECK(low.threshold == -1.5);
  CHECK(low.cost == 1);
  const auto high = hs::cheapest_threshold(r, {10, 1});
  CHECK(high.threshold == 1.5);
  CHECK(high.cost == 1);
  // Missing costs nothing: nobody is called positive, and the threshold is no score.
  const auto none = hs::cheapest_threshold(r, {1, 0});
  CHECK(none.cost == 0);
  CHECK(hs::cost_at(r, {1, 0}, none.threshold) == 0);
  CHECK_THROWS_AS((void)hs::cheapest_threshold(r, {-1, 1}), hs::UsageError);
}

TEST_CASE("no threshold between, on or beyond the scores is cheaper") {
  hs::Random random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random.below(12);
    std::vector<double> f(n), w(n);
    Marks positive(n);
    for (std::size_t i = 0; i < n; ++i) {
      f[i] = static_cast<double>(random.below(7)) - 3;
      w[i] = static_cast<double>(random.below(4));
      positive[i] = static_cast<std::uint8_t>(random.below(2));
    }
    const hs::Costs costs{static_cast<double>(random.below(4)), static_cast<double>(random.below(4))};
    const auto r = ranked(f, positive, w);
    const auto best = hs::cheapest_threshold(r, costs);
    CHECK(hs::cost_at(r, costs, best.threshold) == best.cost);
    for (double t = -4; t <= 4; t += 0.25) CHECK(hs::cost_at(r, costs, t) >= best.cost);
  }
}
