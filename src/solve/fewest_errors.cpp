// SPDX-License-Identifier: BSD-3-Clause
// minimise sum of weight_i [y_i (theta . x_i + theta0) <= 0] over all planes: the empirical risk of 0-1 loss, NP-hard in
// general. Above, a plane counted in whole numbers; below, a proof (certify/errors/): circuits with shares, a tree of
// cones, or a tree of rows. The parts are in solve/exact/; docs/algorithms/fewest-errors.md has the method and references.
#include "halfspace/solve/fewest_errors.hpp"

#include <fmt/format.h>

#include "certify/errors/check_bound.hpp"
#include "certify/errors/error_rows.hpp"
#include "halfspace/core/error.hpp"
#include "solve/convex/clock.hpp"
#include "solve/exact/bracket.hpp"

namespace halfspace {
namespace {

ErrorBounds certificate_of(const exact::Bracket& found, const detail::WholeWeights& weights) {
  ErrorBounds out;
  out.upper = weights.value(found.upper).get_str();
  out.lower = weights.value(found.lower).get_str();
  out.errors = found.errors;
  out.proof = found.proof;
  return out;
}

std::string words(const exact::Bracket& found, const detail::WholeWeights& weights) {
  const mpq_class upper = weights.value(found.upper), lower = weights.value(found.lower);
  if (found.upper == found.lower)
    return fmt::format("errors {}, proved: no plane has fewer", upper.get_str());
  return fmt::format("errors {}, at least {} on every plane (proved)", upper.get_str(), lower.get_str());
}

}  // namespace

Fit solve(const Dataset& data, const FewestErrors& options, const Run& given) {
  const Run run = begin_run(given);
  const Clock clock(run);
  if (const StopCause cause = clock.cause({.stage = "errors"}); cause != StopCause::None)
    throw Stopped(cause);
  std::vector<std::int8_t> y(data.rows(), 0);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (data.weight(i) > 0) y[i] = data.labels()[i] == 1 ? 1 : -1;
  const Values values = values_of(data);
  const detail::WholeWeights weights = detail::whole_weights(data, y, values);
  exact::Bracket found =
      exact::bracket(data, y, values, weights, options.offset != Offset::None,
                     {.seed = run.seed, .nodes = static_cast<std::uint64_t>(options.nodes)}, run, clock);
  Fit fit{.answer = {.model = Model{}}};
  fit.answer.stop = found.stop;
  fit.model().form = LinearModel{.features = data.features(),
                                 .planes = 1,
                                 .weights = std::move(found.plane.theta),
                                 .offsets = {found.plane.theta0}};
  const double upper = weights.value(found.upper).get_d(), lower = weights.value(found.lower).get_d();
  fit.proof.objective = Objective{upper, lower};
  fit.trace.iterations = found.nodes;
  fit.trace.figures = {{"errors_upper", upper}, {"errors_lower", lower}};
  fit.words.summary.push_back(words(found, weights));
  fit.words.notes.emplace_back("minimise the sum of weights of rows with m <= 0");
  fit.proof.certificates.emplace_back(certificate_of(found, weights));
  return fit;
}

}  // namespace halfspace
