// SPDX-License-Identifier: BSD-3-Clause
// Many classes for an algorithm that knows two: every class against the rest, one plane each, the largest score wins.
#include <utility>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithms.hpp"

namespace halfspace {
namespace {

// The fit that stopped for the worst reason says why all of it stopped.
bool stopped_worse(Stop a, Stop b) {
  const auto rank = [](Stop stop) {
    return stop == Stop::Cancelled ? 2 : outcome_of(stop) == Outcome::Limit ? 1 : 0;
  };
  return rank(a) > rank(b);
}

}  // namespace

Fit detail::one_vs_rest(const Dataset& data, const std::function<Fit(const Dataset&)>& solve_two) {
  Fit all{.answer = {.model = Model{}}};
  LinearModel planes{.features = data.features(), .planes = data.classes().size()};
  for (std::uint32_t c = 0; c < data.classes().size(); ++c) {
    Fit one = solve_two(data.one_against_rest(data.classes()[c]));
    if (!one.has_model()) return one;
    const auto* plane = std::get_if<LinearModel>(&one.model().form);
    if (plane == nullptr || plane->planes != 1 || plane->features != planes.features)
      throw UsageError("an algorithm for two classes gives one plane");
    planes.weights.insert(planes.weights.end(), plane->weights.begin(), plane->weights.end());
    planes.offsets.push_back(plane->offsets.at(0));
    std::move(one.proof.certificates.begin(), one.proof.certificates.end(),
              std::back_inserter(all.proof.certificates));
    if (c == 0 || stopped_worse(one.answer.stop, all.answer.stop)) all.answer.stop = one.answer.stop;
    all.trace.iterations += one.trace.iterations;
    if (one.proof.objective && !all.proof.certificates.empty()) {  // the planes are independent problems
      if (!all.proof.objective) all.proof.objective = Objective{};
      all.proof.objective->primal += one.proof.objective->primal;
      all.proof.objective->dual += one.proof.objective->dual;
    }
    if (one.trace.mistakes) all.trace.mistakes = all.trace.mistakes.value_or(0) + *one.trace.mistakes;
    if (c == 0) all.words.notes = std::move(one.words.notes);
  }
  all.model().form = std::move(planes);
  return all;
}

}  // namespace halfspace
