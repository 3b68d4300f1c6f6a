// SPDX-License-Identifier: BSD-3-Clause
// What must hold of every kernel machine, whatever its data.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "certify/kernel_gap.hpp"
#include "data/kernel/rows.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

struct Table {
  testing::Rows x;
  std::vector<int> y;
  [[nodiscard]] Dataset data() const { return testing::dataset_from(x, y); }
};

Table random_table(std::uint64_t seed, std::size_t rows, std::size_t columns) {
  Random random(seed);
  Table t;
  for (std::size_t i = 0; i < rows; ++i) {
    t.y.push_back(i < 2 ? static_cast<int>(i) : static_cast<int>(random.below(2)));
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j) row.push_back(random.normal() + (j < 2 ? t.y.back() : 0));
    t.x.push_back(row);
  }
  return t;
}

// The scores without the offset, which is not unique where no support vector lies on the margin.
std::vector<double> products(const Fit& fit, const Dataset& data) {
  std::vector<double> out = scores(fit.model(), data, Threads(1));
  for (double& z : out) z -= std::get<KernelModel>(fit.model().form).offsets[0];
  return out;
}

// sum alpha_i y_i K(x_i, x_k) + offset by the definition, in long double.
long double score_by_definition(const Table& t, const KernelFunction& kernel, const DualPoint& dual,
                                double offset, std::size_t k) {
  long double out = offset;
  for (std::size_t s = 0; s < dual.rows.size(); ++s) {
    const auto& z = t.x[dual.rows[s]];
    long double distance2 = 0, product = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      const long double apart = static_cast<long double>(z[j]) - t.x[k][j];
      distance2 += apart * apart;
      product += static_cast<long double>(z[j]) * t.x[k][j];
    }
    const long double value =
        kernel.kind == KernelKind::Rbf
            ? std::exp(-kernel.gamma * distance2)
            : std::pow(kernel.gamma * product + kernel.coef, static_cast<long double>(kernel.degree));
    out += (t.y[dual.rows[s]] > 0 ? 1 : -1) * dual.alpha[s] * value;
  }
  return out;
}

}  // namespace

TEST_CASE("support vectors are a compressed training set") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1U << 30U);
    Random random(seed, 1);
    Table t = random_table(seed, 30 + random.below(50), 1 + random.below(5));
    const Dataset data = t.data();
    const KernelFunction kernels[] = {{KernelKind::Rbf, 0.3}, {KernelKind::Poly, 0.5, 1, 2}};
    const Svm options{
        .C = 0.5 + static_cast<double>(random.below(4)), .gap = 1e-9, .kernel = kernels[random.below(2)]};
    const Fit all = train(data, options);
    RC_ASSERT(all.answer.stop == Stop::Converged);
    const std::vector<double> before = products(all, data);
    // A plane within `gap` of the optimum of a 1-strongly convex objective is within sqrt(2 gap) of the best
    // one, and products differ by at most that times the length of the row.
    const auto apart = [](const Fit& fit) {
      return std::sqrt(2 * std::max(0.0, fit.proof.objective->primal - fit.proof.objective->dual));
    };
    const auto near = [&](const std::vector<double>& other, double planes) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        double length2 = 0;
        for (const double x : t.x[i]) length2 += x * x;
        const double k = options.kernel.kind == KernelKind::Rbf ? 1 : std::pow(0.5 * length2 + 1, 2);
        RC_ASSERT(std::abs(before[i] - other[i]) <= planes * std::sqrt(k) + 1e-9 * (1 + std::abs(before[i])));
      }
    };

    // On the support vectors alone: the same function. Its optimum is at most that of all rows and, by the
    // same dual point, less by the gap at most.
    const Fit few = train(data.subset(all.model().dual[0].rows), options);
    near(products(few, data), 2 * apart(all) + apart(few));

    // Any other row moved a little, so that its margin stays above 1: the same function again.
    std::vector<bool> support(t.x.size(), false);
    for (const std::uint32_t i : all.model().dual[0].rows) support[i] = true;
    Table moved = t;
    for (std::size_t i = 0; i < t.x.size(); ++i)
      if (!support[i])
        for (double& x : moved.x[i]) x += 1e-3 * random.normal();
    const std::vector<double> scores_moved = scores(all.model(), moved.data(), Threads(1));
    for (std::size_t i = 0; i < t.x.size(); ++i)
      if ((t.y[i] > 0 ? 1 : -1) * scores_moved[i] < 1) moved.x[i] = t.x[i];
    const Fit again = train(moved.data(), options);
    near(products(again, data), apart(all) + apart(again));
  }));
}

