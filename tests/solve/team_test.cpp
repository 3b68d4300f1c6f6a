// SPDX-License-Identifier: BSD-3-Clause
// Teams of several members, each with its own rows, give the bits of one that has all of them.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "certify/duality_gap.hpp"
#include "certify/softmax_gap.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "solve/convex/softmax.hpp"
#include "solve/convex/solver.hpp"
#include "support.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

struct Shape {
  std::size_t rows, features, entries, classes;  // entries of a row; as many as features: dense
  bool weighted = false;
};

// Rows around the centres of their classes, with some labels wrong, and some rows of other weight or none.
Dataset blobs(const Shape& shape) {
  Random random(7);
  DatasetParts parts;
  MatrixBuilder builder;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    const auto label = static_cast<std::uint32_t>(random.below(shape.classes));
    for (std::size_t j = 0; j < shape.features; ++j) {
      if (shape.entries < shape.features && random.below(shape.features) >= shape.entries) continue;
      const double centre = j % shape.classes == label ? 0.7 : 0.0;
      builder.add(static_cast<std::uint32_t>(j), centre + random.normal());
    }
    builder.end_row();
    const bool wrong = random.below(20) == 0;
    parts.labels.push_back(wrong ? static_cast<std::uint32_t>(random.below(shape.classes)) : label);
    if (shape.weighted) parts.weights.push_back(i % 97 == 5 ? 0.0 : i % 13 == 0 ? 2.0 : 1.0);
  }
  StoredMatrix stored = builder.finish(shape.features, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.name = "blobs";
  for (std::size_t k = 0; k < shape.classes; ++k) parts.classes.push_back(std::to_string(k));
  return Dataset::make(std::move(parts));
}

// The numbers that one member gets, with all of `data` and with its part of it.
using Numbers = std::vector<double>;
using Solve = std::function<Numbers(const Dataset&, const Team&, std::size_t first)>;

bool equal_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void compare(const Dataset& data, const Solve& solve) {
  const Numbers alone = solve(data, Team(Threads(2)), 0);
  REQUIRE(!alone.empty());
  for (const auto& ends : partitions(data.rows())) {
    std::mutex guard;
    as_team(ends.size(), [&](Members& members, std::size_t m) {
      const std::size_t first = m == 0 ? 0 : ends[m - 1];
      const Dataset mine = data.part(first, ends[m]);
      const Numbers numbers = solve(mine, Team(Threads(1), members), first);
      const std::lock_guard lock(guard);
      CHECK_MESSAGE(equal_bits(numbers, alone), ends.size(), " members, member ", m);
    });
  }
}

// Dense and sparse, with so many rows that solvers begin with a sample of them.
const Shape shapes[] = {{12500, 12, 12, 2}, {12500, 60, 6, 2, true}};
// More features than a factor is made for; more rows than it samples; few rows.
const Shape wide_shapes[] = {{6000, 2100, 8, 2}, {12500, 420, 6, 2}, {700, 2300, 12, 2}};
const Shape many_classes[] = {{12500, 10, 10, 4, true}, {12500, 50, 6, 4}};

// Some plane, and some dual point that is not its own.
std::vector<double> some_plane(std::size_t size) {
  Random random(3);
  std::vector<double> out(size);
  for (double& w : out) w = 0.3 * random.normal();
  return out;
}
DualPoint some_point(const Problem& problem, std::size_t first) {
  DualPoint out;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const auto share = static_cast<double>((first + i) % 11) / 10;
    out.rows.push_back(static_cast<std::uint32_t>(i));
    out.alpha.push_back(share * problem.cost[i]);
  }
  return out;
}

// The plane of a solver as the numbers that all members must agree on.
Numbers numbers_of(const Solution& solution, const Team& team) {
  Numbers out = solution.theta;
  out.push_back(solution.theta0);
  out.push_back(static_cast<double>(solution.iterations));
  out.push_back(static_cast<double>(solution.stop));
  const Numbers alpha = team.join(solution.alpha);
  out.insert(out.end(), alpha.begin(), alpha.end());
  return out;
}

Solution newton(const Problem& problem, const Team& team, double gap, const Run& run = {}) {
  const Clock clock(run);
  return solve_newton(problem, *RowAccess::of(problem.data->matrix()), Goal{gap, 1, team, clock});
}

}  // namespace

TEST_CASE("the duality gap of a team has the bits of one member") {
  for (const Shape& shape : shapes) {
    const Dataset data = blobs(shape);
    const std::vector<double> theta = some_plane(shape.features);
    for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{}), Loss(Logistic{})}) {
      for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
        compare(data, [&](const Dataset& mine, const Team& team, std::size_t first) {
          const Problem problem = make_problem(mine, 1, loss, offset, 0.5);
          const DualityGap own = duality_gap(problem, theta, 0.1, std::nullopt, team);
          const DualityGap with = duality_gap(problem, theta, 0.1, some_point(problem, first), team);
          return Numbers{own.primal, own.dual, with.primal, with.dual};
        });
      }
    }
  }
}

