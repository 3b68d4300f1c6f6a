// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/evaluation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/unknown_labels.hpp"
#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::linear_model;

namespace {
const hs::Threads one{1};
using Counts = std::vector<std::vector<double>>;

// f(x) = x: the label is the sign of the only feature.
hs::Model sign_model() { return linear_model({{1}}, {0}, {"-1", "1"}); }
}  // namespace

TEST_CASE("the exact interval agrees with the quantiles of the beta distribution") {
  struct Known {
    std::uint64_t errors, rows;
    double confidence, low, high;
  };
  // Ends from scipy.stats.beta.ppf (1.10).
  const Known known[] = {
      {0, 10, 0.95, 0.0, 0.3084971078187608},
      {10, 10, 0.95, 0.6915028921812392, 1.0},
      {1, 10, 0.95, 0.0025285785444617865, 0.4450161170281954},
      {5, 10, 0.95, 0.18708602844739855, 0.8129139715526015},
      {3, 1000, 0.95, 0.0006190999316495715, 0.008742023238478303},
      {2441, 16281, 0.95, 0.14447778654690505, 0.15550632123369454},
      {50, 100, 0.99, 0.36886143735892407, 0.6311385626410759},
      {1, 1, 0.5, 0.25, 1.0},
      {7, 1000000, 0.95, 2.814367534302221e-06, 1.4422621834331028e-05},
      {500000, 1000000, 0.95, 0.49901951919531184, 0.5009804808046882},
      {1, 100000000, 0.95, 2.5317807981084946e-10, 5.571643258042459e-08},
  };
  for (const Known& k : known) {
    CAPTURE(k.errors);
    CAPTURE(k.rows);
    const auto interval = hs::error_interval(k.errors, k.rows, k.confidence);
    CHECK(interval.low == doctest::Approx(k.low).epsilon(1e-10));
    CHECK(interval.high == doctest::Approx(k.high).epsilon(1e-10));
  }
}

TEST_CASE("no errors in n rows bound the share by 1 - (a/2)^(1/n)") {
  for (const std::uint64_t n : {1U, 7U, 100U, 12345U}) {
    const auto interval = hs::error_interval(0, n, 0.9);
    CHECK(interval.low == 0);
    CHECK(interval.high ==
          doctest::Approx(-std::expm1(std::log(0.05) / static_cast<double>(n))).epsilon(1e-12));
  }
}

TEST_CASE("the interval ends for any counts and is mirrored when errors and successes change places") {
  const auto none = hs::error_interval(0, 0);
  CHECK(none.low == 0);
  CHECK(none.high == 1);
  for (const std::uint64_t rows : {3ULL, 1000ULL, 1ULL << 50U, ~0ULL}) {
    const std::uint64_t errors = rows / 3;
    const auto a = hs::error_interval(errors, rows);
    const auto b = hs::error_interval(rows - errors, rows);
    const double share = static_cast<double>(errors) / static_cast<double>(rows);
    CHECK(a.low < share);
    CHECK(a.high > share);
    CHECK(a.low == doctest::Approx(1 - b.high).epsilon(1e-9));
  }
  CHECK_THROWS_AS((void)hs::error_interval(1, 2, 1.0), hs::UsageError);
  CHECK_THROWS_AS((void)hs::error_interval(1, 2, std::numeric_limits<double>::quiet_NaN()), hs::UsageError);
}

TEST_CASE("confusion, errors and per-class figures count what a person counts") {
  const auto data = dataset_from({{1}, {2}, {-1}, {3}, {-2}, {0}}, std::vector<int>{1, 1, 1, -1, -1, -1});
  const auto e = hs::evaluate(sign_model(), data, one);
  CHECK(e.count.rows == 6);
  CHECK(e.count.wrong == 3);
  CHECK(e.error == 0.5);
  CHECK(e.confusion == Counts{{1, 1, 1}, {1, 2, 0}});
  CHECK(e.classes[0].label == "-1");
  CHECK(e.classes[0].rows == 3);
  CHECK(e.classes[0].precision == 0.5);
  CHECK(e.classes[0].recall == doctest::Approx(1.0 / 3));
  CHECK(e.classes[0].f1 == doctest::Approx(0.4));
  CHECK(e.classes[1].precision == doctest::Approx(2.0 / 3));
  CHECK(e.classes[1].f1 == doctest::Approx(2.0 / 3));
  CHECK(e.unknown_labels == 0);
  CHECK(!e.log_loss);
  // Positive scores 1, 2, -1 against negative scores 3, -2, 0: 2 + 2 + 1 of 9 pairs are in order.
  CHECK(*e.auc == doctest::Approx(5.0 / 9));
}

