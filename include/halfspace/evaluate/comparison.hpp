// SPDX-License-Identifier: BSD-3-Clause
// Is one classifier better than another, or is it chance? On the same rows only those count that exactly one of the two
// gets wrong; on folds only the differences fold by fold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/evaluate/interval.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

// Rows by who gets them wrong; a row of whole weight k counts as k.
struct PairedCounts {
  std::uint64_t rows = 0, both_wrong = 0, only_first_wrong = 0, only_second_wrong = 0;

  // Error of the first less error of the second: below 0 when the first is better.
  [[nodiscard]] double difference() const;
};

// The exact test of McNemar ("Note on the sampling error of the difference between correlated proportions or
// percentages", Psychometrika 12, 1947): where both are equally good, each of the b + c rows that exactly one gets wrong
// is a fair coin. Two-sided p = min(1, 2 P(X <= min(b, c))); its mid-p takes off the probability of what was seen, which is
// less cautious and hardly ever too bold (Fagerland, Lydersen, Laake, BMC Medical Research Methodology 13, 2013).
struct PairedTest {
  double p = 1, mid_p = 1;
};
[[nodiscard]] PairedTest mcnemar_test(std::uint64_t only_first_wrong, std::uint64_t only_second_wrong);

// Score interval of the difference of two paired shares (Tango: "Equivalence test and confidence interval for the
// difference in proportions for the paired-sample design", Statistics in Medicine 17, 1998).
[[nodiscard]] Interval paired_difference_interval(const PairedCounts& counts, double confidence = 0.95);

// How many rows in all McNemar's test needs to find a difference as large as the one seen with probability `power`
// (Connor: "Sample size for testing differences in proportions for the paired-sample design", Biometrics 43, 1987).
// Nothing when no difference was seen: then no number of rows is known to do.
[[nodiscard]] std::optional<std::uint64_t> rows_to_decide(const PairedCounts& counts, double level = 0.05,
                                                          double power = 0.8);

// Two models on the same rows, which each may have read in its own way. Throws InputError when the rows have no labels or
// are not the same ones, and when weights are not whole numbers: then there is nothing to count.
struct PairedRows {
  const Model& model;
  const Dataset& data;
};
[[nodiscard]] PairedCounts count_pairs(const PairedRows& first, const PairedRows& second,
                                       const Threads& threads);

// The corrected resampled t-test (Nadeau, Bengio: "Inference for the generalization error", Machine Learning 52, 2003).
// Training sets of folds or repeated splits overlap, so that differences are correlated and the plain t-test is far too
// bold; the variance of their mean is taken as (1/J + test rows / training rows) s^2.
struct ResampledTest {
  double mean = 0;
  double standard_error = 0;
  double p = 1;       // two-sided
  Interval interval;  // of the mean
};
// At least two differences; `test_per_training` is 1 / (k - 1) for k folds. All differences equal: p is 0, or 1 at zero.
[[nodiscard]] ResampledTest corrected_resampled_test(std::span<const double> differences,
                                                     double test_per_training, double confidence = 0.95);

// p-values of several tests, adjusted so that a false alarm in any of them stays below the level (Holm: "A simple
// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979). In the order given.
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace halfspace
