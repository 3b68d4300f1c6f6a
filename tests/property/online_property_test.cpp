// SPDX-License-Identifier: BSD-3-Clause
// What holds for the online learners on any data.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "halfspace/core/random.hpp"
#include "halfspace/halfspace.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::dataset_from;
using testing::Rows;

// Rows of small whole numbers, labelled by a plane of small whole numbers that touches none of them:
// separable, and the plane's margin is known.
struct Separable {
  Rows rows;
  std::vector<int> labels;
  double margin = 0;  // of the plane that made the labels
  bool lifted = true;
};

Separable draw_separable(Random& random) {
  const auto below = [&](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low)));
  };
  while (true) {
    Separable out;
    out.lifted = below(0, 2) == 1;
    const auto d = static_cast<std::size_t>(below(1, 6));
    const int n = below(2, 25);
    std::vector<int> plane(d + 1);
    for (int& w : plane) w = below(-4, 5);
    double norm2 = 0;
    for (std::size_t j = 0; j < d + (out.lifted ? 1 : 0); ++j) norm2 += plane[j] * plane[j];
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
      std::vector<double> x(d);
      double f = out.lifted ? plane[d] : 0;
      for (std::size_t j = 0; j < d; ++j) {
        x[j] = below(-5, 6);
        f += plane[j] * x[j];
      }
      if (f == 0) continue;
      out.rows.push_back(x);
      out.labels.push_back(f > 0 ? 1 : -1);
      least = std::min(least, std::abs(f));
    }
    out.margin = least / std::sqrt(norm2);
    const bool positive = std::count(out.labels.begin(), out.labels.end(), 1) > 0;
    const bool negative = std::count(out.labels.begin(), out.labels.end(), -1) > 0;
    if (positive && negative) return out;
  }
}

Offset offset_of(bool lifted) { return lifted ? Offset::Lifted : Offset::None; }

}  // namespace

TEST_CASE("the perceptron makes at most (R / margin)^2 mistakes on separable data, in every order") {
  const bool holds = rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Separable set = draw_separable(random);
      const Dataset data = dataset_from(set.rows, set.labels);
      double radius2 = 0;
      for (const auto& row : set.rows) {
        double sum = set.lifted ? 1 : 0;
        for (const double x : row) sum += x * x;
        radius2 = std::max(radius2, sum);
      }
      for (const Order order :
           {Order::Cyclic, Order::Shuffled, Order::Random, Order::Worst, Order::Content}) {
        const Fit fit = train(
            data,
            Perceptron{
                .passes = {0, true}, .max_passes = 1000000, .order = order, .offset = offset_of(set.lifted)});
        RC_ASSERT(fit.answer.stop == Stop::Clean);
        const auto k = static_cast<double>(*fit.trace.mistakes);
        RC_ASSERT(k <= radius2 / (set.margin * set.margin) * (1 + 1e-12));
        const auto& bound = std::get<MistakeBound>(fit.proof.certificates.at(0));
        RC_ASSERT(bound.margin_lower > 0);
        RC_ASSERT(bound.margin_lower <= bound.margin_upper * (1 + 1e-12));
        RC_ASSERT(set.margin <= bound.margin_upper * (1 + 1e-12));
        RC_ASSERT(k <= std::pow(bound.radius / bound.margin_lower, 2) * (1 + 1e-12));
      }
    }
  });
  CHECK(holds);
}

TEST_CASE("a weight of k is k copies and a weight of 0 is no row, to the bit") {
  const bool holds = rc::check([] {
    const auto n = static_cast<std::size_t>(*rc::gen::inRange(3, 20));
    Rows rows, copies;
    std::vector<int> labels, copied;
    std::vector<double> weights;
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(-9, 10));
      std::vector<double> row;
      for (const int v : x) row.push_back(0.1 * v);
      const int label = i < 2 ? (i == 0 ? 1 : -1) : (*rc::gen::arbitrary<bool>() ? 1 : -1);
      const int weight = i < 2 ? 1 : *rc::gen::inRange(0, 4);
      rows.push_back(row);
      labels.push_back(label);
      weights.push_back(weight);
      for (int c = 0; c < weight; ++c) {
        copies.push_back(row);
        copied.push_back(label);
      }
    }
    const Dataset weighted = dataset_from(rows, labels, weights);
    const Dataset repeated = dataset_from(copies, copied);
    const auto same = [&](auto options) {
      const Fit a = train(weighted, options, {.seed = 5});
      const Fit b = train(repeated, options, {.seed = 5, .threads = Threads(2)});
      const auto f = scores(a.model(), repeated, Threads(1));
      RC_ASSERT(testing::same_bits(f, scores(b.model(), repeated, Threads(1))));
      RC_ASSERT(a.trace.mistakes == b.trace.mistakes);
    };
    for (const Order order : {Order::Cyclic, Order::Shuffled, Order::Random, Order::Worst, Order::Content}) {
      same(Perceptron{.passes = {2.5}, .order = order});
      same(AveragedPerceptron{.passes = {2.5}, .order = order});
      same(PassiveAggressive{.passes = {2}, .order = order});
    }
    same(VotedPerceptron{.passes = {3}, .order = Order::Shuffled});
    same(Pegasos{.passes = 3, .batch = 4, .average = true});
    same(Sgd{.loss = Logistic{}, .lambda = 0.01, .passes = 3, .batch = {3}, .keep = Keep::Last});
  });
  CHECK(holds);
}

}  // namespace halfspace
