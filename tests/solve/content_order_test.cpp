// SPDX-License-Identifier: BSD-3-Clause
// Walks and folds that follow from what stands in the rows: neither their places nor rows of weight 0 change a bit.
#include "data/storage/content_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "halfspace/core/random.hpp"
#include "halfspace/data/arrays.hpp"
#include "halfspace/data/split.hpp"
#include "halfspace/model/predict.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

using testing::Rows;
using testing::same_bits;

struct Set {
  Rows rows;
  std::vector<int> labels;
  std::vector<double> weights;
  [[nodiscard]] Dataset data() const { return testing::dataset_from(rows, labels, weights); }
};

// Values that do not add up without rounding, some rows more than once and some of them with several labels and weights.
Set draw(std::uint64_t seed, int classes) {
  Random random(seed);
  Set set;
  for (int i = 0; i < 90; ++i) {
    if (i >= 6 && random.below(4) == 0) {
      set.rows.push_back(set.rows[random.below(set.rows.size())]);
    } else {
      std::vector<double> row;
      for (int j = 0; j < 5; ++j) row.push_back(random.below(3) == 0 ? 0.0 : random.normal());
      set.rows.push_back(row);
    }
    set.labels.push_back(i < 6 ? i % classes
                               : static_cast<int>(random.below(static_cast<std::uint64_t>(classes))));
    set.weights.push_back(i < 6 ? 1 : 0.25 * static_cast<double>(1 + random.below(9)));
  }
  return set;
}

// The same rows elsewhere, others of weight 0 between them.
Set moved(const Set& set, std::uint64_t seed, int classes) {
  Random random(seed, 1);
  Set all = set;
  for (int i = 0; i < 40; ++i) {
    const auto like = random.below(set.rows.size());
    all.rows.push_back(set.rows[like]);
    if (i % 2 == 0) all.rows.back()[0] += 1;
    all.labels.push_back((set.labels[like] + 1) % classes);
    all.weights.push_back(0);
  }
  std::vector<std::uint32_t> order(all.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  random.shuffle(order);
  Set out;
  for (const std::uint32_t i : order) {
    out.rows.push_back(all.rows[i]);
    out.labels.push_back(all.labels[i]);
    out.weights.push_back(all.weights[i]);
  }
  return out;
}

// What a model says of rows, and of those that it keeps.
template <class Options>
void check_same(const Dataset& a, const Dataset& b, const Options& options, const Run& run) {
  const Fit one = train(a, options, run), other = train(b, options, run);
  CHECK(same_bits(scores(one.model(), a, Threads(1)), scores(other.model(), a, Threads(1))));
  CHECK(one.trace.mistakes == other.trace.mistakes);
  const auto* planes = std::get_if<LinearModel>(&one.model().form);
  if (planes == nullptr) return;
  const auto& others = std::get<LinearModel>(other.model().form);
  CHECK(same_bits(planes->weights, others.weights));
  CHECK(same_bits(planes->offsets, others.offsets));
}

}  // namespace

TEST_CASE("a walk by content does not know where the rows stand, nor those of weight 0") {
  for (const int classes : {2, 3}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      CAPTURE(seed);
      const Set set = draw(seed, classes);
      const Dataset a = set.data(), b = moved(set, seed, classes).data();
      const Run run{.seed = seed, .threads = Threads(2)};
      const auto check = [&](const auto& options) { check_same(a, b, options, run); };
      constexpr Order order = Order::Content;
      check(Perceptron{.passes = {3.5}, .order = order});
      check(Perceptron{.passes = {0, true}, .max_passes = 7, .order = order});
      check(Perceptron{.passes = {2}, .order = order, .online_to_batch = OnlineToBatch::Longest});
      check(AveragedPerceptron{.passes = {2}, .order = order});
      check(VotedPerceptron{.passes = {2}, .order = order});
      check(PassiveAggressive{.passes = {3}, .order = order});
      check(Pegasos{.passes = 3, .batch = 4, .order = order});
      check(Sgd{.passes = 4, .order = order});
      check(Sgd{.loss = Logistic{}, .lambda = 0.01, .passes = 4, .keep = Keep::Average, .order = order});
      check(Sgd{.lambda = 0.1, .passes = 5, .batch = {0}, .order = order});
    }
  }
}

TEST_CASE("a walk by content with a kernel makes the same mistakes wherever the rows stand") {
  const Set set = draw(3, 2);
  const Perceptron options{.passes = {3}, .order = Order::Content, .kernel = {KernelKind::Rbf, 0.5}};
  const Dataset a = set.data(), b = moved(set, 3, 2).data();
  const Fit one = train(a, options), other = train(b, options);
  CHECK(one.trace.mistakes == other.trace.mistakes);
  const auto f = scores(one.model(), a, Threads(1)), g = scores(other.model(), a, Threads(1));
  for (std::size_t i = 0; i < f.size(); ++i) CHECK(f[i] == doctest::Approx(g[i]).epsilon(1e-12));
}

