// SPDX-License-Identifier: BSD-3-Clause
// Do intervals cover and tests err as often as they say? Counted exactly where that can be done, else simulated from laws
// whose truth is known, from fixed seeds. The bounds are wider than what is claimed, by about two points.
#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/core/random.hpp"
#include "halfspace/evaluate/comparison.hpp"
#include "halfspace/evaluate/distributions.hpp"
#include "halfspace/evaluate/ranking.hpp"

namespace hs = halfspace;

namespace {

bool covers(const hs::Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

// Rows by who gets them wrong, with these shares of one-sided errors.
hs::PairedCounts paired_draw(hs::Random& random, std::uint64_t n, double first, double second) {
  hs::PairedCounts counts{.rows = n};
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = random.uniform();
    counts.only_first_wrong += u < first ? 1 : 0;
    counts.only_second_wrong += u >= first && u < first + second ? 1 : 0;
  }
  return counts;
}

// Normal scores: positive rows N(shift, spread^2), negative ones N(0, 1), so that the area is `area`.
double area_coverage(std::size_t positives, std::size_t negatives, double area, double spread, int rounds,
                     std::uint64_t seed) {
  const double shift = hs::normal_quantile(area) * std::sqrt(1 + spread * spread);
  hs::Random random(seed);
  std::vector<double> f(positives + negatives);
  std::vector<std::uint8_t> positive(f.size());
  for (std::size_t i = 0; i < positives; ++i) positive[i] = 1;
  int covered = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] = positive[i] != 0 ? shift + spread * random.normal() : random.normal();
    covered += covers(*hs::area_interval(hs::rank_scores(f, positive, {})), area) ? 1 : 0;
  }
  return static_cast<double>(covered) / rounds;
}

}  // namespace

TEST_CASE("the exact interval of a share covers it at least as often as it says") {
  for (const std::uint64_t n : {20U, 100U}) {
    for (const double p : {0.01, 0.1, 0.5}) {
      // Exactly: the probability of all counts whose interval has p.
      double coverage = 0;
      for (std::uint64_t k = 0; k <= n; ++k)
        if (covers(hs::error_interval(k, n), p))
          coverage += hs::binomial_exactly(static_cast<double>(k), static_cast<double>(n), p);
      CAPTURE(n);
      CAPTURE(p);
      CHECK(coverage >= 0.95);
    }
  }
}

TEST_CASE("the interval of the area under the curve covers it about as often as it says") {
  constexpr int rounds = 3000;
  std::uint64_t seed = 1;
  for (const auto& sizes :
       {std::pair<std::size_t, std::size_t>{25, 25}, {10, 40}, {20, 180}, {50, 50}, {250, 250}}) {
    const std::size_t positives = sizes.first;
    const std::size_t negatives = sizes.second;
    for (const double area : {0.6, 0.8, 0.9, 0.95}) {
      for (const double spread : {1.0, 2.0}) {
        const double coverage = area_coverage(positives, negatives, area, spread, rounds, seed++);
        CAPTURE(positives);
        CAPTURE(negatives);
        CAPTURE(area);
        CAPTURE(spread);
        CHECK(coverage >= 0.92);  // two points below, and the error of the simulation
        CHECK(coverage <= 0.995);
        if (positives == 250) CHECK(coverage <= 0.97);
      }
    }
  }
}

TEST_CASE("the interval of a paired difference covers it about as often as it says") {
  constexpr int rounds = 4000;
  hs::Random random(5);
  for (const std::uint64_t n : {50U, 200U}) {
    for (const auto& shares : {std::pair{0.1, 0.1}, {0.05, 0.15}, {0.02, 0.1}}) {
      const double first = shares.first;
      const double second = shares.second;
      int covered = 0;
      for (int round = 0; round < rounds; ++round)
        covered +=
            covers(hs::paired_difference_interval(paired_draw(random, n, first, second)), first - second) ? 1
                                                                                                          : 0;
      CAPTURE(n);
      CAPTURE(first);
      CHECK(covered >= 0.93 * rounds);
      CHECK(covered <= 0.98 * rounds);
    }
  }
}

TEST_CASE("McNemar's exact test never cries wolf too often, and its mid-p hardly ever") {
  // Given m rows on which the classifiers disagree, the probability of a p of 0.05 or less when both are equally good.
  for (const std::uint64_t m : {1U, 5U, 12U, 40U, 137U, 500U}) {
    double size = 0;
    double mid_size = 0;
    for (std::uint64_t b = 0; b <= m; ++b) {
      const auto test = hs::mcnemar_test(b, m - b);
      const double chance = hs::binomial_exactly(static_cast<double>(b), static_cast<double>(m), 0.5);
      size += test.p <= 0.05 ? chance : 0;
      mid_size += test.mid_p <= 0.05 ? chance : 0;
    }
    CAPTURE(m);
    CHECK(size <= 0.05);
    CHECK(mid_size >= size);
    CHECK(mid_size <= 0.07);
  }
}

TEST_CASE("as many rows as are said to decide do decide four times out of five") {
  const double first = 0.12;
  const double second = 0.06;
  const hs::PairedCounts seen{.rows = 100, .only_first_wrong = 12, .only_second_wrong = 6};
  const std::uint64_t rows = *hs::rows_to_decide(seen);
  constexpr int rounds = 2000;
  hs::Random random(9);
  int decided = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto counts = paired_draw(random, rows, first, second);
    decided += hs::mcnemar_test(counts.only_first_wrong, counts.only_second_wrong).p <= 0.05 ? 1 : 0;
  }
  CHECK(decided >= 0.74 * rounds);  // the exact test is a little cautious
  CHECK(decided <= 0.84 * rounds);
}

// Fifteen random splits of 200 rows into 160 and 40, and two learners of equal worth: each goes by the sign of a feature of
// its own that says nothing about the label. Splits share most of their rows, so that their differences are not independent.
// Here the corrected test errs in 7.8 % of the rounds in place of 5 %, the plain one in 40 %.
TEST_CASE(
    "the corrected resampled test errs a little too often here, where the plain one errs far too often") {
  constexpr std::size_t rows = 200, test_rows = 40, splits = 15;
  constexpr int rounds = 1500;
  hs::Random random(21);
  int corrected = 0;
  int plain = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> first(rows), second(rows), label(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      label[i] = random.uniform() < 0.5 ? -1 : 1;
      first[i] = random.normal();
      second[i] = random.normal();
    }
    std::vector<std::uint32_t> order(rows);
    for (std::uint32_t i = 0; i < rows; ++i) order[i] = i;
    std::vector<double> differences;
    for (std::size_t s = 0; s < splits; ++s) {
      random.shuffle(order);
      double a = 0;
      double b = 0;
      for (std::size_t k = test_rows; k < rows; ++k) {
        a += first[order[k]] * label[order[k]];
        b += second[order[k]] * label[order[k]];
      }
      double difference = 0;
      for (std::size_t k = 0; k < test_rows; ++k) {
        const std::size_t i = order[k];
        difference += (a * first[i] * label[i] <= 0 ? 1 : 0) - (b * second[i] * label[i] <= 0 ? 1 : 0);
      }
      differences.push_back(difference / test_rows);
    }
    const double ratio = static_cast<double>(test_rows) / (rows - test_rows);
    corrected += hs::corrected_resampled_test(differences, ratio).p <= 0.05 ? 1 : 0;
    plain += hs::corrected_resampled_test(differences, 0).p <= 0.05 ? 1 : 0;
  }
  CAPTURE(corrected);
  CAPTURE(plain);
  CHECK(corrected <= 0.08 * rounds);
  CHECK(plain >= 0.15 * rounds);
}
