// SPDX-License-Identifier: BSD-3-Clause
// What must hold of every penalised problem, whatever its data.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/duality_gap.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

// Rows of small integers with both classes present; dense or sparse storage of the same numbers.
struct Table {
  std::vector<std::vector<double>> x;
  std::vector<int> y;
  std::vector<double> weight;
};

Table random_table(std::uint64_t seed) {
  Random random(seed);
  Table t;
  const std::size_t rows = 12 + random.below(30);
  const std::size_t columns = 1 + random.below(6);
  for (std::size_t i = 0; i < rows; ++i) {
    const int y = i < 2 ? static_cast<int>(i) : static_cast<int>(random.below(2));
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(static_cast<double>(random.below(9)) - 4 + (y != 0 ? 1 : 0));
    t.x.push_back(row);
    t.y.push_back(y);
    t.weight.push_back(static_cast<double>(random.below(4)));
  }
  t.weight[0] = t.weight[1] = 1;
  return t;
}

Dataset dataset(const Table& t, bool weighted = false, bool sparse = false) {
  DatasetParts parts;
  const std::size_t n = t.x.size(), d = t.x[0].size();
  if (sparse) {
    struct Storage {
      std::vector<std::uint64_t> start{0};
      std::vector<std::uint32_t> index;
      std::vector<double> value;
    };
    auto s = std::make_shared<Storage>();
    for (const auto& row : t.x) {
      for (std::size_t j = 0; j < d; ++j) {
        if (row[j] == 0) continue;
        s->index.push_back(static_cast<std::uint32_t>(j));
        s->value.push_back(row[j]);
      }
      s->start.push_back(s->index.size());
    }
    CsrView<double> view;
    view.rows = n;
    view.cols = d;
    view.start = s->start.data();
    view.index = s->index.data();
    view.value = s->value.data();
    parts.matrix = view;
    parts.storage = s;
  } else {
    auto s = std::make_shared<std::vector<double>>();
    for (const auto& row : t.x) s->insert(s->end(), row.begin(), row.end());
    DenseView<double> view;
    view.rows = n;
    view.cols = d;
    view.value = s->data();
    parts.matrix = view;
    parts.storage = s;
  }
  for (const int y : t.y) parts.labels.push_back(static_cast<std::uint32_t>(y));
  parts.classes = {"0", "1"};
  if (weighted) parts.weights = t.weight;
  parts.name = "t";
  return Dataset::make(std::move(parts));
}

// Runs f(fit) for the three losses on the data.
template <class F>
void for_losses(const Dataset& data, double C, double gap, F&& f) {
  f(train(data, Svm{.C = C, .gap = gap}));
  f(train(data, Svm{.C = C, .loss = SquaredHinge{}, .gap = gap}));
  f(train(data, LogisticRegression{.C = C, .gap = gap}));
}
std::vector<double> objectives(const Dataset& data, double C) {
  std::vector<double> out;
  for_losses(data, C, 1e-9, [&](const Fit& fit) { out.push_back(fit.proof.objective->primal); });
  return out;
}
void same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) RC_ASSERT(std::abs(a[k] - b[k]) <= 1e-7 * std::max(1.0, a[k]));
}
std::uint64_t any_seed() { return *rc::gen::inRange<std::uint64_t>(0, 1U << 30U); }

}  // namespace

TEST_CASE("the gap is certified and never negative") {
  CHECK(rc::check([] {
    const Dataset data = dataset(random_table(any_seed()));
    const double C = std::pow(10.0, *rc::gen::inRange(-3, 4));
    for_losses(data, C, 1e-7, [&](const Fit& fit) {
      RC_ASSERT(fit.answer.stop == Stop::Converged);
      RC_ASSERT(fit.proof.objective->gap() >= 0);
      RC_ASSERT(fit.proof.objective->relative_gap() <= 1e-7);
    });
  }));
}

