// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/hinge_path.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/duality_gap.hpp"
#include "halfspace/core/random.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

struct Kept {
  double C = 0, theta0 = 0;
  std::vector<double> theta, alpha;
  std::vector<MarginMove> moves;
  bool last = false;
};

struct Walked {
  HingeWalk walk;
  std::vector<Kept> places;
};

Walked walk(const Problem& problem, double low = 0, double high = endless, double work = 1e9,
            int threads = 1) {
  Walked out;
  out.walk = walk_hinge_path(problem, low, high, work, Threads(threads), [&](const HingePlace& place) {
    Kept kept{.C = place.C, .theta0 = place.theta0, .moves = place.moves, .last = place.last};
    kept.theta.assign(place.theta.begin(), place.theta.end());
    kept.alpha.assign(problem.rows(), 0.0);
    for (std::size_t t = 0; t < place.dual.rows.size(); ++t)
      kept.alpha[place.dual.rows[t]] = place.dual.alpha[t];
    out.places.push_back(std::move(kept));
    return true;
  });
  return out;
}

double gap_at(const Problem& problem, double C, const std::vector<double>& theta, double theta0,
              const std::vector<double>& alpha) {
  Problem here = problem;
  DualPoint dual;
  for (std::uint32_t i = 0; i < problem.rows(); ++i) {
    here.cost[i] *= C;
    dual.rows.push_back(i);
    dual.alpha.push_back(alpha[i]);
  }
  return duality_gap(here, theta, theta0, dual, Team(Threads(1))).relative();
}

// The places, and what lies between them if none was missed: planes and dual values are linear in C there.
double worst_gap(const Problem& problem, const std::vector<Kept>& places) {
  double worst = 0;
  const auto take = [&worst](double gap) { worst = std::max(worst, std::isnan(gap) ? endless : gap); };
  for (std::size_t k = 0; k < places.size(); ++k) {
    take(gap_at(problem, places[k].C, places[k].theta, places[k].theta0, places[k].alpha));
    if (k == 0) continue;
    const auto middle = [](std::vector<double> a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + b[i]) / 2;
      return a;
    };
    const Kept &a = places[k - 1], &b = places[k];
    take(gap_at(problem, (a.C + b.C) / 2, middle(a.theta, b.theta), (a.theta0 + b.theta0) / 2,
                middle(a.alpha, b.alpha)));
  }
  return worst;
}

// Two clouds; `lattice`: whole numbers, many of them equal.
Dataset clouds(int rows, int every, std::uint64_t seed, bool lattice = false, bool weights = false) {
  Random random(seed);
  testing::Rows out;
  std::vector<int> labels;
  std::vector<double> weight;
  for (int i = 0; i < rows; ++i) {
    labels.push_back(i % every == 0 ? 1 : -1);
    std::vector<double> x(4);
    for (double& value : x) {
      value = random.normal() + 0.6 * labels.back();
      if (lattice) value = std::round(value);
    }
    out.push_back(x);
    if (weights) weight.push_back(static_cast<double>(i % 4) / 2);
  }
  return testing::dataset_from(out, labels, weight);
}

}  // namespace

TEST_CASE("two points: theta grows until both are on the margin, and stays") {
  const Dataset data = testing::dataset_from({{-1}, {1}}, std::vector<int>{-1, 1});
  const Problem problem = make_problem(data, 1, Hinge{}, Offset::Free, 1);
  const Walked found = walk(problem);
  CHECK(found.walk.end == PathEnd::Reached);
  REQUIRE(!found.places.empty());
  const Kept& last = found.places.back();
  CHECK(last.last);
  CHECK(last.C == doctest::Approx(0.5));
  CHECK(last.theta[0] == doctest::Approx(1));
  CHECK(last.theta0 == doctest::Approx(0));
}

TEST_CASE("without an offset a single row is on the margin from C = 1 / |x|^2 on") {
  const Dataset data = testing::dataset_from({{2}, {-0.5}}, std::vector<int>{1, -1});
  const Problem problem = make_problem(data, 1, Hinge{}, Offset::None, 1);
  // theta = 2.5 C until 2 theta = 1; then the second row alone adds to it until theta / 2 = 1.
  const Walked found = walk(problem);
  REQUIRE(found.places.size() == 3);
  CHECK(found.places[0].C == doctest::Approx(0.2));
  CHECK(found.places[0].moves.size() == 1);
  CHECK(found.places[1].C == doctest::Approx(1));  // theta = 0.5: the first row is needed no more
  CHECK(found.places[1].moves[0].to == MarginSide::Outside);
  CHECK(found.places[2].C == doctest::Approx(4));
  CHECK(found.places[2].theta[0] == doctest::Approx(2));
}

TEST_CASE("every place is optimal, and so is everything between two of them") {
  for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None})
    for (const int every : {2, 3, 9})
      for (const bool lattice : {false, true})
        for (const bool weights : {false, true}) {
          const Dataset data = clouds(90, every, 7, lattice, weights);
          const Problem problem = make_problem(data, 1, Hinge{}, offset, 1);
          const Walked found = walk(problem);
          CAPTURE(every);
          CAPTURE(lattice);
          CAPTURE(weights);
          CHECK(found.walk.end == PathEnd::Reached);
          if (every < 9) CHECK(found.places.size() > 10);
          CHECK(worst_gap(problem, found.places) < 1e-9);
        }
}

TEST_CASE("copies of a row, classes that share all rows, and classes of very different size") {
  testing::Rows rows;
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({static_cast<double>(i % 3), static_cast<double>(i % 5)});
    labels.push_back(i % 15 == 0 || i % 4 == 1 ? 1 : -1);
  }
  const Dataset copies = testing::dataset_from(rows, labels);
  const Problem problem = make_problem(copies, 1, Hinge{}, Offset::Free, 1);
  const Walked found = walk(problem);
  CHECK(worst_gap(problem, found.places) < 1e-9);
  // The mean of some rows of the larger class is that of the smaller one: theta is 0 whatever C is.
  const Dataset shared =
      testing::dataset_from({{0}, {-1}, {1}, {-1}, {1}}, std::vector<int>{1, -1, -1, -1, -1});
  const Walked zero = walk(make_problem(shared, 1, Hinge{}, Offset::Free, 1));
  CHECK(zero.walk.end == PathEnd::Reached);
  CHECK(zero.places.empty());
}

TEST_CASE("a walk that is too long says so, threads change no bit, and the range is kept") {
  const Dataset data = clouds(90, 3, 11);
  const Problem problem = make_problem(data, 1, Hinge{}, Offset::Free, 1);
  CHECK(walk(problem, 0, endless, 1e4).walk.end == PathEnd::Work);
  const Walked one = walk(problem), three = walk(problem, 0, endless, 1e9, 3);
  REQUIRE(one.places.size() == three.places.size());
  for (std::size_t k = 0; k < one.places.size(); ++k) CHECK(one.places[k].theta == three.places[k].theta);
  const Walked part = walk(problem, one.places[5].C, one.places[9].C);
  CHECK(part.places.size() >= 4);
  CHECK(part.places.size() <= 5);
  CHECK(part.places[1].C == one.places[6].C);
}
