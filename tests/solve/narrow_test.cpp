// SPDX-License-Identifier: BSD-3-Clause
// Panels of rows of few columns: their sums are those of the rows one by one, and the planes that come of them are certified.
#include "solve/narrow/narrow.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "certify/duality_gap.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/core/random.hpp"
#include "solve/narrow/panel_rows.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

// Two clouds of rows; every fourth entry is zero.
Dataset clouds(std::size_t rows, std::size_t features, double apart) {
  Random random(5);
  MatrixBuilder builder;
  DatasetParts parts;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint32_t label = random.below(10) < 3 ? 1 : 0;
    for (std::size_t j = 0; j < features; ++j) {
      const double centre = label == 1 && j % 3 == 0 ? apart : 0.0;
      if (random.below(4) != 0) builder.add(static_cast<std::uint32_t>(j), centre + random.normal());
    }
    builder.end_row();
    parts.labels.push_back(label);
  }
  StoredMatrix stored = builder.finish(features, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.classes = {"a", "b"};
  parts.name = "clouds";
  return Dataset::make(std::move(parts));
}

Solution narrow(const Problem& problem, double gap, int threads = 1) {
  const Run run;
  const Clock clock(run);
  return solve_narrow(problem, *RowAccess::of(problem.data->matrix()),
                      Goal{gap, 1, Team(Threads(threads)), clock});
}

double certified(const Problem& problem, const Solution& solution) {
  std::optional<DualPoint> point;
  if (!solution.alpha.empty()) {
    point.emplace();
    for (std::size_t i = 0; i < solution.alpha.size(); ++i) {
      point->rows.push_back(static_cast<std::uint32_t>(i));
      point->alpha.push_back(solution.alpha[i]);
    }
  }
  return duality_gap(problem, solution.theta, solution.theta0, point, Team(Threads(1))).relative();
}

double lanes(const std::vector<double>& sums, std::size_t place) {
  double total = 0;
  for (std::size_t k = 0; k < panel_lanes; ++k) total += sums[place + k];
  return total;
}

}  // namespace

TEST_CASE("the sums of panels are those of the rows one by one, wherever panels begin") {
  const Dataset data = clouds(301, 6, 1);
  const auto rows = RowAccess::of(data.matrix());
  const std::vector<double> theta = {0.3, -0.2, 0.7, 0.1, -0.5, 0.4, 0.25, 0};
  for (const Loss loss : {Loss(Logistic{}), Loss(SquaredHinge{})}) {
    const Problem p = make_problem(data, 1, loss, Offset::Lifted, 0.7);
    PanelLoss form;
    form.logistic = std::holds_alternative<Logistic>(loss);
    form.width = 0.5;
    form.limit = std::numeric_limits<double>::infinity();
    const PanelSums places(Panel(6).columns);
    for (const std::size_t skip : {0U, 3U}) {
      std::vector<double> sums(places.size(true), 0.0);
      Panel panel(6);
      const PanelList list{{}, p.cost};
      for (std::size_t begin = 0; begin < 301;) {
        const std::size_t from = begin == 0 ? skip : 0,
                          end = std::min<std::size_t>(301, begin + panel.most - from);
        fill_panel(p, list, begin, end, from, panel);
        add_panel(panel, theta.data(), form, true, sums.data());
        begin = end;
      }
      double value = 0, slope = 0, curvature = 0;
      std::vector<double> x(6);
      for (std::size_t i = 0; i < 301; ++i) {
        rows->expand(i, 1.0, x.data());
        const double m = p.y[i] * (rows->dot(i, theta.data()) + theta[6]);
        std::visit(
            [&](auto one) {
              value += p.cost[i] * one.value(m);
              slope -= p.cost[i] * one.slope(m) * p.y[i] * x[2];
              curvature += p.cost[i] * one.curvature(m) * x[4] * x[1];
            },
            loss);
      }
      CHECK(lanes(sums, PanelSums::value) == doctest::Approx(value).epsilon(1e-12));
      CHECK(lanes(sums, PanelSums::gradient + 2 * panel_lanes) == doctest::Approx(slope).epsilon(1e-10));
      CHECK(lanes(sums, places.pair(4, 1)) == doctest::Approx(curvature).epsilon(1e-10));
    }
  }
}

TEST_CASE("many rows of few columns reach the gap that was asked for") {
  for (const double apart : {0.5, 6.0}) {
    const Dataset data = clouds(9000, 7, apart);
    REQUIRE(narrow_handles(make_problem(data, 1, Logistic{}, Offset::Free, 1), *RowAccess::of(data.matrix()),
                           Team(Threads(1))));
    for (const Loss loss : {Loss(Logistic{}), Loss(SquaredHinge{}), Loss(SmoothHinge{}), Loss(Hinge{})}) {
      for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
        for (const double C : {0.01, 1.0, 100.0}) {
          const Problem p = make_problem(data, 1, loss, offset, C);
          for (const double gap : {1e-3, 1e-6}) {
            const Solution found = narrow(p, gap);
            CAPTURE(name_of(loss));
            CAPTURE(C);
            CAPTURE(static_cast<int>(offset));
            // The corner of the hinge may be left to another solver, the rest is not.
            if (!std::holds_alternative<Hinge>(loss) && apart < 1) CHECK(found.stop == Stop::Converged);
            if (found.stop == Stop::Converged) CHECK(certified(p, found) <= 1.02 * gap);
          }
        }
      }
    }
  }
}

TEST_CASE("the hinge of many rows is solved in the passes of few columns") {
  const Dataset data = clouds(20000, 5, 1);
  const Solution found = narrow(make_problem(data, 1, Hinge{}, Offset::Lifted, 1), 1e-3);
  CHECK(found.stop == Stop::Converged);
}

TEST_CASE("panels give the same bits for any number of threads") {
  const Dataset data = clouds(30000, 9, 1);
  for (const Loss loss : {Loss(Logistic{}), Loss(Hinge{})}) {
    const Problem p = make_problem(data, 1, loss, Offset::Free, 1);
    const Solution one = narrow(p, 1e-4, 1);
    for (const int threads : {2, 3, 8}) {
      const Solution other = narrow(p, 1e-4, threads);
      CHECK(other.theta == one.theta);
      CHECK(other.theta0 == one.theta0);
      CHECK(other.alpha == one.alpha);
    }
  }
}
