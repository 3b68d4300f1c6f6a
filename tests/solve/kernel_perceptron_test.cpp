// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

// Integers, so that sums are exact in any order; more rows than a block.
Dataset integers(int rows, int columns, int classes, std::uint64_t seed) {
  Random random(seed);
  testing::Rows out;
  std::vector<int> labels;
  for (int i = 0; i < rows; ++i) {
    labels.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(classes))));
    std::vector<double> row;
    for (int j = 0; j < columns; ++j)
      row.push_back(static_cast<double>(random.below(9)) - 4 + (j == labels.back() ? 2 : 0));
    out.push_back(row);
  }
  return testing::dataset_from(out, labels);
}

const KernelFunction plain{KernelKind::Poly, 1, 0, 1};  // x . z, by the way of kernels

// theta of a kernel machine whose kernel is the plain product.
std::vector<double> theta_of(const KernelModel& model, std::size_t k) {
  std::vector<double> theta(model.features, 0.0);
  for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at)
    for (std::uint64_t e = model.start[model.vector[at]]; e < model.start[model.vector[at] + 1]; ++e)
      theta[model.index[e]] += model.coefficient[at] * model.value[e];
  return theta;
}

}  // namespace

TEST_CASE("the kernel perceptron walks as the perceptron does, mistake by mistake") {
  for (const int classes : {2, 3}) {
    const Dataset data = integers(700, 4, classes, 21);
    for (const Order order : {Order::Cyclic, Order::Shuffled, Order::Random, Order::Content}) {
      for (const Offset offset : {Offset::Lifted, Offset::None}) {
        const Perceptron options{.passes = {2.5}, .order = order, .offset = offset};
        Perceptron by_kernel = options;
        by_kernel.kernel = plain;
        const Fit a = train(data, options);
        const Fit b = train(data, by_kernel);
        CHECK(a.trace.mistakes == b.trace.mistakes);
        const auto& linear = std::get<LinearModel>(a.model().form);
        const auto& kernel = std::get<KernelModel>(b.model().form);
        for (std::size_t k = 0; k < linear.planes; ++k) {
          CHECK(theta_of(kernel, k) == std::vector<double>(linear.plane(k).begin(), linear.plane(k).end()));
          CHECK(kernel.offsets[k] == linear.offsets[k]);
        }
      }
    }
  }
}

TEST_CASE("averaged and voted kernel perceptrons are those of the plain product") {
  const Dataset data = integers(400, 3, 3, 22);
  AveragedPerceptron mean{.passes = {2}};
  const Fit a = train(data, mean);
  mean.kernel = plain;
  const Fit b = train(data, mean);
  const auto x = scores(a.model(), data, Threads(1));
  const auto y = scores(b.model(), data, Threads(1));
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-9));

  VotedPerceptron vote{.passes = {2}};
  const Fit c = train(data, vote);
  vote.kernel = plain;
  const Fit d = train(data, vote);
  CHECK(scores(c.model(), data, Threads(1)) == scores(d.model(), data, Threads(2)));
  const Model saved = model_from_bytes(to_bytes(d.model()), "m");
  CHECK(scores(saved, data, Threads(1)) == scores(d.model(), data, Threads(1)));
}

TEST_CASE("a perceptron with a kernel of degree two learns exclusive or and stops clean") {
  const Dataset data =
      testing::dataset_from({{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}, std::vector<int>{0, 1, 1, 0});
  const Fit fit = train(data, Perceptron{.passes = {0, true}, .kernel = {KernelKind::Poly, 1, 1, 2}});
  CHECK(fit.answer.stop == Stop::Clean);
  CHECK(labels_from_scores(fit.model(), scores(fit.model(), data, Threads(1))) ==
        std::vector<std::uint32_t>(data.labels().begin(), data.labels().end()));
  const auto& bound = std::get<MistakeBound>(fit.proof.certificates.at(0));
  CHECK(bound.margin_lower > 0);
  CHECK(bound.margin_lower <= bound.margin_upper);
  CHECK(static_cast<double>(bound.mistakes) <= std::pow(bound.radius / bound.margin_lower, 2));
}

TEST_CASE("a budget is kept, and one that is never full changes nothing") {
  const Dataset data = integers(900, 4, 2, 23);
  const KernelFunction rbf{KernelKind::Rbf, 0.1};
  const Fit free = train(data, Perceptron{.passes = {2}, .kernel = rbf});
  const Fit wide = train(data, Perceptron{.passes = {2}, .kernel = rbf, .budget = 900});
  CHECK(scores(free.model(), data, Threads(1)) == scores(wide.model(), data, Threads(1)));
  const Fit tight = train(data, Perceptron{.passes = {2}, .kernel = rbf, .budget = 20});
  CHECK(std::get<KernelModel>(tight.model().form).coefficient.size() <= 20);
  // The model keeps no row that its function does not use, and says how many it has.
  CHECK(std::get<KernelModel>(tight.model().form).vectors() <= 20);
  CHECK(*tight.trace.support_vectors == std::get<KernelModel>(tight.model().form).vectors());
  // The bound on mistakes is that of a walk that forgets nothing.
  CHECK(tight.proof.certificates.empty());
  // The votes of a walk with a budget end with the plane that the walk ended with.
  const Fit vote = train(data, VotedPerceptron{.passes = {2}, .kernel = rbf, .budget = 20});
  const auto& voted = std::get<VotedModel>(vote.model().form);
  std::vector<double> coefficient(voted.constant.size(), 0.0);
  for (std::size_t r = 0; r < voted.row.size(); ++r)
    coefficient[voted.row[r]] += voted.positive[r] != 0 ? 1 : -1;
  CHECK(std::count_if(coefficient.begin(), coefficient.end(), [](double c) { return c != 0; }) <= 20);
}

TEST_CASE("what a kernel walk cannot do is refused") {
  const Dataset data = integers(20, 2, 2, 24);
  const KernelFunction rbf{KernelKind::Rbf, 0.1};
  CHECK_THROWS_AS((void)train(data, Perceptron{.order = Order::Worst, .kernel = rbf}), UsageError);
  CHECK_THROWS_AS((void)train(data, Perceptron{.budget = 5}), UsageError);
  CHECK_THROWS_AS((void)train(data, Perceptron{.kernel = {KernelKind::Precomputed}}), UsageError);
}
