// SPDX-License-Identifier: BSD-3-Clause
// The online learners against worked examples and against their definitions, written out naively.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "halfspace/core/random.hpp"
#include "halfspace/halfspace.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;
using testing::same_bits;

const LinearModel& linear(const Fit& fit) { return std::get<LinearModel>(fit.model().form); }

Dataset worked_example() { return dataset_from(Rows{{2, 2}, {2, -1}}, std::vector<int>{1, -1}); }

// Whole numbers, so that every sum is exact; about a fifth of the labels are noise.
struct Whole {
  Rows rows;
  std::vector<int> labels;
  [[nodiscard]] Dataset data() const { return dataset_from(rows, labels); }
};
Whole whole_numbers(std::uint64_t seed, std::size_t n, std::size_t d, int classes = 2) {
  Random random(seed);
  Whole out;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(d);
    for (double& x : row) x = random.below(3) == 0 ? 0.0 : static_cast<double>(random.below(9)) - 4;
    row[0] += 1;
    int label = classes == 2 ? (row[0] + row[d - 1] > 0 ? 1 : -1) : static_cast<int>(random.below(3));
    if (classes == 2 && random.below(5) == 0) label = -label;
    out.rows.push_back(row);
    out.labels.push_back(label);
  }
  return out;
}

// The perceptron as it is taught, cyclic order: every plane after every step.
struct Naive {
  std::vector<std::vector<double>> theta;  // with theta0 last
  std::vector<std::uint32_t> counts;
  std::uint64_t mistakes = 0;
};
Naive naive_perceptron(const Whole& set, double passes, bool lifted) {
  const std::size_t d = set.rows[0].size();
  const std::size_t n = set.rows.size();
  Naive out;
  out.counts.assign(n, 0);
  std::vector<double> theta(d + 1, 0.0);
  const auto steps = static_cast<std::size_t>(std::llround(passes * static_cast<double>(n)));
  std::uint64_t at_start = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t i = s % n;
    if (i == 0) at_start = out.mistakes;
    double f = theta[d];
    for (std::size_t j = 0; j < d; ++j) f += theta[j] * set.rows[i][j];
    if (set.labels[i] * f <= 0) {
      for (std::size_t j = 0; j < d; ++j) theta[j] += set.labels[i] * set.rows[i][j];
      if (lifted) theta[d] += set.labels[i];
      ++out.counts[i];
      ++out.mistakes;
    }
    out.theta.push_back(theta);
    if (i == n - 1 && out.mistakes == at_start) break;
  }
  return out;
}

double naive_score(const std::vector<double>& theta, const std::vector<double>& x) {
  double f = theta.back();
  for (std::size_t j = 0; j < x.size(); ++j) f += theta[j] * x[j];
  return f;
}

}  // namespace

TEST_CASE("perceptron: without offset the worked example ends at (0, 3) after two mistakes") {
  const Fit fit = train(worked_example(), Perceptron{.offset = Offset::None});
  CHECK(linear(fit).weights == std::vector<double>{0, 3});
  CHECK(linear(fit).offsets == std::vector<double>{0});
  CHECK(fit.trace.mistakes == 2);
  CHECK(fit.trace.iterations == 2);
  CHECK(fit.answer.stop == Stop::Clean);
  CHECK(fit.trace.counts == std::vector<std::uint32_t>{1, 1});
}

TEST_CASE("perceptron: with offset it ends at (0, 3; 0), and the trace shows (2, 2; 1) on the way") {
  std::vector<std::vector<double>> seen;
  const UpdateObserver observer{1, 100, [&](const Update& u) {
                                  std::vector<double> all(u.theta.begin(), u.theta.end());
                                  all.push_back(u.theta0);
                                  all.push_back(u.margin_after - u.margin_before);
                                  seen.push_back(all);
                                }};
  const Fit fit = trace(worked_example(), Perceptron{}, {}, observer);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0] == std::vector<double>{2, 2, 1, 9});  // the margin rises by |x|^2 + 1
  CHECK(seen[1] == std::vector<double>{0, 3, 0, 6});
  CHECK(fit.trace.mistakes == 2);
}

