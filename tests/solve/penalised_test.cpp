// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "certify/duality_gap.hpp"
#include "data/readers.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"

using namespace halfspace;

namespace {

Dataset read_text(const std::string& text) {
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

// Two overlapping clouds of integers, some columns missing; `copies` writes every row that often.
std::string clouds(int rows, int columns, std::uint64_t seed, int copies = 1, double factor = 1) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const int y = i % 3 == 0 ? 1 : -1;
    std::string row = y > 0 ? "1" : "-1";
    for (int j = 1; j <= columns; ++j) {
      const auto value = static_cast<int>(random.below(21)) - 10 + 2 * y;
      if (value != 0 && random.below(4) != 0)
        row += " " + std::to_string(j) + ":" + std::to_string(j == 1 ? value * factor : value);
    }
    for (int k = 0; k < copies; ++k) text += row + "\n";
  }
  return text;
}

const SolverName hinge_solvers[] = {SolverName::Semismooth, SolverName::DualDescent};
const SolverName smooth_solvers[] = {SolverName::Newton, SolverName::DualDescent};
const Offset offsets[] = {Offset::Free, Offset::Lifted, Offset::None};

}  // namespace

TEST_CASE("two points give the bisector") {
  // x = 1 and x = -1, C large: theta = 1, theta0 = 0, both rows on the margin.
  const Fit fit = train(read_text("1 1:1\n-1 1:-1\n"), Svm{.C = 100, .gap = 1e-8});
  const auto& linear = std::get<LinearModel>(fit.model().form);
  CHECK(linear.weights[0] == doctest::Approx(1).epsilon(1e-4));
  CHECK(linear.offsets[0] == doctest::Approx(0).epsilon(1e-4));
  CHECK(fit.proof.objective->primal == doctest::Approx(0.5).epsilon(1e-7));
  CHECK(*fit.trace.support_vectors == 2);
}

TEST_CASE("one row a class gives the closed form of logistic regression without offset") {
  // minimise t^2/2 + 2 log(1 + exp(-t)): t = 2 / (1 + exp(t)).
  const Fit fit =
      train(read_text("1 1:1\n-1 1:-1\n"), LogisticRegression{.offset = Offset::None, .gap = 1e-12});
  const double t = std::get<LinearModel>(fit.model().form).weights[0];
  CHECK(t == doctest::Approx(2 / (1 + std::exp(t))).epsilon(1e-6));
}

