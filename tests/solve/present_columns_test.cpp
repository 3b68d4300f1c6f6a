// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/present_columns.hpp"

#include <doctest/doctest.h>

#include <string>

#include "data/readers.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/solve/algorithms.hpp"

using namespace halfspace;

namespace {

// Rows of ten ones each among columns that are a thousand apart.
Dataset far_apart(int rows, int classes, int apart) {
  Random random(31);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const int k = static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
    text += std::to_string(k);
    int column = 0;
    for (int e = 0; e < 10; ++e) {
      column += 1 + static_cast<int>(random.below(4)) + (e == k ? 2 : 0);
      text += " " + std::to_string(column * apart) + ":1";
    }
    text += "\n";
  }
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

}  // namespace

TEST_CASE("columns that no row has are left out, and nothing else changes") {
  const Dataset data = far_apart(200, 2, 1000);
  const auto rows = RowAccess::of(data.matrix());
  const auto present = PresentColumns::worth_while(*rows);
  REQUIRE(present != nullptr);
  CHECK(present->columns().size() < 60);
  CHECK(present->rows().rows() == rows->rows());
  std::vector<double> w(rows->cols());
  Random random(32);
  for (double& v : w) v = random.uniform();
  const std::vector<double> some = present->gather(w);
  for (std::size_t i = 0; i < rows->rows(); ++i)
    CHECK(present->rows().dot(i, some.data()) == doctest::Approx(rows->dot(i, w.data())));
  CHECK(present->gather(present->scatter(some)) == some);
  CHECK(PresentColumns::worth_while(*RowAccess::of(far_apart(200, 2, 1).matrix())) == nullptr);
}

TEST_CASE("planes of columns far apart are those of the same columns side by side") {
  for (const int classes : {2, 5}) {
    const Dataset near = far_apart(300, classes, 1), far = far_apart(300, classes, 1000);
    const LogisticRegression options{.C = 10, .gap = 1e-9, .solver = SolverName::Newton};
    const Fit one = train(near, options), other = train(far, options);
    CHECK(other.answer.stop == Stop::Converged);
    CHECK(other.proof.objective->primal == doctest::Approx(one.proof.objective->primal).epsilon(1e-8));
    CHECK(verify(other.model(), far, Threads(1)).holds);
    const auto& a = std::get<LinearModel>(one.model().form);
    const auto& b = std::get<LinearModel>(other.model().form);
    for (std::size_t c = 0; c < a.planes; ++c)
      for (std::size_t j = 0; j < a.features; ++j)
        CHECK(b.plane(c)[1000 * j + 999] == doctest::Approx(a.plane(c)[j]).epsilon(1e-3).scale(0.01));
  }
}
