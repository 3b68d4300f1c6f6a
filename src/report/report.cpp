// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/report/report.hpp"

#include <fmt/format.h>

#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {
namespace {

std::string report_title(const ReportInput& input) {
  std::string classes;
  if (input.model.classes.size() == 2) {
    classes =
        fmt::format("{} or {}", report::name_of_class(input.model, 1), report::name_of_class(input.model, 0));
  } else {
    classes = fmt::format("{} classes", input.model.classes.size());
  }
  return fmt::format(
      "{}: {} on {}", classes,
      input.model.algorithm.empty() ? std::string("a model") : printable(input.model.algorithm),
      report::short_name(input.data_name));
}

// The rows of the training as the training saw them: one class against the rest where the model is one.
std::optional<Dataset> rows_of_training(const ReportInput& input, bool training) {
  const std::string positive = report::fact_of(input.model, "positive");
  if (!training || positive.empty()) return std::nullopt;
  return against_rest(input.data, positive);
}

ReportInput with_rows(const ReportInput& input, const Dataset& data) {
  ReportInput out{input.model, data};
  out.test = input.test;
  out.model_name = input.model_name;
  out.data_name = input.data_name;
  out.test_name = input.test_name;
  out.notes = input.notes;
  out.check = input.check;
  out.path_json = input.path_json;
  out.path_name = input.path_name;
  out.curve_json = input.curve_json;
  out.curve_name = input.curve_name;
  out.trace_lines = input.trace_lines;
  out.trace_name = input.trace_name;
  out.columns = input.columns;
  return out;
}

std::string json_of(const ReportInput& input, bool training, const Run& run);

}  // namespace

std::string report_json(const ReportInput& input, const Run& given) {
  const Run run = begin_run(given);
  const bool training = input.data.labelled() && trained_on(input.model, input.data);
  if (const auto own = rows_of_training(input, training))
    return json_of(with_rows(input, *own), training, run);
  return json_of(input, training, run);
}

namespace {

// Few rows stand between the classes and a plane: their labels are worth a look, so the data card says so.
void add_suspects(report::Json& out) {
  constexpr std::size_t most_named = 10;
  if (!out.contains("separability") || out["separability"]["answers"].size() != 1) return;
  const report::Json& answer = out["separability"]["answers"][0];
  if (!answer.contains("least_errors") || answer["least_errors"].is_null()) return;
  const report::Json& least = answer["least_errors"];
  const auto count = least["count"].get<std::size_t>();
  if (!least["exact"].get<bool>() || count == 0 || 20 * count > out["data"]["rows"].get<std::size_t>())
    return;
  std::string rows;
  for (std::size_t k = 0; k < std::min(count, most_named); ++k)
    rows += fmt::format("{}{}", k == 0 ? "" : ", ", least["rows"][k].get<std::uint64_t>());
  const bool one = count == 1;
  report::Json finding = {
      {"code", "suspects"},
      {"severity", "note"},
      {"text", fmt::format("without {} {} a plane would separate the classes: {}{} {}{}", count,
                           one ? "row" : "rows", one ? "it is" : "a smallest choice is",
                           one ? " row" : " rows", rows, count > most_named ? ", ..." : "")},
      {"advice", "look at their labels; no fewer rows would do (proved)"}};
  report::Json& checks = out["data"]["checks"];
  std::size_t at = 0;
  while (at < checks.size() && checks[at]["severity"] != "passed" && checks[at]["severity"] != "skipped")
    ++at;
  checks.insert(checks.begin() + static_cast<std::ptrdiff_t>(at), std::move(finding));
}

std::string json_of(const ReportInput& input, bool training, const Run& run) {
  const Threads& threads = run.threads;
  const report::Judged data = report::judge(input.model, input.data, threads);
  std::optional<report::Judged> test;
  if (input.test != nullptr) test.emplace(report::judge(input.model, *input.test, threads));
  const std::string fingerprint = input.data.fingerprint();
  const report::Context context{input, run, data, test ? *test : data, fingerprint, training};
  const Evaluation evaluation = evaluate(input.model, context.judged.data, context.judged.scores, threads);
  const report::ColumnStatistics columns = report::column_statistics(input.data, threads);

  report::Json out;
  out["schema"] = "halfspace.report/1";
  out["version"] = version();
  out["title"] = report_title(input);
  out["verdict"] = report::Json::array();
  out["notes"] = report::Json::array();
  for (const std::string& note : input.notes) out["notes"].push_back(printable(note, 400));
  const auto add = [&](const char* key, report::Json section) {
    threads.check();
    if (!section.is_null()) out[key] = std::move(section);
  };
  add("model", model_section(context));
  add("data", data_section(context));
  add("quality", quality_section(context, evaluation));
  add("plane", plane_section(context, columns));
  add("solved", solved_section(context));
  add("separability", separability_section(context));
  add("weights", weights_section(context, columns));
  add("nomogram", nomogram_section(context, columns));
  add("thresholds", thresholds_section(context));
  add("calibration", calibration_section(context, evaluation));
  add("margins", margins_section(context));
  add("rows", rows_section(context, columns));
  add("path", path_section(context, columns));
  add("curve", curve_section(context));
  add("perceptron", perceptron_section(context));
  add("replay", replay_section(context, columns));
  add("reproduce", reproduce_section(context));
  add_suspects(out);
  out["verdict"] = verdict_sentences(context, out);
  return out.dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

}  // namespace
}  // namespace halfspace
