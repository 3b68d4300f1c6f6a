// SPDX-License-Identifier: BSD-3-Clause
// L1 and elastic net: certified, optimal by their own conditions (checked here by plain loops), and 0 where they say so.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "certify/duality_gap.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

struct Drawn {
  testing::Rows rows;
  std::vector<int> labels;
  [[nodiscard]] Dataset data() const { return testing::dataset_from(rows, labels); }
};

// The label follows the first three columns, with noise; `scale[j % scale.size()]` is the size of column j.
Drawn drawn(std::size_t n, std::size_t d, std::uint64_t seed, int classes = 2,
            std::vector<double> scale = {1}) {
  Random random(seed);
  Drawn out;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(d);
    double most = -1e9;
    int best = 0;
    for (double& x : row) x = std::round(64 * (2 * random.uniform() - 1)) / 64;
    for (int k = 0; k < classes; ++k) {
      const double score = row[static_cast<std::size_t>(k) % d] + 0.7 * (random.uniform() - 0.5);
      if (score > most) {
        most = score;
        best = k;
      }
    }
    for (std::size_t j = 0; j < d; ++j) row[j] *= scale[j % scale.size()];
    out.rows.push_back(row);
    out.labels.push_back(best);
  }
  return out;
}

const LinearModel& planes(const Fit& fit) { return std::get<LinearModel>(fit.model().form); }

double loss_slope(const std::string& loss, double m) {
  if (loss == "logistic") return -1 / (1 + std::exp(m));
  if (loss == "squared-hinge") return m < 1 ? -2 * (1 - m) : 0;
  return m >= 1 ? 0 : m > 0 ? m - 1 : -1;
}

// The largest violation of the conditions of a best plane, by loops that share nothing with the library.
double worst_condition(const Drawn& on, const LinearModel& model, const std::string& loss, double C,
                       double ratio, Offset offset) {
  const std::size_t d = on.rows[0].size();
  std::vector<double> g(d + 1, 0.0);
  for (std::size_t i = 0; i < on.rows.size(); ++i) {
    double f = model.offsets[0];
    for (std::size_t j = 0; j < d; ++j) f += model.weights[j] * on.rows[i][j];
    const double y = on.labels[i] == 1 ? 1 : -1, u = C * loss_slope(loss, y * f) * y;
    for (std::size_t j = 0; j < d; ++j) g[j] += u * on.rows[i][j];
    g[d] += u;
  }
  const auto off = [&](double slope, double w) {
    const double s = slope + (1 - ratio) * w;
    return w > 0 ? std::abs(s + ratio) : w < 0 ? std::abs(s - ratio) : std::max(0.0, std::abs(s) - ratio);
  };
  double worst = 0;
  for (std::size_t j = 0; j < d; ++j) worst = std::max(worst, off(g[j], model.weights[j]));
  if (offset == Offset::Free) worst = std::max(worst, std::abs(g[d]));
  if (offset == Offset::Lifted) worst = std::max(worst, off(g[d], model.offsets[0]));
  return worst;
}

Fit fit_two(const Dataset& data, const std::string& loss, Penalty penalty, double ratio, double C,
            Offset offset, double gap, int threads = 1) {
  const Run run{.threads = Threads(threads)};
  if (loss == "logistic")
    return train(
        data, LogisticRegression{.C = C, .penalty = penalty, .l1_ratio = ratio, .offset = offset, .gap = gap},
        run);
  const Loss which = loss == "squared-hinge" ? Loss(SquaredHinge{}) : Loss(SmoothHinge{});
  return train(
      data, Svm{.C = C, .loss = which, .penalty = penalty, .l1_ratio = ratio, .offset = offset, .gap = gap},
      run);
}

std::size_t nonzero(const LinearModel& model) {
  return static_cast<std::size_t>(
      std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; }));
}

}  // namespace

TEST_CASE("l1 and elastic net: certified to 1e-7, verified, and optimal by conditions computed apart") {
  const Drawn on = drawn(120, 12, 3);
  const Dataset data = on.data();
  for (const std::string loss : {"logistic", "squared-hinge", "smooth-hinge"}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      for (const double ratio : {1.0, 0.9, 0.3}) {
        for (const double C : {0.05, 1.0, 50.0}) {
          CAPTURE(loss);
          CAPTURE(OptionType<Offset>::print(offset));
          CAPTURE(ratio);
          CAPTURE(C);
          const Penalty penalty = ratio == 1 ? Penalty(L1{}) : Penalty(ElasticNet{});
          const Fit fit = fit_two(data, loss, penalty, ratio, C, offset, 1e-7);
          CHECK(fit.answer.stop == Stop::Converged);
          CHECK(fit.proof.objective->gap() >= 0);
          CHECK(fit.proof.objective->relative_gap() <= 1e-7);
          const ModelCheck check = verify(fit.model(), data, Threads(1));
          for (const std::string& line : check.lines) CAPTURE(line);
          CHECK(check.holds);
          // A gap of 1e-7 leaves slopes that are off by its root at most.
          CHECK(worst_condition(on, planes(fit), loss, C, ratio, offset) <= 0.02 * (1 + C));
        }
      }
    }
  }
}

