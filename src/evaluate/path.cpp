// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/path.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include "halfspace/core/error.hpp"
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

// Along C, with a penalty that makes weights 0.
bool is_chained(const Candidate& candidate) {
  for (const auto& [option, value] : candidate.options)
    if (option == "penalty") return value == "l1" || value == "elastic-net";
  return false;
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
  const Dataset kept = without_rare_words(data.subset(split.train));
  const Scaling scaling = learn_scaling(kept, space.fixed.preparation.scale, run.threads);
  const Dataset training = apply_scaling(kept, scaling, run.threads);
  const Dataset rows = apply_scaling(data, scaling, run.threads);
  std::vector<std::uint32_t> trained(training.rows());
  std::iota(trained.begin(), trained.end(), 0U);
  SearchSpace plain = space;
  plain.fixed.preparation.scale = ScaleKind::None;
  const std::vector<double>& values = space.axes.front().values;
  std::vector<PathPoint> points(values.size());
  std::mutex guard;
  std::size_t done = 0;
  const Metric metric;
  // Its planes go from one value to the next, the smallest first, each fit on all threads.
  const bool chained = is_chained(plain.at({values.front()}));
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::shared_ptr<const LinearModel> last;
  Threads(chained ? 1 : run.threads.count()).run(values.size(), [&](std::size_t k) {
    // Side by side the hardest first: the largest C takes longest.
    const std::size_t at = chained ? order[k] : values.size() - 1 - k;
    PathPoint& point = points[at];
    point.value = values[at];
    if (run.stop.asked()) return;
    try {
      Run own;
      own.seed = run.seed;
      own.stop = run.stop;
      if (chained) own.threads = Threads(run.threads.count());
      own.nearby = last;
      const Fit fit = train_candidate(plain.at({point.value}), training, own);
      point.stop = fit.answer.stop;
      if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled) return;
      if (fit.has_model()) {
        describe_plane(fit, point);
        if (const auto* linear = std::get_if<LinearModel>(&fit.model().form); chained && linear != nullptr)
          last = std::make_shared<LinearModel>(*linear);
        point.support_vectors = fit.trace.support_vectors;
        point.zero_up_to = figure(fit, "zero_up_to_C");
        if (fit.proof.objective) point.relative_gap = fit.proof.objective->relative_gap();
        point.training = judge_rows(fit.model(), training, trained, metric, Threads(1, run.stop)).errors;
        point.validation = judge_rows(fit.model(), rows, split.test, metric, Threads(1, run.stop)).errors;
        point.finished = true;
      } else {
        point.refusal = fit.answer.reason;
      }
    } catch (const Stopped&) {
      return;
    } catch (const UsageError& error) {
      point.refusal = error.what();
    }
    const std::lock_guard lock(guard);
    ++done;
    if (observe) observe(static_cast<double>(done) / static_cast<double>(values.size()));
  });
  return points;
}

}  // namespace halfspace
