// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/calibration.hpp"
#include "halfspace/evaluate/unknown_labels.hpp"
#include "halfspace/objective/losses/hinge.hpp"
#include "halfspace/prepare/against_rest.hpp"

namespace halfspace {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// [true class][given class]: sums of weights; the last column is for rows with a score of zero.
using Table = std::vector<std::vector<double>>;

std::vector<ClassFigures> class_figures(const std::vector<std::string>& names, const Table& table,
                                        bool whole_weights) {
  std::vector<ClassFigures> figures;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double rows = std::accumulate(table[c].begin(), table[c].end(), 0.0);
    double given = 0;
    for (const auto& row : table) given += row[c];
    ClassFigures f{.label = names[c], .rows = rows};
    f.precision = share(table[c][c], given);
    f.recall = share(table[c][c], rows);
    f.f1 = share(2 * table[c][c], rows + given);
    const auto interval = [&](double whole) {
      if (!whole_weights || !(whole > 0)) return std::optional<Interval>();
      return std::optional(
          error_interval(static_cast<std::uint64_t>(table[c][c]), static_cast<std::uint64_t>(whole)));
    };
    f.precision_interval = interval(given);
    f.recall_interval = interval(rows);
    figures.push_back(std::move(f));
  }
  return figures;
}

// For whole weights, which stand for so many rows.
std::optional<Interval> interval_of(const ErrorCount& count, const Dataset& data) {
  constexpr double most = 0x1p53;  // beyond that sums of whole numbers are not exact
  if (count.weight > most) return std::nullopt;
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) != std::floor(data.weight(i))) return std::nullopt;
  return error_interval(static_cast<std::uint64_t>(count.wrong_weight),
                        static_cast<std::uint64_t>(count.weight));
}

// A score that is a number of votes has no margin.
bool has_margins(const Model& model) {
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  return kernel == nullptr || !kernel->pairs || model.planes() == 1;
}

double margin(std::span<const double> f, std::uint32_t truth) {
  if (f.size() == 1) return truth == 1 ? f[0] : -f[0];
  double other = -HUGE_VAL;
  for (std::size_t k = 0; k < f.size(); ++k)
    if (k != truth) other = std::max(other, f[k]);
  return f[truth] - other;
}

// `weights` are 0 for rows of unknown label.
void judge_margins(const Model& model, std::span<const double> f, std::span<const std::uint32_t> labels,
                   std::span<const double> weights, Evaluation& result) {
  if (!has_margins(model)) return;
  const std::size_t planes = model.planes();
  double sum = 0;
  double wrong = 0;
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    const double m = margin(f.subspan(i * planes, planes), labels[i]);
    sum += weights[i] * Hinge::value(m);
    if (!(m > 0)) wrong += weights[i];
    total += weights[i];
  }
  if (!(total > 0)) return;
  result.hinge_loss = sum / total;
  result.zero_one_loss = wrong / total;
}

void judge_probabilities(const Model& model, const Dataset& data, std::span<const std::uint32_t> labels,
                         std::span<const double> f, std::span<const double> weights, const Threads& threads,
                         Evaluation& result) {
  if (!has_probabilities(model)) return;
  const std::vector<double> p =
      labels_follow_probabilities(model)
          ? probabilities_from_scores(model, probability_scores(model, data, threads))
          : probabilities_from_scores(model, f);
  const JudgedProbabilities judged{
      .probabilities = p, .truth = labels, .weights = weights, .classes = model.classes.size()};
  result.log_loss = log_loss(judged);
  result.brier = brier_score(judged);
  if (!result.brier) return;
  Calibration bins = calibration(judged);
  result.calibration_error = bins.error;
  result.calibration = std::move(bins.bins);
}

