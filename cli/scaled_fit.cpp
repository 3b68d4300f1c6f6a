// SPDX-License-Identifier: BSD-3-Clause
#include "scaled_fit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "halfspace/core/error.hpp"
#include "output.hpp"

namespace halfspace::cli {
namespace {

// theta . ((x - shift) factor) + theta0 = (theta factor) . x + theta0 - sum theta factor shift
// False when a weight leaves the range of numbers.
bool fold(const Scaling& scaling, LinearModel& model) {
  bool finite = true;
  for (std::size_t k = 0; k < model.planes; ++k) {
    double* weights = model.weights.data() + k * model.features;
    double offset = model.offsets[k];
    for (std::size_t j = 0; j < model.features; ++j) {
      weights[j] *= scaling.factor[j];
      offset -= weights[j] * scaling.shift[j];
      finite = finite && std::isfinite(weights[j]);
    }
    model.offsets[k] = offset;
    finite = finite && std::isfinite(offset);
  }
  return finite;
}

// The same for every row that votes: z . ((x - shift) factor) + c = (z factor) . x + c - sum z factor shift.
bool fold(const Scaling& scaling, VotedModel& model) {
  bool finite = true;
  for (std::size_t r = 0; r < model.constant.size(); ++r) {
    // Entries that are zero after scaling add nothing to either sum.
    for (std::uint64_t at = model.start[r]; at < model.start[r + 1]; ++at) {
      const std::uint32_t j = model.index[at];
      model.value[at] *= scaling.factor[j];
      model.constant[r] -= model.value[at] * scaling.shift[j];
      finite = finite && std::isfinite(model.value[at]);
    }
    finite = finite && std::isfinite(model.constant[r]);
  }
  return finite;
}

}  // namespace

namespace {

// The scaling goes into the weights where it can, and beside them where it cannot.
void take_scaling(Fit& fit, Scaling scaling, const Dataset& data) {
  auto* linear = std::get_if<LinearModel>(&fit.model.form);
  auto* voted = std::get_if<VotedModel>(&fit.model.form);
  if (voted != nullptr && voted->kernel.kind != KernelKind::Linear) voted = nullptr;
  if (scaling.kind == ScaleKind::Unit) {
    fit.model.unit_rows = true;
  } else if (scaling.kind != ScaleKind::None) {
    if (fit.model.map != nullptr || (linear == nullptr && voted == nullptr)) {
      fit.model.scaling = std::move(scaling);
    } else if (!(linear != nullptr ? fold(scaling, *linear) : fold(scaling, *voted))) {
      throw InputError({data.name()}, "values so large or small that the weights overflow", "values below 1e150");
    }
  }
}

}  // namespace

PreparedFit train_prepared(const Algorithm& algorithm, const Dataset& data, const Preparation& how, const Run& run) {
  if (how.scale == ScaleKind::None && !how.map) return {algorithm.train(data, run), {}};
  const Scaling scaling = learn_scaling(data, how.scale, run.threads);
  Dataset rows = apply_scaling(data, scaling, run.threads);
  PreparedFit out;
  std::shared_ptr<const FeatureMap> map;
  std::vector<std::string> notes;
  if (how.map) {
    map = std::make_shared<FeatureMap>(learn_features(rows, *how.map, how.kernel, run.seed, run.threads, &notes));
    rows = apply_features(rows, *map, run.threads);
    notes.push_back(fmt::format("{} features for {} from {} columns, in float: {}", OptionType<MapKind>::print(map->kind),
                                OptionType<KernelFunction>::print(map->kernel), map->inputs,
                                human_bytes(rows.storage_bytes())));
  }
  out.fit = algorithm.train(rows, run);
  Fit& fit = out.fit;
  fit.notes.insert(fit.notes.begin(), notes.begin(), notes.end());
  if (!fit.refusal.empty() || fit.no_plane != nullptr) return out;
  if (!fit.estimates.empty())
    throw UsageError(
        "standard errors belong to the columns as they are; --penalty none needs no --scale and no --features nystrom "
        "or fourier",
        "--scale none");
  if (map != nullptr) {
    out.error = training_error(fit, rows, run.threads);
    fit.model.map = map;
    fit.model.encoding = data.encoding();
  }
  take_scaling(fit, scaling, data);
  return out;
}

Dataset unfold(Model& model, const Dataset& data, ScaleKind kind, const Threads& threads) {
  const Scaling scaling = learn_scaling(data, kind, threads);
  model.unit_rows = false;  // the rows that come out have length 1 already
  auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear != nullptr && !scaling.factor.empty()) {
    for (std::size_t k = 0; k < linear->planes; ++k) {
      double* weights = linear->weights.data() + k * linear->features;
      for (std::size_t j = 0; j < linear->features; ++j) {
        linear->offsets[k] += weights[j] * scaling.shift[j];
        weights[j] = scaling.factor[j] == 0 ? 0.0 : weights[j] / scaling.factor[j];
      }
    }
  }
  return apply_scaling(data, scaling, threads);
}

std::optional<TrainingError> training_error(const Fit& fit, const Dataset& data, const Threads& threads) {
  const Model& model = fit.model;
  constexpr double most_products = 1e10;  // some seconds
  if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    if (static_cast<double>(data.rows()) * static_cast<double>(voted->index.size()) > most_products) return {};
  }
  constexpr double most_values = 2e7;  // of a kernel, for votes of pairs that no certificate has computed
  if (const auto* kernel = std::get_if<KernelModel>(&model.form); kernel != nullptr && kernel->pairs) {
    if (static_cast<double>(data.rows()) * static_cast<double>(kernel->vectors()) > most_values) return {};
  }
  const std::vector<double> values =
      fit.training_scores.empty() ? deciding_scores(model, data, threads) : fit.training_scores;
  const std::span<const std::uint32_t> truth = data.labels();
  TrainingError out;
  double wrong = 0;
  double total = 0;
  const std::vector<std::uint32_t> given =
      model.planes() == 1 ? std::vector<std::uint32_t>() : labels_from_scores(model, values);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const double weight = data.weight(i);
    if (weight <= 0) continue;
    const bool right = given.empty() ? (truth[i] == 1 ? values[i] > 0 : values[i] < 0) : given[i] == truth[i];
    total += weight;
    if (right) continue;
    wrong += weight;
    ++out.rows;
  }
  out.share = total > 0 ? wrong / total : 0;
  return out;
}

}  // namespace halfspace::cli
