// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/distributions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <numbers>

namespace hs = halfspace;

TEST_CASE("the incomplete beta function has its closed forms") {
  for (const double x : {0.0, 0.001, 0.25, 0.5, 0.9, 1.0}) {
    CAPTURE(x);
    CHECK(hs::incomplete_beta(1, 1, x) == doctest::Approx(x).epsilon(1e-13));
    CHECK(hs::incomplete_beta(3, 1, x) == doctest::Approx(x * x * x).epsilon(1e-13));
    CHECK(hs::incomplete_beta(1, 4, x) == doctest::Approx(1 - std::pow(1 - x, 4)).epsilon(1e-13));
    CHECK(hs::incomplete_beta(0.5, 0.5, x) ==
          doctest::Approx(2 / std::numbers::pi * std::asin(std::sqrt(x))).epsilon(1e-12));
  }
}

TEST_CASE("quantiles of the beta distribution undo it") {
  for (const double level : {0.001, 0.025, 0.5, 0.975})
    CHECK(hs::incomplete_beta(2.5, 7, hs::beta_quantile(2.5, 7, level)) ==
          doctest::Approx(level).epsilon(1e-12));
}

TEST_CASE("binomial probabilities are counted fractions") {
  CHECK(hs::binomial_at_most(-1, 4, 0.5) == 0);
  CHECK(hs::binomial_at_most(0, 4, 0.5) == doctest::Approx(1.0 / 16));
  CHECK(hs::binomial_at_most(1, 4, 0.5) == doctest::Approx(5.0 / 16));
  CHECK(hs::binomial_at_most(4, 4, 0.5) == 1);
  CHECK(hs::binomial_exactly(2, 4, 0.5) == doctest::Approx(6.0 / 16));
  CHECK(hs::binomial_exactly(1, 3, 0.25) == doctest::Approx(27.0 / 64));
  CHECK(hs::binomial_exactly(5, 4, 0.5) == 0);
  CHECK(hs::binomial_exactly(0, 4, 0) == 1);
}

TEST_CASE("normal and Student quantiles are those of the tables") {
  CHECK(hs::normal_quantile(0.5) == doctest::Approx(0).epsilon(1e-12));
  CHECK(hs::normal_quantile(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-13));
  CHECK(hs::normal_quantile(0.8) == doctest::Approx(0.8416212335729143).epsilon(1e-13));
  CHECK(hs::normal_below(-1) == doctest::Approx(0.15865525393145705).epsilon(1e-13));
  // One degree of freedom is Cauchy's law, two have t = (2p - 1) sqrt(2 / (4 p (1 - p))).
  for (const double level : {0.01, 0.3, 0.5, 0.975, 0.999}) {
    CAPTURE(level);
    CHECK(hs::student_quantile(level, 1) ==
          doctest::Approx(std::tan(std::numbers::pi * (level - 0.5))).epsilon(1e-9));
    CHECK(hs::student_quantile(level, 2) ==
          doctest::Approx((2 * level - 1) * std::sqrt(2 / (4 * level * (1 - level)))).epsilon(1e-9));
  }
  CHECK(hs::student_quantile(0.975, 9) == doctest::Approx(2.262157).epsilon(1e-6));
  CHECK(hs::student_quantile(0.975, 30) == doctest::Approx(2.042272).epsilon(1e-6));
  CHECK(hs::student_below(0, 5) == doctest::Approx(0.5));
}
