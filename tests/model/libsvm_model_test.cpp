// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/model/libsvm.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

// As svm-train writes it: the label that came first in the file comes first. f = x1 - 2 x2 - rho > 0 means 5.
const char* const two_classes =
    "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 5 9\nnr_sv 1 1\nSV\n1 1:1 "
    "\n-2 2:1 \n";

// Three classes in the order 3, 1, 2. Points on a line; the columns hold the coefficients against the other
// classes.
const char* const three_classes =
    "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel 3 1 2\nnr_sv 1 1 1\nSV\n"
    "1 2 1:1 \n-4 8 1:1 \n-16 -32 1:1 \n";

std::vector<std::string> labels_of(const Model& model, const testing::Rows& rows) {
  const Dataset data = testing::dataset_from(rows);
  std::vector<std::string> out;
  for (const std::uint32_t label : labels_from_scores(model, scores(model, data, Threads(1))))
    out.push_back(model.classes.at(label));
  return out;
}

}  // namespace

TEST_CASE("a LIBSVM model of two classes is read with its sign and its tie") {
  const Model model = model_from_bytes(two_classes, "m");
  CHECK(model.classes == std::vector<std::string>{"5", "9"});
  // 1 - 0.5 > 0: 5. 0.5 - 0.5 = 0: the second label, 9. -0.5 - ... < 0: 9.
  CHECK(labels_of(model, {{1, 0}, {0.5, 0}, {0, 1}, {0, -1}}) ==
        std::vector<std::string>{"5", "9", "9", "5"});
}

TEST_CASE("support vectors may be all zeros") {
  const Model model = model_from_bytes(
      "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 "
      "1\nSV\n2\n-1\n",
      "m");
  CHECK(model.features() == 0);
  CHECK(labels_of(model, {{0, 0}, {1, 2}}) == std::vector<std::string>{"1", "1"});  // (2 - 1) exp(-0.5 |x|^2)
}

TEST_CASE("a LIBSVM model of three classes votes as svm-predict does") {
  // 3 against 1: 1 - 4 < 0 for x > 0, a vote for 1. 3 against 2: 2 - 16 < 0: 2. 1 against 2: 8 - 32 < 0: 2.
  const Model model = model_from_bytes(three_classes, "m");
  CHECK(model.classes == std::vector<std::string>{"1", "2", "3"});
  CHECK(labels_of(model, {{1}, {-1}}) == std::vector<std::string>{"2", "3"});
}

TEST_CASE("of equal votes the class that comes first in LIBSVM's list wins") {
  // A circle: 3 beats 1, 1 beats 2, 2 beats 3.
  const Model model = model_from_bytes(
      "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel 3 1 2\nnr_sv 1 1 1\nSV\n"
      "1 -1 1:1 \n0 1 1:1 \n0 0 1:1 \n",
      "m");
  CHECK(labels_of(model, {{1}}) == std::vector<std::string>{"3"});
}

TEST_CASE("probabilities of two classes are LIBSVM's sigmoid, in a file of ours too") {
  std::string text = two_classes;
  text.insert(text.find("nr_sv"), "probA -2\nprobB 0.25\n");
  const Model model = model_from_bytes(text, "m");
  REQUIRE(has_probabilities(model));
  const Dataset data = testing::dataset_from({{1, 0}, {0, 1}});
  for (const Model& each : {model, model_from_bytes(to_bytes(model), "own")}) {
    const auto p = probabilities_from_scores(each, probability_scores(each, data, Threads(1)));
    // P(5) = 1 / (1 + exp(A f + B)) with f = 0.5 and f = -2.5; the classes are 5 and 9.
    CHECK(p[0] == doctest::Approx(1 / (1 + std::exp(-2 * 0.5 + 0.25))));
    CHECK(p[2] == doctest::Approx(1 / (1 + std::exp(-2 * -2.5 + 0.25))));
    CHECK(p[0] + p[1] == doctest::Approx(1));
    CHECK(labels_from_probabilities(each, p) == std::vector<std::uint32_t>{0, 1});
  }
  std::string half = two_classes;
  half.insert(half.find("nr_sv"), "probA -2\n");
  CHECK_THROWS_AS((void)model_from_bytes(half, "m"), InputError);
}

