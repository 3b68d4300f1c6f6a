// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "certify/softmax_gap.hpp"
#include "data/readers.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"

using namespace halfspace;

namespace {

Dataset read_text(const std::string& text) {
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

std::string three_clouds(int rows, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const int k = i % 3;
    text += std::to_string(k);
    for (int j = 1; j <= 4; ++j) {
      const int value = static_cast<int>(random.below(9)) - 4 + (j - 1 == k ? 3 : 0);
      if (value != 0) text += " " + std::to_string(j) + ":" + std::to_string(value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("softmax without features would be the shares of the classes: free offsets give them") {
  // One column that tells nothing: weights 0, offsets the logarithms of the shares (their mean is 0).
  const Dataset data = read_text("0 1:1\n0 1:-1\n0 1:1\n0 1:-1\n1 1:1\n1 1:-1\n2 1:1\n2 1:-1\n");
  const Fit fit = train(data, LogisticRegression{.gap = 1e-12});
  const auto& linear = std::get<LinearModel>(fit.model().form);
  for (const double w : linear.weights) CHECK(w == doctest::Approx(0));
  CHECK(linear.offsets[0] - linear.offsets[1] == doctest::Approx(std::log(2.0)).epsilon(1e-5));
  CHECK(linear.offsets[1] == doctest::Approx(linear.offsets[2]).epsilon(1e-5));
  // The loss is eight times the entropy of (1/2, 1/4, 1/4).
  CHECK(fit.proof.objective->primal == doctest::Approx(8 * 1.5 * std::log(2.0)).epsilon(1e-9));
}

TEST_CASE("softmax is certified for every offset, and the gap is never negative") {
  const Dataset data = read_text(three_clouds(150, 3));
  for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
    for (const double C : {0.01, 1.0, 100.0}) {
      const Fit fit = train(data, LogisticRegression{.C = C, .offset = offset, .gap = 1e-8});
      CHECK(fit.answer.stop == Stop::Converged);
      CHECK(fit.proof.objective->gap() >= 0);
      CHECK(fit.proof.objective->relative_gap() <= 1e-8);
      CHECK(verify(fit.model(), data, Threads(1)).holds);
    }
  }
}

TEST_CASE("the weights of softmax sum to zero over the classes") {
  const Dataset data = read_text(three_clouds(150, 4));
  const Fit fit = train(data, LogisticRegression{.gap = 1e-10});
  const auto& linear = std::get<LinearModel>(fit.model().form);
  for (std::size_t j = 0; j < linear.features; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += linear.plane(k)[j];
    CHECK(std::abs(sum) <= 1e-6);
  }
}

TEST_CASE("softmax: the same bytes for any number of threads; tampered models are refused") {
  const Dataset data = read_text(three_clouds(3000, 5));
  std::string first;
  Fit fit;
  for (const int threads : {1, 2, 3}) {
    fit = train(data, LogisticRegression{.C = 0.1}, Run{.threads = Threads(threads)});
    const std::string bytes = to_bytes(fit.model());
    if (first.empty()) first = bytes;
    CHECK(bytes == first);
  }
  Random random(1);
  for (int t = 0; t < 100; ++t) {
    Model forged = fit.model();
    auto& linear = std::get<LinearModel>(forged.form);
    if (random.below(2) == 0) {
      linear.weights[random.below(linear.weights.size())] += 0.01;
    } else {
      linear.offsets[random.below(3)] += 0.01;
    }
    CHECK_FALSE(verify(forged, data, Threads(1)).holds);
  }
}

TEST_CASE("classes against the rest: the same bytes for any number of threads") {
  const Dataset data = read_text(three_clouds(600, 6));
  std::string first;
  for (const int threads : {1, 2, 4}) {
    const Fit fit = train(data, Svm{.C = 0.1}, Run{.threads = Threads(threads)});
    const std::string bytes = to_bytes(fit.model());
    if (first.empty()) first = bytes;
    CHECK(bytes == first);
  }
}

TEST_CASE("probabilities of softmax are exp(score) over their sum") {
  const Dataset data = read_text(three_clouds(90, 7));
  const Fit fit = train(data, LogisticRegression{});
  const std::vector<double> f = scores(fit.model(), data, Threads(1));
  const std::vector<double> p = probabilities_from_scores(fit.model(), f);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(f[i * 3 + k]);
    for (std::size_t k = 0; k < 3; ++k) CHECK(p[i * 3 + k] == doctest::Approx(std::exp(f[i * 3 + k]) / sum));
  }
}

TEST_CASE("without a penalty a two by two table gives its log odds ratio and Woolf's error") {
  // x = 1: 30 positive, 10 negative; x = 0: 20 positive, 40 negative.
  std::string text;
  const auto add = [&](const std::string& row, int copies) {
    for (int k = 0; k < copies; ++k) text += row;
  };
  add("1 1:1\n", 30);
  add("-1 1:1\n", 10);
  add("1 1:0\n", 20);
  add("-1 1:0\n", 40);
  const Fit fit = train(read_text(text), LogisticRegression{.penalty = NoPenalty{}});
  CHECK(fit.answer.stop == Stop::Converged);
  REQUIRE(fit.proof.estimates.size() == 2);
  CHECK(fit.proof.estimates[0].value == doctest::Approx(std::log(30.0 * 40 / (10 * 20))).epsilon(1e-9));
  CHECK(fit.proof.estimates[0].error ==
        doctest::Approx(std::sqrt(1 / 30.0 + 1 / 10.0 + 1 / 20.0 + 1 / 40.0)).epsilon(1e-7));
  CHECK(!fit.proof.estimates[1].feature);
  CHECK(fit.proof.estimates[1].value == doctest::Approx(std::log(20.0 / 40)).epsilon(1e-9));
}

TEST_CASE("without a penalty separable, touching and dependent data are refused with a reason") {
  const auto refusal = [](const std::string& text) {
    return train(read_text(text), LogisticRegression{.penalty = NoPenalty{}}).answer.reason;
  };
  CHECK(refusal("1 1:1\n1 1:2\n-1 1:-1\n-1 1:-3\n").find("separable") != std::string::npos);
  // Rows of both classes at 0, all others apart: the classes touch.
  CHECK(refusal("1 1:0\n-1 1:0\n1 1:1\n1 1:2\n-1 1:-1\n-1 1:-3\n").find("touch") != std::string::npos);
  CHECK(refusal("1 1:1 2:2\n-1 1:1 2:2\n1 1:3 2:6\n-1 1:4 2:8\n1 1:2 2:4\n").find("depend") !=
        std::string::npos);
  CHECK(refusal("1 1:1\n-1 1:1\n1 1:3\n-1 1:4\n").empty());
}

TEST_CASE(
    "softmax at a large C follows its path and factors all planes, with the same bits for any number of "
    "threads") {
  // Ten classes that overlap, features of very different size.
  Random random(21);
  std::string text;
  for (int i = 0; i < 700; ++i) {
    const int k = i % 10;
    text += std::to_string(k);
    for (int j = 1; j <= 12; ++j) {
      const int value = static_cast<int>(random.below(40)) + ((k * j) % 7) * 6 - 20;
      if (value != 0) text += " " + std::to_string(j) + ":" + std::to_string(j == 5 ? 50 * value : value);
    }
    text += "\n";
  }
  const Dataset data = read_text(text);
  for (const Offset offset : {Offset::Free, Offset::Lifted}) {
    const LogisticRegression options{.C = 1000, .offset = offset, .gap = 1e-6};
    const Fit one = train(data, options, {.threads = Threads(1)});
    CHECK(one.answer.stop == Stop::Converged);
    CHECK(one.proof.objective->relative_gap() <= 1e-6);
    CHECK(one.trace.iterations < 100);
    CHECK(verify(one.model(), data, Threads(1)).holds);
    for (const int threads : {2, 3}) {
      const Fit more = train(data, options, {.threads = Threads(threads)});
      CHECK(std::get<LinearModel>(more.model().form).weights ==
            std::get<LinearModel>(one.model().form).weights);
      CHECK(std::get<LinearModel>(more.model().form).offsets ==
            std::get<LinearModel>(one.model().form).offsets);
    }
  }
}

TEST_CASE(
    "classes against the rest that stop at rounding or at their time all have a proof, and an honest sum") {
  const Dataset data = read_text(three_clouds(3000, 6));
  Run run{.seconds = 0.3};
  const Fit fit =
      train(data, LogisticRegression{.C = 1, .multiclass = LogisticClasses::OneVsRest, .gap = 1e-12}, run);
  CHECK((fit.answer.stop == Stop::Converged) == (fit.proof.objective->relative_gap() <= 1e-12));
  REQUIRE(fit.proof.certificates.size() == 3);
  double primal = 0, dual = 0;
  for (const Certificate& certificate : fit.proof.certificates) {
    const auto& gap = std::get<DualityGap>(certificate);
    CHECK(gap.relative() < 1e-6);
    primal += gap.primal;
    dual += gap.dual;
  }
  CHECK(fit.proof.objective->primal == primal);
  CHECK(fit.proof.objective->dual == dual);
}
