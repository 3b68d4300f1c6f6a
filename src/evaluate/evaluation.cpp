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

std::uint64_t rounded(double sum) {
  constexpr double most = 0x1p63;
  return static_cast<std::uint64_t>(std::round(std::min(sum, most)));
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// [true class][given class]: sums of weights; the last column is for rows with a score of zero.
using Table = std::vector<std::vector<double>>;

std::vector<ClassFigures> class_figures(const std::vector<std::string>& names, const Table& table) {
  std::vector<ClassFigures> figures;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const double rows = std::accumulate(table[c].begin(), table[c].end(), 0.0);
    double given = 0;
    for (const auto& row : table) given += row[c];
    ClassFigures f{.label = names[c], .rows = rounded(rows)};
    f.precision = share(table[c][c], given);
    f.recall = share(table[c][c], rows);
    f.f1 = share(2 * table[c][c], rows + given);
    figures.push_back(std::move(f));
  }
  return figures;
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
                                  const std::vector<double>& f) {
  if (!has_probabilities(model)) return std::nullopt;
  const std::size_t classes = model.classes.size();
  const std::vector<double> p = probabilities(model, f);
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
  std::vector<std::uint32_t> given = labels_from_scores(model, f);
  if (model.planes() == 1) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!(f[i] > 0 || f[i] < 0)) given[i] = abstained;
    }
  }

  Table table(classes);
  for (auto& row : table) row.resize(classes + 1);
  double total = 0;
  double right = 0;
  double unknown = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double weight = data.weight(i);
    total += weight;
    if (labels[i] >= classes) {
      unknown += weight;
      continue;
    }
    table[labels[i]][std::min<std::size_t>(given[i], classes)] += weight;
    if (labels[i] == given[i]) right += weight;
  }

  Evaluation result;
  result.rows = rounded(total);
  result.errors = rounded(total - right);
  result.error = share(total - right, total);
  result.interval = error_interval(result.errors, result.rows);
  result.unknown_labels = rounded(unknown);
  for (const auto& row : table) {
    std::vector<std::uint64_t>& counts = result.confusion.emplace_back();
    for (const double cell : row) counts.push_back(rounded(cell));
  }
  result.classes = class_figures(model.classes, table);
  result.log_loss = log_loss_of(model, data, labels, f);
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
