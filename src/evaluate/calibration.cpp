// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/ranking.hpp"

namespace halfspace {
namespace {

// Weighted mean of loss(row of probabilities, true class) over the rows that count.
template <class LossOfRow>
std::optional<double> mean_over_rows(const JudgedProbabilities& judged, const LossOfRow& loss) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < judged.truth.size(); ++i) {
    const double weight = judged.weights.empty() ? 1.0 : judged.weights[i];
    if (judged.truth[i] >= judged.classes || !(weight > 0)) continue;
    sum += weight * loss(judged.probabilities.subspan(i * judged.classes, judged.classes), judged.truth[i]);
    total += weight;
  }
  return total > 0 ? std::optional(sum / total) : std::nullopt;
}

CalibrationBin close_bin(CalibrationBin bin, double came_true, bool whole) {
  bin.predicted /= bin.weight;
  bin.observed = came_true / bin.weight;
  if (whole)
    bin.interval =
        error_interval(static_cast<std::uint64_t>(came_true), static_cast<std::uint64_t>(bin.weight));
  return bin;
}

}  // namespace

std::optional<double> log_loss(const JudgedProbabilities& judged) {
  return mean_over_rows(judged, [](std::span<const double> p, std::uint32_t truth) {
    return -std::log(std::max(p[truth], std::numeric_limits<double>::min()));
  });
}

std::optional<double> brier_score(const JudgedProbabilities& judged) {
  return mean_over_rows(judged, [](std::span<const double> p, std::uint32_t truth) {
    if (p.size() == 2) return (p[1] - truth) * (p[1] - truth);
    double sum = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double miss = p[k] - (k == truth ? 1 : 0);
      sum += miss * miss;
    }
    return sum;
  });
}

Calibration calibration(std::span<const double> probability, std::span<const std::uint8_t> came_true,
                        std::span<const double> weights, std::size_t bins) {
  if (bins == 0) throw UsageError("calibration needs at least one bin");
  const Ranking ranking = rank_scores(probability, came_true, weights);
  const double total = ranking.positive + ranking.negative;
  Calibration result;
  CalibrationBin bin;
  double yes = 0;
  double before = 0;  // weight up to here
  for (std::size_t k = 0; k < ranking.steps.size(); ++k) {
    const ScoreStep& step = ranking.steps[k];
    const double weight = step.positive + step.negative;
    if (bin.weight == 0) bin.low = step.score;
    bin.high = step.score;
    bin.weight += weight;
    bin.predicted += weight * step.score;
    yes += step.positive;
    before += weight;
    // A bin ends where its share of the weight is reached, at the latest with the last row.
    const double goal = total * static_cast<double>(result.bins.size() + 1) / static_cast<double>(bins);
    if (before < goal * (1 - 1e-12) && k + 1 < ranking.steps.size()) continue;
    result.bins.push_back(close_bin(bin, yes, ranking.whole_weights));
    const CalibrationBin& done = result.bins.back();
    result.error += done.weight / total * std::abs(done.predicted - done.observed);
    bin = {};
    yes = 0;
  }
  return result;
}

Calibration calibration(const JudgedProbabilities& judged, std::size_t bins) {
  std::vector<double> probability(judged.truth.size());
  std::vector<std::uint8_t> came_true(judged.truth.size());
  std::vector<double> weights(judged.truth.size());
  for (std::size_t i = 0; i < judged.truth.size(); ++i) {
    const auto p = judged.probabilities.subspan(i * judged.classes, judged.classes);
    const std::size_t k =
        judged.classes == 2 ? 1 : static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    probability[i] = p[k];
    came_true[i] = judged.truth[i] == k ? 1 : 0;
    const double weight = judged.weights.empty() ? 1.0 : judged.weights[i];
    weights[i] = judged.truth[i] < judged.classes ? weight : 0;
  }
  return calibration(probability, came_true, weights, bins);
}

}  // namespace halfspace
