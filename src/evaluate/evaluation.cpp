// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/evaluation.hpp"

#include <limits>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/data/read.hpp"

namespace halfspace {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// [true class][given class]: sums of weights; the last column is for rows with a score of zero.
using Table = std::vector<std::vector<double>>;

std::vector<ClassFigures> class_figures(const std::vector<std::string>& names, const Table& table) {
  std::vector<ClassFigures> figures;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double rows = std::accumulate(table[c].begin(), table[c].end(), 0.0);
    double given = 0;
    for (const auto& row : table) given += row[c];
    ClassFigures f{.label = names[c], .rows = rows};
    f.precision = share(table[c][c], given);
    f.recall = share(table[c][c], rows);
    f.f1 = share(2 * table[c][c], rows + given);
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
  return error_interval(static_cast<std::uint64_t>(count.wrong_weight), static_cast<std::uint64_t>(count.weight));
}

}  // namespace

std::optional<double> area_under_curve(std::span<const double> scores, std::span<const std::uint8_t> positive,
                                       std::span<const double> weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // What is not a number after an overflow ranks below everything: the order must be total.
  const auto key = [&](std::size_t i) { return std::isnan(scores[i]) ? -HUGE_VAL : scores[i]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double below = 0;  // weight of the negative rows with a smaller score
  double positives = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < order.size();) {
    double tied_positive = 0;
    double tied_negative = 0;
    const double score = key(order[i]);
    for (; i < order.size() && key(order[i]) == score; ++i) {
      (positive[order[i]] != 0 ? tied_positive : tied_negative) += weight(order[i]);
    }
    pairs += tied_positive * (below + tied_negative / 2);
    below += tied_negative;
    positives += tied_positive;
  }
  if (!(positives > 0) || !(below > 0)) return std::nullopt;
  return pairs / positives / below;
}

namespace {

// Mean of -log of the probability given to the true class, over rows whose label the model knows. A probability that
// underflows to 0 counts as the smallest double.
std::optional<double> log_loss_of(const Model& model, const Dataset& data, const std::vector<std::uint32_t>& labels,
                                  const std::vector<double>& f, const Threads& threads) {
  if (!has_probabilities(model)) return std::nullopt;
  const std::size_t classes = model.classes.size();
  const std::vector<double> p = labels_follow_probabilities(model)
                                    ? probabilities(model, probability_scores(model, data, threads))
                                    : probabilities(model, f);
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= classes) continue;
    sum -= data.weight(i) * std::log(std::max(p[i * classes + labels[i]], std::numeric_limits<double>::min()));
    total += data.weight(i);
  }
  return total > 0 ? std::optional(sum / total) : std::nullopt;
}

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& data, const Threads& threads) {
  if (!data.labelled())
    throw InputError({.file = data.name()}, "the rows have no labels", "labels are needed here");
  const std::size_t classes = model.classes.size();
  const std::vector<std::uint32_t> labels = labels_in(data, model.classes);
  const std::vector<double> f = scores(model, data, threads);
  check_scores(model, f, data);
  std::vector<std::uint32_t> given = labels_from_scores(model, f);

  Evaluation result;
  result.zero_rows = rows_with_zero_score(model, f);
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
  result.classes = class_figures(model.classes, result.confusion);
  result.log_loss = log_loss_of(model, data, labels, f, threads);
  if (model.planes() == 1) {
    std::vector<std::uint8_t> positive(labels.size());
    std::vector<double> weights(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      positive[i] = labels[i] == 1 ? 1 : 0;
      weights[i] = labels[i] < classes ? data.weight(i) : 0;
    }
    result.auc = area_under_curve(f, positive, weights);
  }
  return result;
}

}  // namespace halfspace
