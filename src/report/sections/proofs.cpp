// SPDX-License-Identifier: BSD-3-Clause
// What is proved about the model: how near it is to the best one, and what the mistakes of a perceptron show.
#include <fmt/format.h>

#include <algorithm>

#include "certify/mistake_bound.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/separability.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {
namespace {

// Updates of a walk that are kept for the picture, and entries of rows that may be walked over for it.
constexpr std::size_t walk_points = 300;
constexpr double most_walk_entries = 2e8;
constexpr double most_margin_entries = 3e7;

Json claim_json(const Certificate& claim) {
  Json out;
  if (const auto* gap = std::get_if<DualityGap>(&claim)) {
    out = {{"kind", "duality-gap"},
           {"primal", number(gap->primal)},
           {"dual", number(gap->dual)},
           {"gap", number(gap->gap())},
           {"relative_gap", number(gap->relative())}};
  } else if (const auto* bound = std::get_if<MistakeBound>(&claim)) {
    out = {{"kind", "mistake-bound"},
           {"mistakes", bound->mistakes},
           {"radius", number(bound->radius)},
           {"margin_lower", number(bound->margin_lower)},
           {"margin_upper", number(bound->margin_upper)}};
  } else if (const auto* separator = std::get_if<Separator>(&claim)) {
    out = {{"kind", "separator"}, {"margin", number(separator->margin)}};
  } else {
    out = {{"kind", "none"}};
  }
  out["text"] = describe(claim);
  return out;
}

bool is_perceptron(const Model& model) {
  return model.algorithm == "perceptron" || model.algorithm == "averaged-perceptron" ||
         model.algorithm == "voted-perceptron";
}

// Bounds of the widest margin in the space where the perceptron walks; nothing when that would take long.
std::optional<MarginBounds> widest_margin(const Context& context) {
  const Model& model = context.input.model;
  if (model.classes.size() != 2 || !context.training || has_preparation(model) ||
      !fact_of(model, "scale").empty() ||
      static_cast<double>(context.input.data.nonzeros()) > most_margin_entries)
    return std::nullopt;
  SeparabilityOptions options{.offset = Offset::Lifted, .margin = MarginWork::Auto};
  for (const auto& [name, value] : model.options) {
    if (name == "offset" && value == "none") options.offset = Offset::None;
    if (name == "kernel" && value != "linear") return std::nullopt;
  }
  Run run;
  run.threads = context.run.threads;
  run.stop = context.run.stop.within(1);
  try {
    return separability(context.input.data, options, run).margin;
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
    return std::nullopt;
  }
}

// The walk once more: the algorithm with the options and the seed of the model, on the same rows.
Json walk_again(const Context& context) {
  const Model& model = context.input.model;
  if (!context.training || model.classes.size() != 2 || model.unit_rows || model.map != nullptr ||
      !fact_of(model, "scale").empty() || !fact_of(model, "from").empty())
    return nullptr;
  Algorithm algorithm = Algorithm::by_name("perceptron");
  for (const auto& [name, value] : model.options) {
    if (name == "kernel" && value != "linear") return nullptr;
    if (name == "passes" || name == "max-passes" || name == "order" || name == "offset")
      algorithm.set(name, value);
    double passes = 0;
    if (name == "passes" && value != "until-clean") passes = OptionType<double>::parse(name, value, {});
    if (passes * static_cast<double>(context.input.data.nonzeros()) > most_walk_entries) return nullptr;
  }
  const std::string seed = fact_of(model, "seed");
  Run run;
  run.seed = seed.empty() ? 1 : static_cast<std::uint64_t>(OptionType<std::int64_t>::parse("seed", seed, {}));
  run.threads = context.run.threads;
  run.stop = context.run.stop.within(2);
  Json points = Json::array();
  std::uint64_t seen = 0, every = 1;
  const UpdateObserver observer{
      1, UINT64_MAX, [&](const Update& update) {
        seen = update.number;
        if (update.number % every != 0) return;
        points.push_back({update.number, update.pass, update.row + 1, update.y, number(update.margin_before),
                          number(update.norm), number(update.theta0)});
        if (points.size() <= walk_points) return;
        Json half = Json::array();  // keep every other one
        for (std::size_t i = 1; i < points.size(); i += 2) half.push_back(points[i]);
        points = std::move(half);
        every *= 2;
      }};
  const Fit fit = algorithm.trace(context.input.data, run, observer);
  if (fit.outcome() == Outcome::Limit && fit.answer.stop == Stop::Time) return nullptr;
  return {{"updates", seen},
          {"rows", context.input.data.rows()},
          {"columns", {"update", "pass", "row", "y", "margin_before", "norm", "theta0"}},
          {"every", every},
          {"points", points}};
}

}  // namespace

Json solved_section(const Context& context) {
  const Model& model = context.input.model;
  std::vector<Certificate> claims =
      certificates_from_json(model.certificate, {.file = context.input.model_name});
  if (claims.empty() && !context.input.check) return nullptr;
  Json out;
  Json list = Json::array();
  for (std::size_t k = 0; k < claims.size(); ++k) {
    Json one = claim_json(claims[k]);
    one["plane"] = claims.size() == 1                   ? ""
                   : claims.size() == model.functions() ? printable(function_name(model, k))
                                                        : fmt::format("{}", k + 1);
    list.push_back(std::move(one));
  }
  out["claims"] = list;
  // Of other rows than those of the training nothing was claimed.
  out["training"] = context.training;
  if (const auto& check = context.input.check; check && context.training) {
    Json lines = Json::array();
    for (const std::string& line : check->lines) lines.push_back(printable(line, 400));
    Json gaps = Json::array();
    for (const DualityGap& gap : check->gaps)
      gaps.push_back({{"primal", number(gap.primal)},
                      {"dual", number(gap.dual)},
                      {"relative_gap", number(gap.relative())}});
    out["checked"] = {{"holds", check->holds}, {"lines", lines}, {"gaps", gaps}};
  } else {
    out["checked"] = nullptr;
  }
  out["progress"] = progress_points(context);
  return out;
}

Json perceptron_section(const Context& context) {
  const Model& model = context.input.model;
  if (!is_perceptron(model)) return nullptr;
  Json planes = Json::array();
  std::vector<Certificate> claims =
      certificates_from_json(model.certificate, {.file = context.input.model_name});
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const auto* bound = std::get_if<MistakeBound>(&claims[k]);
    if (bound == nullptr) continue;
    const double mistakes = bound->margin_lower > 0 ? std::pow(bound->radius / bound->margin_lower, 2) : NAN;
    planes.push_back({{"plane", plane_name(model, std::min(k, model.planes() - 1))},
                      {"mistakes", bound->mistakes},
                      {"radius", number(bound->radius)},
                      {"margin_lower", number(bound->margin_lower)},
                      {"margin_upper", number(bound->margin_upper)},
                      {"bound", number(mistakes)}});
  }
  if (planes.empty()) return nullptr;
  Json out = {{"planes", planes}};
  if (const std::optional<MarginBounds> widest = widest_margin(context)) {
    // Of all planes, not of the one that was found: a far better bound.
    out["best_margin"] = number(widest->lower);
    out["best_bound"] = number(widest->mistakes);
  }
  out["walk"] = walk_again(context);
  return out;
}

}  // namespace halfspace::report
