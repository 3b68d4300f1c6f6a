// SPDX-License-Identifier: BSD-3-Clause
// Small cases with known verdicts; every proof must pass the checker.
#include "halfspace/solve/separability.hpp"

#include <doctest/doctest.h>
#include <gmpxx.h>

#include <cmath>
#include <string>

#include "halfspace/core/random.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

SeparationProof decide(const Dataset& data, const SeparabilityOptions& options = {}) {
  const Separability answer = separability(data, options);
  REQUIRE(answer.decided);
  const Verdict check = verify(answer.proof, data);
  CAPTURE(check.why);
  REQUIRE(check.holds);
  const SeparationProof again = separation_from_json(to_json(answer.proof), "certificate");
  CHECK(verify(again, data).holds);
  return answer.proof;
}

const Rows square = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST_CASE("AND and OR are separable, XOR is not: its four rows with weights 1/4") {
  CHECK(decide(dataset_from(square, {-1, -1, -1, 1})).verdict == Separation::Separable);
  CHECK(decide(dataset_from(square, {-1, 1, 1, 1})).verdict == Separation::Separable);
  const SeparationProof proof = decide(dataset_from(square, {-1, 1, 1, -1}));
  CHECK(proof.verdict == Separation::Overlapping);
  CHECK(proof.witnesses.size() == 1);
  CHECK(proof.witnesses[0].rows.size() == 4);
  for (const std::string& w : proof.witnesses[0].weights) CHECK(w == proof.witnesses[0].weights[0]);
}

TEST_CASE("the same row with both labels is its own witness") {
  const SeparationProof proof = decide(dataset_from({{3, 4}, {1, 2}, {3, 4}}, {1, 1, -1}));
  CHECK(proof.verdict == Separation::Touching);
  CHECK(proof.witnesses[0].rows == std::vector<std::uint32_t>{0, 2});
  CHECK(proof.witnesses[0].weights == std::vector<std::string>{"1", "1"});
  CHECK(proof.complete);
}

TEST_CASE("of one class alone, or of one whose rows all have weight 0, there is nothing to separate") {
  CHECK_THROWS_AS(static_cast<void>(separability(dataset_from({{1, 2}, {-3, 4}}, {1, 1}))), InputError);
  CHECK_THROWS_AS(static_cast<void>(separability(dataset_from(square, {-1, 1, 1, 1}, {0, 1, 1, 1}))),
                  InputError);
  CHECK_THROWS_AS(static_cast<void>(separability(dataset_from(square, {-1, 1, 1, 1}), {"1"}, {}, {})),
                  InputError);
}

TEST_CASE("whole numbers that the checker's prime divides are no reason to doubt a proof") {
  // Modulo 2^31 - 1 the witnesses would span one dimension of two.
  const double p = 2147483647;
  CHECK(decide(dataset_from({{0}, {0}, {p}, {p}, {3}}, {1, -1, 1, -1, 1})).verdict ==
        Separation::Overlapping);
}

TEST_CASE("a row of zeros lies on every plane through the origin") {
  const Dataset data = dataset_from({{0, 0}, {1, 2}, {-1, 1}}, {1, 1, -1});
  CHECK(decide(data).verdict == Separation::Separable);
  const SeparationProof proof = decide(data, {.offset = Offset::None});
  CHECK(proof.verdict == Separation::Touching);
  CHECK(proof.witnesses[0].rows == std::vector<std::uint32_t>{0});
}

TEST_CASE("collinear sets that touch in a point, or share a segment") {
  CHECK(decide(dataset_from({{0, 0}, {1, 1}, {1, 1}, {2, 2}}, {-1, -1, 1, 1})).verdict ==
        Separation::Touching);
  CHECK(decide(dataset_from({{0, 0}, {2, 2}, {1, 1}, {3, 3}}, {-1, -1, 1, 1})).verdict ==
        Separation::Overlapping);
  // Touching without an equal row: the segment from (-1, 0) to (1, 0) meets (0, 0).
  const SeparationProof proof =
      decide(dataset_from({{-1, 0}, {1, 0}, {0, -3}, {0, 0}, {0, 5}}, {-1, -1, -1, 1, 1}));
  CHECK(proof.verdict == Separation::Touching);
  CHECK(proof.complete);
}

