// SPDX-License-Identifier: BSD-3-Clause
// What a model claims, and the numbers that a claim must not be made of.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "certify/claims/claim.hpp"
#include "certify/duality_gap.hpp"
#include "certify/kernel_gap.hpp"
#include "certify/kernel_margin.hpp"
#include "certify/semidefinite.hpp"
#include "certify/softmax_gap.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "support.hpp"

namespace hs = halfspace;
using namespace hs::testing;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

hs::Dataset two_huge_rows(double x) {
  return dataset_from({{x, -x}, {-x, x}, {x, x}}, std::vector<int>{1, 0, 1});
}

std::string read_error(const std::string& text) {
  return input_error([&] { (void)hs::certificates_from_json(text, {.file = "m"}); });
}

}  // namespace

TEST_CASE(
    "the relative gap is measured against the objective or against 1, and is infinite where it is no "
    "number") {
  CHECK(hs::relative_gap(10, 9) == 0.1);
  CHECK(hs::relative_gap(0.5, 0.25) == 0.25);
  CHECK(hs::DualityGap{10, 9}.relative() == 0.1);
  CHECK(hs::Objective{0.5, 0.25}.relative_gap() == 0.25);
  CHECK(hs::relative_gap(infinity, 0) == infinity);
  CHECK(hs::relative_gap(1, std::nan("")) == infinity);
  CHECK(hs::relative_words({10, 9}) == "0.1 of it");
  CHECK(hs::relative_words({0.5, 0.25}) == "0.25, measured against 1");
}

TEST_CASE("certificates are read back as they were written, and nothing else is read") {
  const std::vector<hs::Certificate> all = {hs::DualityGap{2.5, 2.25}, std::monostate(),
                                            hs::MistakeBound{3, 2, infinity, 0.5, false},
                                            hs::Separator{{}, 0, 0.125}};
  const std::string text = hs::to_json(all);
  CHECK(hs::to_json(hs::certificates_from_json(text, {})) == text);
  CHECK(hs::certificates_from_json("", {}).empty());
  for (
      const char* evil :
      {"{}", "7", "[[]]", "[7]", "[{}]", R"([{"kind":"optimal"}])", R"([{"kind":"separator"}])",
       R"([{"kind":"separator","margin":1,"exact":true}])", R"([{"kind":"separator","margin":"1"}])",
       R"([{"kind":"duality-gap","primal":1,"dual":1,"gap":0}])",
       R"([{"kind":"duality-gap","primal":null,"dual":1,"gap":0,"relative_gap":0}])",
       R"([{"kind":"duality-gap","primal":2,"dual":1,"gap":0.5,"relative_gap":0.5}])",
       R"([{"kind":"duality-gap","primal":2,"dual":1,"gap":1,"relative_gap":1}])",
       R"([{"kind":"duality-gap","primal":1e999,"dual":1,"gap":0,"relative_gap":0}])",
       R"([{"kind":"duality-gap","primal":1,"primal":1,"dual":1,"gap":0,"relative_gap":0}])",
       R"([{"kind":"mistake-bound","mistakes":-1,"radius":1,"margin_lower":0,"margin_upper":1,"offset":"none"}])",
       R"([{"kind":"mistake-bound","mistakes":1,"radius":1,"margin_lower":0,"margin_upper":1,"offset":"free"}])"}) {
    CAPTURE(evil);
    CHECK(!read_error(evil).empty());
  }
}