TEST_CASE("theta is the sum of the rows counted as often as they were mistaken, to the bit") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Whole set = whole_numbers(seed, 40, 5);
    for (const Order order : {Order::Cyclic, Order::Shuffled, Order::Random, Order::Worst, Order::Content}) {
      const Fit fit = train(set.data(), Perceptron{.passes = {7.5}, .order = order}, {.seed = seed});
      std::vector<double> theta(5, 0.0);
      double theta0 = 0;
      std::uint64_t k = 0;
      for (std::size_t i = 0; i < set.rows.size(); ++i) {
        const double a = set.labels[i] * static_cast<double>(fit.trace.counts[i]);
        for (std::size_t j = 0; j < 5; ++j) theta[j] += a * set.rows[i][j];
        theta0 += a;
        k += fit.trace.counts[i];
      }
      CHECK(same_bits(theta, linear(fit).weights));
      CHECK(theta0 == linear(fit).offsets[0]);
      CHECK(k == *fit.trace.mistakes);
    }
  }
}

TEST_CASE("the perceptron walks as its definition does, also for a fraction of a pass") {
  for (const double passes : {0.1, 0.5, 1.0, 2.3, 6.0}) {
    for (const bool lifted : {true, false}) {
      const Whole set = whole_numbers(3, 50, 4);
      const Naive naive = naive_perceptron(set, passes, lifted);
      const Fit fit =
          train(set.data(), Perceptron{.passes = {passes}, .offset = lifted ? Offset::Lifted : Offset::None});
      CHECK(fit.trace.counts == naive.counts);
      CHECK(*fit.trace.mistakes == naive.mistakes);
      std::vector<double> theta = linear(fit).weights;
      theta.push_back(linear(fit).offsets[0]);
      CHECK(same_bits(theta, naive.theta.back()));
    }
  }
}

TEST_CASE("the averaged perceptron is the mean of theta over all steps") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Whole set = whole_numbers(seed, 30, 4);
    const Naive naive = naive_perceptron(set, 3.7, true);
    std::vector<double> sum(5, 0.0);
    for (const auto& theta : naive.theta)
      for (std::size_t j = 0; j < 5; ++j) sum[j] += theta[j];
    for (double& s : sum) s /= static_cast<double>(naive.theta.size());
    const Fit fit = train(set.data(), AveragedPerceptron{.passes = {3.7}});
    std::vector<double> mean = linear(fit).weights;
    mean.push_back(linear(fit).offsets[0]);
    CHECK(same_bits(mean, sum));
  }
}

TEST_CASE("the voted perceptron is the weighted majority of all planes of the walk") {
  for (const bool last_half : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Whole set = whole_numbers(seed, 30, 4);
      const Naive naive = naive_perceptron(set, 3.0, true);
      const Fit fit = train(set.data(), VotedPerceptron{.passes = {3.0}, .last_half = last_half});
      const std::vector<double> share = scores(fit.model(), set.data(), Threads(2));
      const std::size_t from = last_half ? naive.theta.size() / 2 : 0;
      for (std::size_t i = 0; i < set.rows.size(); ++i) {
        double votes = 0;
        for (std::size_t s = from; s < naive.theta.size(); ++s) {
          const double f = naive_score(naive.theta[s], set.rows[i]);
          votes += f > 0 ? 1 : f < 0 ? -1 : 0;
        }
        CHECK(share[i] == votes / static_cast<double>(naive.theta.size() - from));
      }
    }
  }
}

TEST_CASE("a vote counted until it is decided gives the labels of all its votes") {
  const Dataset data = whole_numbers(9, 900, 12).data();
  const Fit fit = train(data, VotedPerceptron{.passes = {8}});
  REQUIRE(std::get<VotedModel>(fit.model().form).row.size() > 1000);  // several steps of the count
  const std::vector<double> all = scores(fit.model(), data, Threads(2));
  const std::vector<double> decided = deciding_scores(fit.model(), data, Threads(2));
  CHECK(all != decided);
  CHECK(labels_from_scores(fit.model(), all) == labels_from_scores(fit.model(), decided));
}

