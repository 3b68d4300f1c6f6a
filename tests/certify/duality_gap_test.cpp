// SPDX-License-Identifier: BSD-3-Clause
// The gap that follows from the margins alone is the gap of the same point given in full.
#include "certify/duality_gap.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "certify/logistic_terms.hpp"
#include "halfspace/core/random.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

TEST_CASE("logistic terms are those of long double, from one end of the numbers to the other") {
  Random random(3);
  std::vector<double> m = {0,   -0.0, 1e-300, -1e-300, 36.8,     -36.8,
                           699, -699, 1e10,   -1e10,   HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 5000; ++k) m.push_back((random.uniform() - 0.5) * 80);
  std::vector<double> loss(m.size()), share(m.size());
  logistic_terms(m.data(), m.size(), loss.data(), share.data());
  const auto near = [](double found, long double truth) {
    if (std::isinf(truth)) return std::isinf(found);
    return std::abs(found - truth) <= 12 * 0x1.0p-53L * truth + 1e-300L;
  };
  for (std::size_t k = 0; k < m.size(); ++k) {
    const long double e = std::exp(-std::abs(static_cast<long double>(m[k])));
    CAPTURE(m[k]);
    CHECK(near(loss[k], std::log1p(e) + (m[k] < 0 ? -static_cast<long double>(m[k]) : 0.0L)));
    CHECK(near(share[k], (m[k] > 0 ? e : 1.0L) / (1 + e)));
  }
  double lost = std::nan(""), infinite = 0, any = 0;
  logistic_terms(&lost, 1, &infinite, &any);
  CHECK(std::isinf(infinite));
}

TEST_CASE("the gap of the margins is that of the point they stand for, and never above what holds") {
  Random random(8);
  for (const double length : {0.01, 1.0, 40.0, 400.0}) {
    Rows rows;
    std::vector<int> labels;
    for (int i = 0; i < 200; ++i) {
      rows.push_back({random.normal(), random.normal(), 3 * random.normal()});
      labels.push_back(i % 3 == 0 ? 1 : 0);
    }
    const Dataset data = dataset_from(rows, labels);
    for (const Offset offset : {Offset::Lifted, Offset::None}) {
      const Problem p = make_problem(data, 1, Logistic{}, offset, 0.8);
      const std::vector<double> theta = {length, -0.5 * length, 0.25 * length};
      const double theta0 = offset == Offset::Lifted ? 0.3 : 0.0;
      // The same sums in long double.
      long double primal = 0, gain = 0, balance = 0;
      std::vector<long double> s(3, 0);
      DualPoint point;
      for (const double w : theta) primal += static_cast<long double>(w) * w / 2;
      primal += static_cast<long double>(theta0) * theta0 / 2;
      for (std::uint32_t i = 0; i < rows.size(); ++i) {
        long double f = theta0;
        for (std::size_t j = 0; j < 3; ++j) f += static_cast<long double>(theta[j]) * rows[i][j];
        const long double m = p.y[i] * f, e = std::exp(-std::abs(m));
        primal += p.cost[i] * (std::log1p(e) + (m < 0 ? -m : 0.0L));
        const auto alpha = static_cast<double>(p.cost[i] * ((m > 0 ? e : 1.0L) / (1 + e)));
        point.rows.push_back(i);
        point.alpha.push_back(alpha);
        const long double a = static_cast<long double>(alpha) / p.cost[i];
        if (a > 0) gain -= p.cost[i] * a * std::log(a);
        if (a > 0 && a < 1) gain -= p.cost[i] * (1 - a) * std::log1p(-a);
        for (std::size_t j = 0; j < 3; ++j) s[j] += static_cast<long double>(alpha) * p.y[i] * rows[i][j];
        balance += static_cast<long double>(alpha) * p.y[i];
      }
      long double dual = gain;
      for (const long double v : s) dual -= v * v / 2;
      if (offset == Offset::Lifted) dual -= balance * balance / 2;
      const DualityGap own = duality_gap(p, theta, theta0, std::nullopt, Team(Threads(1)));
      const DualityGap given = duality_gap(p, theta, theta0, point, Team(Threads(1)));
      CAPTURE(length);
      CHECK(own.primal >= primal);
      CHECK(own.dual <= dual + 1e-12L * std::abs(primal));
      CHECK(own.primal == doctest::Approx(static_cast<double>(primal)).epsilon(1e-11));
      CHECK(std::abs(own.dual - static_cast<double>(dual)) <= 1e-10 * std::abs(static_cast<double>(primal)));
      CHECK(std::abs(given.dual - own.dual) <= 1e-10 * std::abs(static_cast<double>(primal)));
    }
  }
}