TEST_CASE("the gap of l1 is never negative, whatever the plane") {
  const Drawn on = drawn(60, 5, 4);
  const Dataset data = on.data();
  Random random(17);
  for (const Loss loss : {Loss(Logistic{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      const Problem problem = make_problem(data, 1, loss, offset, 3, {}, L1{});
      double least = 1e300, most = -1e300;
      for (int k = 0; k < 200; ++k) {
        const double size = std::pow(10.0, 4 * random.uniform() - 3);
        std::vector<double> theta(5);
        for (double& w : theta) w = random.below(2) == 0 ? 0 : size * (random.uniform() - 0.5);
        const double theta0 = offset == Offset::None ? 0 : random.uniform() - 0.5;
        const DualityGap gap = duality_gap(problem, theta, theta0, {}, Threads(1));
        CHECK(gap.gap() >= 0);
        least = std::min(least, gap.primal);
        most = std::max(most, gap.dual);
      }
      CHECK(most <= least);
    }
  }
}

TEST_CASE("all weights are exactly 0 up to the C that is said, and not beyond") {
  const Dataset data = drawn(200, 8, 5).data();
  for (const std::string loss : {"logistic", "squared-hinge", "smooth-hinge"}) {
    for (const Offset offset : {Offset::Free, Offset::None}) {
      for (const double ratio : {1.0, 0.5}) {
        CAPTURE(loss);
        CAPTURE(ratio);
        const Penalty penalty = ratio == 1 ? Penalty(L1{}) : Penalty(ElasticNet{});
        const Fit any = fit_two(data, loss, penalty, ratio, 0.7, offset, 1e-4);
        double C = 0;
        for (const auto& [name, value] : any.trace.figures)
          if (name == "zero_up_to_C") C = value;
        REQUIRE(C > 0);
        for (const double at : {C * (1 - 1e-12), C / 2, C / 1e6}) {
          const Fit fit = fit_two(data, loss, penalty, ratio, at, offset, 1e-10);
          CHECK(nonzero(planes(fit)) == 0);
          CHECK(fit.proof.objective->relative_gap() <= 1e-10);
        }
        CHECK(nonzero(planes(fit_two(data, loss, penalty, ratio, C * 1.01, offset, 1e-10))) > 0);
      }
    }
  }
}

TEST_CASE("one column in closed form: logistic loss of n equal rows of both classes") {
  // n rows x = 1 of one class and n rows x = -1 of the other: C 2n / (1 + e^w) = 1 at the best w > 0.
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 10; ++i) {
    rows.push_back({1, 0});
    labels.push_back(1);
    rows.push_back({-1, 0});
    labels.push_back(0);
  }
  const Dataset data = testing::dataset_from(rows, labels);
  const Fit fit = fit_two(data, "logistic", L1{}, 1, 0.5, Offset::Free, 1e-11);
  CHECK(planes(fit).weights[0] == doctest::Approx(std::log(9.0)).epsilon(1e-5));
  CHECK(planes(fit).weights[1] == 0);
  CHECK(fit.proof.objective->primal ==
        doctest::Approx(std::log(9.0) + 10 * std::log1p(1 / 9.0)).epsilon(1e-9));
}

TEST_CASE("columns of very different sizes, and more columns than rows by far") {
  for (const std::string loss : {"logistic", "squared-hinge", "smooth-hinge"}) {
    CAPTURE(loss);
    const Drawn sizes = drawn(300, 12, 6, 2, {1, 1e-4, 1e3, 1e6});
    const Fit fit = fit_two(sizes.data(), loss, L1{}, 1, 1, Offset::Free, 1e-6);
    CHECK(fit.answer.stop == Stop::Converged);
    CHECK(verify(fit.model(), sizes.data(), Threads(1)).holds);
    const Drawn wide = drawn(30, 3000, 7);
    for (const double C : {0.5, 100.0}) {
      const Fit few = fit_two(wide.data(), loss, L1{}, 1, C, Offset::Free, 1e-6);
      CHECK(few.answer.stop == Stop::Converged);
      CHECK(nonzero(planes(few)) <= 60);
      CHECK(verify(few.model(), wide.data(), Threads(1)).holds);
    }
  }
}

TEST_CASE("softmax with l1 and elastic net is certified for every offset, and sparse") {
  const Dataset data = drawn(240, 10, 8, 3).data();
  for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
    for (const double ratio : {1.0, 0.5}) {
      for (const double C : {0.1, 2.0}) {
        CAPTURE(ratio);
        CAPTURE(C);
        CAPTURE(OptionType<Offset>::print(offset));
        const Fit fit = train(
            data, LogisticRegression{
                      .C = C, .penalty = ElasticNet{}, .l1_ratio = ratio, .offset = offset, .gap = 1e-6});
        CHECK(fit.answer.stop == Stop::Converged);
        CHECK(fit.proof.objective->gap() >= 0);
        CHECK(fit.proof.objective->relative_gap() <= 1e-6);
        CHECK(nonzero(planes(fit)) < 30);
        CHECK(verify(fit.model(), data, Threads(1)).holds);
      }
    }
  }
}