TEST_CASE("votes do not depend on how many features there are besides") {
  Whole set = whole_numbers(12, 45, 4, 3);
  for (auto& row : set.rows)
    for (double& x : row) x *= 0.1;
  std::vector<std::string> labels;
  for (const int label : set.labels) labels.push_back(std::to_string(label));
  const Dataset few = dataset_from(set.rows, labels);
  const Dataset many = dataset_from(set.rows, labels, {}, 20000);
  Fit fit = train(few, VotedPerceptron{.passes = {2}});
  for (const bool unit : {false, true}) {
    fit.model().unit_rows = unit;
    Model wide = fit.model();
    std::get<VotedModel>(wide.form).features = 20000;  // other code, the same sums
    CHECK(same_bits(scores(fit.model(), few, Threads(1)), scores(wide, many, Threads(2))));
  }
}

TEST_CASE("a voted model comes back from its file as it was") {
  const Whole set = whole_numbers(5, 30, 4, 3);
  const Fit fit = train(set.data(), VotedPerceptron{.passes = {4}});
  const Model back = model_from_bytes(to_bytes(fit.model()), "memory");
  CHECK(same_bits(scores(back, set.data(), Threads(1)), scores(fit.model(), set.data(), Threads(1))));
  CHECK(to_bytes(back) == to_bytes(fit.model()));
  Model broken = fit.model();
  std::get<VotedModel>(broken.form).positive[0] = 7;  // neither 0 nor 1
  CHECK(testing::input_error([&] {
          (void)model_from_bytes(to_bytes(broken), "memory");
        }).find("mistakes.positive") != std::string::npos);
  broken = fit.model();
  std::get<VotedModel>(broken.form).row.back() = 1000;
  CHECK(testing::input_error([&] {
          (void)model_from_bytes(to_bytes(broken), "memory");
        }).find("no such row") != std::string::npos);
}

TEST_CASE("the variants of one walk are those of their definitions") {
  const Whole set = whole_numbers(8, 40, 4);
  const Naive naive = naive_perceptron(set, 2.0, true);
  const auto kept = [&](OnlineToBatch which) {
    const Fit fit = train(set.data(), Perceptron{.passes = {2.0}, .online_to_batch = which});
    std::vector<double> theta = linear(fit).weights;
    theta.push_back(linear(fit).offsets[0]);
    return theta;
  };
  std::vector<double> half(5, 0.0);
  const std::size_t from = naive.theta.size() / 2;
  for (std::size_t s = from; s < naive.theta.size(); ++s)
    for (std::size_t j = 0; j < 5; ++j) half[j] += naive.theta[s][j];
  for (double& h : half) h /= static_cast<double>(naive.theta.size() - from);
  CHECK(same_bits(kept(OnlineToBatch::LastHalf), half));

  std::size_t longest = 0, best = 0;
  for (std::size_t s = 0, run = 0; s < naive.theta.size(); ++s) {
    run = s > 0 && naive.theta[s] == naive.theta[s - 1] ? run + 1 : 1;
    if (run > longest) {
      longest = run;
      best = s;
    }
  }
  CHECK(same_bits(kept(OnlineToBatch::Longest), naive.theta[best]));
  CHECK(same_bits(kept(OnlineToBatch::All), kept(OnlineToBatch::Average)));
  const Fit all = train(set.data(), Perceptron{.passes = {2.0}, .online_to_batch = OnlineToBatch::All});
  CHECK(all.trace.figures.size() >= 6);
  const Fit vote = train(set.data(), Perceptron{.passes = {2.0}, .online_to_batch = OnlineToBatch::Vote});
  CHECK(std::holds_alternative<VotedModel>(vote.model().form));
}

TEST_CASE("gradient steps of length 1 on the perceptron loss walk through the same planes") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Whole set = whole_numbers(seed, 40, 5);
    for (const double passes : {0.3, 1.0, 4.0}) {
      const Fit a = train(set.data(), Perceptron{.passes = {passes}, .offset = Offset::None});
      const Fit b = train(set.data(), Sgd{.loss = PerceptronLoss{},
                                          .passes = passes,
                                          .rate = {Rate::Kind::Constant, 1, 1},
                                          .keep = Keep::Last,
                                          .offset = Offset::None,
                                          .order = Order::Cyclic});
      CHECK(same_bits(linear(a).weights, linear(b).weights));
      CHECK(a.trace.mistakes == b.trace.mistakes);
      CHECK(a.trace.counts == b.trace.counts);
    }
  }
}

