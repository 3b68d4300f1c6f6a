// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

const KernelFunction rbf{KernelKind::Rbf, 0.02};

struct Sample {
  testing::Rows rows;
  std::vector<int> labels;
};
// Overlapping clouds of integers around the corners of a square.
Sample clouds(int rows, int columns, int classes, std::uint64_t seed) {
  Random random(seed);
  Sample out;
  for (int i = 0; i < rows; ++i) {
    const int label = static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
    std::vector<double> row;
    for (int j = 0; j < columns; ++j) {
      const int centre = j < 2 ? ((label >> j) % 2 == 0 ? -3 : 3) : 0;
      row.push_back(centre + static_cast<double>(random.below(11)) - 5);
    }
    out.rows.push_back(row);
    out.labels.push_back(label);
  }
  return out;
}
Dataset data_of(const Sample& sample) { return testing::dataset_from(sample.rows, sample.labels); }

const KernelModel& machine(const Fit& fit) { return std::get<KernelModel>(fit.model().form); }

}  // namespace

TEST_CASE("exclusive or has the known kernel machine: alpha = 1/8, no offset, objective 1/4") {
  const Dataset data =
      testing::dataset_from({{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, std::vector<int>{-1, 1, 1, -1});
  const Fit fit = train(data, Svm{.C = 1, .gap = 1e-10, .kernel = {KernelKind::Poly, 1, 1, 2}});
  REQUIRE(machine(fit).coefficient.size() == 4);
  const double sign[] = {-1, 1, 1, -1};
  for (std::size_t k = 0; k < 4; ++k) CHECK(machine(fit).coefficient[k] == doctest::Approx(sign[k] / 8));
  CHECK(machine(fit).offsets[0] == doctest::Approx(0));
  CHECK(fit.proof.objective->primal == doctest::Approx(0.25));
  CHECK(fit.trace.support_vectors == 4U);
}

TEST_CASE("a kernel that is the plain product gives the plane of the linear solver, to the gap") {
  const Dataset data = data_of(clouds(150, 4, 2, 3));
  const Fit kernel = train(data, Svm{.C = 0.5, .gap = 1e-8, .kernel = {KernelKind::Poly, 1, 0, 1}});
  const Fit linear = train(data, Svm{.C = 0.5, .gap = 1e-8});
  CHECK(kernel.proof.objective->primal == doctest::Approx(linear.proof.objective->primal).epsilon(3e-8));
  const auto a = scores(kernel.model(), data, Threads(1));
  const auto b = scores(linear.model(), data, Threads(1));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-3));
}

TEST_CASE("the stored gap is verified, and every change to the model is refused") {
  const Dataset data = data_of(clouds(120, 3, 2, 4));
  const Fit fit = train(data, Svm{.C = 2, .gap = 1e-5, .kernel = rbf});
  REQUIRE(fit.answer.stop == Stop::Converged);
  CHECK(fit.proof.objective->relative_gap() <= 1e-5);
  CHECK(fit.proof.objective->relative_gap() >= 0);
  const Threads one(1);
  CHECK(verify(fit.model(), data, one).holds);
  CHECK(verify(model_from_bytes(to_bytes(fit.model()), "m"), data, one).holds);
  CHECK_FALSE(verify(fit.model(), data_of(clouds(120, 3, 2, 5)), one).holds);
  Random random(1);
  int refused = 0;
  constexpr int tries = 200;
  for (int t = 0; t < tries; ++t) {
    Model forged = fit.model();
    auto& kernel = std::get<KernelModel>(forged.form);
    const std::size_t at = random.below(kernel.coefficient.size());
    switch (t % 5) {
      case 0: kernel.coefficient[at] *= 1.001; break;
      case 1: kernel.offsets[0] += 1e-3; break;
      case 2: forged.dual[0].alpha[at] *= 0.5; break;
      case 3: kernel.value[random.below(kernel.value.size())] += 1; break;
      default: kernel.kernel.gamma *= 1.01; break;
    }
    refused += verify(forged, data, one).holds ? 0 : 1;
  }
  CHECK(refused == tries);
}