TEST_CASE("more columns than rows") {
  CHECK(decide(dataset_from({{1, 2, 3, 4}, {4, 3, 2, 2}, {1, 1, 2, 1}}, {1, -1, 1})).verdict ==
        Separation::Separable);
  CHECK(decide(dataset_from({{1, 2, 3, 4}, {4, 3, 2, 2}, {2.5, 2.5, 2.5, 3}}, {1, 1, -1})).verdict ==
        Separation::Overlapping);
}

TEST_CASE("one column") {
  CHECK(decide(dataset_from({{-1}, {0}, {1}}, {-1, -1, 1})).verdict == Separation::Separable);
  CHECK(decide(dataset_from({{-1}, {1}, {0}}, {-1, -1, 1})).verdict == Separation::Overlapping);
  CHECK(decide(dataset_from({{-1}, {0}, {0}, {1}}, {-1, -1, 1, 1})).verdict == Separation::Touching);
}

TEST_CASE("coordinates of 1e-300 and 1e300") {
  CHECK(decide(dataset_from({{1e300, 1e-300}, {1e300, 2e-300}, {-1e300, 1e-300}}, {-1, 1, -1})).verdict ==
        Separation::Separable);
  CHECK(decide(dataset_from({{1e300, 1e-300}, {-1e300, 3e-300}, {0, 2e-300}}, {-1, -1, 1}),
               {.values = Values::Decimals})
            .verdict == Separation::Overlapping);
  CHECK(decide(dataset_from({{1e-300}, {1e300}, {1}}, {-1, -1, 1}), {.values = Values::Doubles}).verdict ==
        Separation::Overlapping);
}

TEST_CASE("rows that differ in the last bit are apart") {
  const double next = std::nextafter(1.0, 2.0);
  CHECK(decide(dataset_from({{1.0}, {next}}, {-1, 1})).verdict == Separation::Separable);
  CHECK(decide(dataset_from({{1.0}, {next}, {1.0}}, {-1, 1, 1})).verdict == Separation::Touching);
  // The middle of two doubles is no double: as doubles these three are in order.
  CHECK(decide(dataset_from({{0.1}, {0.2}, {0.3}}, {-1, 1, -1})).verdict == Separation::Overlapping);
}

TEST_CASE("decimals and doubles are different questions") {
  // (0.1 + 0.3) / 2 = 0.2 holds for decimals; as doubles the third row lies beside the line of the others.
  const Dataset data = dataset_from({{0, 0.1}, {1, 0.3}, {0.5, 0.2}}, {-1, -1, 1});
  CHECK(decide(data, {.values = Values::Decimals}).verdict == Separation::Overlapping);
  CHECK(decide(data, {.values = Values::Doubles}).verdict == Separation::Separable);
}

TEST_CASE("points of a large grid one unit off a plane, and on it") {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t d = 2 + random.below(6);
    std::vector<double> plane;
    for (std::size_t j = 0; j < d; ++j) plane.push_back(std::floor(random.uniform() * 2e6) - 1e6);
    for (const double off : {1.0, 0.0}) {
      Rows rows;
      std::vector<int> labels;
      for (std::size_t i = 0; i < 6 * d; ++i) {
        rows.emplace_back();
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
          rows.back().push_back(std::floor(random.uniform() * 2e3) - 1e3);
          sum += plane[j] * rows.back()[j];
        }
        labels.push_back(i % 2 == 0 ? 1 : -1);
        rows.back().push_back(-sum + off * labels.back());
      }
      const Separation verdict = decide(dataset_from(rows, labels)).verdict;
      CHECK(verdict == (off > 0 ? Separation::Separable : verdict));
      if (off == 0) CHECK(verdict != Separation::Separable);
    }
  }
}

