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

std::string function_name(const Model& model, std::size_t k) {
  const auto* kernel = std::get_if<KernelModel>(&model.form);
  if (kernel == nullptr || !kernel->pairs) return model.functions() == 1 ? model.classes.back() : model.classes.at(k);
  for (std::size_t a = 0; a + 1 < model.classes.size(); ++a) {
    const std::size_t pairs = model.classes.size() - 1 - a;
    if (k < pairs) return model.classes[a + 1 + k] + " against " + model.classes[a];
    k -= pairs;
  }
  return {};
}

namespace {

std::vector<double> scores_of(const Model& model, const Dataset& data, bool decide, const Threads& threads) {
  std::vector<double> out(data.rows() * model.planes());
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    detail::linear_scores(*linear, model.unit_rows, data, threads, out);
  } else if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    detail::voted_scores(*voted, model.unit_rows, data, decide, threads, out);
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form)) {
    detail::kernel_scores(*kernel, model.unit_rows, model.planes(), data, threads, out);
  } else {
    lookup_scores(std::get<LookupModel>(model.form), model, data, threads, out);
  }
  return out;
}

}  // namespace

std::vector<double> scores(const Model& model, const Dataset& data, const Threads& threads) {
  return scores_of(model, data, false, threads);
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
  if (const auto* kernel = std::get_if<KernelModel>(&model.form); kernel != nullptr && !kernel->order.empty())
    std::copy(kernel->order.begin(), kernel->order.end(), order.begin());
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
