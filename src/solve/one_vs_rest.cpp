// SPDX-License-Identifier: BSD-3-Clause
// Many classes for an algorithm that knows two: every class against the rest, one plane each, the largest score wins.
#include <algorithm>
#include <utility>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithms.hpp"

namespace halfspace {
namespace {

Dataset class_against_rest(const Dataset& data, std::uint32_t positive) {
  std::vector<std::uint32_t> labels(data.labels().size());
  std::transform(data.labels().begin(), data.labels().end(), labels.begin(),
                 [&](std::uint32_t label) { return label == positive ? 1U : 0U; });
  return data.relabelled(std::move(labels), {"rest", data.classes()[positive]});
}

// The fit that stopped for the worst reason says why all of it stopped.
bool worse(Stop a, Stop b) {
  const auto rank = [](Stop stop) { return stop == Stop::Cancelled ? 2 : stopped_short(stop) ? 1 : 0; };
  return rank(a) > rank(b);
}

}  // namespace

Fit detail::one_vs_rest(const Dataset& data, const std::function<Fit(const Dataset&)>& solve_two) {
  Fit all;
  LinearModel planes{.features = data.features(), .planes = data.classes().size()};
  for (std::uint32_t c = 0; c < data.classes().size(); ++c) {
    Fit one = solve_two(class_against_rest(data, c));
    if (!one.refusal.empty() || one.no_plane != nullptr) return one;
    const auto* plane = std::get_if<LinearModel>(&one.model.form);
    if (plane == nullptr || plane->planes != 1 || plane->features != planes.features)
      throw UsageError("an algorithm for two classes gives one plane");
    planes.weights.insert(planes.weights.end(), plane->weights.begin(), plane->weights.end());
    planes.offsets.push_back(plane->offsets.at(0));
    std::move(one.certificates.begin(), one.certificates.end(), std::back_inserter(all.certificates));
    if (c == 0 || worse(one.stop, all.stop)) all.stop = one.stop;
    all.iterations += one.iterations;
    if (one.mistakes) all.mistakes = all.mistakes.value_or(0) + *one.mistakes;
    if (c == 0) all.notes = std::move(one.notes);
  }
  all.model.form = std::move(planes);
  return all;
}

}  // namespace halfspace