TEST_CASE("scores are the sum over the support vectors, after a round trip through the file too") {
  const Sample sample = clouds(90, 3, 3, 6);
  const Dataset data = data_of(sample);
  const Fit fit = train(data, Svm{.kernel = rbf, .multiclass = ManyClasses::OneVsRest});
  const KernelModel& model = machine(fit);
  const auto values = scores(fit.model(), data, Threads(2));
  for (std::size_t i = 0; i < data.rows(); i += 7) {
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = model.offsets[k];
      for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at) {
        double distance2 = 0;
        std::vector<double> z(3, 0.0);
        for (std::uint64_t e = model.start[model.vector[at]]; e < model.start[model.vector[at] + 1]; ++e)
          z[model.index[e]] = model.value[e];
        for (std::size_t j = 0; j < 3; ++j)
          distance2 += (z[j] - sample.rows[i][j]) * (z[j] - sample.rows[i][j]);
        sum += model.coefficient[at] * std::exp(-rbf.gamma * distance2);
      }
      CHECK(values[i * 3 + k] == doctest::Approx(sum).epsilon(1e-10));
    }
  }
  CHECK(scores(model_from_bytes(to_bytes(fit.model()), "m"), data, Threads(1)) == values);
}

TEST_CASE("pairs of classes vote, and every pair has its certificate") {
  const Dataset data = data_of(clouds(160, 2, 4, 7));
  const Fit fit = train(data, Svm{.kernel = rbf});
  CHECK(machine(fit).pairs);
  CHECK(fit.model().functions() == 6);
  CHECK(fit.proof.certificates.size() == 6);
  CHECK(verify(fit.model(), data, Threads(2)).holds);
  const auto votes = scores(fit.model(), data, Threads(1));
  const auto values = function_values(machine(fit), false, data, Threads(1));
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double count[4] = {};
    std::size_t k = i * 6;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) count[values[k++] > 0 ? b : a] += 1;
    for (std::size_t c = 0; c < 4; ++c) CHECK(votes[i * 4 + c] == count[c]);
  }
  const Model saved = model_from_bytes(to_bytes(fit.model()), "m");
  CHECK(scores(saved, data, Threads(2)) == votes);
}

TEST_CASE("a precomputed kernel gives what the computed one gives") {
  const Sample sample = clouds(80, 3, 3, 8);
  testing::Rows matrix;
  for (const auto& a : sample.rows) {
    std::vector<double> row;
    for (const auto& b : sample.rows) {
      double distance2 = 0;
      for (std::size_t j = 0; j < a.size(); ++j) distance2 += (a[j] - b[j]) * (a[j] - b[j]);
      row.push_back(std::exp(-rbf.gamma * distance2));
    }
    matrix.push_back(row);
  }
  const Dataset data = data_of(sample);
  const Dataset given = testing::dataset_from(matrix, sample.labels);
  const Fit a = train(data, Svm{.gap = 1e-7, .kernel = rbf});
  const Fit b = train(given, Svm{.gap = 1e-7, .kernel = {KernelKind::Precomputed}});
  CHECK(b.proof.objective->primal == doctest::Approx(a.proof.objective->primal).epsilon(2e-7));
  CHECK(labels_from_scores(a.model(), scores(a.model(), data, Threads(1))) ==
        labels_from_scores(b.model(), scores(b.model(), given, Threads(1))));
  CHECK(verify(b.model(), given, Threads(1)).holds);
  matrix[3][5] += 0.5;
  const Svm precomputed{.kernel = {KernelKind::Precomputed}};
  CHECK_THROWS_AS((void)train(testing::dataset_from(matrix, sample.labels), precomputed), InputError);
  CHECK_THROWS_AS((void)train(data, precomputed), InputError);
}

TEST_CASE("training on the support vectors alone gives the same function") {
  const Sample sample = clouds(150, 3, 2, 9);
  const Dataset data = data_of(sample);
  const Svm options{.C = 0.7, .gap = 1e-9, .kernel = rbf};
  const Fit all = train(data, options);
  const Fit few = train(data.subset(all.model().dual[0].rows), options);
  CHECK(few.proof.objective->primal == doctest::Approx(all.proof.objective->primal).epsilon(1e-7));
  const auto a = scores(all.model(), data, Threads(1));
  const auto b = scores(few.model(), data, Threads(1));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-3));
}

TEST_CASE("weight k is k copies, weight 0 is an absent row") {
  Sample sample = clouds(60, 2, 2, 10);
  std::vector<double> weights;
  Sample copies;
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k) {
      copies.rows.push_back(sample.rows[i]);
      copies.labels.push_back(sample.labels[i]);
    }
  }
  const Svm options{.C = 0.3, .gap = 1e-8, .kernel = rbf};
  const Fit weighted = train(testing::dataset_from(sample.rows, sample.labels, weights), options);
  const Fit copied = train(data_of(copies), options);
  CHECK(weighted.proof.objective->primal == doctest::Approx(copied.proof.objective->primal).epsilon(2e-8));
}

