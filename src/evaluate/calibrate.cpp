// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "halfspace/prepare/against_rest.hpp"

namespace halfspace {
namespace {

// Scores are measured in units of their own size, so that the steps know no scale.
double unit_of(std::span<const double> scores) {
  double squares = 0;
  for (const double f : scores) squares += f * f;
  const double unit = std::sqrt(squares / std::max<double>(1, static_cast<double>(scores.size())));
  return unit > 0 && std::isfinite(unit) ? unit : 1;
}

// Minus the logarithm of the likelihood of targets t at the log-odds z.
double cross_entropy(double t, double z) {
  return z >= 0 ? (1 - t) * z + std::log1p(std::exp(-z)) : -t * z + std::log1p(std::exp(z));
}

// Newton's method in slope and shift, steps halved until they help.
struct PlattFit {
  std::span<const double> scores, targets, weights;
  double unit = 1;

  [[nodiscard]] double value(double slope, double shift) const {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      sum += weights[i] * cross_entropy(targets[i], slope * (scores[i] / unit) + shift);
    return sum;
  }

  // With `level` the slope stays 0.
  [[nodiscard]] Calibrator solve(bool level) const {
    constexpr int most_steps = 100;
    constexpr double ridge = 1e-12, enough = 1e-10;
    double slope = 0, shift = 0, best = value(0, 0);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (int step = 0; step < most_steps; ++step) {
      double g0 = 0, g1 = 0, h00 = ridge * total, h11 = ridge * total, h01 = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const double f = scores[i] / unit;
        const double z = slope * f + shift;
        const double p = z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z));
        const double d = weights[i] * (p - targets[i]), c = weights[i] * p * (1 - p);
        g0 += d * f;
        g1 += d;
        h00 += c * f * f;
        h01 += c * f;
        h11 += c;
      }
      if (level) g0 = h01 = 0;
      if (std::max(std::abs(g0), std::abs(g1)) <= enough * total) break;
      const double determinant = h00 * h11 - h01 * h01;
      if (!(determinant > 0)) break;
      const double d0 = level ? 0 : -(h11 * g0 - h01 * g1) / determinant;
      const double d1 = -(h00 * g1 - h01 * g0) / determinant;
      double length = 1, next = value(slope + d0, shift + d1);
      for (; length > 1e-10 && !(next < best); length /= 2)
        next = value(slope + length / 2 * d0, shift + length / 2 * d1);
      if (!(next < best)) break;
      slope += length * d0;
      shift += length * d1;
      best = next;
    }
    return {CalibrationKind::Platt, slope / unit, shift, {}, {}};
  }
};

// Minus the mean logarithm of softmax(slope f) of the true class, and its two derivatives.
struct SlopeSums {
  double value = 0, first = 0, second = 0;
};
SlopeSums slope_sums(const ScoredRows& rows, double unit, double slope) {
  SlopeSums out;
  const std::size_t k = rows.planes;
  std::vector<double> e(k);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const double* f = rows.scores.data() + i * k;
    const double largest = *std::max_element(f, f + k);
    double sum = 0, mean = 0, square = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double x = (f[c] - largest) / unit;
      e[c] = std::exp(slope * x);
      sum += e[c];
      mean += e[c] * x;
      square += e[c] * x * x;
    }
    mean /= sum;
    const double own = (f[rows.labels[i]] - largest) / unit;
    out.value += rows.weights[i] * (std::log(sum) - slope * own);
    out.first += rows.weights[i] * (mean - own);
    out.second += rows.weights[i] * (square / sum - mean * mean);
  }
  return out;
}

// The slope of many classes: the value is convex in it, so its derivative is bracketed.
Calibrator fit_slope(const ScoredRows& rows) {
  const double unit = unit_of(rows.scores);
  constexpr double steepest = 1e6;
  double low = 0, high = steepest, slope = 1;
  if (slope_sums(rows, unit, 0).first >= 0) return {CalibrationKind::Platt, 0, 0, {}, {}};
  for (int step = 0; step < 200 && high - low > 1e-12 * high; ++step) {
    const SlopeSums at = slope_sums(rows, unit, slope);
    (at.first > 0 ? high : low) = slope;
    double next = at.second > 0 ? slope - at.first / at.second : high;
    if (!(next > low && next < high))
      next = high == steepest ? std::min(4 * slope, steepest) : (low + high) / 2;
    if (std::abs(next - slope) <= 1e-12 * slope) break;
    slope = next;
  }
  return {CalibrationKind::Platt, slope / unit, 0, {}, {}};
}

struct Pool {
  double first = 0, last = 0;  // scores
  double yes = 0, weight = 0;
  [[nodiscard]] double height() const { return yes / weight; }
};

