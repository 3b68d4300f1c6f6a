// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/model/model.hpp"

#include <algorithm>

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

std::vector<double> scores(const Model& model, const Dataset& data, const Threads& threads) {
  std::vector<double> out(data.rows() * model.planes());
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    detail::linear_scores(*linear, model.unit_rows, data, threads, out);
  } else if (const auto* voted = std::get_if<VotedModel>(&model.form)) {
    detail::voted_scores(*voted, model.unit_rows, data, threads, out);
  } else {
    lookup_scores(std::get<LookupModel>(model.form), model, data, threads, out);
  }
  return out;
}

std::vector<std::uint32_t> labels_from_scores(const Model& model, std::span<const double> scores) {
  const std::size_t planes = model.planes();
  std::vector<std::uint32_t> labels(scores.size() / planes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = scores.subspan(i * planes, planes);
    if (planes == 1) {
      labels[i] = label_of_score(row[0], model.tie);
      continue;
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < planes; ++k) {
      if (row[k] > row[best]) best = k;
    }
    labels[i] = static_cast<std::uint32_t>(best);
  }
  return labels;
}

}  // namespace halfspace
