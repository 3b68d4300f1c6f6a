// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/distributions.hpp"

#include <cmath>
#include <limits>

namespace halfspace {
namespace {

double log_gamma(double x) {
  int sign = 0;  // lgamma() would write to a global
  return lgamma_r(x, &sign);
}

// The continued fraction DLMF 8.17.22, 1 / (1 + d1 / (1 + d2 / (1 + ...))), from the front by Lentz's method
// (Lentz: "Generating Bessel functions in Mie scattering calculations using continued fractions", 1976).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;  // stands for a zero denominator
  const auto guarded = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  const auto coefficient = [&](double m, bool odd) {
    return odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
               : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
  };
  double value = 1;
  double c = 1;
  double d = 0;
  for (int step = 1; step < 4'000'000; ++step) {
    const int half = step / 2;
    const double term = coefficient(half, step % 2 == 1);
    d = 1 / guarded(1 + term * d);
    c = guarded(1 + term / c);
    const double change = c * d;
    value *= change;
    if (std::abs(change - 1) < 1e-16) break;
  }
  return 1 / value;
}

// I_x(a, b) for x up to about the mean of the distribution, where the fraction converges fast; `rest` is 1 - x.
double lower_beta(double a, double b, double x, double log_rest) {
  const double front =
      a * std::log(x) + b * log_rest + log_gamma(a + b) - log_gamma(a) - log_gamma(b) - std::log(a);
  return std::exp(front) * beta_fraction(a, b, x);
}

// The point of [low, high] at which a rising function reaches `level`: halved until the ends meet.
template <class Rising>
double solve_rising(double low, double high, double level, const Rising& f) {
  for (int step = 0; step < 1100; ++step) {  // far below 1 the ends meet only after many halvings
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (f(middle) < level ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // Beyond the mean by I_x(a, b) = 1 - I_{1-x}(b, a).
  return x < (a + 1) / (a + b + 2) ? lower_beta(a, b, x, std::log1p(-x))
                                   : 1 - lower_beta(b, a, 1 - x, std::log(x));
}

double beta_quantile(double a, double b, double level) {
  return solve_rising(0, 1, level, [&](double x) { return incomplete_beta(a, b, x); });
}

double binomial_at_most(double k, double n, double p) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incomplete_beta(n - k, k + 1, 1 - p);
}

double binomial_exactly(double k, double n, double p) {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  return std::exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

double normal_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double normal_quantile(double level) {
  if (level > 0.5) return -normal_quantile(1 - level);  // the lower tail keeps its digits
  return solve_rising(-40, 0, level, normal_below);
}

double student_below(double t, double degrees) {
  // The two tails beyond |t| are I_x(degrees/2, 1/2) at x = degrees / (degrees + t^2).
  const double tails = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t < 0 ? tails / 2 : 1 - tails / 2;
}

double student_quantile(double level, double degrees) {
  if (level > 0.5) return -student_quantile(1 - level, degrees);
  if (level == 0.5) return 0;
  double low = -1;
  while (student_below(low, degrees) > level && low > -std::numeric_limits<double>::max() / 4) low *= 2;
  return solve_rising(low, 0, level, [&](double t) { return student_below(t, degrees); });
}

}  // namespace halfspace