TEST_CASE("an order by content walks as any order does: other seeds and passes give other walks") {
  const Dataset data = draw(5, 2).data();
  const auto plane = [&](std::uint64_t seed, Order order) {
    const Fit fit = train(data, Perceptron{.passes = {3}, .order = order}, {.seed = seed});
    return std::get<LinearModel>(fit.model().form).weights;
  };
  CHECK_FALSE(same_bits(plane(1, Order::Content), plane(2, Order::Content)));
  CHECK_FALSE(same_bits(plane(1, Order::Content), plane(1, Order::Shuffled)));
}

TEST_CASE("the order by content has every row of positive weight once, in any storage") {
  const Set set = moved(draw(9, 3), 9, 3);
  const Dataset data = set.data();
  const std::vector<std::uint32_t> order = content_order(data, Threads(2));
  std::set<std::uint32_t> seen(order.begin(), order.end());
  CHECK(seen.size() == order.size());
  CHECK(order.size() == 90);
  for (const std::uint32_t i : order) CHECK(set.weights[i] > 0);
  std::vector<double> flat;
  for (const auto& row : set.rows) flat.insert(flat.end(), row.begin(), row.end());
  const std::vector<std::int32_t> labels(set.labels.begin(), set.labels.end());
  ArrayOptions options;
  options.hold = Hold::Borrow;
  options.labels = std::span(labels);
  options.weights = set.weights;
  const Dataset dense = Dataset::dense(std::span<const double>(flat), set.rows.size(), 5, options);
  CHECK(content_order(dense, Threads(1)) == order);
}

TEST_CASE("folds by content hold the same rows together wherever they stand") {
  for (const int classes : {2, 3}) {
    const Set set = draw(4, classes), other = moved(set, 4, classes);
    const Dataset a = set.data(), b = other.data();
    const auto parts = [](const Set& rows, const Dataset& data, Deal deal) {
      const std::vector<std::uint32_t> fold = stratified_folds(data, 4, 7, deal);
      std::vector<std::multiset<std::pair<std::vector<double>, double>>> out(4);
      for (std::size_t i = 0; i < fold.size(); ++i) {
        if (rows.weights[i] == 0) continue;
        std::vector<double> key = rows.rows[i];
        key.push_back(rows.labels[i]);
        out[fold[i]].emplace(key, rows.weights[i]);
      }
      return out;
    };
    CHECK(parts(set, a, Deal::Content) == parts(other, b, Deal::Content));
    CHECK(parts(set, a, Deal::Place) != parts(other, b, Deal::Place));
  }
}

// Rows of few values, so that many groups begin with the same row and go on with others; some groups are equal in all of it.
TEST_CASE(
    "groups by content go into the same folds wherever their rows stand and however they are numbered") {
  using Folds = std::vector<std::multiset<std::vector<std::vector<double>>>>;
  constexpr std::uint32_t groups = 30;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Set set;
    std::vector<std::uint32_t> group_of;
    for (std::uint32_t g = 0; g < groups; ++g) {
      for (int k = 0; k < 3; ++k) {
        const bool same = k == 0 || g % 5 == 0;
        set.rows.push_back({same ? 0.5 : static_cast<double>(random.below(3)), 1});
        set.labels.push_back(k == 0 ? 0 : static_cast<int>(random.below(2)));
        set.weights.push_back(same ? 1 : 0.5 * static_cast<double>(1 + random.below(2)));
        group_of.push_back(g);
      }
    }
    const auto folds = [&](const std::vector<std::uint32_t>& order, std::uint32_t turn, Deal deal) {
      Set rows;
      std::vector<std::uint32_t> numbers;
      for (const std::uint32_t i : order) {
        rows.rows.push_back(set.rows[i]);
        rows.labels.push_back(set.labels[i]);
        rows.weights.push_back(set.weights[i]);
        numbers.push_back((group_of[i] * 7 + turn) % groups);
      }
      const std::vector<std::uint32_t> fold = grouped_folds(rows.data(), numbers, 4, 3, deal);
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<double>>> members;
      for (std::size_t i = 0; i < order.size(); ++i)
        members[{fold[i], numbers[i]}].push_back(
            {rows.rows[i][0], static_cast<double>(rows.labels[i]), rows.weights[i]});
      CHECK(members.size() == groups);
      Folds out(4);
      for (auto& [where, some] : members) {
        std::sort(some.begin(), some.end());
        out[where.first].insert(some);
      }
      return out;
    };
    std::vector<std::uint32_t> order(set.rows.size());
    std::iota(order.begin(), order.end(), 0U);
    const Folds as_drawn = folds(order, 0, Deal::Content), by_place = folds(order, 0, Deal::Place);
    random.shuffle(order);
    CHECK(folds(order, 11, Deal::Content) == as_drawn);
    CHECK(folds(order, 11, Deal::Place) != by_place);
  }
}

}  // namespace halfspace
