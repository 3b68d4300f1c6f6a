// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::linear_model;

namespace {
const hs::Threads one{1};
}

TEST_CASE("McNemar's exact test counts coins") {
  // 1 of 8: 2 (1 + 8) / 256; its mid-p takes off 8 / 256.
  CHECK(hs::mcnemar_test(1, 7).p == doctest::Approx(18.0 / 256).epsilon(1e-12));
  CHECK(hs::mcnemar_test(7, 1).mid_p == doctest::Approx(10.0 / 256).epsilon(1e-12));
  CHECK(hs::mcnemar_test(0, 6).p == doctest::Approx(2.0 / 64).epsilon(1e-12));
  for (const std::uint64_t k : {0U, 1U, 5U, 1000U}) {
    CHECK(hs::mcnemar_test(k, k).p == 1);
    CHECK(hs::mcnemar_test(k, k).mid_p == doctest::Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("rows on which two classifiers agree do not matter to McNemar's test at any size") {
  const double p = hs::mcnemar_test(500'000'000, 500'100'000).p;
  // Nearly normal: 1e5 / sqrt(1e9) standard errors.
  CHECK(p == doctest::Approx(std::erfc(100'000 / std::sqrt(1.0001e9) / std::sqrt(2.0))).epsilon(1e-2));
}

TEST_CASE("the score interval of a paired difference has its closed form without disagreement") {
  const double z2 = 1.959963984540054 * 1.959963984540054;
  const auto none = hs::paired_difference_interval({.rows = 100});
  CHECK(none.high == doctest::Approx(z2 / (100 + z2)).epsilon(1e-9));
  CHECK(none.low == doctest::Approx(-z2 / (100 + z2)).epsilon(1e-9));
}

TEST_CASE("both ends of the score interval solve Tango's equation and change places with the classifiers") {
  const hs::PairedCounts counts{.rows = 44, .both_wrong = 2, .only_first_wrong = 1, .only_second_wrong = 8};
  const auto interval = hs::paired_difference_interval(counts);
  const auto mirrored = hs::paired_difference_interval(
      {.rows = 44, .both_wrong = 2, .only_first_wrong = 8, .only_second_wrong = 1});
  CHECK(interval.low < counts.difference());
  CHECK(interval.high > counts.difference());
  CHECK(interval.low == doctest::Approx(-mirrored.high).epsilon(1e-9));
  CHECK(interval.high == doctest::Approx(-mirrored.low).epsilon(1e-9));
  // The most likely share q of rows that only the second gets wrong, at a difference d, maximises
  // b log(q + d) + c log(q) + (n - b - c) log(1 - 2 q - d); here by a fine search instead of the square equation.
  for (const double d : {interval.low, interval.high}) {
    double best = 0;
    double most = -HUGE_VAL;
    const double first = std::max(0.0, -d);
    for (int k = 1; k < 1'000'000; ++k) {
      const double q = first + ((1 - d) / 2 - first) * k / 1e6;
      const double likelihood = std::log(q + d) + 8 * std::log(q) + 35 * std::log(1 - 2 * q - d);
      if (likelihood > most) {
        most = likelihood;
        best = q;
      }
    }
    const double statistic = (1 - 8 - 44 * d) / std::sqrt(44 * (2 * best + d * (1 - d)));
    CHECK(std::abs(statistic) == doctest::Approx(1.959964).epsilon(1e-4));
  }
}

TEST_CASE("rows to decide follow the formula, and none are known where nothing differs") {
  // A fifth of the rows is disagreed on, the difference is a tenth.
  const hs::PairedCounts counts{.rows = 100, .only_first_wrong = 15, .only_second_wrong = 5};
  const double root = (1.959963984540054 * std::sqrt(0.2) + 0.8416212335729143 * std::sqrt(0.19)) / 0.1;
  CHECK(*hs::rows_to_decide(counts) == static_cast<std::uint64_t>(std::ceil(root * root)));
  CHECK(!hs::rows_to_decide({.rows = 100, .only_first_wrong = 5, .only_second_wrong = 5}));
  CHECK(!hs::rows_to_decide({}));
}

TEST_CASE("pairs are counted by whole weights, a score of zero is wrong for both classes") {
  const auto data =
      dataset_from({{1}, {-1}, {2}, {0}, {3}}, std::vector<int>{1, 1, -1, -1, -1}, {1, 2, 3, 1, 0});
  const auto sign = linear_model({{1}}, {0}, {"-1", "1"});
  const auto never = linear_model({{0}}, {-1}, {"-1", "1"});
  const auto counts = hs::count_pairs({sign, data}, {never, data}, one);
  CHECK(counts.rows == 7);
  CHECK(counts.both_wrong == 2);
  CHECK(counts.only_first_wrong == 4);
  CHECK(counts.only_second_wrong == 1);
  CHECK(counts.difference() == doctest::Approx(3.0 / 7));
}

TEST_CASE("rows that are not the same for both models are refused") {
  const auto model = linear_model({{1}}, {0}, {"-1", "1"});
  const auto data = dataset_from({{1}, {-1}}, std::vector<int>{1, -1});
  const auto fewer = dataset_from({{1}}, std::vector<int>{1});
  const auto other = dataset_from({{1}, {-1}}, std::vector<int>{-1, 1});
  const auto halves = dataset_from({{1}, {-1}}, std::vector<int>{1, -1}, {0.5, 1});
  const auto with = [&](const hs::Dataset& a, const hs::Dataset& b) {
    return hs::count_pairs({model, a}, {model, b}, one);
  };
  CHECK_THROWS_WITH_AS((void)with(data, fewer), doctest::Contains("2 rows"), hs::InputError);
  CHECK_THROWS_WITH_AS((void)with(data, other), doctest::Contains("row 1"), hs::InputError);
  CHECK_THROWS_WITH_AS((void)with(halves, halves), doctest::Contains("not whole"), hs::InputError);
  CHECK_THROWS_AS((void)with(data, dataset_from({{1}, {1}})), hs::InputError);
}

TEST_CASE("the corrected resampled test widens the plain one by the overlap of the folds") {
  const std::vector<double> d{0.01, 0.03, 0.02, 0.04, 0.00};  // mean 0.02, variance 0.00025
  const auto plain = hs::corrected_resampled_test(d, 0);
  CHECK(plain.mean == doctest::Approx(0.02));
  CHECK(plain.standard_error == doctest::Approx(std::sqrt(0.00025 / 5)));
  const auto corrected = hs::corrected_resampled_test(d, 0.25);  // five folds
  CHECK(corrected.standard_error == doctest::Approx(std::sqrt(0.45 * 0.00025)));
  CHECK(corrected.p > plain.p);
  // Four degrees of freedom have the closed form P(T <= t) = 1/2 + u (3 - u^2) / 4 with u = t / sqrt(4 + t^2).
  const double t = 0.02 / corrected.standard_error;
  const double u = t / std::sqrt(4 + t * t);
  CHECK(corrected.p == doctest::Approx(1 - u * (3 - u * u) / 2).epsilon(1e-10));
  CHECK(corrected.interval.high - corrected.mean ==
        doctest::Approx(2.7764451 * corrected.standard_error).epsilon(1e-7));
  CHECK(hs::corrected_resampled_test(std::vector<double>{0, 0}, 1).p == 1);
  CHECK(hs::corrected_resampled_test(std::vector<double>{0.1, 0.1}, 1).p == 0);
  CHECK_THROWS_AS((void)hs::corrected_resampled_test(std::vector<double>{1}, 1), hs::UsageError);
}

TEST_CASE("Holm's steps multiply by the tests that are left and never fall") {
  CHECK(hs::holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}) ==
        std::vector<double>{3 * 0.01, 2 * 0.03, 2 * 0.03});
  CHECK(hs::holm_adjusted(std::vector<double>{0.6, 0.5}) == std::vector<double>{1, 1});
  CHECK(hs::holm_adjusted({}).empty());
}
