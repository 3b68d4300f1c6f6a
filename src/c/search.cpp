// SPDX-License-Identifier: BSD-3-Clause
// The C interface: options chosen by cross-validation, and a classifier along one of them.
#include <limits>
#include <vector>

#include "c/training.hpp"
#include "halfspace/evaluate/path.hpp"
#include "halfspace/evaluate/tuning.hpp"

namespace halfspace::c {
namespace {

constexpr double path_points_per_decade = 2;

std::vector<SearchSpace> spaces_of(const halfspace_training& how, double per_decade) {
  return search_spaces(algorithm_names(text_or(how.algorithm, "logistic")), preparation_of(how),
                       options_of(how), true, per_decade);
}

TuneOptions tune_options(const halfspace_search& search, const Run& run, std::size_t rows) {
  TuneOptions out;
  if (search.folds != 0) out.folds.folds = search.folds;
  if (search.repeats != 0) out.folds.repeats = search.repeats;
  if (out.folds.folds < 2 || out.folds.repeats < 1)
    throw UsageError("folds: at least 2; repeats: at least 1");
  out.folds.seed = run.seed;
  if (search.deal != nullptr) out.folds.deal = OptionType<Deal>::parse("deal", search.deal, {});
  if (search.groups != nullptr) out.folds.groups = {search.groups, rows};
  if (search.metric != nullptr) out.metric.kind = OptionType<MetricKind>::parse("metric", search.metric, {});
  if (search.costs != nullptr) out.metric.costs = parse_costs(search.costs);
  if ((out.metric.kind == MetricKind::Cost) != (search.costs != nullptr))
    throw UsageError("costs belong to the metric cost, which needs them", "1:5");
  if (search.rule != nullptr) out.rule = OptionType<ChoiceRule>::parse("rule", search.rule, {});
  return out;
}

Json axis_values(const SearchSpace& space, const std::vector<double>& values) {
  Json out = Json::object();
  for (std::size_t k = 0; k < space.axes.size(); ++k)
    out[space.axes[k].option] = space.axes[k].text(values[k]);
  return out;
}

Json tuning_json(const Tuning& tuning, const std::vector<SearchSpace>& spaces, const TuneOptions& options) {
  Json table = Json::array();
  for (const TriedPoint& point : tuning.table) {
    const bool done = point.score.finished;
    table.push_back({{"algorithm", spaces[point.space].fixed.algorithm},
                     {"values", axis_values(spaces[point.space], point.values)},
                     {"folds", point.score.values},
                     {"mean", done ? Json(point.score.mean) : Json(nullptr)},
                     {"standard_error", done ? Json(point.score.standard_error) : Json(nullptr)},
                     {"refusal", without_dashes(point.score.refusal)}});
  }
  return {{"table", table},
          {"metric", OptionType<MetricKind>::print(options.metric.kind)},
          {"rule", OptionType<ChoiceRule>::print(options.rule)},
          {"stopped", tuning.stopped}};
}

Json nested_json(const NestedEstimate& nested) {
  return {{"mean", nested.estimate.mean},
          {"interval", {nested.estimate.interval.low, nested.estimate.interval.high}},
          {"chosen", nested.chosen}};
}

TuneObserver observer_of(const halfspace_training& how, const StopHandle& stop) {
  if (how.observe == nullptr) return {};
  return [&how, stop](double done, std::uint64_t points) {
    if (how.observe(how.context, done, points, std::numeric_limits<double>::quiet_NaN()) == 0) stop.cancel();
  };
}

// The folds' own progress is not shown: what a caller is told is how many of them are done.
Run search_run(const halfspace_training& how) {
  Run run = run_of(how);
  if (how.observe != nullptr && how.stop == nullptr) run.stop = StopHandle::make();
  run.observe = nullptr;
  return begin_run(run);
}

}  // namespace
}  // namespace halfspace::c

using namespace halfspace;
using namespace halfspace::c;

std::int32_t halfspace_tune(const halfspace_dataset* data, const halfspace_training* how,
                            const halfspace_search* search, halfspace_model** model, char** report,
                            halfspace_error* error) {
  return guarded(error, [&] {
    const halfspace_training& given = need(how, "how");
    need(model, "model") = nullptr;
    const Dataset& rows = need(data, "data").data;
    const Run run = search_run(given);
    const std::vector<SearchSpace> spaces = spaces_of(given, 1);
    const TuneOptions options = tune_options(need(search, "search"), run, rows.rows());
    const TuneObserver observe = observer_of(given, run.stop);
    const Tuning tuning = tune(rows, spaces, options, run, observe);
    if (!tuning.chosen) throw Stopped(run.stop.cause());
    Json about = tuning_json(tuning, spaces, options);
    if (search->nested != 0 && !tuning.stopped)
      if (const auto nested = nested_estimate(rows, spaces, options, run, observe))
        about["nested"] = nested_json(*nested);
    TunedFit fitted = fit_chosen(rows, spaces, tuning, options, run);
    const TriedPoint& chosen = tuning.table[fitted.point];
    about["chosen"] = {{"algorithm", spaces[chosen.space].fixed.algorithm},
                       {"values", axis_values(spaces[chosen.space], chosen.values)},
                       {"point", fitted.point},
                       {"first_fold", fitted.first_fold}};
    const ResampledTest estimate = fold_estimate(chosen.score.values, tuning.plan, options.metric);
    about["estimate"] = {{"mean", estimate.mean},
                         {"interval", {estimate.interval.low, estimate.interval.high}}};
    Json all = report_of(fitted.fit);
    all["tuning"] = std::move(about);
    if (report != nullptr) *report = allocate_json(all);
    if (fitted.fit.has_model()) *model = new halfspace_model{std::move(fitted.fit).model()};
  });
}

std::int32_t halfspace_path(const halfspace_dataset* data, const halfspace_training* how, double holdout,
                            char** json, halfspace_error* error) {
  return guarded(error, [&] {
    const halfspace_training& given = need(how, "how");
    const Dataset& rows = need(data, "data").data;
    const Run run = search_run(given);
    const std::vector<SearchSpace> spaces = spaces_of(given, path_points_per_decade);
    if (spaces.size() != 1 || spaces.front().axes.size() != 1)
      throw UsageError("a path goes along one option of one algorithm", "C 1e-4:1e4");
    if (!(holdout > 0 && holdout < 1)) throw UsageError("holdout: a share of the rows between 0 and 1");
    const TuneObserver show = observer_of(given, run.stop);
    const auto observe = [&show](double done) {
      if (show) show(done, 0);
    };
    Json points = Json::array();
    for (const PathPoint& point :
         path_points(rows, stratified_split(rows, holdout, run.seed), spaces.front(), run, observe))
      points.push_back({{"value", point.value},
                        {"norm", or_null(point.norm)},
                        {"margin", or_null(point.margin)},
                        {"support_vectors", or_null(point.support_vectors)},
                        {"training_error", point.finished ? Json(point.training.share()) : Json(nullptr)},
                        {"validation_error", point.finished ? Json(point.validation.share()) : Json(nullptr)},
                        {"relative_gap", or_null(point.relative_gap)},
                        {"theta", point.theta},
                        {"theta0", point.theta0},
                        {"stop", std::string(stop_name(point.stop))},
                        {"refusal", without_dashes(point.refusal)}});
    need(json, "json") =
        allocate_json(Json{{"option", spaces.front().axes.front().option}, {"points", std::move(points)}});
  });
}
