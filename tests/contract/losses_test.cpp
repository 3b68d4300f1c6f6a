// SPDX-License-Identifier: BSD-3-Clause
// What holds of every loss of the list, by its members alone: nothing here knows a formula.
#include "halfspace/objective/losses.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace halfspace;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class F>
void for_losses(F&& f) {
  [&]<class... L>(std::tuple<L...>*) {
    (
        [&] {
          CAPTURE(L::name);
          f(L{});
        }(),
        ...);
  }(static_cast<Losses*>(nullptr));
}

// Margins on both sides of every place where a loss may bend, and those places.
std::vector<double> margins() {
  std::vector<double> out;
  for (int k = -400; k <= 400; ++k) {
    out.push_back(0.0137 * k);
    out.push_back(0.25 * k);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Dual values from 0 to the largest one, or to 50 where there is none.
template <class L>
std::vector<double> dual_values(L) {
  std::vector<double> out;
  const double last = std::min(L::limit, 50.0);
  for (int k = 0; k <= 200; ++k) out.push_back(last * k / 200);
  return out;
}

// What rounding can do to a sum of these.
double rounding(double a, double b = 0, double c = 0) {
  return 8 * std::numeric_limits<double>::epsilon() * (1 + std::abs(a) + std::abs(b) + std::abs(c));
}

// inf over m of value(m) + a m, by thirds: the function is convex.
template <class L>
double least(L, double a) {
  double low = -1e4, high = 1e4;
  for (int k = 0; k < 200; ++k) {
    const double one = low + (high - low) / 3, two = high - (high - low) / 3;
    (L::value(one) + a * one <= L::value(two) + a * two ? high : low) =
        L::value(one) + a * one <= L::value(two) + a * two ? two : one;
  }
  return L::value(low) + a * low;
}

}  // namespace

TEST_CASE("every loss has a name of its own, in small letters and dashes") {
  std::set<std::string_view> names;
  for_losses([&]<class L>(L) {
    CHECK(names.insert(L::name).second);
    CHECK_FALSE(L::name.empty());
    CHECK(std::all_of(L::name.begin(), L::name.end(),
                      [](unsigned char c) { return std::islower(c) != 0 || c == '-'; }));
  });
}

TEST_CASE("every loss: Fenchel-Young, value(m) >= gain(a) - a m, and equality at a = -slope(m)") {
  for_losses([]<class L>(L loss) {
    for (const double m : margins()) {
      CAPTURE(m);
      for (const double a : dual_values(loss)) {
        CAPTURE(a);
        CHECK(L::value(m) >= L::gain(a) - a * m - rounding(L::value(m), L::gain(a), a * m));
      }
      const double a = -L::slope(m);
      CHECK(a >= 0);
      CHECK(a <= L::limit);
      CHECK(std::abs(L::value(m) - (L::gain(a) - a * m)) <= rounding(L::value(m), L::gain(a), a * m));
    }
  });
}

TEST_CASE("every loss: gain(a) is the least value(m) + a m, and outside 0 to limit there is no least") {
  for_losses([]<class L>(L loss) {
    for (const double a : dual_values(loss)) {
      CAPTURE(a);
      CHECK(std::abs(L::gain(a) - least(loss, a)) <= 1e-7 * (1 + a * a));
    }
    CHECK(L::gain(0) == 0);
    CHECK(L::value(1e6) - 0.01 * 1e6 < -1000);  // a = -0.01
    if (std::isfinite(L::limit)) CHECK(L::value(-1e6) - (L::limit + 0.01) * 1e6 < -1000);
  });
}

TEST_CASE("every loss: convex and never rising, and the slope supports it") {
  for_losses([]<class L>(L) {
    const std::vector<double> all = margins();
    for (std::size_t i = 1; i < all.size(); ++i) {
      CAPTURE(all[i]);
      CHECK(L::value(all[i]) <= L::value(all[i - 1]));
      CHECK(L::slope(all[i]) >= L::slope(all[i - 1]));
      CHECK(L::slope(all[i]) <= 0);
    }
    for (std::size_t i = 0; i < all.size(); i += 7) {
      for (std::size_t j = 0; j < all.size(); j += 5) {
        const double m = all[i], to = all[j], step = L::slope(m) * (to - m);
        CHECK(L::value(to) >= L::value(m) + step - rounding(L::value(m), L::value(to), step));
      }
    }
  });
}

TEST_CASE("every loss: the slope lies between the differences to the left and to the right") {
  for_losses([]<class L>(L) {
    constexpr double h = 1e-6;
    for (const double m : margins()) {
      CAPTURE(m);
      const double error = rounding(L::value(m), L::value(m - h)) / h;
      CHECK(L::slope(m) >= (L::value(m) - L::value(m - h)) / h - error);
      CHECK(L::slope(m) <= (L::value(m + h) - L::value(m)) / h + error);
    }
  });
}

TEST_CASE("every loss: the curvature is that of the slope, wherever the slope has one") {
  for_losses([]<class L>(L) {
    constexpr double h = 1e-5;
    std::size_t checked = 0, kinks = 0;
    for (const double m : margins()) {
      CAPTURE(m);
      CHECK(L::curvature(m) >= 0);
      const double left = (L::slope(m) - L::slope(m - h)) / h, right = (L::slope(m + h) - L::slope(m)) / h;
      if (std::abs(left - right) > 1e-3) {
        ++kinks;
        continue;
      }
      ++checked;
      CHECK(L::curvature(m) == doctest::Approx((left + right) / 2).epsilon(1e-4));
    }
    CHECK(kinks <= 4);
    CHECK(checked > 1000);
    // Smooth: the slope has no jump, not even where it bends.
    for (const double m : margins()) {
      if (L::smooth) CHECK(std::abs(L::slope(m + 1e-9) - L::slope(m - 1e-9)) <= 1e-7);
    }
    if (!L::smooth) CHECK(kinks > 0);
  });
}

TEST_CASE(
    "every loss: the ends of the range of numbers give no not-a-number, and what they give is ordered") {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for_losses([]<class L>(L) {
    double before_value = infinity, before_slope = -infinity;
    for (const double m : {-infinity, -largest, -1e308, -1e155, -800.0, -tiny, 0.0, tiny, 800.0, 1e155, 1e308,
                           largest, infinity}) {
      CAPTURE(m);
      CHECK(L::value(m) >= 0);  // also: it is a number
      CHECK(L::value(m) <= before_value);
      CHECK(L::slope(m) >= before_slope);
      CHECK(L::slope(m) <= 0);
      CHECK(L::slope(m) >= -L::limit);
      CHECK(L::curvature(m) >= 0);
      CHECK(L::curvature(m) < infinity);
      before_value = L::value(m);
      before_slope = L::slope(m);
    }
    // A row that is lost beyond all numbers costs everything; one that is right by as much costs nothing.
    CHECK(L::value(-infinity) == infinity);
    CHECK(L::value(infinity) == 0);
    CHECK(L::slope(infinity) == 0);
    // Where the value is a number, it does not overflow on the way: a linear one is one up to the end.
    if (std::isfinite(L::limit)) CHECK(L::value(-1e308) == doctest::Approx(L::limit * 1e308));
    for (const double a : {0.0, tiny, 1e-300, std::min(L::limit, 1e150)}) {
      CAPTURE(a);
      CHECK(std::isfinite(L::gain(a)));
    }
  });
}

TEST_CASE("every loss that asks for a margin is an upper bound of the errors, in units of its value at 0") {
  for_losses([]<class L>(L) {
    if (L::value(0) == 0) {
      CHECK(L::value(-1) > 0);  // asks for no margin, but for the right side
      return;
    }
    for (const double m : margins()) {
      CAPTURE(m);
      CHECK(L::value(m) / L::value(0) >= ZeroOne::value(m));
    }
  });
}

TEST_CASE("every loss: no loss and no slope from its margin on, and some before it") {
  for_losses([]<class L>(L) {
    for (const double m : margins()) {
      CAPTURE(m);
      if (m > L::margin) CHECK(L::slope(m) == 0);
      CHECK((L::value(m) == 0) == (m >= L::margin));
    }
  });
}

TEST_CASE("every loss: its largest curvature is reached and never passed") {
  for_losses([]<class L>(L) {
    double most = 0;
    for (const double m : margins()) most = std::max(most, L::curvature(m));
    CHECK(most == L::largest_curvature);
    if (L::smooth) CHECK(most > 0);
  });
}

TEST_CASE(
    "every loss whose gain is called quadratic has one, and bends by the same amount wherever it bends") {
  for_losses([]<class L>(L loss) {
    if constexpr (QuadraticGain<L>) {
      for (const double a : dual_values(loss)) {
        CAPTURE(a);
        CHECK(L::gain(a) == doctest::Approx(a - L::gain_curvature * a * a / 2));
      }
      for (const double m : margins()) {
        CAPTURE(m);
        CHECK((L::curvature(m) == 0 || L::curvature(m) == L::largest_curvature));
      }
    }
  });
}

TEST_CASE(
    "every loss: no constant is better than the best one, which is near enough for the bounds of a gap") {
  for_losses([]<class L>(L) {
    for (const double p : {1e-300, 1e-3, 0.3, 1.0, 7.0, 1e300}) {
      for (const double n : {1e-300, 1e-3, 0.3, 1.0, 7.0, 1e300}) {
        CAPTURE(p);
        CAPTURE(n);
        const double best = L::best_constant(p, n);
        CHECK(std::abs(best) <= (1 + std::abs(std::log(p) - std::log(n))) * (1 + 1e-12));
        const auto value = [&](double b) { return p * L::value(b) + n * L::value(-b); };
        for (const double b : margins()) CHECK(value(best) <= value(b) * (1 + 1e-12));
      }
    }
  });
}
