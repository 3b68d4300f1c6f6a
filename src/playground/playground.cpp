// SPDX-License-Identifier: BSD-3-Clause
// Which question a request asks, and its answer.
#include "halfspace/playground/playground.hpp"

#include <array>
#include <functional>
#include <utility>

#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "playground/answers.hpp"

namespace halfspace {

struct Playground::Board {
  std::optional<Dataset> data;
};

namespace playground {
namespace {

Json words_in(const std::string& choices) {  // "cyclic|shuffled"
  Json out = Json::array();
  for (std::size_t at = 0; at < choices.size();) {
    const std::size_t bar = std::min(choices.find('|', at), choices.size());
    out.push_back(choices.substr(at, bar - at));
    at = bar + 1;
  }
  return out;
}

// What the page offers: every algorithm of the library with its options.
Json start_answer(const std::optional<Dataset>& data) {
  Json algorithms = Json::array();
  for (const std::string& name : Algorithm::names()) {
    const Algorithm algorithm = Algorithm::by_name(name);
    Json options = Json::array();
    for (const OptionInfo& option : algorithm.options())
      options.push_back({{"name", option.name},
                         {"unit", option.unit},
                         {"help", without_dashes(option.help)},
                         {"fallback", option.fallback},
                         {"choices", words_in(option.choices)},
                         {"flag", option.flag}});
    algorithms.push_back({{"name", name},
                          {"summary", algorithm.summary()},
                          {"starts", algorithm.starts()},
                          {"options", std::move(options)}});
  }
  return {{"version", version()},
          {"algorithms", std::move(algorithms)},
          {"file", data ? Json(printable(data->name(), 200)) : Json(nullptr)},
          {"most_rows", most_rows},
          {"most_steps", most_steps}};
}

// An answer for every plan; what is wrong with one does not take the other's away.
Json run_answer(const Fields& request, const Run& run) {
  const Points points = points_of(request);
  const View view = view_of(request);
  const Json& runs = request.list("runs", most_runs);
  Json out = {{"verdict", nullptr}, {"runs", Json::array()}};
  if (!points.two_classes()) return out;
  const Dataset data = points.data();
  std::vector<Decision> decisions;
  for (const Json& one : runs) {
    try {
      const Plan plan = plan_of(one, points.rows());
      const Offset offset = offset_of(plan.algorithm);
      auto decision = std::find_if(decisions.begin(), decisions.end(),
                                   [&](const Decision& d) { return d.offset == offset; });
      if (decision == decisions.end())
        decision = decisions.insert(decisions.end(), decide(data, offset, run));
      if (out["verdict"].is_null()) out["verdict"] = verdict_json(*decision, points);
      Json walk = walk_json(plan, data, points, *decision, view, run);
      walk["verdict"] = verdict_json(*decision, points);
      out["runs"].push_back(std::move(walk));
    } catch (const UsageError& error) {
      out["runs"].push_back({{"error", {{"message", error.what()}, {"hint", error.hint()}}}});
    } catch (const Stopped& stopped) {
      if (stopped.cause() != StopCause::Time) throw;
      out["runs"].push_back(
          {{"error",
            {{"message", "this takes longer than a few seconds: fewer points or passes"}, {"hint", ""}}}});
    }
  }
  if (out["verdict"].is_null()) out["verdict"] = verdict_json(decide(data, Offset::Free, run), points);
  return out;
}

Json path_answer(const Fields& request, const Run& run) {
  const Points points = points_of(request);
  if (!points.two_classes()) throw UsageError("a path needs points of both classes");
  return path_json(plan_of(request.at("run"), points.rows()), points.data(), run);
}

Json trace_answer(const Fields& request, const Run& run) {
  const Points points = points_of(request);
  if (!points.two_classes()) throw UsageError("a trace needs points of both classes");
  const Plan plan = plan_of(request.at("run"), points.rows());
  return {{"lines", trace_lines(plan, points.data(), run)}, {"command", command_of(plan, "trace")}};
}

Json made_answer(const Fields& request) {
  return {
      {"points", points_json(make_points(request.text("kind", "blobs"),
                                         static_cast<std::size_t>(request.number("rows", 2, 1000, 40)),
                                         static_cast<std::uint64_t>(request.number("seed", 0, 1e15, 1))))}};
}

Json answer_to(const Fields& request, const std::optional<Dataset>& data, const Run& run) {
  const std::string question = request.text("ask");
  if (question == "start") return start_answer(data);
  if (question == "run") return run_answer(request, run);
  if (question == "path") return path_answer(request, run);
  if (question == "trace") return trace_answer(request, run);
  if (question == "make") return made_answer(request);
  if (question == "paste") return pick_columns(pasted_table(request.text("text", {}, 1U << 20U)), request);
  if (question == "columns") {
    if (!data) throw UsageError("no table was given", "halfspace playground DATA");
    return pick_columns(*data, request);
  }
  throw InputError({.file = "request"}, "another question",
                   "start, run, path, trace, make, paste or columns");
}

Json error_json(const std::string& message, const std::string& hint) {
  return {{"error", {{"message", message}, {"hint", hint}}}};
}

}  // namespace
}  // namespace playground

Playground::Playground(std::optional<Dataset> data)
    : board_(std::make_unique<Board>(Board{std::move(data)})) {}
Playground::~Playground() = default;
Playground::Playground(Playground&&) noexcept = default;
Playground& Playground::operator=(Playground&&) noexcept = default;

std::string Playground::answer(std::string_view request, const StopHandle& stop) const {
  playground::Json out;
  try {
    Run run;
    run.stop = stop.within(playground::seconds_allowed);
    run = begin_run(run);
    const playground::Json object = playground::parse_request(request);
    out = playground::answer_to(playground::Fields(object), board_->data, run);
  } catch (const InputError& error) {
    out = playground::error_json(error.what(), error.hint());
  } catch (const UsageError& error) {
    out = playground::error_json(error.what(), error.hint());
  } catch (const Stopped& stopped) {
    if (stopped.cause() != StopCause::Time) throw;
    out = playground::error_json("this takes longer than a few seconds", "fewer points or passes");
  }
  return out.dump(-1, ' ', false, playground::Json::error_handler_t::replace);
}

}  // namespace halfspace
