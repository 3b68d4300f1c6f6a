// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/calibrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/generate.hpp"
#include "halfspace/evaluate/calibration.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/model/predict.hpp"

namespace hs = halfspace;

namespace {

// Scores whose true probability is 1 / (1 + exp(-(2 f - 0.5))), exactly in proportion: weights are the probabilities.
hs::ScoredRows exact_rows() {
  hs::ScoredRows rows;
  for (int k = -40; k <= 40; ++k) {
    const double f = k / 10.0, p = 1 / (1 + std::exp(-(2 * f - 0.5)));
    for (const std::uint32_t label : {0U, 1U}) {
      rows.scores.push_back(f);
      rows.labels.push_back(label);
      rows.weights.push_back(1e9 * (label == 1 ? p : 1 - p));
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("platt finds the sigmoid that the rows were made by") {
  const hs::Calibrator found = hs::fit_platt(exact_rows());
  CHECK(found.slope == doctest::Approx(2).epsilon(1e-6));
  CHECK(found.shift == doctest::Approx(-0.5).epsilon(1e-6));
}

TEST_CASE("platt on rows that a score tells apart stays finite, and a score that misleads says nothing") {
  hs::ScoredRows rows;
  rows.scores = {-2, -1, 1, 2};
  rows.labels = {0, 0, 1, 1};
  rows.weights = {1, 1, 1, 1};
  const hs::Calibrator apart = hs::fit_platt(rows);
  // The best that targets of 1/4 and 3/4 allow: every class has two rows.
  CHECK(apart.slope > 0);
  CHECK(apart.slope < 10);
  CHECK(apart.shift == doctest::Approx(0).epsilon(1e-9));
  rows.labels = {1, 1, 0, 0};
  const hs::Calibrator misled = hs::fit_platt(rows);
  CHECK(misled.slope == 0);
  CHECK(misled.free_probability(5) == doctest::Approx(0.5));
}

TEST_CASE("isotonic pools what falls, as by hand") {
  hs::ScoredRows rows;
  rows.scores = {1, 2, 3, 4, 5, 5};
  rows.labels = {0, 1, 0, 1, 1, 0};
  rows.weights = {2, 1, 1, 1, 3, 1};
  const hs::Calibrator found = hs::fit_isotonic(rows);
  // Heights 0 | (1 of 2) | 4 and 5 together: (1 + 3) of 5; ends stay 1 / 11 away.
  CHECK(found.free_probability(1) == doctest::Approx(1.0 / 11));
  CHECK(found.free_probability(2) == doctest::Approx(0.5));
  CHECK(found.free_probability(3) == doctest::Approx(0.5));
  CHECK(found.free_probability(4) == doctest::Approx(0.8));
  CHECK(found.free_probability(9) == doctest::Approx(0.8));
  CHECK(found.free_probability(3.5) == doctest::Approx(0.65));
}

TEST_CASE("label and probability agree for every score, and the map never falls") {
  for (const double shift : {-3.0, 0.0, 2.5}) {
    hs::Calibrator platt{hs::CalibrationKind::Platt, 1.5, shift, {}, {}};
    double last = 0;
    for (int k = -300; k <= 300; ++k) {
      const double f = k / 50.0;
      double p[2];
      platt.probabilities_of(std::span(&f, 1), p);
      CHECK(p[1] >= last);
      CHECK(p[0] + p[1] == doctest::Approx(1));
      if (f > 0) CHECK(p[1] >= 0.5);
      if (f < 0) CHECK(p[1] <= 0.5);
      last = p[1];
    }
  }
}

TEST_CASE("above the score of a probability rows have more than it, below it no more") {
  const hs::Calibrator maps[] = {
      {hs::CalibrationKind::Platt, 1.5, -2.0, {}, {}},
      {hs::CalibrationKind::Platt, 0.7, 3.0, {}, {}},
      {hs::CalibrationKind::Isotonic, 0, 0, {-2, -1, 0.5, 3}, {0.1, 0.3, 0.3, 0.9}}};
  for (const hs::Calibrator& map : maps) {
    for (const double share : {0.01, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95}) {
      const double score = map.score_of(share);
      for (int k = -300; k <= 300; ++k) {
        const double f = k / 50.0 + 1e-3;
        double p[2];
        map.probabilities_of(std::span(&f, 1), p);
        if (std::abs(p[1] - share) > 1e-9) CHECK((f > score) == (p[1] > share));
      }
    }
  }
}

TEST_CASE("calibrated margins are better probabilities on new rows than a guess, and survive the file") {
  const hs::Generated made =
      hs::generate(hs::GeneratorKind::Gaussians, {.rows = 1200, .features = 5, .distance = 1.5});
  const hs::Dataset& all = made.data;
  std::vector<std::uint32_t> train(600), test(600);
  std::iota(train.begin(), train.end(), 0U);
  std::iota(test.begin(), test.end(), 600U);
  const hs::Dataset rows = all.subset(train), unseen = all.subset(test);
  hs::Algorithm svm = hs::Algorithm::by_name("svm");
  for (const auto kind : {hs::CalibrationKind::Platt, hs::CalibrationKind::Isotonic}) {
    hs::Fit fit = hs::train(rows, {}, svm);
    CHECK_THROWS_AS((void)hs::probabilities(fit.model(), unseen), const hs::UsageError&);
    hs::calibrate_fit(fit, rows, {}, svm, kind, {}, {.threads = hs::Threads(2)});
    hs::Fit alone = hs::train(rows, {}, svm);
    hs::calibrate_fit(alone, rows, {}, svm, kind, {}, {});
    CHECK(hs::to_bytes(alone.model()) == hs::to_bytes(fit.model()));
    const hs::Model read = hs::model_from_bytes(hs::to_bytes(fit.model()), "m");
    const std::vector<double> p = hs::probabilities(read, unseen);
    CHECK(p == hs::probabilities(fit.model(), unseen));
    const std::vector<std::uint32_t> labels = hs::predict(read, unseen);
    for (std::size_t i = 0; i < labels.size(); ++i) CHECK(p[2 * i + labels[i]] >= 0.5);
    const auto loss = hs::log_loss({.probabilities = p, .truth = unseen.labels(), .weights = {}});
    // The best possible is about 0.34 here, a coin has 0.693.
    CHECK(*loss < 0.55);
  }
}

TEST_CASE("several classes share one map, so that the largest score keeps the largest probability") {
  hs::ScoredRows rows;
  rows.planes = 3;
  hs::Random random(3, 1);
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint32_t label = i % 3;
    for (std::uint32_t k = 0; k < 3; ++k) rows.scores.push_back(random.normal() + (k == label ? 1.5 : 0.0));
    rows.labels.push_back(label);
    rows.weights.push_back(1);
  }
  for (const hs::Calibrator& found : {hs::fit_platt(rows), hs::fit_isotonic(rows)}) {
    for (std::size_t i = 0; i < 300; ++i) {
      const std::span<const double> f(rows.scores.data() + 3 * i, 3);
      double p[3];
      found.probabilities_of(f, p);
      const auto best = std::max_element(f.begin(), f.end()) - f.begin();
      CHECK(p[best] >= *std::max_element(p, p + 3));
      CHECK(p[0] + p[1] + p[2] == doctest::Approx(1));
    }
  }
}
