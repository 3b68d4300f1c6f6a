// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/generate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "halfspace/core/error.hpp"

using namespace halfspace;

namespace {

template <class F>
void for_rows(const Dataset& data, F&& f) {
  std::visit(
      [&](const auto& view) {
        std::vector<double> x(view.cols);
        for (std::size_t i = 0; i < view.rows; ++i) {
          std::fill(x.begin(), x.end(), 0.0);
          for_entries(view.row(i), [&](std::uint32_t j, double v) { x[j] = v; });
          f(x, data.labels()[i] == 1);
        }
      },
      data.matrix());
}

double along(const std::vector<double>& x, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * w[j];
  return sum;
}

double error_of_best(const Generated& made) {
  std::size_t errors = 0;
  for_rows(made.data, [&](const std::vector<double>& x, bool positive) {
    errors += (along(x, made.best_weights) + made.best_offset > 0) != positive ? 1 : 0;
  });
  return static_cast<double>(errors) / static_cast<double>(made.data.rows());
}

// Five standard deviations of a share of 200000 rows.
double noise_of(double share) { return 5 * std::sqrt(share * (1 - share) / 200000) + 1e-12; }

}  // namespace

TEST_CASE("the Bayes error of two Gaussians is the known one") {
  CHECK(*generate(GeneratorKind::Gaussians, {.rows = 1, .distance = 2}).bayes_error ==
        doctest::Approx(0.15865525393145707).epsilon(1e-14));
  CHECK(*generate(GeneratorKind::Gaussians, {.rows = 1, .distance = 0, .positive = 0.3}).bayes_error == 0.3);
  CHECK(*generate(GeneratorKind::Gaussians, {.rows = 1, .distance = 2, .flip = 0.1}).bayes_error ==
        doctest::Approx(0.15865525393145707 * 0.8 + 0.1).epsilon(1e-14));
}

TEST_CASE("the Bayes error of the logistic law has its known limits and values") {
  const auto error = [](double length) {
    return *generate(GeneratorKind::Logistic, {.rows = 1, .distance = length}).bayes_error;
  };
  CHECK(error(0) == doctest::Approx(0.5).epsilon(1e-12));
  // Long weights: 2 phi(0) ln 2 / length.
  CHECK(error(1e5) * 1e5 ==
        doctest::Approx(2 * std::log(2.0) / std::sqrt(2 * 3.14159265358979323846)).epsilon(1e-8));
  // Against a plain sum over a fine grid (the trapezoid rule is exact to rounding for the even extension's
  // tails).
  long double sum = 0;
  const int steps = 4000000;
  const long double h = 12.0L / steps;
  for (int k = 0; k <= steps; ++k) {
    const long double z = k * h;
    sum += (k == 0 || k == steps ? 0.5L : 1.0L) * std::exp(-z * z / 2) / (1 + std::exp(2 * z));
  }
  const auto grid = static_cast<double>(2 * h * sum / std::sqrt(2 * 3.14159265358979323846L));
  CHECK(std::abs(error(2) - grid) < 1e-12);
}

TEST_CASE("the best classifier errs as often as stated") {
  const std::vector<std::pair<GeneratorKind, GeneratorOptions>> cases = {
      {GeneratorKind::Gaussians, {.rows = 200000, .features = 3, .distance = 2, .seed = 5}},
      {GeneratorKind::Gaussians,
       {.rows = 200000, .features = 2, .distance = 1, .flip = 0.2, .positive = 0.8, .seed = 6}},
      {GeneratorKind::Gaussians,
       {.rows = 200000, .features = 1, .distance = 1, .flip = 0.9, .positive = 0.4, .seed = 6}},
      {GeneratorKind::Logistic, {.rows = 200000, .features = 4, .distance = 3, .seed = 7}},
      {GeneratorKind::Logistic, {.rows = 200000, .features = 1, .distance = 0.5, .flip = 0.05, .seed = 8}},
      {GeneratorKind::Margin, {.rows = 200000, .features = 5, .margin = 0.2, .flip = 0.03, .seed = 9}}};
  for (const auto& [kind, options] : cases) {
    const Generated made = generate(kind, options);
    CAPTURE(made.law);
    CHECK(std::abs(error_of_best(made) - *made.bayes_error) < noise_of(*made.bayes_error));
  }
}

