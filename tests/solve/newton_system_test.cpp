// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/newton_system.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "core/simd/row_loops.hpp"
#include "data/readers.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

// Thirty questions with five answers each, and two hundred remarks, each made by a few rows.
Dataset answers(int rows) {
  Random random(3);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += i % 2 == 0 ? "1" : "-1";
    for (int question = 0; question < 30; ++question)
      text += " " + std::to_string(5 * question + 1 + static_cast<int>(random.below(5))) + ":1";
    if (random.below(20) == 0) text += " " + std::to_string(151 + static_cast<int>(random.below(200))) + ":1";
    text += "\n";
  }
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", {}));
}

struct Setting {
  Dataset data = answers(20000);
  std::unique_ptr<RowAccess> rows = RowAccess::of(data.matrix());
  Threads threads{2};
  Run run;
  Clock clock{run};
  Goal goal{1e-3, 1, threads, clock};
  std::vector<std::uint32_t> ids = std::vector<std::uint32_t>(data.rows());
  std::vector<double> g = std::vector<double>(rows->cols() + 1);
  Setting() {
    std::iota(ids.begin(), ids.end(), 0U);
    Random random(5);
    for (double& v : g) v = random.uniform() - 0.5;
  }
  int products = 0;  // with H, for the step of `miss`
  // v . H v with all rows
  double energy(const std::vector<double>& h, const std::vector<double>& v) {
    const std::size_t d = rows->cols();
    double sum = norm2(v.data(), d + 1);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const double product = rows->dot(i, v.data()) + v[d];
      sum += h[i] * product * product;
    }
    return sum;
  }
  // How far the system's step is from that of all rows, in the norm of H and as a part of it.
  double miss(const std::vector<double>& h, NewtonSystem& system) {
    std::vector<double> exact(g.size()), step(g.size());
    for (std::size_t j = 0; j < g.size(); ++j) exact[j] = -g[j];
    CurvatureMatrix all(*rows, Offset::Lifted, true, threads);
    all.form(ids, h);
    all.factor();
    all.solve(exact);
    products = system.solve(g, 0, 0, step);
    for (std::size_t j = 0; j < g.size(); ++j) step[j] -= exact[j];
    return std::sqrt(energy(h, step) / energy(h, exact));
  }
};

}  // namespace

TEST_CASE("a factor of a sample knows the columns that the sample has not") {
  Setting s;
  const std::vector<double> h(s.ids.size(), 25.0);
  CurvatureMatrix sampled(*s.rows, Offset::Lifted, false, s.threads);
  NewtonSystem system(*s.rows, Offset::Lifted, s.goal, &sampled);
  system.take(s.ids, h, false, 0);
  CHECK(s.miss(h, system) < 0.2);
  CHECK(s.products <= 3);
}

TEST_CASE("a step from some of the rows with little curvature is near the step from all") {
  Setting s;
  std::vector<double> h(s.ids.size());
  Random random(7);
  for (double& v : h) v = 25 * std::pow(random.uniform(), 12);
  CurvatureMatrix sampled(*s.rows, Offset::Lifted, false, s.threads);
  NewtonSystem system(*s.rows, Offset::Lifted, s.goal, &sampled);
  system.take(s.ids, h, true, 1);
  CHECK(system.rows() < s.ids.size() / 2);
  CHECK(s.miss(h, system) < 0.3);
}
