// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "certify/kernel_margin.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;
using testing::dataset_from;

namespace {

double figure(const Fit& fit, std::string_view name) {
  for (const auto& [key, value] : fit.trace.figures)
    if (key == name) return value;
  return std::nan("");
}

}  // namespace

TEST_CASE("xor has margin sqrt 2 in the space of the polynomials of degree 2") {
  const Dataset data = dataset_from({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {1, 1, 0, 0});
  const Fit fit = train(data, HardMargin{.kernel = {KernelKind::Poly, 1, 1, 2}});
  REQUIRE(fit.answer.reason.empty());
  CHECK(fit.answer.stop == Stop::Converged);
  CHECK(figure(fit, "margin_lower") <= std::sqrt(2.0));
  CHECK(figure(fit, "margin_upper") >= std::sqrt(2.0));
  CHECK(figure(fit, "margin_lower") == doctest::Approx(std::sqrt(2.0)).epsilon(1e-6));
  CHECK(*fit.trace.support_vectors == 4);
  for (const double score : scores(fit.model(), data, Threads(1)))
    CHECK(std::abs(score) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("two rows have half the distance of their images as margin") {
  const Dataset data = dataset_from({{0.0}, {2.0}}, {0, 1});
  const Fit fit = train(data, HardMargin{.kernel = {KernelKind::Rbf, 0.25}});
  const double margin = std::sqrt(2 - 2 * std::exp(-1.0)) / 2;
  CHECK(figure(fit, "margin_lower") == doctest::Approx(margin).epsilon(1e-6));
  CHECK(figure(fit, "margin_upper") == doctest::Approx(margin).epsilon(1e-6));
}

TEST_CASE("a polynomial of degree one has the margin of the plane, large values and small ones alike") {
  Random random(4);
  for (const double size : {1e-4, 1.0, 1e4}) {
    testing::Rows rows;
    std::vector<int> labels;
    while (rows.size() < 60) {
      const double x = random.normal(), y = random.normal();
      if (std::abs(x + 2 * y - 0.3) < 0.2) continue;
      rows.push_back({size * x, size * y});
      labels.push_back(x + 2 * y > 0.3 ? 1 : 0);
    }
    const Dataset data = dataset_from(rows, labels);
    const Fit plane = train(data, HardMargin{});
    const Fit kernel = train(data, HardMargin{.kernel = {KernelKind::Poly, 1, 0, 1}});
    REQUIRE(kernel.answer.reason.empty());
    CHECK(figure(kernel, "margin_lower") == doctest::Approx(figure(plane, "margin_lower")).epsilon(1e-5));
    CHECK(figure(kernel, "margin_upper") >= figure(plane, "margin_lower"));
    CHECK(figure(kernel, "margin_lower") <= figure(plane, "margin_upper"));
  }
}

TEST_CASE("equal rows with different labels are named, whatever the kernel") {
  const Dataset data = dataset_from({{1, 2}, {3, 4}, {0, 1}, {3, 4}}, {0, 1, 1, 0});
  const Fit fit = train(data, HardMargin{.kernel = {KernelKind::Rbf, 100}});
  CHECK(fit.answer.reason ==
        "rows 2 and 4 are equal and have different labels: no function of any kernel separates 1 from the "
        "rest");
}

TEST_CASE("what no parabola separates is refused with a bound on the margin and no more") {
  const Dataset data = dataset_from({{-3.0}, {-1.0}, {1.0}, {3.0}}, {0, 1, 0, 1});
  const Fit fit = train(data, HardMargin{.kernel = {KernelKind::Poly, 1, 1, 2}});
  REQUIRE(!fit.answer.reason.empty());
  CHECK(fit.answer.reason.find("none has a margin above") != std::string::npos);
  CHECK(fit.answer.reason.find("is not decided") != std::string::npos);
  // A cubic does.
  CHECK(train(data, HardMargin{.kernel = {KernelKind::Poly, 1, 1, 3}}).has_model());
}

TEST_CASE("weights do not move a margin, and rows of weight 0 are absent") {
  const testing::Rows rows{{0, 0}, {0, 1}, {3, 3}, {3, 4}, {1, 1}};
  const KernelFunction rbf{KernelKind::Rbf, 0.5};
  const Fit plain = train(dataset_from({rows.begin(), rows.end() - 1}, std::vector<int>{0, 0, 1, 1}),
                          HardMargin{.kernel = rbf});
  const Fit weighted =
      train(dataset_from(rows, {0, 0, 1, 1, 1}, {1, 5, 0.5, 2, 0}), HardMargin{.kernel = rbf});
  CHECK(figure(plain, "margin_lower") == doctest::Approx(figure(weighted, "margin_lower")).epsilon(1e-6));
}

TEST_CASE("the bracket of a stored model is verified, and a changed one is not") {
  Random random(8);
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 120; ++i) {
    rows.push_back({random.normal(), random.normal()});
    const double r = std::hypot(rows.back()[0], rows.back()[1]);
    labels.push_back(r > 1.2 ? 2 : rows.back()[0] > 0 ? 1 : 0);
  }
  const Dataset data = dataset_from(rows, labels);
  const Fit fit = train(data, HardMargin{.gap = 1e-4, .kernel = {KernelKind::Rbf, 5}});
  REQUIRE(fit.answer.reason.empty());
  CHECK(fit.proof.certificates.size() == 3);
  const Model back = model_from_bytes(to_bytes(fit.model()), "m");
  CHECK(verify(back, data, Threads(2)).holds);
  Model forged = back;
  std::get<KernelModel>(forged.form).offsets[1] += 0.01;
  CHECK_FALSE(verify(forged, data, Threads(1)).holds);
}

TEST_CASE("a bracket holds for any weights, however far from the best") {
  const Dataset data = dataset_from({{0.0}, {1.0}, {4.0}, {9.0}}, {0, 0, 1, 1});
  const Problem problem = make_problem(data, 1, Hinge{}, Offset::Free, 1);
  const KernelFunction line{KernelKind::Poly, 1, 0, 1};
  // The means of the classes are 0.75 and 5: half their distance is 2.125, the true margin 1.5.
  const KernelMargin rough =
      kernel_margin(problem, line, {{0, 1, 2, 3}, {0.25, 0.75, 0.8, 0.2}}, {}, Threads(1));
  CHECK(rough.upper == doctest::Approx(2.125));
  CHECK(rough.lower == doctest::Approx(1.5));
  CHECK(rough.lower <= 1.5);
  // The wrong way round: no margin is shown, and the upper bound is still one.
  const KernelMargin wrong = kernel_margin(problem, line, {{1, 2}, {1, 1}}, -100.0, Threads(1));
  CHECK(wrong.lower == 0);
  CHECK(wrong.upper == doctest::Approx(1.5));
}

TEST_CASE("kernels without a space are refused") {
  const Dataset data = dataset_from({{0.0}, {2.0}}, {0, 1});
  CHECK_THROWS_AS((void)train(data, HardMargin{.kernel = {KernelKind::Sigmoid, 1}}), UsageError);
  CHECK_THROWS_AS((void)train(data, HardMargin{.offset = Offset::None, .kernel = {KernelKind::Rbf, 1}}),
                  UsageError);
}