// Labels at random: far more rows than columns cannot be separated.
Dataset noise(std::size_t n, std::size_t d, bool own_column, std::uint64_t seed) {
  Random random(seed);
  Rows rows;
  std::vector<int> labels;
  for (std::size_t i = 0; i < n; ++i) {
    rows.emplace_back();
    for (std::size_t j = 0; j < d; ++j)
      rows.back().push_back(random.below(3) == 0 ? std::floor(random.uniform() * 256) : 0);
    labels.push_back(random.below(2) == 0 ? 1 : -1);
    if (own_column) rows.back().push_back(labels.back() > 0 && random.below(4) == 0 ? 1 : 0);
  }
  return dataset_from(rows, labels);
}

TEST_CASE("a hundred columns: at most as many rows and two more prove the overlap") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = noise(900, 100, false, seed);
    const Separability answer = separability(data, {}, {.threads = Threads(2)});
    REQUIRE(answer.decided);
    CHECK(answer.method == "simplex");
    CHECK(answer.proof.verdict == Separation::Overlapping);
    CHECK(answer.proof.witnesses[0].rows.size() <= 102);
    CHECK(to_json(answer.proof) == to_json(separability(data).proof));
  }
}

TEST_CASE("a column of one class alone makes an overlap touch, and the rows on the plane are all known") {
  const SeparationProof proof = decide(noise(900, 80, true, 4));
  CHECK(proof.verdict == Separation::Touching);
  CHECK(proof.complete);
}

TEST_CASE("a plane that has other rows on it by chance is not the last one") {
  CHECK(decide(dataset_from({{2, 0, 0},
                             {1, 0, -1},
                             {-2, -1, 2},
                             {1, -1, 0},
                             {0, -1, -1},
                             {0, -1, -1},
                             {-2, -2, 2},
                             {0, -1, -1},
                             {0, 0, -1}},
                            {-1, -1, 1, 1, 1, -1, 1, -1, 1}))
            .complete);
  const SeparabilityOptions through_origin{.offset = Offset::None};
  CHECK(decide(dataset_from({{-1, -1, 1},
                             {-1, 1, 1},
                             {-1, 1, 1},
                             {-1, 0, 1},
                             {0, 1, 2},
                             {-1, -2, -1},
                             {-1, -2, 1},
                             {0, 1, 2}},
                            {-1, 1, 1, 1, 1, -1, -1, -1}),
               through_origin)
            .complete);
}

TEST_CASE("too large for an exact basis: no verdict, but a bound of the margin") {
  const Dataset data = noise(60, 3, false, 5);
  const Separability answer = separability(data, {.most_columns = 2});
  CHECK_FALSE(answer.decided);
  REQUIRE(answer.margin_at_most.has_value());
  CHECK(*answer.margin_at_most >= 0);
  CHECK(*answer.margin_at_most < 256 * std::sqrt(3.0));
  // A plane needs no basis.
  CHECK(separability(dataset_from(square, {-1, -1, -1, 1}), {.most_columns = 0}).decided);
}

TEST_CASE("peeling in many steps: every row waits for the next one") {
  // Row i has columns i and i + 1 with opposite signs: only the last column has one sign at first.
  constexpr std::size_t n = 60;
  Rows rows;
  std::vector<int> labels;
  for (std::size_t i = 0; i < n; ++i) {
    rows.emplace_back(n + 1, 0.0);
    labels.push_back(i % 2 == 0 ? 1 : -1);
    rows.back()[i] = labels.back() * (i == 0 ? 1.0 : -3.0);
    rows.back()[i + 1] = labels.back();
  }
  const Separability answer = separability(dataset_from(rows, labels));
  CHECK(answer.method == "peeling");
  CHECK(answer.proof.verdict == Separation::Separable);
}

