// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/model.hpp"

#include <algorithm>
#include <numeric>

#include "model/row_scores.hpp"

namespace halfspace {
namespace {

std::uint32_t looked_up(const LookupModel& model, double value) {
  const auto found = std::lower_bound(model.values.begin(), model.values.end(), value);
  if (found == model.values.end() || *found != value) return model.fallback;
  return model.labels[static_cast<std::size_t>(found - model.values.begin())];
}

// Two classes: -1 or +1. More: 1 for the class of the value, 0 for the others.
void lookup_scores(const LookupModel& lookup, const Model& model, const Dataset& data, const Threads& threads,
                   std::span<double> out) {
  const std::size_t planes = model.planes();
  std::vector<double> values(data.rows());
  detail::feature_values(lookup.feature, model.unit_rows, data, threads, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t label = looked_up(lookup, values[i]);
    if (planes == 1) {
      out[i] = label == 0 ? -1 : 1;
    } else {
      out[i * planes + label] = 1;
    }
  }
}

// A score that is neither above nor below zero (zero, or not a number after an overflow) falls to the tie
// rule.
std::uint32_t label_of_score(double score, Tie tie) {
  if (score > 0) return 1;
  if (score < 0) return 0;
  switch (tie) {
    case Tie::Negative: return 0;
    case Tie::Positive: return 1;
    case Tie::Abstain: break;
  }
  return abstained;
}

}  // namespace

std::size_t Model::features() const {
  if (map != nullptr) return map->inputs;
  return std::visit([](const auto& f) { return f.features; }, form);
}

std::size_t Model::planes() const {
  if (const auto* linear = std::get_if<LinearModel>(&form)) return linear->planes;
  if (const auto* voted = std::get_if<VotedModel>(&form)) return voted->planes;
  return classes.size() == 2 ? 1 : classes.size();
}

std::size_t Model::functions() const {
  if (const auto* kernel = std::get_if<KernelModel>(&form)) return kernel->offsets.size();
  return planes();
}

bool has_preparation(const Model& model) {
  return model.scaling.kind != ScaleKind::None || model.map != nullptr;
}

Dataset prepared_rows(const Model& model, const Dataset& data, std::size_t begin, std::size_t end,
                      const Threads& threads) {
  const bool scaled = model.scaling.kind != ScaleKind::None;
  if (!scaled && !model.unit_rows) return apply_features(data, *model.map, begin, end, threads);
  const Dataset rows =
      apply_scaling(data, scaled ? model.scaling : Scaling{.kind = ScaleKind::Unit}, begin, end, threads);
  return model.map == nullptr ? rows : apply_features(rows, *model.map, threads);
}

Model without_preparation(const Model& model) {
  Model out = model;
  out.scaling = {};
  out.map = nullptr;
  out.unit_rows = false;
  return out;
}

std::string function_name(const Model& model, std::size_t k) {
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  if (kernel == nullptr || !kernel->pairs)
    return model.functions() == 1 ? model.classes.back() : model.classes.at(k);
  for (std::size_t a = 0; a + 1 < model.classes.size(); ++a) {
    const std::size_t pairs = model.classes.size() - 1 - a;
    if (k < pairs) return model.classes[a + 1 + k] + " against " + model.classes[a];
    k -= pairs;
  }
  return {};
}

std::string fact(const Model& model, std::string_view key) {
  for (const auto& [name, value] : model.facts) {
    if (name == key) return value;
  }
  return {};
}

namespace {

std::vector<double> scores_of(const Model& model, const Dataset& data, bool decide, const Threads& threads);

// Block by block, so that memory stays bounded.
std::vector<double> prepared_scores(const Model& model, const Dataset& data, bool decide,
                                    const Threads& threads) {
  constexpr std::size_t most_numbers = std::size_t{1} << 23U;
  const Model plain = without_preparation(model);
  const std::size_t width =
      model.scaling.kind != ScaleKind::None ? std::max(plain.features(), model.features()) : plain.features();
  const std::size_t block = std::max<std::size_t>(64, most_numbers / std::max<std::size_t>(1, width));
  std::vector<double> out;
  out.reserve(data.rows() * model.planes());
  for (std::size_t begin = 0; begin < data.rows(); begin += block) {
    const Dataset rows = prepared_rows(model, data, begin, std::min(data.rows(), begin + block), threads);
    const std::vector<double> part = scores_of(plain, rows, decide, threads);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::vector<double> scores_of(const Model& model, const Dataset& data, bool decide, const Threads& threads) {
  if (has_preparation(model)) return prepared_scores(model, data, decide, threads);
  std::vector<double> out(data.rows() * model.planes());
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    detail::linear_scores(*linear, model.unit_rows, data, threads, out);
  } else if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    detail::voted_scores(*voted, model.unit_rows, data, decide, threads, out);
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form)) {
    detail::kernel_scores(*kernel, model.unit_rows, model.planes(), data, decide, threads, out);
  } else {
    lookup_scores(std::get<LookupModel>(model.form), model, data, threads, out);
  }
  return out;
}

}  // namespace

std::vector<double> scores(const Model& model, const Dataset& data, const Threads& threads) {
  return scores_of(model, data, false, threads);
}

std::vector<double> scores(const Model& model, const Dataset& data, std::span<const std::uint32_t> rows,
                           const Threads& threads) {
  // Many planes want their weights laid out for all rows at once.
  constexpr std::size_t few_planes = 4, rows_at_a_time = 8192;
  std::vector<double> out;
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear != nullptr && linear->planes <= few_planes && !has_preparation(model)) {
    out.resize(rows.size() * linear->planes);
    detail::linear_scores_of(*linear, model.unit_rows, data, rows, threads, out);
    return out;
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_at_a_time) {
    const std::size_t size = std::min(rows_at_a_time, rows.size() - begin);
    const std::vector<double> part = scores(model, data.subset(rows.subspan(begin, size)), threads);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::vector<double> deciding_scores(const Model& model, const Dataset& data, const Threads& threads) {
  return scores_of(model, data, true, threads);
}

std::vector<std::uint32_t> labels_from_scores(const Model& model, std::span<const double> scores) {
  const std::size_t planes = model.planes();
  std::vector<std::uint32_t> labels(scores.size() / planes);
  // Of equal scores the class that comes first in this order wins.
  std::vector<std::size_t> order(planes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (kernel != nullptr && !kernel->order.empty())
    std::copy(kernel->order.begin(), kernel->order.end(), order.begin());
  if (linear != nullptr && !linear->order.empty())
    std::copy(linear->order.begin(), linear->order.end(), order.begin());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = scores.subspan(i * planes, planes);
    if (planes == 1) {
      labels[i] = label_of_score(row[0], model.tie);
      continue;
    }
    std::size_t best = order[0];
    for (std::size_t k = 1; k < planes; ++k) {
      if (row[order[k]] > row[best]) best = order[k];
    }
    labels[i] = static_cast<std::uint32_t>(best);
  }
  return labels;
}

}  // namespace halfspace