TEST_CASE("the certificate's bounds enclose the objective computed by the definition") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1U << 30U);
    Random random(seed, 2);
    Table t = random_table(seed, 20 + random.below(60), 1 + random.below(6));
    // Some sets lie far from the origin, where products lose digits.
    const double shift = random.below(3) == 0 ? 1e4 : 0.0;
    for (auto& row : t.x)
      for (double& x : row) x += shift;
    const Dataset data = t.data();
    const KernelFunction kernel{KernelKind::Rbf, 0.3};
    const double C = 2;
    const Problem problem = make_problem(data, 1, Hinge{}, Offset::Free, C, {});
    // Any feasible point will do: equal sums on both sides.
    DualPoint dual;
    double side[2] = {0, 0};
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      if (random.below(3) != 0) continue;
      dual.rows.push_back(static_cast<std::uint32_t>(i));
      dual.alpha.push_back(0.25 * static_cast<double>(1 + random.below(4)));
      side[t.y[i]] += dual.alpha.back();
    }
    const double offset = random.normal();
    KernelGap gap(problem, kernel, dual, Threads(1));
    const DualityGap claim = gap.at(offset);
    long double square = 0, loss = 0, sum = 0;
    for (std::size_t s = 0; s < dual.rows.size(); ++s) {
      const std::size_t i = dual.rows[s];
      square += (t.y[i] > 0 ? 1 : -1) * dual.alpha[s] * score_by_definition(t, kernel, dual, 0, i);
      sum += dual.alpha[s];
    }
    for (std::size_t i = 0; i < t.x.size(); ++i) {
      const long double score = score_by_definition(t, kernel, dual, offset, i);
      loss += C * std::max(0.0L, 1 - (t.y[i] > 0 ? 1 : -1) * score);
      // The products, too, are within their bounds.
      RC_ASSERT(std::abs(score - offset - gap.products()[i]) <= gap.errors()[i] + 1e-15L);
    }
    const long double primal = square / 2 + loss;
    RC_ASSERT(claim.primal >= primal);
    RC_ASSERT(claim.primal <= primal * (1 + 1e-9L) + 1e-9L);
    if (side[0] == side[1]) RC_ASSERT(claim.dual <= sum - square / 2);
  }));
}

TEST_CASE("labels decided in float are the labels of the scores in double") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1U << 30U);
    Random random(seed, 3);
    const std::size_t classes = 2 + random.below(3);
    Table t = random_table(seed, 60, 1 + random.below(5));
    for (int& y : t.y) y = static_cast<int>(random.below(classes));
    for (std::size_t k = 0; k < classes; ++k) t.y[k] = static_cast<int>(k);
    const Dataset data = t.data();
    const Fit fit =
        train(data,
              Svm{.C = 1000,
                  .kernel = {KernelKind::Rbf, 2},
                  .multiclass = random.below(2) == 0 ? ManyClasses::OneVsRest : ManyClasses::Auto},
              Run{.seconds = 5});
    // Rows between two training rows, where scores are near zero.
    Table between;
    for (std::size_t i = 0; i + 1 < t.x.size(); ++i) {
      std::vector<double> row;
      for (std::size_t j = 0; j < t.x[i].size(); ++j) row.push_back((t.x[i][j] + t.x[i + 1][j]) / 2);
      between.x.push_back(row);
      between.y.push_back(t.y[i]);
    }
    const Dataset test = between.data();
    RC_ASSERT(labels_from_scores(fit.model(), deciding_scores(fit.model(), test, Threads(1))) ==
              labels_from_scores(fit.model(), scores(fit.model(), test, Threads(1))));
  }));
}