TEST_CASE("margin rows lie in the unit ball outside the slab and are labelled by their side") {
  for (const std::int64_t features : {1, 2, 3, 50, 1000}) {
    for (const double margin : {0.0, 0.1, 0.9}) {
      const Generated made =
          generate(GeneratorKind::Margin, {.rows = 200, .features = features, .margin = margin, .seed = 3});
      CHECK(*made.bayes_error == 0);
      for_rows(made.data, [&](const std::vector<double>& x, bool positive) {
        const double t = along(x, made.best_weights);
        CHECK((t > 0) == positive);
        CHECK(std::abs(t) >= margin * (1 - 1e-12));
        CHECK(along(x, x) <= 1 + 1e-12);
      });
    }
  }
}

TEST_CASE("margin rows are uniform: shares of the ball beyond a distance are the known ones") {
  // In three dimensions P(|t| > s) = (1 - s)^2 (2 + s) / 2, given |t| >= m: the ratio of two of these.
  const auto beyond = [](double s) { return (1 - s) * (1 - s) * (2 + s) / 2; };
  const Generated made =
      generate(GeneratorKind::Margin, {.rows = 200000, .features = 3, .margin = 0.2, .seed = 4});
  std::size_t far = 0, inner = 0;
  for_rows(made.data, [&](const std::vector<double>& x, bool) {
    const double t = std::abs(along(x, made.best_weights));
    far += t > 0.5 ? 1 : 0;
    inner += along(x, x) - t * t < (1 - t * t) / 4 ? 1 : 0;
  });
  const double share = beyond(0.5) / beyond(0.2);
  CHECK(std::abs(static_cast<double>(far) / 200000 - share) < noise_of(share));
  CHECK(std::abs(static_cast<double>(inner) / 200000 - 0.25) < noise_of(0.25));  // a disc of half the radius
}

TEST_CASE("xor is the product of the first two signs and noise is a fair coin") {
  const Generated made = generate(GeneratorKind::Xor, {.rows = 1000, .features = 3, .seed = 2});
  CHECK(*made.bayes_error == 0);
  std::vector<int> corner(4);
  for_rows(made.data, [&](const std::vector<double>& x, bool positive) {
    CHECK((x[0] * x[1] > 0) == positive);
    CHECK(std::abs(x[0] * x[1]) == 1);
    ++corner[(x[0] > 0 ? 1U : 0U) + (x[1] > 0 ? 2U : 0U)];
  });
  for (const int count : corner) CHECK(std::abs(count - 250) < 70);
  const Generated noise = generate(GeneratorKind::Noise, {.rows = 10000, .seed = 2});
  CHECK(*noise.bayes_error == 0.5);
  const auto ones = std::count(noise.data.labels().begin(), noise.data.labels().end(), 1U);
  CHECK(std::abs(static_cast<double>(ones) - 5000) < 250);
}

TEST_CASE("the same seed gives the same rows, and a longer set begins with the shorter one") {
  const GeneratorOptions options{.rows = 100, .features = 4, .seed = 12};
  GeneratorOptions longer = options, other = options;
  longer.rows = 150;
  other.seed = 13;
  const Dataset a = generate(GeneratorKind::Logistic, options).data;
  CHECK(a.fingerprint() == generate(GeneratorKind::Logistic, options).data.fingerprint());
  CHECK(a.fingerprint() != generate(GeneratorKind::Logistic, other).data.fingerprint());
  std::vector<std::uint32_t> first(100);
  for (std::uint32_t i = 0; i < 100; ++i) first[i] = i;
  CHECK(a.fingerprint() == generate(GeneratorKind::Logistic, longer).data.subset(first).fingerprint());
  CHECK(a.classes() == std::vector<std::string>{"-1", "1"});
}

TEST_CASE("options without sense are refused") {
  CHECK_THROWS_AS((void)generate(GeneratorKind::Noise, {.rows = 0}), UsageError);
  CHECK_THROWS_AS((void)generate(GeneratorKind::Xor, {.features = 1}), UsageError);
  CHECK_THROWS_AS((void)generate(GeneratorKind::Margin, {.margin = 1}), UsageError);
  CHECK_THROWS_AS((void)generate(GeneratorKind::Gaussians, {.positive = 0}), UsageError);
  CHECK_THROWS_AS((void)generate(GeneratorKind::Gaussians, {.flip = 1.5}), UsageError);
  CHECK_THROWS_AS((void)generate(GeneratorKind::Gaussians, {.distance = -1}), UsageError);
}