// Pools whose heights ascend strictly.
std::vector<Pool> pools_of(std::vector<Pool> points) {
  std::vector<Pool> out;
  std::stable_sort(points.begin(), points.end(),
                   [](const Pool& a, const Pool& b) { return a.first < b.first; });
  for (const Pool& point : points) {
    if (!out.empty() && out.back().last == point.first) {  // one score, one height
      out.back().yes += point.yes;
      out.back().weight += point.weight;
    } else {
      out.push_back(point);
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[kept++] = out[k];
    while (kept > 1 && !(out[kept - 2].height() < out[kept - 1].height())) {
      Pool& into = out[kept - 2];
      into.last = out[kept - 1].last;
      into.yes += out[kept - 1].yes;
      into.weight += out[kept - 1].weight;
      --kept;
    }
  }
  out.resize(kept);
  return out;
}

std::vector<double> weights_of_classes(const Dataset& data, const Algorithm& algorithm) {
  for (const auto& [name, value] : algorithm.values())
    if (name == "class-weight") return class_weights(data, value);
  return {};
}

ScoredRows scores_held_out(const Dataset& data, const Preparation& how, const Algorithm& algorithm,
                           const FoldPlan& plan, const Run& run) {
  const std::vector<double> factors = weights_of_classes(data, algorithm);
  std::vector<ScoredRows> parts(plan.held_out.size());
  Threads(run.threads.count()).run(parts.size(), [&](std::size_t fold) {
    run.stop.check();
    Run own;
    own.seed = run.seed;
    own.stop = run.stop;
    own.start = run.start;
    Preparation plain = how;
    plain.describe = false;
    const std::vector<std::uint32_t>& rows = plan.held_out[fold];
    const FoldRows parts_of = fold_rows(data, rows);
    const Fit fit = train(parts_of.training, plain, algorithm, own);
    if (!fit.has_model()) throw UsageError(fmt::format("calibration: {}", fit.answer.reason));
    if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled) throw Stopped(run.stop.cause());
    ScoredRows& part = parts[fold];
    part.planes = fit.model().planes();
    const Dataset held = parts_of.judged.subset(rows);
    part.scores = scores(fit.model(), held, Threads(1, run.stop));
    check_scores(fit.model(), part.scores, held);
    for (const std::uint32_t row : rows) {
      part.labels.push_back(data.labels()[row]);
      part.weights.push_back(data.weight(row) * (factors.empty() ? 1.0 : factors[data.labels()[row]]));
    }
  });
  ScoredRows all;
  for (const ScoredRows& part : parts) {
    all.planes = part.planes;
    all.scores.insert(all.scores.end(), part.scores.begin(), part.scores.end());
    all.labels.insert(all.labels.end(), part.labels.begin(), part.labels.end());
    all.weights.insert(all.weights.end(), part.weights.begin(), part.weights.end());
  }
  return all;
}

double share_held(const Calibrator& calibrator, const ScoredRows& rows) {
  if (rows.planes != 1) return 0;
  double held = 0, all = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    const double p = calibrator.free_probability(rows.scores[i]);
    if ((rows.scores[i] > 0 && p < 0.5) || (rows.scores[i] < 0 && p > 0.5)) held += rows.weights[i];
    all += rows.weights[i];
  }
  return all > 0 ? held / all : 0;
}

}  // namespace

Calibrator fit_platt(const ScoredRows& rows) {
  if (rows.planes != 1) return fit_slope(rows);
  double yes = 0, no = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) (rows.labels[i] == 1 ? yes : no) += rows.weights[i];
  std::vector<double> targets;
  targets.reserve(rows.labels.size());
  for (const std::uint32_t label : rows.labels)
    targets.push_back(label == 1 ? (yes + 1) / (yes + 2) : 1 / (no + 2));
  const PlattFit fit{rows.scores, targets, rows.weights, unit_of(rows.scores)};
  const Calibrator free = fit.solve(false);
  return free.slope >= 0 ? free : fit.solve(true);
}

Calibrator fit_isotonic(const ScoredRows& rows) {
  std::vector<Pool> points;
  points.reserve(rows.scores.size());
  double weight = 0;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    weight += rows.weights[i];
    for (std::size_t k = 0; k < rows.planes; ++k) {
      const double f = rows.scores[i * rows.planes + k];
      const bool yes = rows.labels[i] == (rows.planes == 1 ? 1 : k);
      points.push_back({f, f, yes ? rows.weights[i] : 0.0, rows.weights[i]});
    }
  }
  Calibrator out{CalibrationKind::Isotonic, 0, 0, {}, {}};
  const double least = 1 / (weight + 2);
  for (const Pool& pool : pools_of(std::move(points))) {
    const double p = std::clamp(pool.height(), least, 1 - least);
    for (const double score : {pool.first, pool.last}) {
      if (!out.scores.empty() && out.scores.back() == score) continue;
      out.scores.push_back(score);
      out.probabilities.push_back(p);
    }
  }
  return out;
}

CalibrationFit calibrate(const Dataset& given, const Preparation& how, const Algorithm& algorithm,
                         CalibrationKind kind, const FoldOptions& folds, const Run& allowed) {
  const Run run = begin_run(allowed);
  const Dataset data = how.positive.empty() ? given : against_rest(given, how.positive);
  CalibrationFit out;
  out.rows = scores_held_out(data, how, algorithm, plan_folds(data, folds), run);
  out.calibrator = kind == CalibrationKind::Isotonic ? fit_isotonic(out.rows) : fit_platt(out.rows);
  out.held = share_held(out.calibrator, out.rows);
  return out;
}

void calibrate_fit(Fit& fit, const Dataset& data, const Preparation& how, const Algorithm& algorithm,
                   CalibrationKind kind, const FoldOptions& folds, const Run& run) {
  CalibrationFit found = calibrate(data, how, algorithm, kind, folds, run);
  fit.model().calibrator = std::move(found.calibrator);
  fit.model().facts.emplace_back(
      "calibration", fmt::format("{} on {} folds", OptionType<CalibrationKind>::print(kind), folds.folds));
  constexpr double worth_saying = 0.01;
  if (found.held > worth_saying)
    fit.words.notes.push_back(fmt::format(
        "a score of 0 is not where the classes are equally probable: {:.1f} % of the rows have their "
        "probability held at 1/2, so that it agrees with their label",
        100 * found.held));
}

}  // namespace halfspace