TEST_CASE("rows of weights that are not whole are visited as often as their weights say, pass after pass") {
  Whole set = whole_numbers(11, 40, 3);
  Random random(4);
  std::vector<double> weights;
  for (std::size_t i = 0; i < set.rows.size(); ++i)
    weights.push_back(static_cast<double>(random.below(12)) / 4);  // quarters: every product is exact
  Whole visits;
  std::vector<double> times(weights.size(), 0.0);
  constexpr int passes = 8;
  for (int pass = 1; pass <= passes; ++pass)
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
      const double turns = static_cast<double>(i) * 0.6180339887498949;
      const double phase = weights[i] == std::floor(weights[i]) ? 0 : turns - std::floor(turns);
      for (; times[i] < std::floor(pass * weights[i] + phase); ++times[i]) {
        visits.rows.push_back(set.rows[i]);
        visits.labels.push_back(set.labels[i]);
      }
    }
  for (std::size_t i = 0; i < weights.size(); ++i) CHECK(times[i] == passes * weights[i]);
  const Dataset weighted = dataset_from(set.rows, set.labels, weights);
  const Fit once = train(visits.data(), Perceptron{.passes = {1}});
  const Fit fit = train(weighted, Perceptron{.passes = {passes}});
  CHECK(same_bits(linear(fit).weights, linear(once).weights));
  CHECK(fit.trace.mistakes == once.trace.mistakes);
  CHECK(fit.trace.iterations == passes);
  // The machine with the kernel x . z walks through the same planes.
  const KernelFunction product{.kind = KernelKind::Poly, .gamma = 1, .degree = 1};
  CHECK(train(weighted, Perceptron{.passes = {passes}, .kernel = product}).trace.mistakes ==
        once.trace.mistakes);
  // Whatever the order, no row without weight.
  for (const Order order : {Order::Shuffled, Order::Random, Order::Content}) {
    const Fit other = train(weighted, Perceptron{.passes = {3}, .order = order});
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] == 0) CHECK(other.trace.counts[i] == 0);
  }
  std::vector<double> too_much(set.rows.size(), 1.0);
  too_much[7] = 2e6;
  CHECK_THROWS_AS((void)train(dataset_from(set.rows, set.labels, too_much), Perceptron{}), InputError);
}

TEST_CASE("passive-aggressive steps by hand") {
  const Dataset data = dataset_from(Rows{{3, 4}, {0, 0}}, std::vector<int>{1, -1}, {1, 0});
  const auto weights = [&](PassiveAggressiveVariant variant, double C) {
    return linear(solve(data,
                        PassiveAggressive{.variant = variant, .C = C, .passes = {1}, .offset = Offset::None},
                        {}))
        .weights;
  };
  CHECK(weights(PassiveAggressiveVariant::Pa, 1)[0] == doctest::Approx(3.0 / 25));
  CHECK(weights(PassiveAggressiveVariant::Pa1, 0.01)[1] == doctest::Approx(0.04));
  CHECK(weights(PassiveAggressiveVariant::Pa2, 0.5)[0] == doctest::Approx(3.0 / 26));
}

TEST_CASE("the first steps of Pegasos by hand") {
  const Dataset data = worked_example();
  const auto after = [&](double passes, Offset offset, PegasosRate rate) {
    const Fit fit = train(
        data,
        Pegasos{.lambda = 0.5, .passes = passes, .rate = rate, .offset = offset, .order = Order::Cyclic});
    return std::vector<double>{linear(fit).weights[0], linear(fit).weights[1], linear(fit).offsets[0]};
  };
  // t = 1: m = 0 < 1, eta = 2: theta = (4, 4). t = 2: m = -(8 - 4) < 1, eta = 1: theta = (2, 2) - (2, -1) =
  // (0, 3).
  CHECK(after(0.5, Offset::None, PegasosRate::Pegasos) == std::vector<double>{4, 4, 0});
  CHECK(after(1.0, Offset::None, PegasosRate::Pegasos) == std::vector<double>{0, 3, 0});
  // t = 3: m = 6, only the shrinking by 1 - 1/3.
  CHECK(after(1.5, Offset::None, PegasosRate::Pegasos) == std::vector<double>{0, 2, 0});
  CHECK(after(1.0, Offset::Free, PegasosRate::Pegasos) == std::vector<double>{0, 3, 1});  // 0 + 2 - 1
  // eta = 1, 1/sqrt(2): theta = (2, 2), then (1 - 0.5/sqrt(2)) (2, 2) - (2, -1)/sqrt(2).
  const std::vector<double> root = after(1.0, Offset::None, PegasosRate::Sqrt);
  CHECK(root[0] == doctest::Approx(2 - 3 / std::sqrt(2.0)));
  CHECK(root[1] == doctest::Approx(2.0));
}

