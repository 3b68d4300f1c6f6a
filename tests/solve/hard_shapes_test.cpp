// SPDX-License-Identifier: BSD-3-Clause
// Shapes of data on which a solver once stopped short, ran away or gave up: all of them reach their gap.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "halfspace/core/random.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "solve/convex/constant_plane.hpp"
#include "solve/convex/row_sample.hpp"
#include "support.hpp"

using namespace halfspace;
using halfspace::testing::dataset_from;

namespace {

double normal(Random& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

// Every answer to twelve questions with two answers each; one row is of the other class.
Dataset one_of_4096() {
  testing::Rows rows;
  std::vector<int> labels;
  for (int r = 0; r < 4096; ++r) {
    std::vector<double> x(24, 0.0);
    for (int i = 0; i < 12; ++i) x[static_cast<std::size_t>(2 * i + (r >> i) % 2)] = 1;
    rows.push_back(std::move(x));
    labels.push_back(r == 0 ? 1 : -1);
  }
  return dataset_from(rows, labels);
}

// `classes` clouds of dense rows around random centres.
Dataset clouds(int n, int d, int classes, double apart, std::uint64_t seed) {
  Random random(seed);
  testing::Rows centres(static_cast<std::size_t>(classes));
  for (auto& centre : centres)
    for (int j = 0; j < d; ++j) centre.push_back(apart * normal(random));
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i % classes);
    std::vector<double> x = centres[k];
    for (double& v : x) v += normal(random);
    rows.push_back(std::move(x));
    labels.push_back(static_cast<int>(k));
  }
  return dataset_from(rows, labels);
}

// Rows that are a mean, eight common factors and a little noise; the labels have nothing to do with them.
Dataset few_factors(int n, int d, std::uint64_t seed) {
  Random random(seed);
  testing::Rows factors(9);
  for (auto& factor : factors)
    for (int j = 0; j < d; ++j) factor.push_back(0.06 * normal(random));
  for (double& v : factors[0]) v = std::max(0.0, 0.15 + 3 * v);
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < n; ++i) {
    std::vector<double> x = factors[0];
    for (std::size_t k = 1; k < factors.size(); ++k) {
      const double by = normal(random);
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += by * factors[k][j];
    }
    for (double& v : x) v += 0.02 * normal(random);
    rows.push_back(std::move(x));
    labels.push_back(random.below(2) == 0 ? 1 : -1);
  }
  return dataset_from(rows, labels);
}

}  // namespace

TEST_CASE("a class of one row is in every sample, so that the free offset is held") {
  const Dataset data = one_of_4096();
  for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
    const Fit fit = train(data, Svm{.loss = loss});
    CHECK(fit.answer.stop == Stop::Converged);
    CHECK(fit.proof.objective->relative_gap() <= 1e-4);
    if (std::holds_alternative<Hinge>(loss))
      CHECK(fit.proof.objective->primal == doctest::Approx(23.0 / 12).epsilon(1e-4));
  }
  const Problem problem = make_problem(data, 1, Hinge{}, Offset::Free, 1);
  const RowSample sample = spread_sample(Threads(1), problem, 1000);
  double positive = 0, negative = 0;
  for (std::size_t k = 0; k < sample.rows.size(); ++k)
    (problem.y[sample.rows[k]] > 0 ? positive : negative) += sample.factor[k];
  CHECK(positive == doctest::Approx(1));
  CHECK(negative == doctest::Approx(4095));
}

TEST_CASE("the squared and the smoothed hinge at a large C follow their path where Newton steps stay short") {
  const Dataset data = clouds(1500, 128, 3, 0.3, 5);
  for (const Loss& loss : {Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
    Fit fits[2];
    int k = 0;
    for (const SolverName solver : {SolverName::Newton, SolverName::DualDescent}) {
      fits[k] = train(data, Svm{.C = 1000, .loss = loss, .solver = solver});
      CHECK(fits[k].answer.stop == Stop::Converged);
      ++k;
    }
    CHECK(fits[0].proof.objective->primal == doctest::Approx(fits[1].proof.objective->primal).epsilon(1e-3));
  }
}

TEST_CASE("few rows with many dense columns and a large mean: a free offset is no harder than another") {
  const Dataset data = few_factors(160, 5000, 3);
  for (const double C : {1.0, 1000.0}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      for (const SolverName solver : {SolverName::Auto, SolverName::Newton}) {
        const Fit fit = train(data, LogisticRegression{.C = C, .offset = offset, .solver = solver});
        CHECK(fit.answer.stop == Stop::Converged);
        CHECK(fit.trace.iterations <= 40);
      }
    }
  }
}

TEST_CASE("softmax fits the offsets of rare classes whatever C is") {
  Random random(4);
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 600; ++i) {
    const int k = i < 20 ? i : static_cast<int>(random.below(2));
    std::vector<double> x(2100, 0.0);
    for (int j = 0; j < 12; ++j) x[random.below(2100)] = 0.3;
    x[static_cast<std::size_t>(k)] = 0.5;
    rows.push_back(std::move(x));
    labels.push_back(k);
  }
  const Dataset data = dataset_from(rows, labels);
  for (const double C : {1e-4, 1e-3, 1.0}) {
    const Fit fit = train(data, LogisticRegression{.C = C});
    CHECK(fit.answer.stop == Stop::Converged);
    CHECK(fit.proof.objective->relative_gap() <= 1e-4);
  }
}