TEST_CASE(
    "the answer has the same bits for any number of threads, and a small cache changes nothing but time") {
  const Dataset data = data_of(clouds(900, 100, 2, 11));
  const Svm options{.C = 1, .kernel = {KernelKind::Rbf, 0.001}};
  const Fit one = train(data, options);
  for (const int threads : {2, 5}) {
    const Fit more = train(data, options, Run{.threads = Threads(threads)});
    CHECK(machine(more).coefficient == machine(one).coefficient);
    CHECK(machine(more).offsets == machine(one).offsets);
  }
  Svm small = options;
  small.cache = 1;
  CHECK(train(data, small).proof.objective->primal ==
        doctest::Approx(one.proof.objective->primal).epsilon(1e-3));
}

TEST_CASE("an indefinite kernel ends with a word about it and without a certificate") {
  const Dataset data = data_of(clouds(100, 3, 2, 12));
  const Fit fit = train(data, Svm{.C = 10, .kernel = {KernelKind::Sigmoid, 0.5, -1}}, Run{.seconds = 20});
  CHECK(fit.proof.certificates.empty());
  CHECK_FALSE(fit.proof.objective.has_value());
  CHECK(std::any_of(fit.words.summary.begin(), fit.words.summary.end(), [](const std::string& note) {
    return note.find("not positive semidefinite") != std::string::npos;
  }));
  CHECK_THROWS_AS((void)verify(fit.model(), data, Threads(1)), UsageError);
}

TEST_CASE("rows far from the origin are no harder than the same rows near it") {
  Sample sample = clouds(150, 3, 2, 14);
  const Svm options{.C = 1, .gap = 1e-6, .kernel = rbf};
  const Fit near = train(data_of(sample), options);
  for (auto& row : sample.rows)
    for (double& x : row) x += 1000;
  const Fit far = train(data_of(sample), options);
  CHECK(far.answer.stop == Stop::Converged);
  CHECK(far.proof.objective->primal == doctest::Approx(near.proof.objective->primal).epsilon(1e-5));
}

TEST_CASE("columns of very different scales do not spoil the certificate") {
  Sample sample = clouds(150, 3, 2, 15);
  for (auto& row : sample.rows) row.push_back(1e5 * row[0] + 3e6);
  const Fit fit = train(data_of(sample), Svm{.C = 1, .gap = 1e-6, .kernel = rbf});
  CHECK(fit.answer.stop == Stop::Converged);
  CHECK(fit.proof.objective->relative_gap() <= 1e-6);
  CHECK(verify(fit.model(), data_of(sample), Threads(1)).holds);
}

TEST_CASE("the gap to reach is 1e-3 with a kernel unless given, and 1e-4 for planes") {
  const Dataset data = data_of(clouds(400, 3, 2, 16));
  CHECK(train(data, Svm{.kernel = rbf}).proof.objective->relative_gap() <= 1e-3);
  CHECK(train(data, Svm{.gap = 1e-5, .kernel = rbf}).proof.objective->relative_gap() <= 1e-5);
  CHECK(train(data, Svm{}).proof.objective->relative_gap() <= 1e-4);
  using Type = OptionType<GapGoal>;
  CHECK(Type::print(Type::parse("gap", "auto", {})) == "auto");
  CHECK(Type::print(Type::parse("gap", "0.001", {})) == "0.001");
}

TEST_CASE("the scores that training leaves behind have the signs of the model's") {
  const Dataset data = data_of(clouds(300, 3, 2, 17));
  const Fit fit = train(data, Svm{.C = 3, .kernel = rbf});
  const auto own = scores(fit.model(), data, Threads(1));
  REQUIRE(fit.trace.scores.size() == own.size());
  for (std::size_t i = 0; i < own.size(); ++i) CHECK((fit.trace.scores[i] > 0) == (own[i] > 0));
}

TEST_CASE("options that kernels do not have are refused") {
  const Dataset data = data_of(clouds(30, 2, 3, 13));
  CHECK_THROWS_AS((void)train(data, Svm{.loss = SquaredHinge{}, .kernel = rbf}), UsageError);
  CHECK_THROWS_AS((void)train(data, Svm{.offset = Offset::None, .kernel = rbf}), UsageError);
  CHECK_THROWS_AS((void)train(data, Svm{.multiclass = ManyClasses::OneVsOne}), UsageError);
}