TEST_CASE("Pegasos in whole passes brackets the optimum, and the bracket closes") {
  const Whole set = whole_numbers(4, 60, 5);
  double before = INFINITY;
  for (const double passes : {10.0, 100.0, 1000.0}) {
    const Fit fit = train(set.data(), Pegasos{.lambda = 0.1, .passes = passes});
    REQUIRE(fit.proof.objective.has_value());
    CHECK(fit.proof.objective->gap() >= 0);
    CHECK(fit.proof.objective->relative_gap() < before / 3);
    before = fit.proof.objective->relative_gap();
  }
  CHECK(before < 0.01);
  CHECK_FALSE(train(set.data(), Pegasos{.passes = 2, .order = Order::Random}).proof.objective.has_value());
  CHECK_FALSE(train(set.data(), Pegasos{.passes = 2.5}).proof.objective.has_value());
  CHECK(train(set.data(), Pegasos{.lambda = 0.1, .passes = 50, .batch = 7}).proof.objective->relative_gap() <
        0.5);
}

TEST_CASE("the average of shrinking planes is their mean, also after the scale was folded in") {
  const Whole set = whole_numbers(9, 20, 3);
  for (const double lambda : {0.01, 0.9}) {  // 0.9: the scale passes 1e-6 within a few steps
    const Sgd options{.loss = Logistic{},
                      .lambda = lambda,
                      .passes = 2,
                      .rate = {Rate::Kind::Constant, 0.9, 1},
                      .keep = Keep::Average,
                      .offset = Offset::Lifted,
                      .order = Order::Cyclic};
    std::vector<double> theta(4, 0.0), sum(4, 0.0);
    for (std::size_t s = 0; s < 40; ++s) {
      const auto& x = set.rows[s % 20];
      const double y = set.labels[s % 20];
      const double slope = Logistic::slope(y * naive_score(theta, x));
      for (std::size_t j = 0; j < 4; ++j) {
        theta[j] = (1 - 0.9 * lambda) * theta[j] - 0.9 * slope * y * (j < 3 ? x[j] : 1.0);
        sum[j] += theta[j] / 40;
      }
    }
    const Fit fit = train(set.data(), options);
    for (std::size_t j = 0; j < 3; ++j)
      CHECK(linear(fit).weights[j] == doctest::Approx(sum[j]).epsilon(1e-9));
    CHECK(linear(fit).offsets[0] == doctest::Approx(sum[3]).epsilon(1e-9));
  }
}

TEST_CASE("gradient descent keeps the plane with the least full loss, not the last") {
  const Whole set = whole_numbers(6, 50, 4);
  const Sgd options{.passes = 30, .rate = {Rate::Kind::Constant, 0.5, 1}};
  const Fit best = train(set.data(), options);
  REQUIRE(best.trace.curve.size() == 30);
  const double least = *std::min_element(best.trace.curve.begin(), best.trace.curve.end());
  CHECK(best.trace.curve.back() > least);  // or the test shows nothing
  const std::vector<double> f = scores(best.model(), set.data(), Threads(1));
  double loss = 0;
  for (std::size_t i = 0; i < f.size(); ++i) loss += Hinge::value(set.labels[i] * f[i]) / 50;
  CHECK(loss == doctest::Approx(least).epsilon(1e-12));
}