TEST_CASE("kernels are proved to be products by their parameters alone") {
  using hs::KernelKind;
  const double nan = std::nan("");
  CHECK(hs::KernelFunction{KernelKind::Linear}.semidefinite());
  CHECK(hs::KernelFunction{KernelKind::Rbf, 0.5}.semidefinite());
  CHECK(hs::KernelFunction{KernelKind::Poly, 0.5, 0, 1}.semidefinite());
  CHECK(hs::KernelFunction{KernelKind::Poly, 0.5, 1, 64}.semidefinite());
  CHECK(hs::KernelFunction{KernelKind::Poly, 0.5, -0.0, 3}.semidefinite());
  for (const hs::KernelFunction& none :
       {hs::KernelFunction{KernelKind::Rbf, -0.5}, hs::KernelFunction{KernelKind::Rbf, nan},
        hs::KernelFunction{KernelKind::Rbf, infinity}, hs::KernelFunction{KernelKind::Poly, -0.1, 0, 1},
        hs::KernelFunction{KernelKind::Poly, 0.5, -1, 2}, hs::KernelFunction{KernelKind::Poly, nan, 0, 2},
        hs::KernelFunction{KernelKind::Poly, 0.5, nan, 2}, hs::KernelFunction{KernelKind::Poly, 0.5, 0, 0},
        hs::KernelFunction{KernelKind::Poly, 0.5, 0, -2},
        hs::KernelFunction{KernelKind::Poly, infinity, 0, 2},
        hs::KernelFunction{KernelKind::Sigmoid, -0.5, 0}, hs::KernelFunction{KernelKind::Sigmoid, 0.5, 0},
        hs::KernelFunction{KernelKind::Sigmoid, 1, 1}, hs::KernelFunction{KernelKind::Precomputed}}) {
    CHECK_FALSE(none.semidefinite());
  }
}

TEST_CASE("a matrix of kernel values is proved to be a product by a factorisation") {
  const hs::KernelFunction given{hs::KernelKind::Precomputed};
  const auto proved = [&](const std::vector<std::vector<double>>& matrix) {
    std::vector<int> labels(matrix.size());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 2);
    return hs::detail::why_not_semidefinite(given, dataset_from(matrix, labels)).empty();
  };
  CHECK(proved({{2, 1}, {1, 2}}));
  CHECK(proved({{1e-3, 0}, {0, 1e3}}));
  CHECK(proved({{1, 1, 0.5}, {1, 1, 0.5}, {0.5, 0.5, 1}}));  // two equal rows
  CHECK_FALSE(proved({{1, 2}, {2, 1}}));
  CHECK_FALSE(proved({{1, 0.5}, {0.25, 1}}));
  CHECK_FALSE(proved({{-1, 0}, {0, 1}}));
  CHECK_FALSE(proved({{0, 1}, {1, 0}}));
  CHECK_FALSE(proved({{1, 1 + 1e-12}, {1 + 1e-12, 1}}));
  CHECK_FALSE(proved({{1, 0, 0}, {0, 1, 0}}));
  CHECK_FALSE(proved({{1e308, 1e308}, {1e308, 1e307}}));
}

TEST_CASE("a margin that is no number loses everything: no loss takes it for none") {
  const std::vector<double> theta = {1e10, 1e10};
  for (const double x : {1e308, 1.7e308, 1e300}) {
    const hs::Dataset data = two_huge_rows(x);
    for (const hs::Loss loss : {hs::Loss(hs::Hinge{}), hs::Loss(hs::SquaredHinge{}),
                                hs::Loss(hs::SmoothHinge{}), hs::Loss(hs::Logistic{})}) {
      for (const hs::Offset offset : {hs::Offset::Free, hs::Offset::Lifted, hs::Offset::None}) {
        const hs::Problem problem = hs::make_problem(data, 1, loss, offset, 1);
        const hs::DualPoint point{{0, 1}, {0.5, 0.5}};
        for (const auto& dual : {std::optional<hs::DualPoint>(), std::optional(point)}) {
          const hs::DualityGap gap = hs::duality_gap(problem, theta, 0, dual, hs::Threads(1));
          CHECK(gap.primal > 1e299);
          CHECK_FALSE(std::isnan(gap.dual));
          CHECK(gap.dual <= 3);  // what the zero plane has with any of these losses, or less
          CHECK(hs::detail::proves(gap, {gap.primal, gap.dual}) ==
                (std::isfinite(gap.primal) && std::isfinite(gap.dual)));
        }
      }
    }
  }
}