TEST_CASE("the gap of softmax of a team has the bits of one member") {
  for (const Shape& shape : many_classes) {
    const Dataset data = blobs(shape);
    LinearModel model{.features = shape.features, .planes = shape.classes};
    model.weights = some_plane(shape.features * shape.classes);
    model.offsets = some_plane(shape.classes);
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
        const DualityGap gap = softmax_gap(make_softmax_problem(mine, offset, 0.5), model, team);
        return Numbers{gap.primal, gap.dual};
      });
    }
  }
}

TEST_CASE("Newton's method by a team has the bits of one member") {
  for (const Loss& loss : {Loss(Logistic{}), Loss(SquaredHinge{})}) {
    for (const Shape& shape : shapes) {
      const Dataset data = blobs(shape);
      for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
        compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
          return numbers_of(newton(make_problem(mine, 1, loss, offset, 0.5), team, 1e-7), team);
        });
      }
    }
  }
}

TEST_CASE(
    "Newton's method without a matrix, with a sample of one, and by products of rows: the same for a team") {
  for (const Loss& loss : {Loss(Logistic{}), Loss(SquaredHinge{})}) {
    for (const Shape& shape : wide_shapes) {
      const Dataset data = blobs(shape);
      compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
        return numbers_of(newton(make_problem(mine, 1, loss, Offset::Free, 10), team, 1e-5), team);
      });
    }
  }
}

TEST_CASE("a squared hinge with a large C by a team has the bits of one member") {
  const Dataset data = blobs(shapes[1]);
  compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
    return numbers_of(newton(make_problem(mine, 1, SquaredHinge{}, Offset::Free, 1e5), team, 1e-6), team);
  });
}

TEST_CASE("the semismooth method by a team has the bits of one member") {
  for (const Shape& shape : shapes) {
    const Dataset data = blobs(shape);
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
        const Problem problem = make_problem(mine, 1, Hinge{}, offset, 0.5);
        const Run run;
        const Clock clock(run);
        return numbers_of(
            solve_semismooth(problem, *RowAccess::of(mine.matrix()), Goal{1e-5, 1, team, clock}), team);
      });
    }
  }
}

TEST_CASE("softmax by a team has the bits of one member") {
  for (const Shape& shape : many_classes) {
    const Dataset data = blobs(shape);
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      compare(data, [&](const Dataset& mine, const Team& team, std::size_t) {
        const SoftmaxProblem problem = make_softmax_problem(mine, offset, 0.5);
        const Run run;
        const Clock clock(run);
        const SoftmaxSolution solution =
            solve_softmax(problem, *RowAccess::of(mine.matrix()), Goal{1e-6, 1, team, clock});
        Numbers out = solution.model.weights;
        out.insert(out.end(), solution.model.offsets.begin(), solution.model.offsets.end());
        out.push_back(static_cast<double>(solution.iterations));
        return out;
      });
    }
  }
}

TEST_CASE("one member that says no stops all of them at the same step") {
  const Dataset data = blobs(shapes[0]);
  const auto stopped_after = [&](const Dataset& mine, const Team& team, bool says_no) {
    int looks = 0;
    Run run;
    run.observe = [&](const Progress&) { return !says_no || ++looks < 5; };
    return newton(make_problem(mine, 1, Logistic{}, Offset::Free, 0.5), team, 1e-12, run);
  };
  const Solution alone = stopped_after(data, Team(Threads(1)), true);
  CHECK(alone.stop == Stop::Cancelled);
  as_team(3, [&](Members& members, std::size_t m) {
    const std::size_t third = data.rows() / 3;
    const Dataset mine = data.part(m * third, m == 2 ? data.rows() : (m + 1) * third);
    const Solution solution = stopped_after(mine, Team(Threads(1), members), m == 1);
    CHECK(solution.stop == Stop::Cancelled);
    CHECK(equal_bits(solution.theta, alone.theta));
    CHECK(solution.iterations == alone.iterations);
  });
}

TEST_CASE("dual descent goes from row to row: several members are refused by name") {
  const Dataset data = blobs({200, 5, 5, 2});
  as_team(2, [&](Members& members, std::size_t m) {
    const Dataset mine = data.part(m * 100, (m + 1) * 100);
    const Run run;
    const Clock clock(run);
    CHECK_THROWS_WITH_AS(
        (void)solve_dual_descent(make_problem(mine, 1, Hinge{}, Offset::Free, 1),
                                 *RowAccess::of(mine.matrix()),
                                 Goal{1e-3, 1, Team(Threads(1), members), clock}),
        "dual descent goes from row to row: a team of several members has newton and semismooth", UsageError);
  });
}
