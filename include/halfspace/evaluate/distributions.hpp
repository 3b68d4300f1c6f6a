// SPDX-License-Identifier: BSD-3-Clause
// The distributions that tests and intervals stand on. All of them are regularised incomplete beta functions (DLMF 8.17)
// or the error function; quantiles by bisection, to the last bit.
#pragma once

namespace halfspace {

// I_x(a, b) for a, b > 0 and x in [0, 1]: the share of the beta distribution below x.
[[nodiscard]] double incomplete_beta(double a, double b, double x);
// The x at which I_x(a, b) reaches `level`.
[[nodiscard]] double beta_quantile(double a, double b, double level);

// P(X <= k) for X binomial: n trials of probability p each (DLMF 8.17.5).
[[nodiscard]] double binomial_at_most(double k, double n, double p);
// P(X = k).
[[nodiscard]] double binomial_exactly(double k, double n, double p);

// P(Z <= z) for the standard normal distribution, and the z that belongs to a level in (0, 1).
[[nodiscard]] double normal_below(double z);
[[nodiscard]] double normal_quantile(double level);

// P(T <= t) for Student's distribution with so many degrees of freedom (DLMF 8.17.20 has the tail), and its quantile.
[[nodiscard]] double student_below(double t, double degrees);
[[nodiscard]] double student_quantile(double level, double degrees);

}  // namespace halfspace
