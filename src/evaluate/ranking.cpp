// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/radix_sort.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/distributions.hpp"

namespace halfspace {
namespace {

// Sum over all steps of weight times squared distance of a row's placement from the mean, for both sides; a placement is
// the share of the other side that the row is in order with.
struct PlacementSpread {
  double positive = 0, negative = 0;
};
PlacementSpread placement_spread(const Ranking& ranking, double area) {
  PlacementSpread spread;
  double below = 0;                 // weight of the negative rows with a smaller score
  double above = ranking.positive;  // and of the positive ones with a larger one
  for (const ScoreStep& step : ranking.steps) {
    above -= step.positive;
    const double of_positive = (below + step.negative / 2) / ranking.negative - area;
    const double of_negative = (above + step.positive / 2) / ranking.positive - area;
    spread.positive += step.positive * of_positive * of_positive;
    spread.negative += step.negative * of_negative * of_negative;
    below += step.negative;
  }
  return spread;
}

double delong_variance(const Ranking& ranking, double area) {
  const PlacementSpread spread = placement_spread(ranking, area);
  const auto mean_variance = [](double squares, double n) { return n > 1 ? squares / (n - 1) / n : 0; };
  return mean_variance(spread.positive, ranking.positive) + mean_variance(spread.negative, ranking.negative);
}

// Newcombe's fifth method: the areas t from which the one seen is z standard errors away at most, with the variance that
// exponential scores would have at t.
Interval newcombe_interval(double area, double m, double n, double z) {
  const double extra = (m + n) / 2 - 1;
  const auto within = [&](double t) {
    const double variance = t * (1 - t) * (1 + extra * (1 - t) / (2 - t) + extra * t / (1 + t)) / m / n;
    return std::abs(t - area) <= z * std::sqrt(variance);
  };
  const auto limit = [&](double inside, double outside) {
    for (int step = 0; step < 200; ++step) {
      const double middle = inside + (outside - inside) / 2;
      (within(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  return {.low = limit(area, 0), .high = limit(area, 1)};
}

double from_logit(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Ranking rank_scores(std::span<const double> scores, std::span<const std::uint8_t> positive,
                    std::span<const double> weights) {
  // What is not a number after an overflow ranks below everything: the order must be total. Rows of equal score stay in
  // their order, so that sums of weights have the same bits everywhere.
  std::vector<std::pair<double, std::size_t>> order(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    order[i] = {std::isnan(scores[i]) ? -HUGE_VAL : scores[i], i};
  std::vector<std::pair<double, std::size_t>> room;
  radix_sort(order, room, [](const auto& one) { return order_key(one.first); });
  Ranking ranking;
  for (const auto& [key, i] : order) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (!(weight > 0)) continue;
    if (ranking.steps.empty() || ranking.steps.back().score != key) ranking.steps.push_back({.score = key});
    (positive[i] != 0 ? ranking.steps.back().positive : ranking.steps.back().negative) += weight;
    if (weight != std::floor(weight)) ranking.whole_weights = false;
  }
  for (const ScoreStep& step : ranking.steps) {
    ranking.positive += step.positive;
    ranking.negative += step.negative;
  }
  return ranking;
}

std::optional<double> area_under_curve(const Ranking& ranking) {
  if (!ranking.both_classes()) return std::nullopt;
  double below = 0;  // weight of the negative rows with a smaller score
  double pairs = 0;
  for (const ScoreStep& step : ranking.steps) {
    pairs += step.positive * (below + step.negative / 2);
    below += step.negative;
  }
  return pairs / ranking.positive / ranking.negative;
}

std::optional<double> area_under_curve(std::span<const double> scores, std::span<const std::uint8_t> positive,
                                       std::span<const double> weights) {
  return area_under_curve(rank_scores(scores, positive, weights));
}

std::optional<Interval> area_interval(const Ranking& ranking, double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw UsageError("the confidence must lie between 0 and 1");
  const std::optional<double> area = area_under_curve(ranking);
  if (!area || !ranking.whole_weights) return std::nullopt;
  constexpr double enough = 200;  // from here on DeLong's variance is good alone
  const double z = normal_quantile(1 - (1 - confidence) / 2);
  const double variance = delong_variance(ranking, *area);
  const bool inside = *area > 0 && *area < 1 && variance > 0;
  Interval interval{.low = *area, .high = *area};
  if (inside) {
    const double logit = std::log(*area / (1 - *area));
    const double half = z * std::sqrt(variance) / (*area * (1 - *area));
    interval = {.low = from_logit(logit - half), .high = from_logit(logit + half)};
  }
  if (!inside || std::min(ranking.positive, ranking.negative) < enough) {
    const Interval other = newcombe_interval(*area, ranking.positive, ranking.negative, z);
    interval = {.low = std::min(interval.low, other.low), .high = std::max(interval.high, other.high)};
  }
  return interval;
}

std::optional<double> average_precision(const Ranking& ranking) {
  if (!ranking.both_classes()) return std::nullopt;
  double sum = 0;
  double taken_positive = 0;
  double taken = 0;
  for (std::size_t k = ranking.steps.size(); k-- > 0;) {
    const ScoreStep& step = ranking.steps[k];
    taken_positive += step.positive;
    taken += step.positive + step.negative;
    sum += step.positive * taken_positive / taken;
  }
  return sum / ranking.positive;
}

std::vector<CurvePoint> curve_points(const Ranking& ranking) {
  std::vector<CurvePoint> points;
  if (!ranking.both_classes()) return points;
  points.push_back({.threshold = std::nextafter(ranking.steps.back().score, HUGE_VAL)});
  double right = 0;
  double wrong = 0;
  for (std::size_t k = ranking.steps.size(); k-- > 0;) {
    const ScoreStep& step = ranking.steps[k];
    right += step.positive;
    wrong += step.negative;
    points.push_back({.threshold = step.score,
                      .false_positive_rate = wrong / ranking.negative,
                      .true_positive_rate = right / ranking.positive,
                      .precision = right / (right + wrong)});
  }
  // The upper hull by a stack (Andrew, Information Processing Letters 9, 1979): the slope falls from corner to corner.
  std::vector<std::size_t> corners;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto turns_left = [&] {
      const CurvePoint& a = points[corners[corners.size() - 2]];
      const CurvePoint& b = points[corners.back()];
      const CurvePoint& c = points[k];
      return (b.false_positive_rate - a.false_positive_rate) *
                 (c.true_positive_rate - a.true_positive_rate) >=
             (b.true_positive_rate - a.true_positive_rate) * (c.false_positive_rate - a.false_positive_rate);
    };
    while (corners.size() >= 2 && turns_left()) corners.pop_back();
    corners.push_back(k);
  }
  for (const std::size_t k : corners) points[k].hull = true;
  return points;
}

std::vector<CurvePoint> thinned(std::span<const CurvePoint> points, std::size_t most) {
  if (points.size() <= most) return {points.begin(), points.end()};
  std::vector<std::uint8_t> kept(points.size(), 0);
  std::size_t room = most;
  const auto keep = [&](std::size_t k) {
    if (kept[k] != 0 || room == 0) return;
    kept[k] = 1;
    --room;
  };
  if (!points.empty()) {
    keep(0);
    keep(points.size() - 1);
  }
  for (std::size_t k = 0; k < points.size(); ++k)
    if (points[k].hull) keep(k);
  const std::size_t others = room;  // spread evenly over the rest
  for (std::size_t j = 0; j < others; ++j) keep((2 * j + 1) * points.size() / (2 * others));
  std::vector<CurvePoint> out;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (kept[k] != 0) out.push_back(points[k]);
  return out;
}

double cost_at(const Ranking& ranking, const Costs& costs, double threshold) {
  double missed = 0;
  double alarms = 0;
  for (const ScoreStep& step : ranking.steps) {
    if (step.score <= threshold) missed += step.positive;
    if (step.score >= threshold) alarms += step.negative;
  }
  return costs.false_negative * missed + costs.false_positive * alarms;
}

CheapestThreshold cheapest_threshold(const Ranking& ranking, const Costs& costs) {
  const auto check = [](double cost) {
    if (!(cost >= 0) || !std::isfinite(cost)) throw UsageError("a cost must be a finite number, at least 0");
  };
  check(costs.false_positive);
  check(costs.false_negative);
  CheapestThreshold best{.threshold = 0, .cost = HUGE_VAL};
  const auto consider = [&](double threshold, double missed, double alarms) {
    const double cost = costs.false_negative * missed + costs.false_positive * alarms;
    if (cost < best.cost || (cost == best.cost && std::abs(threshold) < std::abs(best.threshold)))
      best = {.threshold = threshold, .cost = cost};
  };
  if (ranking.steps.empty()) return {};
  double missed = 0;
  double alarms = ranking.negative;
  const std::vector<ScoreStep>& steps = ranking.steps;
  consider(std::min(0.0, std::nextafter(steps.front().score, -HUGE_VAL)), missed, alarms);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    missed += steps[k].positive;
    alarms = k + 1 < steps.size() ? alarms - steps[k].negative : 0;
    if (k + 1 == steps.size()) {
      consider(std::max(0.0, std::nextafter(steps[k].score, HUGE_VAL)), missed, alarms);
    } else if (steps[k].score < 0 && steps[k + 1].score > 0) {
      consider(0, missed, alarms);  // what the model does by itself, where that is as good
    } else {
      const double middle = steps[k].score / 2 + steps[k + 1].score / 2;
      // Neighbouring doubles have nothing between them: a score on the threshold would be wrong for both classes.
      if (middle > steps[k].score && middle < steps[k + 1].score) consider(middle, missed, alarms);
    }
  }
  return best;
}

}  // namespace halfspace