TEST_CASE("full gradient descent in one dimension follows its closed form") {
  // x = 1, y = +1 and x = -1, y = -1, no offset: every m is theta.
  const Dataset data = dataset_from(Rows{{1}, {-1}}, std::vector<int>{1, -1});
  const auto theta = [&](Loss loss, double lambda, double passes, double eta) {
    return linear(train(data, Sgd{.loss = loss,
                                  .lambda = lambda,
                                  .passes = passes,
                                  .batch = {0},
                                  .rate = {Rate::Kind::Constant, eta, 1},
                                  .keep = Keep::Last,
                                  .offset = Offset::None}))
        .weights[0];
  };
  // Squared hinge: theta <- theta + 2 eta (1 - theta): 1 - (1 - 2 eta)^t.
  CHECK(theta(SquaredHinge{}, 0, 5, 0.25) == doctest::Approx(1 - std::pow(0.5, 5)));
  // With a penalty: towards 2 / (2 + lambda), the error times 1 - eta (2 + lambda) a step.
  CHECK(theta(SquaredHinge{}, 1, 6, 0.1) == doctest::Approx(2.0 / 3 * (1 - std::pow(0.7, 6))));
  // Smoothed: half as steep there.
  CHECK(theta(SmoothHinge{}, 0, 5, 0.5) == doctest::Approx(1 - std::pow(0.5, 5)));
  CHECK(theta(Hinge{}, 0, 3, 0.25) == 0.75);  // eta a step until 1
  CHECK(theta(Hinge{}, 0, 50, 0.25) == 1.0);
  CHECK(theta(Logistic{}, 0, 1, 1) == 0.5);  // slope -1/2 at 0
}