TEST_CASE("a zero score is an error for both classes whatever the tie rule") {
  const auto data = dataset_from({{0}, {0}, {1}}, std::vector<int>{1, -1, 1});
  auto model = sign_model();
  for (const hs::Tie tie : {hs::Tie::Negative, hs::Tie::Positive, hs::Tie::Abstain}) {
    model.tie = tie;
    const auto e = hs::evaluate(model, data, one);
    CHECK(e.count.wrong == 2);
    CHECK(e.confusion == Counts{{0, 0, 1}, {0, 1, 1}});
  }
}

TEST_CASE("a weight of k counts as k rows and a weight of 0 as none") {
  const hs::testing::Rows rows{{1}, {-1}, {2}, {-3}, {0.5}};
  const auto weighted = dataset_from(rows, std::vector<int>{1, 1, -1, -1, -1}, {3, 2, 1, 4, 0});
  const auto copied = dataset_from({{1}, {1}, {1}, {-1}, {-1}, {2}, {-3}, {-3}, {-3}, {-3}},
                                   std::vector<int>{1, 1, 1, 1, 1, -1, -1, -1, -1, -1});
  const auto a = hs::evaluate(sign_model(), weighted, one);
  const auto b = hs::evaluate(sign_model(), copied, one);
  CHECK(a.count.weight == 10);
  CHECK(a.count.wrong_weight == b.count.wrong_weight);
  CHECK(a.error == b.error);
  CHECK(a.confusion == b.confusion);
  CHECK(*a.auc == *b.auc);
  CHECK(a.interval->high == b.interval->high);
}

TEST_CASE("rows whose label the model never saw are errors outside the confusion") {
  const auto data = dataset_from({{1}, {-1}, {1}}, std::vector<int>{1, -1, 5});
  const auto e = hs::evaluate(sign_model(), data, one);
  CHECK(e.count.rows == 3);
  CHECK(e.count.wrong == 1);
  CHECK(e.unknown_labels == 1);
  CHECK(e.confusion == Counts{{1, 0, 0}, {0, 1, 0}});
  CHECK(*e.auc == 1);
}

TEST_CASE("labels are matched by name, whatever their numbers in the data") {
  // The data know only one of the model's classes.
  const auto data = dataset_from({{1}, {-1}}, std::vector<int>{1, 1});
  const auto e = hs::evaluate(sign_model(), data, one);
  CHECK(e.confusion == Counts{{0, 0, 0}, {1, 1, 0}});
  CHECK(!e.auc);
  CHECK(e.classes[0].recall == 0);
}

TEST_CASE("ties count half in the area under the curve and everything tied is one half") {
  const std::vector<double> f{1, 1, 1, 1};
  const std::vector<std::uint8_t> positive{1, 0, 1, 0};
  CHECK(*hs::area_under_curve(f, positive, {}) == 0.5);
  const std::vector<double> g{0, 1, 1, 2};
  // Positives score 0 and 1, negatives 1 and 2: half a pair of four is in order.
  CHECK(*hs::area_under_curve(g, positive, {}) == doctest::Approx(0.125));
  const std::vector<double> broken{std::nan(""), 1, 2, std::nan("")};
  CHECK(*hs::area_under_curve(broken, positive, {}) == doctest::Approx(0.625));
}

TEST_CASE("many classes have a confusion and no area under the curve") {
  const auto model = linear_model({{1, 0}, {0, 1}, {-1, -1}}, {0, 0, 0}, {"1", "2", "3"});
  const auto data = dataset_from({{2, 1}, {1, 2}, {-1, -1}, {5, 0}}, std::vector<int>{1, 2, 3, 3});
  const auto e = hs::evaluate(model, data, hs::Threads(2));
  CHECK(e.count.wrong == 1);
  CHECK(e.confusion == Counts{{1, 0, 0, 0}, {0, 1, 0, 0}, {1, 0, 1, 0}});
  CHECK(!e.auc);
}

TEST_CASE("rows without labels cannot be evaluated") {
  CHECK_THROWS_AS((void)hs::evaluate(sign_model(), dataset_from({{1}}), one), hs::InputError);
}

TEST_CASE("weights that are not whole are told as they are, without an exact interval") {
  const auto data = dataset_from({{1}, {-1}, {0}, {3}}, std::vector<int>{1, 1, -1, -1}, {0.5, 1.5, 2, 0});
  const auto e = hs::evaluate(sign_model(), data, one);
  CHECK(e.count.rows == 3);
  CHECK(e.count.wrong == 2);
  CHECK(e.count.weight == 4);
  CHECK(e.count.wrong_weight == 3.5);
  CHECK(e.error == 3.5 / 4);
  CHECK(!e.interval);
  CHECK(e.confusion == Counts{{0, 0, 2}, {1.5, 0.5, 0}});
  CHECK(e.zero_rows == std::vector<std::uint32_t>{2});
}

