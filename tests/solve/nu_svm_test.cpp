// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

Dataset clouds(int rows, int classes, std::uint64_t seed) {
  Random random(seed);
  testing::Rows out;
  std::vector<int> labels;
  for (int i = 0; i < rows; ++i) {
    labels.push_back(i % (classes + 1) % classes);
    out.push_back({labels.back() * 2 + random.normal(), random.normal() - labels.back()});
  }
  return testing::dataset_from(out, labels);
}

double figure(const Fit& fit, const std::string& name) {
  const auto found = std::find_if(fit.trace.figures.begin(), fit.trace.figures.end(),
                                  [&](const auto& f) { return f.first == name; });
  REQUIRE(found != fit.trace.figures.end());
  return found->second;
}

const KernelFunction rbf{KernelKind::Rbf, 0.2};

}  // namespace

TEST_CASE(
    "nu lies between the shares of margin errors and support vectors, and its C gives the same machine") {
  const Dataset data = clouds(150, 2, 1);
  for (const double nu : {0.35, 0.5, 0.6}) {
    const Fit fit = train(data, NuSvm{.nu = nu, .gap = 1e-6, .kernel = rbf});
    REQUIRE(fit.answer.stop == Stop::Converged);
    CHECK(figure(fit, "margin_error_share") <= nu);
    CHECK(figure(fit, "support_vector_share") >= nu);
    CHECK(verify(fit.model(), data, Threads(1)).holds);
    const Fit same = train(data, Svm{.C = figure(fit, "C"), .gap = 1e-6, .kernel = rbf});
    CHECK(same.proof.objective->primal == doctest::Approx(fit.proof.objective->primal).epsilon(3e-6));
    const auto a = scores(fit.model(), data, Threads(1));
    const auto b = scores(same.model(), data, Threads(1));
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-2));
  }
}

TEST_CASE("a nu that the smaller class cannot carry is refused with the largest one") {
  const Dataset data = testing::dataset_from({{0}, {1}, {2}, {3}}, std::vector<int>{0, 1, 1, 1});
  try {
    (void)train(data, NuSvm{.nu = 0.6, .kernel = rbf});
    FAIL("not refused");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("at most 0.5") != std::string::npos);
  }
  CHECK_NOTHROW((void)train(data, NuSvm{.nu = 0.5, .kernel = rbf}));
}

TEST_CASE("nu with three classes verifies, and a forged nu does not") {
  const Dataset data = clouds(120, 3, 2);
  const Fit fit = train(data, NuSvm{.nu = 0.4});
  const Model saved = model_from_bytes(to_bytes(fit.model()), "m");
  CHECK(verify(saved, data, Threads(1)).holds);
  Model forged = fit.model();
  for (auto& [name, value] : forged.options)
    if (name == "nu") value = "0.41";
  CHECK_FALSE(verify(forged, data, Threads(1)).holds);
}

TEST_CASE("a nu without a margin claims no C, no certificate and no inequality that does not hold") {
  Random random(3);
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 100; ++i) {
    labels.push_back(i % 2);
    rows.push_back({random.normal(), random.normal()});
  }
  const Dataset data = testing::dataset_from(rows, labels);
  const Fit fit = train(data, NuSvm{.nu = 0.02});
  CHECK(fit.answer.stop == Stop::Limit);
  for (const auto& [name, value] : fit.trace.figures) CHECK(name != "C");
  CHECK(figure(fit, "bounded_support_vector_share") <= 0.02);
  CHECK(figure(fit, "support_vector_share") >= 0.02);
  for (const std::string& line : fit.words.summary) CHECK(line.find("same as svm") == std::string::npos);
  if (figure(fit, "rho") <= 0) {
    CHECK(fit.proof.certificates.empty());
    CHECK_FALSE(fit.proof.objective);
  }
}
