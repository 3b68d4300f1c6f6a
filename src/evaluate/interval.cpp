// SPDX-License-Identifier: BSD-3-Clause
// The exact interval for a binomial share (Clopper, Pearson: "The use of confidence or fiducial limits
// illustrated in the case of the binomial", Biometrika 26, 1934). With k errors in n rows and a = 1 -
// confidence, its ends p solve P(X >= k | p) = a/2 and P(X <= k | p) = a/2. Both tails are regularised
// incomplete beta functions (DLMF 8.17.5), which rise in p: bisection finds the ends to the last bit.
#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/evaluation.hpp"

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
    const double term = coefficient(step / 2, step % 2 == 1);
    d = 1 / guarded(1 + term * d);
    c = guarded(1 + term / c);
    const double change = c * d;
    value *= change;
    if (std::abs(change - 1) < 1e-16) break;
  }
  return 1 / value;
}

// I_x(a, b) for x up to about the mean of the distribution, where the fraction converges fast.
double lower_beta(double a, double b, double x) {
  const double front =
      a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b) - std::log(a);
  return std::exp(front) * beta_fraction(a, b, x);
}

// I_x(a, b), 0 < x < 1; beyond the mean by I_x(a, b) = 1 - I_{1-x}(b, a).
double incomplete_beta(double a, double b, double x) {
  return x < (a + 1) / (a + b + 2) ? lower_beta(a, b, x) : 1 - lower_beta(b, a, 1 - x);
}

// The x at which I_x(a, b) reaches `level`.
double beta_quantile(double a, double b, double level) {
  double low = 0;
  double high = 1;
  for (int step = 0; step < 1100; ++step) {  // far below 1 the ends meet only after many halvings
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (incomplete_beta(a, b, middle) < level ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace

Interval error_interval(std::uint64_t errors, std::uint64_t rows, double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw UsageError("the confidence must lie between 0 and 1");
  if (rows == 0) return {};
  constexpr double most = 0x1p40;  // keeps the fraction short
  const double scale = std::min(1.0, most / static_cast<double>(rows));
  const double n = static_cast<double>(rows) * scale;
  const double k = static_cast<double>(std::min(errors, rows)) * scale;
  const double tail = (1 - confidence) / 2;
  Interval interval;
  if (errors > 0) interval.low = beta_quantile(k, n - k + 1, tail);
  if (errors < rows) interval.high = beta_quantile(k + 1, n - k, 1 - tail);
  return interval;
}

}  // namespace halfspace