void judge_ranking(std::span<const double> f, std::span<const std::uint32_t> labels,
                   std::span<const double> weights, const Judging& judging, Evaluation& result) {
  std::vector<std::uint8_t> positive(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) positive[i] = labels[i] == 1 ? 1 : 0;
  const Ranking ranking = rank_scores(f, positive, weights);
  result.auc = area_under_curve(ranking);
  result.auc_interval = area_interval(ranking);
  result.average_precision = average_precision(ranking);
  result.curve = thinned(curve_points(ranking), curve_points_kept);
  const double weight = ranking.positive + ranking.negative;
  if (!judging.costs || !(weight > 0)) return;
  result.cost = cost_at(ranking, *judging.costs, judging.threshold) / weight;
  result.cheapest = cheapest_threshold(ranking, *judging.costs);
  result.cheapest->cost /= weight;
}

// How far scores lie above the threshold: 0 exactly for those that are equal to it. Empty at 0, where nothing changes.
std::vector<double> above_threshold(std::span<const double> f, double threshold) {
  std::vector<double> out;
  if (threshold == 0) return out;
  out.reserve(f.size());
  for (const double score : f) out.push_back(score - threshold);
  return out;
}

double balanced_error_of(std::span<const ClassFigures> classes) {
  double sum = 0;
  double seen = 0;
  for (const ClassFigures& figures : classes) {
    if (!(figures.rows > 0)) continue;
    sum += 1 - figures.recall;
    ++seen;
  }
  return seen > 0 ? sum / seen : 0;
}

// Before rows are scored for nothing.
void check_judging(const Model& model, const Dataset& data, const Judging& judging) {
  if (model.planes() != 1 && (judging.threshold != 0 || judging.costs))
    throw UsageError(
        judging.costs ? "--cost is for models of two classes" : "--threshold is for models of two classes",
        "train with --positive LABEL");
  if (!data.labelled())
    throw InputError({.file = data.name()}, "the rows have no labels", "labels are needed here");
  check_some_known(model, data);
}

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& data, const Threads& threads, const Judging& judging) {
  check_judging(model, data, judging);
  return evaluate(model, data, scores(model, data, threads), threads, judging);
}

Evaluation evaluate(const Model& model, const Dataset& data, std::span<const double> f,
                    const Threads& threads, const Judging& judging) {
  check_judging(model, data, judging);
  const std::size_t classes = model.classes.size();
  const std::vector<std::uint32_t> labels = labels_for(model, data);
  check_scores(model, f, data);
  const std::vector<double> shifted = above_threshold(f, judging.threshold);
  const std::span<const double> deciding = judging.threshold == 0 ? f : shifted;
  std::vector<std::uint32_t> given = labels_from_scores(model, deciding);

  Evaluation result;
  result.zero_rows = rows_with_zero_score(model, deciding);
  for (const std::uint32_t i : result.zero_rows) given[i] = abstained;
  result.confusion.assign(classes, std::vector<double>(classes + 1));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double weight = data.weight(i);
    result.count.add(weight, labels[i] < classes && given[i] == labels[i]);
    if (labels[i] < classes) {
      result.confusion[labels[i]][std::min<std::size_t>(given[i], classes)] += weight;
    } else if (weight > 0) {
      ++result.unknown_labels;
    }
  }
  result.error = result.count.share();
  result.interval = interval_of(result.count, data);
  result.classes = class_figures(model.classes, result.confusion, result.interval.has_value());
  result.balanced_error = balanced_error_of(result.classes);
  std::vector<double> weights(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) weights[i] = labels[i] < classes ? data.weight(i) : 0;
  judge_margins(model, f, labels, weights, result);
  judge_probabilities(model, data, labels, f, weights, threads, result);
  if (model.planes() == 1) judge_ranking(f, labels, weights, judging, result);
  return result;
}

bool trained_on(const Model& model, const Dataset& data) {
  // The number of rows decides most cases without looking at them.
  if (fact(model, "rows") != std::to_string(data.rows()) || fact(model, "data").empty()) return false;
  const std::string positive = fact(model, "positive");
  if (positive.empty()) return fact(model, "data") == data.fingerprint();
  const std::string meant = class_meant(data.classes(), positive);
  return std::find(data.classes().begin(), data.classes().end(), meant) != data.classes().end() &&
         fact(model, "data") == against_rest(data, positive).fingerprint();
}

}  // namespace halfspace