TEST_CASE("on data that no plane separates the best plane seen is kept") {
  const Dataset data = dataset_from(Rows{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, std::vector<int>{-1, 1, 1, -1});
  const Fit fit = train(data, Perceptron{.passes = {0, true}, .max_passes = 50});
  CHECK(fit.answer.stop == Stop::Limit);
  const std::vector<double> f = scores(fit.model(), data, Threads(1));
  int wrong = 0;
  for (std::size_t i = 0; i < 4; ++i) wrong += (i == 1 || i == 2) ? f[i] <= 0 : f[i] >= 0;
  CHECK(wrong <= 2);
  REQUIRE(fit.proof.separation != nullptr);
  CHECK(verify(*fit.proof.separation, data).holds);
  CHECK(std::count(fit.words.summary.begin(), fit.words.summary.end(),
                   "no plane separates the classes (overlapping): proved by 4 rows, 1, 2, 3, 4") == 1);
}

TEST_CASE("until a clean pass the mistakes stand beside the bound of the certified margin") {
  const Dataset data = read(std::string(HALFSPACE_SOURCE_DIR) + "/data/iris.csv").one_against_rest("setosa");
  const Fit fit = train(data, Perceptron{.passes = {0, true}});
  REQUIRE(fit.answer.stop == Stop::Clean);
  const auto& bound = std::get<MistakeBound>(fit.proof.certificates.at(0));
  CHECK(bound.margin_lower > 0);
  CHECK(bound.margin_lower <= 0.749118);
  CHECK(bound.margin_upper >= 0.749116);
  CHECK(static_cast<double>(bound.mistakes) <= std::pow(bound.radius / bound.margin_lower, 2));
  CHECK(std::any_of(fit.words.summary.begin(), fit.words.summary.end(), [](const std::string& line) {
    return line.starts_with("best margin between 0.749117 and 0.749117: 5 mistakes <= (R/margin)^2 = 221.78");
  }));
}

TEST_CASE("the worst row is the one with the least margin, not the least in units of its length") {
  // After row 1 theta = (1, 0): m = -1 and m / |x| = -1 for row 2, m = -2 and m / |x| = -0.2 for row 3.
  const Dataset data = dataset_from(Rows{{1, 0}, {-1, 0}, {-2, 10}, {0, -1}}, std::vector<int>{1, 1, 1, -1});
  const Fit fit = train(data, Perceptron{.passes = {2}, .order = Order::Worst, .offset = Offset::None});
  CHECK(fit.trace.counts == std::vector<std::uint32_t>{1, 0, 1, 0});
}

TEST_CASE("a walk that starts elsewhere has the bounds that hold there, and no others") {
  const Dataset data = worked_example();
  Run run;
  auto start = std::make_shared<StartPlane>();
  start->planes = LinearModel{.features = 2, .weights = {0, -3}, .offsets = {0}};
  start->name = "0,-3";
  run.start = start;
  const Perceptron options{.passes = {.until_clean = true}, .offset = Offset::None};
  const Fit fit = train(data, options, run);
  REQUIRE(fit.answer.stop == Stop::Clean);
  // theta = start + sum of the rows that were mistaken.
  std::vector<double> theta = start->planes.weights;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      theta[j] += fit.trace.counts[i] * (i == 0 ? 2.0 : j == 0 ? -2.0 : 1.0);
  CHECK(linear(fit).weights == theta);
  REQUIRE(fit.proof.certificates.size() == 1);
  CHECK(std::holds_alternative<Separator>(fit.proof.certificates[0]));
  for (const auto& [name, value] : fit.trace.figures) {
    CHECK(name != "cosine_bound");
    if (name == "mistake_bound") CHECK(static_cast<double>(*fit.trace.mistakes) <= value);
  }
  CHECK(std::find(fit.model().facts.begin(), fit.model().facts.end(), Facts::value_type("from", "0,-3")) !=
        fit.model().facts.end());
  CHECK_THROWS_AS((void)train(data, VotedPerceptron{}, run), UsageError);
  CHECK_THROWS_AS((void)train(data, Svm{}, run), UsageError);
  CHECK_THROWS_AS((void)train(data, Pegasos{}, run), UsageError);
  CHECK_NOTHROW((void)train(data, Pegasos{.rate = PegasosRate::Sqrt}, run));
  start->planes.offsets = {1};
  CHECK_THROWS_AS((void)train(data, options, run), UsageError);
  start->planes.features = 1;
  start->planes.weights = {1};
  CHECK_THROWS_AS((void)train(data, Perceptron{}, run), UsageError);
}

TEST_CASE("the mean of a walk from elsewhere is the mean of its planes") {
  const Whole set = whole_numbers(5, 40, 3);
  const Dataset data = set.data();
  Run run;
  auto start = std::make_shared<StartPlane>();
  start->planes = LinearModel{.features = 3, .weights = {1, -2, 3}, .offsets = {2}};
  run.start = start;
  const Fit fit = train(data, AveragedPerceptron{.passes = {1}}, run);
  std::vector<double> theta = {1, -2, 3, 2}, sum(4, 0.0);
  for (std::size_t i = 0; i < 40; ++i) {
    double f = theta[3];
    for (std::size_t j = 0; j < 3; ++j) f += theta[j] * set.rows[i][j];
    if (set.labels[i] * f <= 0) {
      for (std::size_t j = 0; j < 3; ++j) theta[j] += set.labels[i] * set.rows[i][j];
      theta[3] += set.labels[i];
    }
    for (std::size_t j = 0; j < 4; ++j) sum[j] += theta[j];
  }
  for (std::size_t j = 0; j < 3; ++j) CHECK(linear(fit).weights[j] == doctest::Approx(sum[j] / 40));
  CHECK(linear(fit).offsets[0] == doctest::Approx(sum[3] / 40));
}

TEST_CASE("several classes go through one pass and end where each class alone would") {
  const Whole set = whole_numbers(11, 60, 6, 3);
  const Dataset data = set.data();
  const auto check = [&](auto options) {
    const Fit all = train(data, options, {.seed = 3});
    const Fit threaded = train(data, options, {.seed = 3, .threads = Threads(3)});
    CHECK(to_bytes(all.model()) == to_bytes(threaded.model()));
    for (std::size_t k = 0; k < 3; ++k) {
      const Fit alone = train(data.one_against_rest(data.classes()[k]), options, {.seed = 3});
      const auto plane = linear(all).plane(k);
      CHECK(same_bits({plane.begin(), plane.end()}, linear(alone).weights));
      CHECK(linear(all).offsets[k] == linear(alone).offsets[0]);
    }
  };
  for (const Order order : {Order::Cyclic, Order::Shuffled, Order::Random, Order::Worst, Order::Content}) {
    check(Perceptron{.passes = {3}, .order = order});
    check(AveragedPerceptron{.passes = {3}, .order = order});
  }
}

}  // namespace halfspace