TEST_CASE("out of time at once, no model is worse than the best constant") {
  const Dataset two = one_of_4096();
  const Dataset many = clouds(1200, 5, 4, 1.0, 8);
  // On a machine that stands still the proof may be left out, too.
  const auto holds = [](const Fit& fit, double bound) {
    return !fit.proof.objective || fit.proof.objective->primal <= bound;
  };
  Run run;
  run.seconds = 0;
  for (const Dataset* data : {&two, &many}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      const auto constant = [&](const Loss& loss) {
        double sum = 0;
        for (std::uint32_t k = data == &two ? 1 : 0; k < data->classes().size(); ++k)
          sum += best_constant(make_problem(*data, k, loss, offset, 10)).objective;
        return sum * (1 + 1e-6);
      };
      for (const SolverName solver : {SolverName::Semismooth, SolverName::DualDescent}) {
        const Fit fit = train(*data, Svm{.C = 10, .offset = offset, .solver = solver}, run);
        CHECK(fit.answer.stop == Stop::Time);
        CHECK(holds(fit, constant(Hinge{})));
      }
      const Fit squared = train(*data, Svm{.C = 10, .loss = SquaredHinge{}, .offset = offset}, run);
      CHECK(holds(squared, constant(SquaredHinge{})));
      const Fit smoothed = train(*data, Svm{.C = 10, .loss = SmoothHinge{}, .offset = offset}, run);
      CHECK(holds(smoothed, constant(SmoothHinge{})));
      const Fit rest =
          train(*data,
                LogisticRegression{.C = 10, .offset = offset, .multiclass = LogisticClasses::OneVsRest}, run);
      CHECK(holds(rest, constant(Logistic{})));
      const Fit softmax = train(many, LogisticRegression{.C = 10, .offset = offset}, run);
      CHECK(holds(softmax, best_constants(make_softmax_problem(many, offset, 10)).objective * (1 + 1e-6)));
    }
  }
}

TEST_CASE("where a solver stops at its limit auto goes on with another one and says so") {
  // A gap that rounding does not allow: margins of large values that cancel.
  Random random(2);
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({1e7 + normal(random), 1e7 + normal(random)});
    labels.push_back(i % 2);
  }
  const Fit fit = train(dataset_from(rows, labels), Svm{.gap = 1e-12});
  CHECK(fit.answer.stop == Stop::Limit);
  CHECK(fit.proof.objective->primal <= 60 * (1 + 1e-6));
  const auto said = [&](const std::string& words) {
    return std::any_of(fit.words.notes.begin(), fit.words.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  CHECK(said("semismooth stopped at its limit; dual-descent went on"));
}

TEST_CASE("several classes are converged when the sum of their gaps is") {
  const Dataset data = clouds(400, 30, 8, 0.6, 3);
  for (const double C : {1e-4, 1e-3, 1.0}) {
    for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
      const Fit fit = train(data, Svm{.C = C, .loss = loss});
      CHECK(fit.answer.stop == Stop::Converged);
      CHECK(fit.proof.objective->relative_gap() <= 1e-4);
      CHECK(fit.proof.certificates.size() == 8);
    }
    const Fit logistic = train(data, LogisticRegression{.C = C, .multiclass = LogisticClasses::OneVsRest});
    CHECK(logistic.answer.stop == Stop::Converged);
    CHECK(logistic.proof.objective->relative_gap() <= 1e-4);
  }
}

TEST_CASE("the squared hinge counts the rows inside its margin as support vectors, by whichever solver") {
  const Dataset data = clouds(300, 6, 2, 0.5, 6);
  std::uint64_t counts[2] = {0, 0};
  int k = 0;
  for (const SolverName solver : {SolverName::Newton, SolverName::DualDescent}) {
    const Fit fit = train(data, Svm{.loss = SquaredHinge{}, .gap = 1e-9, .solver = solver});
    REQUIRE(fit.trace.support_vectors.has_value());
    counts[k++] = *fit.trace.support_vectors;
  }
  CHECK(counts[0] > 0);
  CHECK(counts[0] == counts[1]);
  CHECK(train(clouds(90, 6, 3, 0.5, 6), Svm{.loss = SquaredHinge{}}).trace.support_vectors.value_or(0) > 0);
}

TEST_CASE("the best constant is where no other offset is better") {
  const auto value = [](const Loss& loss, Offset offset, double p, double n, double b) {
    return std::visit([&](auto l) { return p * l.value(b) + n * l.value(-b); }, loss) +
           (offset == Offset::Lifted ? b * b / 2 : 0.0);
  };
  for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(SmoothHinge{}), Loss(Logistic{})}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      const ConstantPlane best = best_constant(loss, offset, 0.3, 2.5);
      CHECK(best.objective == doctest::Approx(value(loss, offset, 0.3, 2.5, best.theta0)));
      if (offset == Offset::None) {
        CHECK(best.theta0 == 0);
        continue;
      }
      for (double b = -4; b <= 4; b += 0.125)
        CHECK(best.objective <= value(loss, offset, 0.3, 2.5, b) + 1e-12);
    }
  }
  const Dataset data = dataset_from({{1}, {2}, {3}, {4}, {5}, {6}}, std::vector<int>{0, 0, 0, 1, 1, 2});
  // Free: the entropy of the shares. Lifted: the gradient b - n + 6 p is zero.
  const ConstantPlanes free = best_constants(make_softmax_problem(data, Offset::Free, 1));
  CHECK(free.objective == doctest::Approx(3 * std::log(2.0) + 2 * std::log(3.0) + std::log(6.0)));
  const ConstantPlanes lifted = best_constants(make_softmax_problem(data, Offset::Lifted, 1));
  double sum = 0;
  for (const double b : lifted.offsets) sum += std::exp(b);
  const double shares[] = {3, 2, 1};
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(lifted.offsets[k] - shares[k] + 6 * std::exp(lifted.offsets[k]) / sum ==
          doctest::Approx(0).epsilon(1e-6));
}