TEST_CASE("every solver reaches the same certified optimum, whatever the offset") {
  const Dataset data = read_text(clouds(300, 6, 11));
  for (const Offset offset : offsets) {
    CAPTURE(static_cast<int>(offset));
    double best = 0;
    for (const SolverName solver : hinge_solvers) {
      const Fit fit = train(data, Svm{.C = 0.01, .offset = offset, .gap = 1e-6, .solver = solver});
      CHECK(fit.answer.stop == Stop::Converged);
      CHECK(fit.proof.objective->gap() >= 0);
      CHECK(fit.proof.objective->relative_gap() <= 1e-6);
      if (best != 0) CHECK(fit.proof.objective->primal == doctest::Approx(best).epsilon(2e-6));
      best = fit.proof.objective->primal;
    }
    for (const Loss& loss : {Loss(Logistic{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
      best = 0;
      for (const SolverName solver : smooth_solvers) {
        const Fit fit =
            std::holds_alternative<Logistic>(loss)
                ? train(data, LogisticRegression{.C = 0.01, .offset = offset, .gap = 1e-6, .solver = solver})
                : train(data, Svm{.C = 0.01, .loss = loss, .offset = offset, .gap = 1e-6, .solver = solver});
        CHECK(fit.proof.objective->gap() >= 0);
        CHECK(fit.proof.objective->relative_gap() <= 1e-6);
        if (best != 0) CHECK(fit.proof.objective->primal == doctest::Approx(best).epsilon(2e-6));
        best = fit.proof.objective->primal;
      }
    }
  }
}

TEST_CASE("a loss is refused by name by what cannot have it, and those that can are listed") {
  const Dataset data = read_text(clouds(60, 3, 5));
  const auto said = [&](const Svm& options) {
    try {
      (void)train(data, options);
    } catch (const UsageError& error) {
      return error.what() + std::string(" | ") + error.hint();
    }
    return std::string();
  };
  CHECK(said({.solver = SolverName::Newton}) ==
        "solver newton does not handle hinge loss with penalty l2 | solver dual-descent or semismooth");
  CHECK(said({.loss = SmoothHinge{}, .solver = SolverName::Semismooth}) ==
        "solver semismooth does not handle smooth-hinge loss with penalty l2 | solver dual-descent or "
        "newton");
  CHECK(said({.loss = SmoothHinge{}, .kernel = {KernelKind::Rbf, 1}}).find("smooth-hinge") !=
        std::string::npos);
  // Set from C++, past the words of the option.
  CHECK(said({.loss = Logistic{}}).find("hinge, squared-hinge, smooth-hinge") != std::string::npos);
  CHECK(said({.loss = PerceptronLoss{}}).find("perceptron") != std::string::npos);
}

TEST_CASE("the smoothed hinge of two rows is known: theta = 2 C / (1 + 2 C)") {
  // x = 1, y = +1 and x = -1, y = -1: both margins are theta, and the offset is 0.
  const Dataset data = read_text("+1 1:1\n-1 1:-1\n");
  for (const SolverName solver : {SolverName::Newton, SolverName::DualDescent}) {
    for (const double C : {0.1, 1.0, 50.0}) {
      const Fit fit = train(data, Svm{.C = C, .loss = SmoothHinge{}, .gap = 1e-10, .solver = solver});
      const double theta = 2 * C / (1 + 2 * C);
      CHECK(std::get<LinearModel>(fit.model().form).weights[0] == doctest::Approx(theta).epsilon(1e-4));
      CHECK(fit.proof.objective->primal == doctest::Approx(C / (1 + 2 * C)).epsilon(1e-8));
      CHECK(fit.trace.support_vectors == 2);
    }
  }
}

TEST_CASE("large C is solved as well") {
  const Dataset data = read_text(clouds(300, 6, 12));
  for (const double C : {1e-4, 1.0, 1e3, 1e6}) {
    const Fit fit = train(data, Svm{.C = C, .gap = 1e-6});
    CHECK(fit.answer.stop == Stop::Converged);
    CHECK(fit.proof.objective->relative_gap() <= 1e-6);
  }
}

TEST_CASE("a column times a million still converges and turns over at most one label") {
  const Dataset plain = read_text(clouds(300, 5, 13));
  const Dataset scaled = read_text(clouds(300, 5, 13, 1, 1e6));
  for (const double C : {0.1, 1.0}) {
    const Fit a = train(plain, LogisticRegression{.C = C, .gap = 1e-6});
    const Fit b = train(scaled, LogisticRegression{.C = C, .gap = 1e-6});
    CHECK(b.answer.stop == Stop::Converged);
    const auto labels_a = labels_from_scores(a.model(), scores(a.model(), plain, Threads(1)));
    const auto labels_b = labels_from_scores(b.model(), scores(b.model(), scaled, Threads(1)));
    std::size_t different = 0;
    for (std::size_t i = 0; i < labels_a.size(); ++i) different += labels_a[i] != labels_b[i] ? 1 : 0;
    CHECK(different <= 1);  // the penalty weighs the columns differently; rows on the plane may turn over
  }
}

TEST_CASE("three copies of every row are three times C") {
  const Dataset copies = read_text(clouds(90, 4, 14, 3));
  const Dataset once = read_text(clouds(90, 4, 14));
  const Fit a = train(copies, Svm{.C = 0.1, .gap = 1e-8});
  const Fit b = train(once, Svm{.C = 0.3, .gap = 1e-8});
  CHECK(a.proof.objective->primal == doctest::Approx(b.proof.objective->primal).epsilon(1e-7));
}

TEST_CASE("class weights multiply C") {
  const Dataset data = read_text(clouds(120, 4, 15));
  const Fit a = train(data, Svm{.C = 0.2, .gap = 1e-8});
  const Fit b = train(data, Svm{.C = 0.1, .gap = 1e-8, .class_weight = "1:2,-1:2"});
  CHECK(a.proof.objective->primal == doctest::Approx(b.proof.objective->primal).epsilon(1e-7));
  CHECK_THROWS(static_cast<void>(train(data, Svm{.class_weight = "7:2"})));
}

TEST_CASE("the same bytes for any number of threads") {
  const Dataset data = read_text(clouds(5000, 8, 16));
  for (const bool hinge : {true, false}) {
    std::string first;
    for (const int threads : {1, 2, 3}) {
      const Run run{.threads = Threads(threads)};
      const Fit fit =
          hinge ? train(data, Svm{.C = 0.1}, run) : train(data, LogisticRegression{.C = 0.1}, run);
      const std::string bytes = to_bytes(fit.model());
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
    }
  }
}

TEST_CASE("support vectors alone give the same plane") {
  const Dataset data = read_text(clouds(200, 4, 17));
  const Fit all = train(data, Svm{.C = 0.1, .gap = 1e-9});
  REQUIRE(all.model().dual.size() == 1);
  const Fit few = train(data.subset(all.model().dual[0].rows), Svm{.C = 0.1, .gap = 1e-9});
  const auto& a = std::get<LinearModel>(all.model().form);
  const auto& b = std::get<LinearModel>(few.model().form);
  for (std::size_t j = 0; j < a.weights.size(); ++j)
    CHECK(a.weights[j] == doctest::Approx(b.weights[j]).epsilon(1e-3));
  CHECK(few.proof.objective->primal == doctest::Approx(all.proof.objective->primal).epsilon(1e-6));
}

namespace {

// One small change to a model that states a certificate: a weight, an offset, a dual value or the
// certificate.
Model tampered(const Fit& fit, Random& random) {
  Model forged = fit.model();
  auto& linear = std::get<LinearModel>(forged.form);
  const double change = 1 + (random.uniform() - 0.5) * 0.1 + 1e-4;
  const bool has_dual = !forged.dual.empty();
  switch (random.below(has_dual ? 4 : 3)) {
    case 0: linear.weights[random.below(linear.weights.size())] *= change; break;
    case 1: linear.offsets[0] = linear.offsets[0] * change + 1e-3; break;
    case 2:
      forged.certificate =
          to_json({DualityGap{fit.proof.objective->primal * change, fit.proof.objective->dual}});
      break;
    default: forged.dual[0].alpha[random.below(forged.dual[0].alpha.size())] *= 0.5;
  }
  return forged;
}

}  // namespace

TEST_CASE("verify accepts models of every loss and refuses a thousand tampered ones of each") {
  const Dataset data = read_text(clouds(150, 5, 18));
  const Dataset other = read_text(clouds(150, 5, 19));
  const Threads one(1);
  const std::vector<Fit> fits = {train(data, Svm{.C = 0.1, .gap = 1e-6}),
                                 train(data, Svm{.C = 0.1, .loss = SquaredHinge{}, .gap = 1e-6}),
                                 train(data, Svm{.C = 0.1, .loss = SmoothHinge{}, .gap = 1e-6}),
                                 train(data, LogisticRegression{.C = 0.1, .gap = 1e-6})};
  for (const Fit& fit : fits) {
    CAPTURE(fit.model().algorithm);
    CHECK(verify(fit.model(), data, one).holds);
    CHECK(verify(model_from_bytes(to_bytes(fit.model()), "m"), data, one).holds);
    CHECK_FALSE(verify(fit.model(), other, one).holds);
    Random random(1);
    int refused = 0;
    constexpr int tries = 1000;
    for (int t = 0; t < tries; ++t) refused += verify(tampered(fit, random), data, one).holds ? 0 : 1;
    CHECK(refused == tries);
  }
}

TEST_CASE("verify accepts what training makes, whatever the offset, the weights and the classes") {
  const Dataset two = read_text(clouds(80, 4, 21));
  const Dataset three = read_text(clouds(60, 3, 20) + "0 1:9 2:9\n0 1:8 2:-9\n0 1:9 3:9\n");
  const Threads one(1);
  for (const Dataset& data : {two, three}) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      for (const char* weight : {"", "balanced"}) {
        for (const double C : {1e-3, 1.0, 100.0}) {
          CAPTURE(static_cast<int>(offset));
          CAPTURE(C);
          for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(SmoothHinge{})}) {
            const Fit fit = train(data, Svm{.C = C, .loss = loss, .offset = offset, .class_weight = weight});
            CHECK(verify(fit.model(), data, one).holds);
          }
          const Fit fit = train(data, LogisticRegression{.C = C, .offset = offset, .class_weight = weight});
          CHECK(verify(fit.model(), data, one).holds);
        }
      }
    }
  }
}

