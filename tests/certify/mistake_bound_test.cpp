// SPDX-License-Identifier: BSD-3-Clause
#include "certify/mistake_bound.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/data/read.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;
const Threads one(1);

Dataset pair(double far = 1) {
  return dataset_from(Rows{{3 * far, 4 * far}, {-3 * far, -4 * far}}, std::vector<int>{1, -1});
}

}  // namespace

TEST_CASE("two opposite rows bound the margin by their length from both sides") {
  const auto bound =
      mistake_bound(pair(), {{0, 1}, {1, 1}}, {.positive = 1, .lifted = false, .separates = true}, one);
  REQUIRE(bound);
  CHECK(bound->mistakes == 2);
  CHECK(bound->radius == doctest::Approx(5).epsilon(1e-12));
  CHECK(bound->margin_upper == doctest::Approx(5).epsilon(1e-12));
  CHECK(bound->margin_lower == doctest::Approx(5).epsilon(1e-12));
  CHECK(bound->radius >= 5);
  CHECK(bound->margin_upper >= 5);
  CHECK(bound->margin_lower <= 5);
}

TEST_CASE("the lifted constant counts in radius and margin") {
  const auto bound =
      mistake_bound(pair(), {{0}, {2}}, {.positive = 1, .lifted = true, .separates = true}, one);
  REQUIRE(bound);
  CHECK(bound->radius == doctest::Approx(std::sqrt(26.0)).epsilon(1e-12));
  CHECK(bound->margin_upper == doctest::Approx(std::sqrt(26.0)).epsilon(1e-12));
  CHECK(
      bound->margin_lower ==
      doctest::Approx(24 / std::sqrt(26.0)).epsilon(1e-12));  // y theta . x = 2 (25 - 1) of length 2 sqrt 26
}

TEST_CASE("the linear kernel as a polynomial of degree 1 gives the same bounds") {
  const Dataset data = read(std::string(HALFSPACE_SOURCE_DIR) + "/data/iris.csv").one_against_rest("setosa");
  const Fit fit = train(data, Perceptron{.passes = {0, true}});
  REQUIRE(fit.model().dual.size() == 1);
  for (const bool lifted : {false, true}) {
    const BoundedWalk plain{.positive = 1, .lifted = lifted, .kernel = {}, .separates = true};
    BoundedWalk poly = plain;
    poly.kernel = {.kind = KernelKind::Poly, .gamma = 1, .coef = 0, .degree = 1};
    const auto a = mistake_bound(data, fit.model().dual[0], plain, one);
    const auto b = mistake_bound(data, fit.model().dual[0], poly, one);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->radius == doctest::Approx(b->radius).epsilon(1e-8));
    CHECK(a->margin_upper == doctest::Approx(b->margin_upper).epsilon(1e-8));
    if (lifted) CHECK(a->margin_lower == doctest::Approx(b->margin_lower).epsilon(1e-8));
  }
}

TEST_CASE("values whose squares have no number bound nothing") {
  CHECK_FALSE(mistake_bound(pair(1e160), {{0, 1}, {1, 1}}, {.positive = 1, .lifted = false}, one));
  CHECK_FALSE(mistake_bound(pair(1e-160), {{0, 1}, {1, 1}}, {.positive = 1, .lifted = false}, one));
  CHECK(separator_margin(pair(1e300), 1, std::vector<double>{1e300, 1e300}, 0, true, one) == 0);
}

TEST_CASE("rows on the wrong side or on the plane have no margin") {
  CHECK(separator_margin(pair(), 1, std::vector<double>{3, 4}, 0, false, one) ==
        doctest::Approx(5).epsilon(1e-12));
  CHECK(separator_margin(pair(), 0, std::vector<double>{3, 4}, 0, false, one) == 0);
  CHECK(separator_margin(pair(), 1, std::vector<double>{4, -3}, 0, false, one) == 0);
  CHECK(separator_margin(pair(), 1, std::vector<double>{0, 0}, 0, false, one) == 0);
}

TEST_CASE("models of the walk are verified: the last plane, the mean, the votes, several classes") {
  const Dataset data = read(std::string(HALFSPACE_SOURCE_DIR) + "/data/iris.csv");
  const auto check = [](const Dataset& rows, const auto& options) {
    const Fit fit = train(rows, options);
    REQUIRE_FALSE(fit.proof.certificates.empty());
    const ModelCheck found = verify(fit.model(), rows, one);
    CHECK(found.holds);
    Model forged = fit.model();
    forged.dual[0].alpha[0] += 1;
    CHECK_FALSE(verify(forged, rows, one).holds);
  };
  for (const Dataset& rows : {data, data.one_against_rest("setosa"), data.one_against_rest("virginica")}) {
    check(rows, Perceptron{});
    check(rows, AveragedPerceptron{});
    check(rows, VotedPerceptron{});
    check(rows, Perceptron{.kernel = {.kind = KernelKind::Rbf, .gamma = 0.5}});
    check(rows, VotedPerceptron{.kernel = {.kind = KernelKind::Rbf, .gamma = 0.5}});
  }
}

}  // namespace halfspace
