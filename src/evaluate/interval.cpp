// SPDX-License-Identifier: BSD-3-Clause
// The exact interval for a binomial share (Clopper, Pearson: "The use of confidence or fiducial limits
// illustrated in the case of the binomial", Biometrika 26, 1934). With k errors in n rows and a = 1 -
// confidence, its ends p solve P(X >= k | p) = a/2 and P(X <= k | p) = a/2. Both tails are regularised
// incomplete beta functions (DLMF 8.17.5), which rise in p.
#include "halfspace/evaluate/interval.hpp"

#include <algorithm>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/distributions.hpp"

namespace halfspace {

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