TEST_CASE("probabilities of three classes solve the coupling of the pairs") {
  std::string text = three_classes;
  text.insert(text.find("nr_sv"), "probA -0.1 -0.05 -0.02\nprobB 0.1 0 -0.2\n");
  const Model model = model_from_bytes(text, "m");
  const Dataset data = testing::dataset_from({{1}, {-0.7}});
  const auto p = probabilities_from_scores(model, probability_scores(model, data, Threads(1)));
  for (const std::size_t i : {0U, 1U}) {
    const double x = i == 0 ? 1 : -0.7;
    // r(first, second) in the order of LIBSVM, whose classes 3, 1, 2 are 2, 0, 1 of ours; f = (1 - 4) x, (2 - 16) x, (8 - 32) x.
    const auto r = [](double A, double B, double f) { return 1 / (1 + std::exp(A * f + B)); };
    const double r31 = r(-0.1, 0.1, -3 * x), r32 = r(-0.05, 0, -14 * x), r12 = r(-0.02, -0.2, -24 * x);
    const double* q = p.data() + 3 * i;
    const double p1 = q[0], p2 = q[1], p3 = q[2];
    CHECK(p1 + p2 + p3 == doctest::Approx(1));
    // At the minimum of sum (r_ba p_a - r_ab p_b)^2 all of Qp are equal; LIBSVM stops within 0.005 / 3.
    const double g3 = (1 - r31) * ((1 - r31) * p3 - r31 * p1) + (1 - r32) * ((1 - r32) * p3 - r32 * p2);
    const double g1 = r31 * (r31 * p1 - (1 - r31) * p3) + (1 - r12) * ((1 - r12) * p1 - r12 * p2);
    const double g2 = r32 * (r32 * p2 - (1 - r32) * p3) + r12 * (r12 * p2 - (1 - r12) * p1);
    CHECK(std::abs(g3 - g1) < 0.01 / 3);
    CHECK(std::abs(g1 - g2) < 0.01 / 3);
  }
}

TEST_CASE("what is written for LIBSVM is read back with the same labels") {
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({static_cast<double>(i % 7), static_cast<double>(i % 5) - 2, static_cast<double>(i % 3)});
    labels.push_back((i % 7 > 3 ? 1 : 0) + (i % 5 > 2 ? 2 : 0));
  }
  const Dataset data = testing::dataset_from(rows, labels);
  for (const KernelFunction& kernel :
       {KernelFunction{KernelKind::Rbf, 0.3}, KernelFunction{KernelKind::Poly, 0.5, 1, 2}}) {
    const Fit fit = train(data, Svm{.kernel = kernel});
    const Model back = model_from_bytes(to_libsvm_text(fit.model()), "m");
    CHECK(labels_from_scores(back, scores(back, data, Threads(1))) ==
          labels_from_scores(fit.model(), scores(fit.model(), data, Threads(1))));
    CHECK(to_libsvm_text(back) == to_libsvm_text(fit.model()));
  }
}

TEST_CASE("damaged LIBSVM models are refused with their place") {
  const std::string text = two_classes;
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    out.replace(out.find(from), from.size(), to);
    return out;
  };
  for (const std::string& bad :
       {broken("c_svc", "one_class"), broken("linear", "cubic"), broken("rho 0.5", "rho 0.5 1"),
        broken("rho 0.5", "rho x"), broken("total_sv 2", "total_sv 3"), broken("nr_sv 1 1", "nr_sv 1 2"),
        broken("label 5 9", "label 5 5"), broken("nr_class 2", "nr_class 1"), broken("-2 2:1", "-2 2:1 2:1"),
        broken("-2 2:1", "-2 0:1"), broken("-2 2:1", "-2 2000000000:1"), broken("-2 2:1", "-2 2:nan"),
        broken("-2 2:1 \n", ""), broken("label 5 9\n", ""), text + "1 1:1\n", text.substr(0, 40)})
    CHECK_THROWS_AS((void)model_from_bytes(bad, "m"), InputError);
}

TEST_CASE("what LIBSVM cannot say is not written") {
  CHECK_THROWS_AS((void)to_libsvm_text(testing::linear_model({{1, 2}}, {0}, {"0", "1"})), UsageError);
  Model named = model_from_bytes(two_classes, "m");
  named.classes = {"no", "yes"};
  CHECK_THROWS_AS((void)to_libsvm_text(named), UsageError);
}