TEST_CASE("a score that leaves the range of numbers is refused at its row") {
  const auto model = linear_model({{1e300}}, {0}, {"-1", "1"});
  const auto data = dataset_from({{1}, {1e10}}, std::vector<int>{1, 1});
  CHECK_THROWS_WITH_AS((void)hs::evaluate(model, data, one), doctest::Contains("row 2"), hs::InputError);
}

TEST_CASE(
    "the hinge loss stands beside the errors, with the margin of the best other class for three classes") {
  const auto two =
      hs::evaluate(sign_model(), dataset_from({{2}, {0.5}, {1}}, std::vector<int>{1, 1, -1}), one);
  CHECK(*two.hinge_loss == doctest::Approx((0 + 0.5 + 2) / 3));
  const auto model = linear_model({{1, 0}, {0, 1}, {-1, -1}}, {0, 0, 0}, {"1", "2", "3"});
  const auto three = hs::evaluate(model, dataset_from({{2, 1.5}, {0, 3}}, std::vector<int>{1, 1}), one);
  CHECK(*three.hinge_loss == doctest::Approx((0.5 + 4) / 2));
  CHECK(*three.hinge_loss >= three.error);
  // A label that the model does not know has no margin.
  const auto strange = hs::evaluate(sign_model(), dataset_from({{2}, {0.5}}, std::vector<int>{7, 1}), one);
  CHECK(strange.hinge_loss == 0.5);
  CHECK(strange.error == 0.5);
}

TEST_CASE(
    "the balanced error is the mean over classes that have rows, and figures of classes have intervals") {
  const auto data = dataset_from({{1}, {2}, {3}, {1}, {-1}}, std::vector<int>{1, 1, 1, -1, -1});
  const auto e = hs::evaluate(sign_model(), data, one);
  CHECK(e.balanced_error == doctest::Approx(0.25));
  CHECK(e.classes[0].recall_interval->low == hs::error_interval(1, 2).low);
  CHECK(e.classes[1].precision_interval->high == hs::error_interval(3, 4).high);
  CHECK(hs::evaluate(sign_model(), dataset_from({{1}, {-1}}, std::vector<int>{1, 1}), one).balanced_error ==
        0.5);
  const auto halves = dataset_from({{1}, {-1}}, std::vector<int>{1, -1}, {0.5, 1});
  CHECK(!hs::evaluate(sign_model(), halves, one).classes[0].recall_interval);
  CHECK(!hs::evaluate(sign_model(), halves, one).auc_interval);
}

TEST_CASE("a threshold moves labels, and a score on it is wrong for both classes") {
  const hs::Dataset data = dataset_from({{-2}, {-1}, {1}, {2}}, {-1, 1, -1, 1});
  const hs::Evaluation low =
      hs::evaluate(sign_model(), data, one, {.threshold = -1.5, .costs = hs::Costs{1, 3}});
  CHECK(low.confusion == Counts{{1, 1, 0}, {0, 2, 0}});
  CHECK(low.zero_rows.empty());
  CHECK(low.cost == doctest::Approx(0.25));
  REQUIRE(low.cheapest.has_value());
  CHECK(low.cheapest->cost == doctest::Approx(0.25));
  CHECK(low.cheapest->threshold == -1.5);
  const hs::Evaluation on = hs::evaluate(sign_model(), data, one, {.threshold = 1, .costs = {}});
  CHECK(on.zero_rows == std::vector<std::uint32_t>{2});
  CHECK(on.confusion == Counts{{1, 0, 1}, {1, 1, 0}});
  CHECK(on.auc == low.auc);
  CHECK(on.zero_one_loss == 0.5);
}

TEST_CASE("labels of which none is known are refused by name, and one against the rest knows all") {
  const hs::Dataset data = dataset_from({{-2}, {1}}, std::vector<std::string>{"<=50K.", ">50K."});
  const std::vector<std::string> classes{"<=50K", ">50K"};
  const auto unknown = hs::unknown_labels(linear_model({{1}}, {0}, classes), data);
  REQUIRE(unknown.size() == 2);
  CHECK(unknown[0].nearest == "<=50K");
  CHECK(unknown[1].nearest == ">50K");
  CHECK(hs::rename_hint(unknown) == "--rename '<=50K.=<=50K,>50K.=>50K'");
  CHECK_THROWS_AS((void)hs::evaluate(linear_model({{1}}, {0}, classes), data, one), hs::InputError);
  auto against = linear_model({{1}}, {0}, {"rest", ">50K."});
  against.facts.emplace_back("positive", ">50K.");
  CHECK(hs::unknown_labels(against, data).empty());
  // 10 is not a misspelt 1, but 1.0 is one.
  const auto numbers = hs::unknown_labels(linear_model({{1}}, {0}, {"0", "1"}),
                                          dataset_from({{1}, {2}}, std::vector<std::string>{"1.0", "10"}));
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0].nearest == "1");
  CHECK(numbers[1].nearest.empty());
}