TEST_CASE("a shift of all rows moves the offset alone") {
  CHECK(rc::check([] {
    const Table t = random_table(any_seed());
    Table moved = t;
    for (auto& row : moved.x)
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += static_cast<double>(j) - 2;
    const Dataset a = dataset(t), b = dataset(moved);
    same(objectives(a, 0.5), objectives(b, 0.5));
    const Fit x = train(a, LogisticRegression{.C = 0.5, .gap = 1e-11});
    const Fit y = train(b, LogisticRegression{.C = 0.5, .gap = 1e-11});
    const auto& first = std::get<LinearModel>(x.model().form);
    const auto& second = std::get<LinearModel>(y.model().form);
    double offset = second.offsets[0];
    for (std::size_t j = 0; j < first.weights.size(); ++j) {
      RC_ASSERT(std::abs(first.weights[j] - second.weights[j]) <= 1e-4);
      offset += second.weights[j] * (static_cast<double>(j) - 2);
    }
    RC_ASSERT(std::abs(offset - first.offsets[0]) <= 1e-3);
  }));
}

TEST_CASE("weight k is k copies, weight 0 is no row") {
  CHECK(rc::check([] {
    const Table t = random_table(any_seed());
    Table copies;
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      for (int k = 0; k < static_cast<int>(t.weight[i]); ++k) {
        copies.x.push_back(t.x[i]);
        copies.y.push_back(t.y[i]);
      }
    }
    same(objectives(dataset(t, true), 0.3), objectives(dataset(copies), 0.3));
  }));
}

TEST_CASE("the order of rows and columns and the storage change nothing") {
  CHECK(rc::check([] {
    const std::uint64_t seed = any_seed();
    const Table t = random_table(seed);
    Random random(seed, 7);
    std::vector<std::uint32_t> rows(t.x.size()), columns(t.x[0].size());
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    random.shuffle(rows);
    random.shuffle(columns);
    Table other;
    for (const std::uint32_t i : rows) {
      std::vector<double> row;
      for (const std::uint32_t j : columns) row.push_back(t.x[i][j]);
      other.x.push_back(row);
      other.y.push_back(t.y[i]);
    }
    const std::vector<double> plain = objectives(dataset(t), 1);
    same(plain, objectives(dataset(other), 1));
    same(plain, objectives(dataset(t, false, true), 1));
  }));
}

TEST_CASE("dual descent with steps on faces agrees with the other solvers at large C") {
  const auto agree = [](std::uint64_t seed) {
    const Dataset data = dataset(random_table(seed));
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
        const Svm any{.C = 10, .loss = loss, .offset = offset, .gap = 1e-6};
        Svm dual = any;
        dual.solver = SolverName::DualDescent;
        const Fit a = train(data, any), b = train(data, dual);
        if (b.answer.stop != Stop::Converged) return false;
        if (std::abs(a.proof.objective->primal - b.proof.objective->primal) >
            3e-6 * std::max(1.0, a.proof.objective->primal))
          return false;
      }
    }
    return true;
  };
  // Here the weights pass so near zero that beside the offset nothing of the scores was left.
  CHECK(agree(356089479));
  CHECK(agree(471740293));
  CHECK(rc::check([&] { RC_ASSERT(agree(any_seed())); }));
}

TEST_CASE("the support vectors alone have the same optimum") {
  CHECK(rc::check([] {
    const Dataset data = dataset(random_table(any_seed()));
    const Fit all = train(data, Svm{.C = 0.2, .gap = 1e-9});
    RC_ASSERT(all.model().dual.size() == 1);
    const Dataset few = data.subset(all.model().dual[0].rows);
    RC_PRE(few.classes().size() == 2);
    const Fit again = train(few, Svm{.C = 0.2, .gap = 1e-9});
    const auto& a = std::get<LinearModel>(all.model().form);
    const auto& b = std::get<LinearModel>(again.model().form);
    RC_ASSERT(std::abs(all.proof.objective->primal - again.proof.objective->primal) <=
              1e-7 * std::max(1.0, all.proof.objective->primal));
    // |theta - theta*|^2 / 2 is at most the gap.
    double distance = 0;
    for (std::size_t j = 0; j < a.weights.size(); ++j)
      distance += (a.weights[j] - b.weights[j]) * (a.weights[j] - b.weights[j]);
    RC_ASSERT(distance <= 1e-6 * std::max(1.0, all.proof.objective->primal));
  }));
}
