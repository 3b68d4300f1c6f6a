// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/calibration.hpp"

namespace halfspace {
namespace {

constexpr std::size_t rows_at_a_time = 8192;

struct HeldOut {
  std::vector<double> scores;         // planes() of every row
  std::vector<double> probabilities;  // of every class, where they were asked for
  std::vector<std::uint32_t> labels;
  std::vector<double> weights;
};

// All rows in their order.
bool is_whole(std::span<const std::uint32_t> rows, const Dataset& data) {
  if (rows.size() != data.rows()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != i) return false;
  return true;
}

HeldOut score_rows(const Model& model, const Dataset& data, std::span<const std::uint32_t> rows,
                   bool with_probabilities, const Threads& threads) {
  HeldOut out;
  const bool whole = is_whole(rows, data);  // then no row need be copied
  const std::size_t step = whole ? std::max<std::size_t>(rows.size(), 1) : rows_at_a_time;
  for (std::size_t begin = 0; begin < rows.size(); begin += step) {
    const Dataset some = whole ? data : data.subset(rows.subspan(begin, std::min(step, rows.size() - begin)));
    const std::vector<double> f = scores(model, some, threads);
    check_scores(model, f, some);
    out.scores.insert(out.scores.end(), f.begin(), f.end());
    if (!with_probabilities) continue;
    const std::vector<double> p = probabilities_from_scores(
        model, labels_follow_probabilities(model) ? probability_scores(model, some, threads) : f);
    out.probabilities.insert(out.probabilities.end(), p.begin(), p.end());
  }
  for (const std::uint32_t row : rows) {
    out.labels.push_back(data.labels()[row]);
    out.weights.push_back(data.weight(row));
  }
  return out;
}

[[noreturn]] void refuse_fold(const Dataset& data, std::string_view why, std::string_view hint) {
  throw UsageError(fmt::format("{}: {}", printable(data.name(), 200), why), std::string(hint));
}

Ranking ranking_of(const HeldOut& held, const Dataset& data, const Model& model) {
  if (model.planes() != 1)
    refuse_fold(data, fmt::format("{} classes have no one ranking", model.classes.size()),
                "--metric error, or --positive LABEL");
  std::vector<std::uint8_t> positive(held.labels.size());
  for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = held.labels[i] == 1 ? 1 : 0;
  return rank_scores(held.scores, positive, held.weights);
}

double balanced_error(const HeldOut& held, std::span<const std::uint8_t> right, std::size_t classes) {
  std::vector<double> weight(classes, 0.0), wrong(classes, 0.0);
  for (std::size_t i = 0; i < right.size(); ++i) {
    weight[held.labels[i]] += held.weights[i];
    if (right[i] == 0) wrong[held.labels[i]] += held.weights[i];
  }
  double sum = 0, seen = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (!(weight[c] > 0)) continue;
    sum += wrong[c] / weight[c];
    ++seen;
  }
  return seen > 0 ? sum / seen : 0;
}

}  // namespace

JudgedRows judge_rows(const Model& model, const Dataset& data, std::span<const std::uint32_t> rows,
                      const Metric& metric, const Threads& threads) {
  if (metric.kind == MetricKind::LogLoss && !has_probabilities(model))
    throw UsageError(fmt::format("{} has no probabilities to measure the log-loss of", model.algorithm),
                     "--metric error or auc");
  const HeldOut held = score_rows(model, data, rows, metric.kind == MetricKind::LogLoss, threads);
  const std::vector<std::uint32_t> given = labels_from_scores(model, held.scores);
  JudgedRows out;
  std::vector<std::uint8_t> right(rows.size());
  const std::size_t planes = model.planes();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    right[i] =
        gets_right(std::span(held.scores).subspan(i * planes, planes), given[i], held.labels[i]) ? 1 : 0;
    out.errors.add(held.weights[i], right[i] == 1);
  }
  switch (metric.kind) {
    case MetricKind::Error: out.value = out.errors.share(); break;
    case MetricKind::BalancedError: out.value = balanced_error(held, right, model.classes.size()); break;
    case MetricKind::LogLoss:
      out.value = log_loss({.probabilities = held.probabilities,
                            .truth = held.labels,
                            .weights = held.weights,
                            .classes = model.classes.size()})
                      .value_or(0);
      break;
    case MetricKind::Auc: {
      const auto area = area_under_curve(ranking_of(held, data, model));
      if (!area) refuse_fold(data, "rows held out that are all of one class have no AUC", "fewer --folds");
      out.value = *area;
      break;
    }
    case MetricKind::Cost: {
      const Ranking ranking = ranking_of(held, data, model);
      const double weight = ranking.positive + ranking.negative;
      out.value = weight > 0 ? cost_at(ranking, metric.costs, 0) / weight : 0;
      break;
    }
  }
  return out;
}

Costs parse_costs(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw UsageError(fmt::format("--cost {}: wanted two numbers", printable(text)),
                     "--cost 1:5 where a missed positive row costs five times a false alarm");
  const Range range{0, 1e300};
  return {OptionType<double>::parse("cost", text.substr(0, colon), range),
          OptionType<double>::parse("cost", text.substr(colon + 1), range)};
}

}  // namespace halfspace
