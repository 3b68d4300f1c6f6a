// SPDX-License-Identifier: BSD-3-Clause
// How good the model is on the rows that are judged, and how good much simpler ones would be.
#include <fmt/format.h>

#include <algorithm>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/calibration.hpp"
#include "halfspace/evaluate/comparison.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

// Entries of DATA beyond which the best single feature is not looked for: every column would be sorted.
constexpr std::uint64_t most_stump_entries = 20'000'000;
constexpr std::size_t most_curve_points = 400;

Json error_figures(const ErrorCount& count, const std::optional<Interval>& interval) {
  return {{"rows", count.rows},
          {"errors", count.wrong},
          {"error", number(count.share())},
          {"interval", interval_pair(interval)}};
}

Json class_table(const Evaluation& evaluation) {
  Json out = Json::array();
  for (const ClassFigures& one : evaluation.classes)
    out.push_back({{"label", printable(one.label)},
                   {"rows", amount(one.rows)},
                   {"precision", number(one.precision)},
                   {"precision_interval", interval_pair(one.precision_interval)},
                   {"recall", number(one.recall)},
                   {"recall_interval", interval_pair(one.recall_interval)},
                   {"f1", number(one.f1)}});
  return out;
}

Json confusion_table(const Context& context, const Evaluation& evaluation) {
  const std::size_t classes = context.input.model.classes.size();
  Json labels = Json::array(), counts = Json::array();
  for (std::size_t k = 0; k < classes; ++k) labels.push_back(name_of_class(context.input.model, k));
  bool undecided = false;
  for (std::size_t k = 0; k < evaluation.confusion.size(); ++k) {
    Json row = Json::array();
    for (const double value : evaluation.confusion[k]) row.push_back(amount(value));
    undecided = undecided || (evaluation.confusion[k].size() > classes && evaluation.confusion[k].back() > 0);
    counts.push_back(row);
  }
  // A last row is for labels that the model does not know, a last column for scores of zero.
  return {{"labels", labels}, {"counts", counts}, {"undecided", undecided}};
}

// Of the same rows, whose weights are whole.
PairedCounts pairs_of(const Judged& first, const Judged& second) {
  const std::vector<std::uint32_t> a_given = labels_from_scores(first.model, first.scores),
                                   b_given = labels_from_scores(second.model, second.scores);
  PairedCounts counts;
  for (std::size_t i = 0; i < first.truth.size(); ++i) {
    const auto copies = static_cast<std::uint64_t>(first.data.weight(i));
    const bool a = gets_right(first.scores_of(i), a_given[i], first.truth[i]);
    const bool b = gets_right(second.scores_of(i), b_given[i], second.truth[i]);
    counts.rows += copies;
    if (!a) (b ? counts.only_first_wrong : counts.both_wrong) += copies;
    if (a && !b) counts.only_second_wrong += copies;
  }
  return counts;
}

// What a baseline that was learned from DATA does on the rows that are judged.
template <class Options>
Json baseline(const Context& context, const Options& options, bool whole_weights, const std::string& text) {
  Run run;
  run.threads = context.run.threads;
  run.stop = context.run.stop;
  const Fit fit = train(context.input.data, options, run);
  if (!fit.has_model()) return nullptr;
  const Judged judged = judge(fit.model(), context.judged.data, run.threads);
  const ErrorCount count = count_errors(fit.model(), judged.scores, judged.data, judged.truth);
  std::optional<Interval> interval;
  if (whole_weights)
    interval = error_interval(static_cast<std::uint64_t>(count.wrong_weight),
                              static_cast<std::uint64_t>(count.weight));
  Json out = error_figures(count, interval);
  out["name"] = Options::name;
  out["text"] = text;
  if (const auto* plane = std::get_if<LinearModel>(&fit.model().form);
      plane != nullptr && plane->planes == 1) {
    for (std::uint32_t j = 0; j < plane->features; ++j)
      if (plane->weights[j] != 0) out["feature"] = name_of_feature(context.input.model, j);
  }
  if (whole_weights) {  // rows can be counted in pairs
    const PairedCounts pairs = pairs_of(context.judged, judged);
    out["p_value"] = number(mcnemar_test(pairs.only_first_wrong, pairs.only_second_wrong).p);
    out["difference"] = number(pairs.difference());
    out["difference_interval"] = interval_pair(paired_difference_interval(pairs));
  }
  return out;
}

Json baselines(const Context& context, bool whole_weights) {
  Json out = Json::array();
  const Dataset& data = context.input.data;
  const auto add = [&](Json value) {
    if (!value.is_null()) out.push_back(std::move(value));
  };
  std::vector<std::uint64_t> rows(data.classes().size(), 0);
  for (std::size_t i = 0; i < data.rows(); ++i) rows[data.labels()[i]] += data.weight(i) > 0 ? 1 : 0;
  const auto filled = std::count_if(rows.begin(), rows.end(), [](std::uint64_t n) { return n > 0; });
  if (filled < 2 || data.features() == 0) return out;  // nothing to learn from
  add(baseline(context, Majority{}, whole_weights, "always the most frequent class"));
  if (data.nonzeros() <= most_stump_entries)
    add(baseline(context, Stump{}, whole_weights, "the best single feature with a threshold"));
  return out;
}

}  // namespace

