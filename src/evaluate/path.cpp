// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/path.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/folds.hpp"
#include "halfspace/prepare/scaling.hpp"

namespace halfspace {
namespace {

std::optional<double> figure(const Fit& fit, std::string_view name) {
  for (const auto& [key, value] : fit.trace.figures)
    if (key == name) return value;
  return std::nullopt;
}

// The plane of a machine whose kernel is the plain product.
LinearModel plane_of(const KernelModel& model) {
  LinearModel out{.features = model.features, .planes = model.offsets.size()};
  out.offsets = model.offsets;
  out.weights.assign(out.planes * out.features, 0.0);
  for (std::size_t k = 0; k < out.planes; ++k) {
    for (std::uint64_t at = model.first[k]; at < model.first[k + 1]; ++at) {
      const std::uint32_t row = model.vector[at];
      for (std::uint64_t e = model.start[row]; e < model.start[row + 1]; ++e)
        out.weights[k * out.features + model.index[e]] += model.coefficient[at] * model.value[e];
    }
  }
  return out;
}

void describe_plane(const Fit& fit, PathPoint& point) {
  const auto* kernel = std::get_if<KernelModel>(&fit.model().form);
  std::optional<LinearModel> plane;
  if (const auto* linear = std::get_if<LinearModel>(&fit.model().form)) plane = *linear;
  if (kernel != nullptr && kernel->kernel.kind == KernelKind::Linear) plane = plane_of(*kernel);
  if (plane) {
    double squares = 0;
    for (const double w : plane->weights) squares += w * w;
    point.norm = std::sqrt(squares);
    point.nonzero = static_cast<std::uint64_t>(
        std::count_if(plane->weights.begin(), plane->weights.end(), [](double w) { return w != 0; }));
    point.theta = std::move(plane->weights);
    point.theta0 = std::move(plane->offsets);
  } else {
    point.norm = figure(fit, "norm");
  }
  if (point.norm && *point.norm > 0 && fit.model().planes() == 1) point.margin = 1 / *point.norm;
  if (!point.margin) point.margin = figure(fit, "margin");
}

}  // namespace

std::vector<PathPoint> path_points(const Dataset& data, const Split& split, const SearchSpace& space,
                                   const Run& run, const std::function<void(double done)>& observe) {
  if (space.axes.size() != 1 || space.fixed.preparation.map)
    throw UsageError("a path goes along one option, without made features", "--C 1e-4:1e4");
  // Scaled once: the planes of all points are then planes among the same rows.
  FoldRows parts = split_rows(data, split.train, split.test);
  const Scaling scaling = learn_scaling(parts.training, space.fixed.preparation.scale, run.threads);
  const Dataset training = apply_scaling(parts.training, scaling, run.threads);
  const Dataset validation = apply_scaling(parts.judged, scaling, run.threads);
  parts = {};
  const auto errors = [&](const Model& model, const Dataset& of) {
    std::vector<std::uint32_t> all(of.rows());
    std::iota(all.begin(), all.end(), 0U);
    return judge_rows(model, of, all, Metric(), run.threads).errors;
  };
  SearchSpace plain = space;
  plain.fixed.preparation.scale = ScaleKind::None;
  plain.fixed.preparation.describe = false;  // of a model that is used for its plane alone
  const std::vector<double>& values = space.axes.front().values;
  std::vector<PathPoint> points(values.size());
  // Up from the smallest value, each from where the one before has ended: what is found does not depend on the threads,
  // which help inside a fit.
  std::shared_ptr<Neighbour> near;
  for (std::size_t k = 0; k < values.size(); ++k) {
    PathPoint& point = points[k];
    point.value = values[k];
    if (run.stop.asked()) continue;
    try {
      Run own = run;
      own.observe = nullptr;
      own.near = near;
      own.leave = std::make_shared<Neighbour>();
      const Fit fit = train_candidate(plain.at({point.value}), training, own);
      near = own.leave;
      point.stop = fit.answer.stop;
      if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled) continue;
      if (fit.has_model()) {
        describe_plane(fit, point);
        point.support_vectors = fit.trace.support_vectors;
        point.zero_up_to = figure(fit, "zero_up_to_C");
        if (fit.proof.objective) point.relative_gap = fit.proof.objective->relative_gap();
        point.training = errors(fit.model(), training);
        point.validation = errors(fit.model(), validation);
        point.finished = true;
      } else {
        point.refusal = fit.answer.reason;
      }
    } catch (const Stopped&) {
      continue;
    } catch (const UsageError& error) {
      point.refusal = error.what();
    }
    if (observe) observe(static_cast<double>(k + 1) / static_cast<double>(values.size()));
  }
  return points;
}

}  // namespace halfspace
