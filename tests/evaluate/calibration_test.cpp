// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/calibration.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/core/error.hpp"

namespace hs = halfspace;

TEST_CASE("scores of probabilities are means over the rows that count") {
  const std::vector<double> p{0.8, 0.2, 0.3, 0.7, 0.5, 0.5, 0, 1};
  const std::vector<std::uint32_t> truth{0, 0, 1, 2};  // the last label is unknown
  const hs::JudgedProbabilities judged{.probabilities = p, .truth = truth, .weights = {}, .classes = 2};
  CHECK(*hs::log_loss(judged) == doctest::Approx(-(std::log(0.8) + std::log(0.3) + std::log(0.5)) / 3));
  CHECK(*hs::brier_score(judged) == doctest::Approx((0.04 + 0.49 + 0.25) / 3));
  const std::vector<double> w{2, 0, 1, 5};
  const hs::JudgedProbabilities weighted{.probabilities = p, .truth = truth, .weights = w, .classes = 2};
  CHECK(*hs::brier_score(weighted) == doctest::Approx((2 * 0.04 + 0.25) / 3));
  CHECK(!hs::log_loss({.probabilities = p, .truth = std::vector<std::uint32_t>{2, 2, 2, 2}, .weights = {}}));
}

TEST_CASE("more than two classes are squared class by class, and a probability of zero stays finite") {
  const std::vector<double> p{0.5, 0.25, 0.25, 0, 1, 0};
  const std::vector<std::uint32_t> truth{0, 2};
  const hs::JudgedProbabilities judged{.probabilities = p, .truth = truth, .weights = {}, .classes = 3};
  CHECK(*hs::brier_score(judged) == doctest::Approx((0.375 + 2) / 2));
  CHECK(*hs::log_loss(judged) == doctest::Approx((std::log(2.0) + 1022 * std::log(2.0)) / 2));
  // The most probable class: 0.5 came true, 1 did not.
  const auto two = hs::calibration(judged, 2);
  REQUIRE(two.bins.size() == 2);
  CHECK(two.bins[0].observed == 1);
  CHECK(two.bins[1].observed == 0);
  CHECK(two.error == doctest::Approx((0.5 + 1) / 2));
}

TEST_CASE("bins are of equal weight, rows of one probability stay together") {
  const std::vector<double> p{0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9};
  const std::vector<std::uint8_t> yes{0, 0, 1, 0, 1, 0, 1, 1};
  const auto c = hs::calibration(p, yes, {}, 4);
  REQUIRE(c.bins.size() == 4);
  for (const auto& bin : c.bins) CHECK(bin.weight == 2);
  CHECK(c.bins[1].low == 0.3);
  CHECK(c.bins[1].high == 0.4);
  CHECK(c.bins[1].predicted == doctest::Approx(0.35));
  CHECK(c.bins[1].observed == 0.5);
  CHECK(c.bins[1].interval->low == doctest::Approx(hs::error_interval(1, 2).low));
  CHECK(c.error == doctest::Approx((0.15 + 0.15 + 0.15 + 0.15) / 4));
}

TEST_CASE("all rows of one probability make one bin; weights that are not whole have no interval") {
  const std::vector<double> p(6, 0.5);
  const std::vector<std::uint8_t> yes{1, 1, 0, 0, 1, 1};
  const auto tied = hs::calibration(p, yes, {}, 3);
  REQUIRE(tied.bins.size() == 1);
  CHECK(tied.error == doctest::Approx(1.0 / 6));
  const std::vector<double> w{0.5, 1, 1, 1, 1, 1};
  CHECK(!hs::calibration(p, yes, w, 3).bins[0].interval);
  CHECK(hs::calibration({}, {}, {}, 3).bins.empty());
  CHECK_THROWS_AS((void)hs::calibration(p, yes, {}, 0), hs::UsageError);
}