Json quality_section(const Context& context, const Evaluation& evaluation) {
  Json out = error_figures(evaluation.count, evaluation.interval);
  out["on"] = context.test() ? "test" : "data";
  out["name"] = short_name(context.test() ? context.input.test_name : context.input.data_name);
  out["weighted"] = evaluation.count.weighted;
  out["accuracy"] = number(1 - evaluation.error);
  out["balanced_error"] = number(evaluation.balanced_error);
  out["unknown_labels"] = evaluation.unknown_labels;
  out["zero_scores"] = evaluation.zero_rows.size();
  out["auc"] = optional_number(evaluation.auc);
  out["auc_interval"] = interval_pair(evaluation.auc_interval);
  out["average_precision"] = optional_number(evaluation.average_precision);
  out["hinge_loss"] = optional_number(evaluation.hinge_loss);
  out["log_loss"] = optional_number(evaluation.log_loss);
  out["brier"] = optional_number(evaluation.brier);
  out["classes"] = class_table(evaluation);
  out["confusion"] = confusion_table(context, evaluation);
  if (context.test()) {
    const ErrorCount count =
        count_errors(context.input.model, context.data.scores, context.input.data, context.data.truth);
    out["data_error"] = error_figures(
        count, count.weighted ? std::nullopt : std::optional(error_interval(count.wrong, count.rows)));
    out["data_error"]["training"] = context.training;
  }
  out["baselines"] = baselines(context, evaluation.interval.has_value());
  return out;
}

Json thresholds_section(const Context& context) {
  const Judged& judged = context.judged;
  if (context.input.model.planes() != 1) return nullptr;
  std::vector<std::uint8_t> positive(judged.truth.size());
  for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = judged.truth[i] == 1 ? 1 : 0;
  const Ranking ranking = rank_scores(judged.scores, positive, judged.weights);
  if (!ranking.both_classes()) return nullptr;
  const std::vector<CurvePoint> all = curve_points(ranking);
  const std::vector<CurvePoint> points = thinned(all, most_curve_points);
  Json list = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& p = points[i];
    list.push_back(
        {{"threshold", i == 0 ? Json(nullptr) : number(p.threshold)},
         {"true_positive", amount(std::round(p.true_positive_rate * ranking.positive * 1e6) / 1e6)},
         {"false_positive", amount(std::round(p.false_positive_rate * ranking.negative * 1e6) / 1e6)},
         {"hull", p.hull}});
  }
  // At the threshold 0, which is the model's own: scores above it.
  double above_positive = 0, above_negative = 0;
  for (const ScoreStep& step : ranking.steps) {
    if (!(step.score > 0)) continue;
    above_positive += step.positive;
    above_negative += step.negative;
  }
  const CheapestThreshold cheapest = cheapest_threshold(ranking, {});
  return {
      {"of", name_of_class(context.input.model, 1)},
      {"against", name_of_class(context.input.model, 0)},
      {"positive", amount(ranking.positive)},
      {"negative", amount(ranking.negative)},
      {"points", list},
      {"all_points", all.size()},
      {"at_zero", {{"true_positive", amount(above_positive)}, {"false_positive", amount(above_negative)}}},
      {"fewest_errors", {{"threshold", number(cheapest.threshold)}, {"errors", amount(cheapest.cost)}}}};
}

Json calibration_section(const Context& context, const Evaluation& evaluation) {
  const Model& model = context.input.model;
  const Judged& judged = context.judged;
  if (!has_probabilities(model)) return nullptr;
  const std::vector<double> p =
      labels_follow_probabilities(model)
          ? probabilities_from_scores(model, probability_scores(model, judged.data, context.run.threads))
          : probabilities_from_scores(model, judged.scores);
  const std::size_t classes = model.classes.size();
  const JudgedProbabilities rows{
      .probabilities = p, .truth = judged.truth, .weights = judged.weights, .classes = classes};
  const Calibration result = calibration(rows);
  Json bins = Json::array();
  for (const CalibrationBin& bin : result.bins)
    bins.push_back({{"low", number(bin.low)},
                    {"high", number(bin.high)},
                    {"rows", amount(bin.weight)},
                    {"predicted", number(bin.predicted)},
                    {"observed", number(bin.observed)},
                    {"interval", interval_pair(bin.interval)}});
  constexpr std::size_t histogram_bins = 20;
  std::vector<double> histogram(histogram_bins, 0.0);
  for (std::size_t i = 0; i < judged.weights.size(); ++i) {
    if (!judged.known(i)) continue;
    const std::span<const double> of_row = std::span(p).subspan(i * classes, classes);
    const double one = classes == 2 ? of_row[1] : *std::max_element(of_row.begin(), of_row.end());
    const auto bin = static_cast<std::size_t>(one * static_cast<double>(histogram_bins));
    histogram[std::min(bin, histogram_bins - 1)] += judged.weights[i];
  }
  Json counts = Json::array();
  for (const double value : histogram) counts.push_back(amount(value));
  return {{"of", classes == 2 ? name_of_class(model, 1) : "the most probable class"},
          {"bins", bins},
          {"error", number(result.error)},
          {"brier", optional_number(evaluation.brier)},
          {"log_loss", optional_number(evaluation.log_loss)},
          {"histogram", counts}};
}

}  // namespace halfspace::report
