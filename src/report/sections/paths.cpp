// SPDX-License-Identifier: BSD-3-Clause
// How near the solver came with every iteration; errors along an option and over the number of rows, as other commands have
// found them.
#include <cmath>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "halfspace/train/train.hpp"
#include "report/sections/sections.hpp"
#include "report/sections/stored.hpp"

namespace halfspace::report {
namespace {

constexpr double most_solved_entries = 4e6;  // trained again only where that is quick
constexpr std::size_t path_rows = 600;

// Points of two columns and the line of every point of the path, the other columns at their mean.
Json path_picture(const Context& context, const StoredPath& path, const ColumnStatistics& columns) {
  const Dataset& data = context.input.data;
  if (path.scaled || context.input.model.classes.size() != 2 || data.features() < 2) return nullptr;
  for (const StoredPoint& point : path.points)
    if (point.theta.size() != data.features() || point.theta0.size() != 1) return nullptr;
  std::pair<std::uint32_t, std::uint32_t> pair{0, 1};
  if (context.input.columns) {
    pair = *context.input.columns;
  } else if (data.features() > 2) {
    return nullptr;
  }
  Json lines = Json::array(), points = Json::array();
  for (const StoredPoint& point : path.points) {
    double c = point.theta0[0];
    for (std::uint32_t j = 0; j < point.theta.size(); ++j)
      if (j != pair.first && j != pair.second) c += point.theta[j] * columns.mean[j];
    lines.push_back({number(point.theta[pair.first]), number(point.theta[pair.second]), number(c)});
  }
  for (const std::uint32_t row : sampled_rows(context.data, path_rows)) {
    double x = 0, y = 0;
    for (const auto& [j, value] : entries_of(data, row)) {
      if (j == pair.first) x = value;
      if (j == pair.second) y = value;
    }
    points.push_back({row + 1, context.data.truth[row], number(x), number(y)});
  }
  return {{"x", name_of_feature(context.input.model, pair.first)},
          {"y", name_of_feature(context.input.model, pair.second)},
          {"others", data.features() - 2},
          {"classes", {name_of_class(context.input.model, 0), name_of_class(context.input.model, 1)}},
          {"lines", lines},
          {"points", points}};
}

}  // namespace

Json progress_points(const Context& context) {
  const Model& model = context.input.model;
  const Dataset& data = context.input.data;
  if (!context.training || model.map != nullptr ||
      (model.algorithm != "svm" && model.algorithm != "logistic" && model.algorithm != "nu-svm") ||
      static_cast<double>(data.nonzeros()) > most_solved_entries)
    return nullptr;
  Json points = Json::array();
  Run run;
  run.threads = context.run.threads;
  run.stop = context.run.stop.within(2);
  // Of several planes the iterations would follow each other: only what has one gap is shown.
  run.observe = [&](const Progress& progress) {
    // Zero stands for a gap that is not known yet; one that is told again is the same point.
    const bool fresh = points.empty() || points.back()[1] != progress.relative_gap;
    if (std::isfinite(progress.relative_gap) && progress.relative_gap > 0 && fresh && points.size() < 500)
      points.push_back({progress.iterations, number(progress.relative_gap)});
    return true;
  };
  try {
    Algorithm algorithm = Algorithm::by_name(model.algorithm);
    for (const auto& [name, value] : model.options) {
      if (name == "kernel" && value != "linear") return nullptr;
      if (value.empty()) continue;
      algorithm.set(name, value);
    }
    const std::string seed = fact_of(model, "seed"), scale = fact_of(model, "scale");
    if (!seed.empty())
      run.seed = static_cast<std::uint64_t>(OptionType<std::int64_t>::parse("seed", seed, {}));
    Preparation how;
    if (!scale.empty()) how.scale = OptionType<ScaleKind>::parse("scale", scale, {});
    if (model.unit_rows) how.scale = ScaleKind::Unit;
    how.describe = false;
    const Fit fit = train(data, how, algorithm, run);
    if (fit.proof.certificates.size() != 1 || outcome_of(fit.answer.stop) != Outcome::Yes) return nullptr;
    if (fit.proof.objective)
      points.push_back({fit.trace.iterations, number(fit.proof.objective->relative_gap())});
  } catch (const UsageError&) {  // an option that is no text, or classes of another training
    return nullptr;
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
    return nullptr;
  }
  return points.size() < 2 ? Json(nullptr) : points;
}

Json path_section(const Context& context, const ColumnStatistics& columns) {
  if (context.input.path_json.empty()) return nullptr;
  const StoredPath path = read_path(context.input.path_json, {.file = context.input.path_name});
  Json points = Json::array();
  for (const StoredPoint& point : path.points)
    points.push_back({{"value", number(point.value)},
                      {"training", optional_number(point.training)},
                      {"judged", optional_number(point.judged)},
                      {"low", optional_number(point.low)},
                      {"high", optional_number(point.high)},
                      {"norm", optional_number(point.norm)},
                      {"margin", optional_number(point.margin)},
                      {"support_vectors", optional_number(point.support_vectors)},
                      {"gap", optional_number(point.gap)}});
  // What a search has not chosen, the model was trained with.
  std::optional<double> chosen = path.chosen;
  for (const auto& [name, value] : context.input.model.options)
    if (!chosen && name == path.option && path.algorithm == context.input.model.algorithm)
      chosen = OptionType<double>::parse(name, value, {});
  return {{"algorithm", path.algorithm},
          {"option", path.option},
          {"metric", path.metric},
          {"judged_on", path.judged_on},
          {"chosen", optional_number(chosen)},
          {"points", points},
          {"picture", path_picture(context, path, columns)}};
}

Json curve_section(const Context& context) {
  if (context.input.curve_json.empty()) return nullptr;
  const StoredCurve curve = read_curve(context.input.curve_json, {.file = context.input.curve_name});
  Json points = Json::array();
  for (const StoredCurvePoint& point : curve.points)
    points.push_back({{"rows", number(point.rows)},
                      {"training", number(point.training)},
                      {"test", number(point.test)},
                      {"low", optional_number(point.low)},
                      {"high", optional_number(point.high)}});
  return {{"algorithm", curve.algorithm},
          {"bayes_error", optional_number(curve.bayes_error)},
          {"points", points}};
}

}  // namespace halfspace::report