TEST_CASE("softmax: scores that are no numbers prove nothing") {
  const hs::Dataset data =
      dataset_from({{1e308, -1e308}, {-1e308, 1e308}, {1e308, 1e308}}, std::vector<int>{0, 1, 2});
  hs::LinearModel model{
      .features = 2, .planes = 3, .weights = {1e10, 1e10, -1e10, 1e10, 1, 1}, .offsets = {0, 0, 0}};
  const hs::DualityGap gap =
      hs::softmax_gap(hs::make_softmax_problem(data, hs::Offset::Free, 1), model, hs::Threads(1));
  CHECK(gap.primal == infinity);
  CHECK(gap.dual <= 3 * std::log(3.0) + 1e-9);
  CHECK_FALSE(hs::detail::proves(gap, {0, 0}));
}

TEST_CASE("kernel sums that are no numbers prove nothing") {
  const hs::Dataset data = two_huge_rows(1e200);
  const hs::KernelFunction poly{hs::KernelKind::Poly, 1, 1, 3};
  hs::Problem problem = hs::make_problem(data, 1, hs::Hinge{}, hs::Offset::Free, 1);
  const hs::DualPoint point{{0, 1}, {1, 1}};
  const hs::DualityGap gap = hs::KernelGap(problem, poly, point, hs::Threads(1)).at(0);
  CHECK(gap.primal == infinity);
  CHECK_FALSE(std::isnan(gap.dual));
  const hs::KernelMargin margin = hs::kernel_margin(problem, poly, point, 0.0, hs::Threads(1));
  CHECK(margin.lower == 0);
  CHECK(margin.upper == infinity);
}

TEST_CASE("a claim is proved only by bounds as good as itself") {
  const hs::DualityGap found{2, 1.9};
  CHECK(hs::detail::proves(found, found));
  CHECK(hs::detail::proves(found, {2 + 1e-10, 1.9}));
  CHECK_FALSE(hs::detail::proves(found, {2 - 1e-10, 1.9}));
  CHECK_FALSE(hs::detail::proves(found, {2, 1.9 + 1e-10}));
  CHECK(hs::detail::proves(found, {200, 1}));  // modest, and true
  CHECK_FALSE(hs::detail::as_stated(found, {200, 1.9}));
  // The bound from below is held against its own size, not against that of a bad plane.
  CHECK_FALSE(hs::detail::proves({1e14, 0.5}, {1e14, 49}));
  CHECK_FALSE(hs::detail::proves(found, {std::nan(""), 1.9}));
  CHECK_FALSE(hs::detail::proves(found, {2, -infinity}));
  CHECK_FALSE(hs::detail::proves({infinity, -infinity}, {infinity, -infinity}));
  const hs::DualityGap small{2e-9, 1.9e-9};  // measured against itself, not against 1
  CHECK(hs::detail::proves(small, small));
  CHECK_FALSE(hs::detail::proves(small, {0, 0}));
}

TEST_CASE("the options that the checker knows are those of the algorithms") {
  for (const char* name : {"svm", "logistic", "nu-svm", "hard-margin"}) {
    hs::Model model;
    model.algorithm = name;
    model.options = hs::Algorithm::by_name(name).values();
    CAPTURE(name);
    CHECK_NOTHROW((void)hs::detail::stated_options(model, "m"));
    for (std::size_t k = 0; k < model.options.size(); ++k) {
      hs::Model changed = model;
      changed.options.erase(changed.options.begin() + static_cast<std::ptrdiff_t>(k));
      // Files from before these two existed state the problem without them.
      const std::string& left_out = model.options[k].first;
      const bool younger = left_out == "l1-ratio" || left_out == "debias";
      CHECK(input_error([&] { (void)hs::detail::stated_options(changed, "m"); }).empty() == younger);
      changed = model;
      changed.options.push_back(model.options[k]);
      CHECK(!input_error([&] { (void)hs::detail::stated_options(changed, "m"); }).empty());
    }
    model.options.emplace_back("surprise", "1");
    CHECK(!input_error([&] { (void)hs::detail::stated_options(model, "m"); }).empty());
  }
}