TEST_CASE("verify refuses weights whose squares are not finite") {
  const Dataset data = read_text(clouds(60, 3, 22));
  for (const Fit& fit : {train(data, Svm{}), train(data, LogisticRegression{})}) {
    Model forged = fit.model();
    std::get<LinearModel>(forged.form).weights[0] = 1e200;
    CHECK_FALSE(verify(forged, data, Threads(1)).holds);
  }
}

TEST_CASE("values whose squares overflow a matrix are solved without it") {
  const Dataset large = read_text("1 1:1e20 2:3\n-1 1:-1e20 2:4\n");
  for (const Fit& fit : {train(large, Svm{}), train(large, LogisticRegression{})}) {
    CHECK(fit.answer.stop == Stop::Converged);
    CHECK(verify(fit.model(), large, Threads(1)).holds);
  }
}

TEST_CASE("values and costs of which nothing can be proved are refused") {
  const Dataset large = read_text("1 1:1e160 2:3\n-1 1:-1e160 2:4\n1 1:-1e160\n");
  CHECK_THROWS_AS(static_cast<void>(train(large, Svm{})), InputError);
  CHECK_THROWS_AS(static_cast<void>(train(large, LogisticRegression{})), InputError);
  const Dataset data = read_text(clouds(60, 3, 23));
  CHECK_THROWS_AS(static_cast<void>(train(data, LogisticRegression{.C = 1e200})), InputError);
}

TEST_CASE("probabilities agree with labels and sum to one") {
  std::string text = clouds(60, 3, 20);
  text += "0 1:9 2:9\n0 1:8 2:-9\n0 1:9 3:9\n";
  for (const Dataset& data : {read_text(clouds(60, 3, 20)), read_text(text)}) {
    const Fit fit = train(data, LogisticRegression{});
    const std::vector<double> f = scores(fit.model(), data, Threads(1));
    const std::vector<std::uint32_t> labels = labels_from_scores(fit.model(), f);
    const std::vector<double> p = probabilities_from_scores(fit.model(), f);
    const std::size_t classes = fit.model().classes.size();
    for (std::size_t i = 0; i < data.rows(); ++i) {
      double sum = 0;
      std::size_t best = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        sum += p[i * classes + k];
        if (p[i * classes + k] > p[i * classes + best]) best = k;
      }
      CHECK(sum == doctest::Approx(1));
      CHECK(best == labels[i]);
    }
  }
}