TEST_CASE("zeros that are stored are zeros") {
  const std::vector<std::uint64_t> start = {0, 2, 4, 6, 8};
  const std::vector<std::uint32_t> index = {0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<double> value = {0, 0, 0, 1, 1, 0, 1, 1};
  DatasetParts parts;
  parts.matrix = CsrView<double>{4, 2, start.data(), index.data(), value.data()};
  parts.labels = {0, 1, 1, 0};
  parts.classes = {"-1", "1"};
  CHECK(decide(Dataset::make(parts)).verdict == Separation::Overlapping);
  parts.labels = {0, 1, 1, 1};
  CHECK(decide(Dataset::make(parts)).verdict == Separation::Separable);
}

TEST_CASE("weight 0 means the row is absent") {
  CHECK(decide(dataset_from(square, {-1, 1, 1, -1}, {1, 1, 1, 0})).verdict == Separation::Separable);
}

TEST_CASE("the same certificate for any number of threads") {
  Random random(9);
  Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 400; ++i) {
    rows.push_back({random.normal(), random.normal(), random.normal(), random.normal(), random.normal()});
    labels.push_back(rows.back()[0] + 0.3 * random.normal() > 0 ? 1 : -1);
  }
  rows[7][2] = 2.22045e-16;
  const Dataset data = dataset_from(rows, labels);
  for (const Values values : {Values::Doubles, Values::Decimals}) {
    const SeparabilityOptions options{.values = values};
    const std::string one = to_json(separability(data, options, {.threads = Threads(1)}).proof);
    CHECK(to_json(separability(data, options, {.threads = Threads(3)}).proof) == one);
  }
}

TEST_CASE("decimals of any length are meant as they are written") {
  // The one in the middle is half the sum of the others. Beyond 15 digits the doubles may be nearest to
  // shorter decimals; what they stand for is decided and proved all the same.
  for (const std::string digits : {"3", "25", "123456789012345", "1234567890123456", "12345678901234568"}) {
    for (const int exponent : {-290, -30, -16, -7, 0, 5, 30, 250}) {
      const auto number = [&](int more) {
        const std::string whole = mpz_class(mpz_class(digits) + more).get_str();
        return std::stod(whole + "e" + std::to_string(exponent));
      };
      CAPTURE(digits);
      CAPTURE(exponent);
      const Dataset data = dataset_from({{number(-1), 0}, {number(0), 1}, {number(1), 2}}, {-1, 1, -1});
      const Separation verdict = decide(data, {.values = Values::Decimals}).verdict;
      if (digits.size() <= 15) CHECK(verdict == Separation::Overlapping);
    }
  }
}

TEST_CASE("the widest margin is bracketed to 1e-6, the same for any number of threads") {
  Random random(10);
  Rows rows;
  std::vector<int> labels;
  while (rows.size() < 3000) {
    std::vector<double> row(40);
    for (double& x : row) x = random.normal();
    if (std::abs(row[0]) < 0.05) continue;
    labels.push_back(row[0] > 0 ? 1 : -1);
    rows.push_back(std::move(row));
  }
  const Dataset data = dataset_from(rows, labels);
  for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
    const Separability answer =
        separability(data, {.offset = offset, .margin = MarginWork::Full}, {.threads = Threads(1)});
    REQUIRE(answer.margin);
    CHECK(answer.check.holds);
    CHECK(answer.margin->lower >= 0.0499);  // of the first column alone
    CHECK(answer.margin->upper <= answer.margin->lower * (1 + 1e-6));
    const Separability again =
        separability(data, {.offset = offset, .margin = MarginWork::Full}, {.threads = Threads(3)});
    CHECK(to_json(again.proof) == to_json(answer.proof));
  }
}

TEST_CASE("the widest margin is found when the first plane leaves no row active") {
  Rows rows;
  for (int i = 0; i < 2500; ++i) rows.push_back({i % 7 - 3.0});
  rows.push_back({1e6});
  std::vector<int> labels(rows.size(), -1);
  labels.back() = 1;
  const SeparabilityOptions options{.offset = Offset::Lifted, .margin = MarginWork::Full};
  const Separability answer = separability(dataset_from(rows, labels), options);
  REQUIRE(answer.margin);
  // The distance of the origin from the line through -(3, 1) and (10^6, 1).
  const double expected = 999997 / std::hypot(1000003, 2);
  CHECK(answer.margin->lower == doctest::Approx(expected).epsilon(1e-6));
  CHECK(answer.margin->upper == doctest::Approx(expected).epsilon(1e-6));
}

}  // namespace
}  // namespace halfspace