TEST_CASE("l1 and elastic net: weight k is k copies, weight 0 is no row") {
  const Drawn on = drawn(150, 9, 13);
  const Drawn three = drawn(150, 9, 14, 3);
  Random random(15);
  std::vector<double> weights;
  for (std::size_t i = 0; i < 150; ++i) weights.push_back(static_cast<double>(random.below(4)));
  const auto copies = [&](const Drawn& of) {
    Drawn out;
    for (std::size_t i = 0; i < of.rows.size(); ++i)
      for (double k = 0; k < weights[i]; ++k) {
        out.rows.push_back(of.rows[i]);
        out.labels.push_back(of.labels[i]);
      }
    return out.data();
  };
  const auto same = [](const Fit& a, const Fit& b) {
    CHECK(a.proof.objective->primal == doctest::Approx(b.proof.objective->primal).epsilon(1e-7));
    for (std::size_t j = 0; j < planes(a).weights.size(); ++j)
      CHECK(std::abs(planes(a).weights[j] - planes(b).weights[j]) < 1e-3);
  };
  const Dataset weighted = testing::dataset_from(on.rows, on.labels, weights), many = copies(on);
  for (const std::string loss : {"logistic", "squared-hinge", "smooth-hinge"})
    for (const double ratio : {1.0, 0.5})
      same(fit_two(weighted, loss, ElasticNet{}, ratio, 0.2, Offset::Free, 1e-9),
           fit_two(many, loss, ElasticNet{}, ratio, 0.2, Offset::Free, 1e-9));
  const LogisticRegression softmax{.C = 0.2, .penalty = L1{}, .gap = 1e-9};
  same(train(testing::dataset_from(three.rows, three.labels, weights), softmax),
       train(copies(three), softmax));
}

TEST_CASE("l1: the same bytes for any number of threads, with a sample of the rows first") {
  const Dataset data = drawn(12000, 30, 9).data();
  const Dataset three = drawn(12000, 12, 10, 3).data();
  std::string first, first_three;
  for (const int threads : {1, 2, 3}) {
    const std::string bytes =
        to_bytes(fit_two(data, "logistic", L1{}, 1, 0.1, Offset::Free, 1e-5, threads).model());
    const std::string others = to_bytes(
        train(three, LogisticRegression{.C = 0.05, .penalty = L1{}}, {.threads = Threads(threads)}).model());
    if (first.empty()) {
      first = bytes;
      first_three = others;
    }
    CHECK(bytes == first);
    CHECK(others == first_three);
  }
}

TEST_CASE("a plane nearby changes the way and not what is proved") {
  const Dataset data = drawn(400, 20, 11).data();
  Run first, run;
  first.leave = std::make_shared<Neighbour>();
  static_cast<void>(train(data, LogisticRegression{.C = 0.5, .penalty = L1{}, .gap = 1e-6}, first));
  REQUIRE(first.leave->planes.size() == 1);
  run.near = first.leave;
  const Fit cold = fit_two(data, "logistic", L1{}, 1, 1, Offset::Free, 1e-6);
  const Fit warm = train(data, LogisticRegression{.C = 1, .penalty = L1{}, .gap = 1e-6}, run);
  CHECK(warm.proof.objective->primal >= cold.proof.objective->dual);
  CHECK(cold.proof.objective->primal >= warm.proof.objective->dual);
  CHECK(warm.trace.iterations <= cold.trace.iterations);
}

TEST_CASE("debias: the chosen features with the penalty l2, and a claim about these alone") {
  const Drawn on = drawn(200, 12, 12);
  const Dataset data = on.data();
  const Fit chosen = fit_two(data, "logistic", L1{}, 1, 0.2, Offset::Free, 1e-6);
  const Fit again =
      train(data, LogisticRegression{.C = 0.2, .penalty = L1{}, .debias = true, .gap = 1e-6}, Run{});
  REQUIRE(nonzero(planes(chosen)) > 0);
  REQUIRE(nonzero(planes(chosen)) < 12);
  // Equal to L2 on rows of these columns alone.
  testing::Rows rows;
  for (const auto& row : on.rows) {
    rows.emplace_back();
    for (std::size_t j = 0; j < row.size(); ++j)
      if (planes(chosen).weights[j] != 0) rows.back().push_back(row[j]);
  }
  const Fit alone =
      train(testing::dataset_from(rows, on.labels), LogisticRegression{.C = 0.2, .gap = 1e-9}, Run{});
  CHECK(again.proof.objective->primal == doctest::Approx(alone.proof.objective->primal).epsilon(2e-6));
  for (std::size_t j = 0; j < 12; ++j)
    CHECK((planes(again).weights[j] != 0) == (planes(chosen).weights[j] != 0));
  CHECK(verify(again.model(), data, Threads(1)).holds);
  Model other = again.model();
  std::get<LinearModel>(other.form).weights[0] += 0.1;
  CHECK_FALSE(verify(other, data, Threads(1)).holds);
}
