// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/distributions.hpp"
#include "halfspace/model/errors.hpp"

namespace halfspace {
namespace {

void check_level(double level, const char* what) {
  if (!(level > 0 && level < 1)) throw UsageError(fmt::format("the {} must lie between 0 and 1", what));
}

double two_sided_z(double confidence) { return normal_quantile(1 - (1 - confidence) / 2); }

// Tango's statistic at the difference `delta`: how many standard errors the one seen lies above it. The share of rows that
// only the second gets wrong is its most likely value under that difference, a root of a square equation.
double score_statistic(double n, double b, double c, double delta) {
  const double linear = -b - c + (2 * n - b + c) * delta;
  const double constant = -c * delta * (1 - delta);
  const double root = std::sqrt(std::max(0.0, linear * linear - 8 * n * constant));
  // The larger root, without a difference of nearly equal numbers.
  const double share = linear <= 0 ? (root - linear) / (4 * n) : -2 * constant / (root + linear);
  const double variance = n * (2 * share + delta * (1 - delta));
  const double above = b - c - n * delta;
  if (variance <= 0) return above == 0 ? 0 : std::copysign(HUGE_VAL, above);
  return above / std::sqrt(variance);
}

// Where the statistic, which falls in delta, crosses `level`.
double score_limit(double n, double b, double c, double level) {
  double low = -1;
  double high = 1;
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (score_statistic(n, b, c, middle) > level ? low : high) = middle;
  }
}

// Right or wrong, row by row.
std::vector<std::uint8_t> rights(const PairedRows& judged, const Threads& threads) {
  const auto& [model, data] = judged;
  const std::vector<std::uint32_t> truth = labels_for(model, data);
  const std::vector<double> f = scores(model, data, threads);
  check_scores(model, f, data);
  const std::vector<std::uint32_t> given = labels_from_scores(model, f);
  const std::size_t planes = model.planes();
  std::vector<std::uint8_t> right(data.rows());
  for (std::size_t i = 0; i < right.size(); ++i)
    right[i] = gets_right(std::span(f).subspan(i * planes, planes), given[i], truth[i]) ? 1 : 0;
  return right;
}

void check_same_rows(const Dataset& first, const Dataset& second) {
  for (const Dataset* data : {&first, &second})
    if (!data->labelled())
      throw InputError({.file = data->name()}, "the rows have no labels", "labels are needed here");
  if (first.rows() != second.rows()) {
    throw InputError(
        {.file = first.name()},
        fmt::format("{} rows for the first model, {} for the second", first.rows(), second.rows()),
        "the same rows for both", "are rows with missing values dropped for one of them?");
  }
  for (std::size_t i = 0; i < first.rows(); ++i) {
    const bool same_label = first.classes()[first.labels()[i]] == second.classes()[second.labels()[i]];
    if (!same_label || first.weight(i) != second.weight(i))
      throw InputError({.file = first.name()},
                       fmt::format("row {} is read with another {} for the second model", i + 1,
                                   same_label ? "weight" : "label"),
                       "the same rows for both");
    if (first.weight(i) != std::floor(first.weight(i)))
      throw InputError({.file = first.name()}, fmt::format("row {} has a weight that is not whole", i + 1),
                       "a weight says how many rows a row stands for, or there is nothing to count");
  }
}

}  // namespace

double PairedCounts::difference() const {
  if (rows == 0) return 0;
  return (static_cast<double>(only_first_wrong) - static_cast<double>(only_second_wrong)) /
         static_cast<double>(rows);
}

PairedTest mcnemar_test(std::uint64_t only_first_wrong, std::uint64_t only_second_wrong) {
  const double n = static_cast<double>(only_first_wrong) + static_cast<double>(only_second_wrong);
  const auto k = static_cast<double>(std::min(only_first_wrong, only_second_wrong));
  if (n == 0) return {};
  const double tail = binomial_at_most(k, n, 0.5);
  return {.p = std::min(1.0, 2 * tail),
          .mid_p = std::clamp(2 * tail - binomial_exactly(k, n, 0.5), 0.0, 1.0)};
}

Interval paired_difference_interval(const PairedCounts& counts, double confidence) {
  check_level(confidence, "confidence");
  if (counts.rows == 0) return {.low = -1, .high = 1};
  const auto n = static_cast<double>(counts.rows);
  const auto b = static_cast<double>(counts.only_first_wrong);
  const auto c = static_cast<double>(counts.only_second_wrong);
  const double z = two_sided_z(confidence);
  return {.low = score_limit(n, b, c, z), .high = score_limit(n, b, c, -z)};
}

std::optional<std::uint64_t> rows_to_decide(const PairedCounts& counts, double level, double power) {
  check_level(level, "level");
  check_level(power, "power");
  const double difference = std::abs(counts.difference());
  if (!(difference > 0)) return std::nullopt;
  const double disagree =
      (static_cast<double>(counts.only_first_wrong) + static_cast<double>(counts.only_second_wrong)) /
      static_cast<double>(counts.rows);
  const double spread = std::sqrt(std::max(0.0, disagree - difference * difference));
  const double root =
      (two_sided_z(1 - level) * std::sqrt(disagree) + normal_quantile(power) * spread) / difference;
  constexpr double most = 0x1p62;
  return static_cast<std::uint64_t>(std::min(most, std::ceil(root * root)));
}

PairedCounts count_pairs(const PairedRows& first, const PairedRows& second, const Threads& threads) {
  check_same_rows(first.data, second.data);
  const std::vector<std::uint8_t> a = rights(first, threads);
  const std::vector<std::uint8_t> b = rights(second, threads);
  PairedCounts counts;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double weight = first.data.weight(i);
    constexpr double most = 0x1p62;
    if (static_cast<double>(counts.rows) + weight > most)
      throw InputError({.file = first.data.name()}, "weights that stand for more than 2^62 rows");
    const auto copies = static_cast<std::uint64_t>(weight);
    counts.rows += copies;
    if (a[i] == 0) (b[i] == 0 ? counts.both_wrong : counts.only_first_wrong) += copies;
    if (a[i] != 0 && b[i] == 0) counts.only_second_wrong += copies;
  }
  return counts;
}

ResampledTest corrected_resampled_test(std::span<const double> differences, double test_per_training,
                                       double confidence) {
  check_level(confidence, "confidence");
  if (differences.size() < 2) throw UsageError("a resampled test needs at least two differences");
  if (!(test_per_training >= 0)) throw UsageError("test rows per training row must be at least 0");
  const auto count = static_cast<double>(differences.size());
  ResampledTest test;
  test.mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  double squares = 0;
  for (const double d : differences) squares += (d - test.mean) * (d - test.mean);
  test.standard_error = std::sqrt((1 / count + test_per_training) * squares / (count - 1));
  if (test.standard_error > 0) {
    test.p = 2 * student_below(-std::abs(test.mean) / test.standard_error, count - 1);
  } else {
    test.p = test.mean == 0 ? 1 : 0;
  }
  const double half = test.standard_error * student_quantile(1 - (1 - confidence) / 2, count - 1);
  test.interval = {.low = test.mean - half, .high = test.mean + half};
  return test;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;  // an adjusted value is never below one of a smaller p
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - k) * p_values[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

}  // namespace halfspace
