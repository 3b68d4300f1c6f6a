// SPDX-License-Identifier: BSD-3-Clause
// Rows that come in parts: the planes of one pass over all of them, and states that are none.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

Dataset ring(std::size_t classes) {
  testing::Rows rows;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < 90; ++i) {
    const auto t = static_cast<double>(i);
    rows.push_back({std::sin(t) + 0.1 * t, std::cos(1.7 * t), std::sin(3 * t)});
    labels.emplace_back(1, static_cast<char>('a' + i * 7 % classes));
  }
  return testing::dataset_from(rows, labels);
}

Algorithm learner(const std::string& name, const Facts& options) {
  Algorithm out = Algorithm::by_name(name);
  out.set("passes", "1");
  out.set("order", "cyclic");
  for (const auto& [option, value] : options) out.set(option, value);
  return out;
}

Fit in_parts(const Dataset& data, const Algorithm& algorithm, const std::vector<std::size_t>& ends) {
  Run run;
  Fit fit;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    fit = train_part(data.part(begin, end), algorithm, run);
    // There and back as numbers, as callers keep it.
    run.resume = std::make_shared<const WalkState>(walk_state_from(to_numbers(*fit.trace.walk)));
    begin = end;
  }
  return fit;
}

const LinearModel& planes(const Fit& fit) { return std::get<LinearModel>(fit.model().form); }

}  // namespace

TEST_CASE("parts leave the planes of one pass, to the bit") {
  const std::vector<std::pair<std::string, Facts>> learners = {
      {"perceptron", {}},
      {"averaged-perceptron", {}},
      {"passive-aggressive", {{"average", "true"}}},
      {"pegasos", {{"average", "true"}}},
      {"pegasos", {{"rate", "sqrt"}, {"offset", "free"}}},
      {"sgd", {{"keep", "average"}, {"lambda", "0.9"}, {"rate", "constant:0.9"}}}};
  for (const std::size_t classes : {2U, 3U}) {
    const Dataset data = ring(classes);
    for (const auto& one : learners) {
      CAPTURE(one.first);
      const Algorithm algorithm = learner(one.first, one.second);
      const Fit whole = train(data, {}, algorithm);
      const Fit parts = in_parts(data, algorithm, {1, 2, 40, 41, 90});
      CHECK(planes(parts).weights == planes(whole).weights);
      CHECK(planes(parts).offsets == planes(whole).offsets);
      CHECK(parts.trace.mistakes == whole.trace.mistakes);
      CHECK(parts.trace.walk->steps == 90);
      CHECK(parts.proof.certificates.empty());
    }
  }
}

TEST_CASE("a part may lack a class, and a weight of k is k copies") {
  const Dataset data = ring(3);
  const Algorithm algorithm = learner("perceptron", {});
  std::vector<double> weights(data.rows());
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < data.rows(); ++i) {
    weights[i] = i % 3;
    for (std::uint32_t k = 0; k < i % 3; ++k) copies.push_back(i);
  }
  const Fit weighted = train_part(data.reweighted(weights), algorithm);
  const Fit copied = train_part(data.subset(copies), algorithm);
  CHECK(planes(weighted).weights == planes(copied).weights);
  weights[0] = 0.5;
  CHECK_THROWS_AS(static_cast<void>(train_part(data.reweighted(weights), algorithm)), InputError);
  CHECK(planes(train_part(data.part(0, 1), algorithm)).planes == 3);
}

TEST_CASE("numbers that are no state are refused") {
  const Dataset data = ring(2);
  const Algorithm algorithm = learner("averaged-perceptron", {});
  const std::vector<double> good = to_numbers(*train_part(data, algorithm).trace.walk);
  const auto refused = [&](std::vector<double> numbers) {
    CHECK_THROWS_AS(static_cast<void>(walk_state_from(numbers)), UsageError);
  };
  refused({});
  for (std::size_t k = 0; k < good.size(); ++k)
    refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(k)});
  for (const std::size_t k : {0U, 1U, 2U, 3U, 7U, 8U}) {
    for (const double x : {-1.0, 0.5, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> bad = good;
      bad[k] = x;
      refused(bad);
    }
  }
  // A state of other classes, or without the sums of a mean.
  Run run;
  run.resume = std::make_shared<const WalkState>(walk_state_from(good));
  CHECK_THROWS_AS(static_cast<void>(train_part(ring(3), algorithm, run)), UsageError);
  CHECK_THROWS_AS(static_cast<void>(train_part(data, learner("perceptron", {}), run)), UsageError);
}
