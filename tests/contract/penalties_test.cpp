// SPDX-License-Identifier: BSD-3-Clause
// What holds of every penalty of the list, by its members alone.
#include "halfspace/objective/penalties.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "certify/duality_gap.hpp"
#include "support.hpp"

using namespace halfspace;

namespace {

template <class F>
void for_penalties(F&& f) {
  [&]<class... P>(std::tuple<P...>*) {
    (
        [&] {
          CAPTURE(P::name);
          f(P{});
        }(),
        ...);
  }(static_cast<Penalties*>(nullptr));
}

const std::vector<double> numbers = {0, 1e-300, 1e-8, 0.3, 0.5, 1, 1.5, 7, 1e8, 1e150};

}  // namespace

TEST_CASE("every penalty has a name of its own, and is even, convex and 0 at 0") {
  std::set<std::string_view> names;
  for_penalties([&](const auto& p) {
    CHECK(names.insert(p.name).second);
    CHECK(p.value(0) == 0);
    CHECK(p.conjugate(0) == 0);
    CHECK(p.formula("theta").empty() == p.term("theta0").empty());
    for (const double w : numbers) {
      CHECK(p.value(w) == p.value(-w));
      for (const double v : numbers)
        CHECK(p.value((v + w) / 2) <= (p.value(v) + p.value(w)) / 2 * (1 + 1e-15));
    }
  });
}

TEST_CASE("every penalty: Fenchel-Young, penalty(w) + conjugate(s) >= s w, with equality for some w") {
  for_penalties([](const auto& p) {
    for (const double s : numbers) {
      CAPTURE(s);
      const double conjugate = p.conjugate(std::abs(p.beyond(s)));
      double least = conjugate;  // at w = 0
      for (const double w : numbers) {
        CHECK(p.value(w) + conjugate >= s * w * (1 - 1e-15));
        least = std::min(least, p.value(w) + conjugate - s * w);
      }
      // The best w of every s where there is one, between 0 and 2 s for every penalty of the list.
      double low = 0, high = 2 * s;
      for (int third = 0; third < 300; ++third) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        (p.value(a) - s * a > p.value(b) - s * b ? low : high) =
            p.value(a) - s * a > p.value(b) - s * b ? a : b;
      }
      least = std::min(least, p.value(low) + conjugate - s * low);
      if (std::isfinite(conjugate)) CHECK(least <= 1e-14 * (1 + conjugate));
    }
  });
}

TEST_CASE(
    "every penalty: the part that the conjugate sees grows no faster than the sum, and no theta is too "
    "long") {
  for_penalties([](const auto& p) {
    for (const double s : numbers) {
      for (const double t : numbers)
        CHECK(std::abs(p.beyond(s) - p.beyond(t)) <= std::abs(s - t) * (1 + 1e-15));
      CHECK(s <= p.longest(p.value(s)) * (1 + 1e-15) + 1e-150);
      CHECK((std::isinf(p.conjugate(std::abs(p.beyond(s)))) == (s > p.limit)));
    }
  });
}

TEST_CASE("every penalty: no plane has an objective below the dual of another") {
  const Dataset data = testing::dataset_from(testing::Rows{{1, 2}, {-1, 1}, {0, -2}, {2, 1}, {-2, -1}},
                                             std::vector<int>{1, 0, 0, 1, 1});
  for_penalties([&]<class P>(P penalty) {
    for (const Offset offset : {Offset::Free, Offset::Lifted, Offset::None}) {
      const Problem problem = make_problem(data, 1, Logistic{}, offset, 1, {}, penalty);
      double least = 1e300, most = -1e300;
      for (const double a : {-1.0, 0.0, 0.25, 2.0}) {
        for (const double b : {-0.5, 0.0, 1.0}) {
          const std::vector<double> theta = {a, b};
          const DualityGap gap =
              duality_gap(problem, theta, offset == Offset::None ? 0 : 0.3, {}, Threads(1));
          least = std::min(least, gap.primal);
          most = std::max(most, gap.dual);
        }
      }
      CHECK(most <= least);
    }
  });
}
