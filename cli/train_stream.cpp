// SPDX-License-Identifier: BSD-3-Clause
#include "train_stream.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "describe.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/start.hpp"
#include "halfspace/train/train.hpp"
#include "signals.hpp"

namespace halfspace::cli {
namespace {

void check(const DataOptions& data) {
  if (data.scale != ScaleKind::None)
    throw UsageError("--stream: a scaling needs the rows before training", "--scale none");
  if (data.map)
    throw UsageError("--stream: features nystrom and fourier need the rows in memory", "without --stream");
  if (data.read.format != Format::Auto && data.read.format != Format::Libsvm) {
    throw UsageError("--stream reads libsvm text", "convert the data first, or read them without --stream");
  }
}

// What is wrong with the very first label is most likely that this is a table.
Fit train_on(const std::string& path, const StreamOptions& options, const Algorithm& algorithm,
             const Run& run) try {
  return halfspace::train_stream(path, options, algorithm, run);
} catch (const InputError& error) {
  if (error.place().line != 1 || !error.message().starts_with("label '")) throw;
  throw InputError(error.place(), error.message().substr(0, error.message().find(';')),
                   "--stream reads libsvm text",
                   "a table: train without --stream, or halfspace convert it first");
}

double rows_of(const Fit& fit) {
  for (const auto& [name, value] : fit.trace.figures)
    if (name == "rows") return value;
  return 0;
}

Json json_of(const Algorithm& algorithm, const Fit& fit, double seconds, const std::string& model_path) {
  Json value;
  value["schema"] = "halfspace.train/1";
  value["algorithm"] = algorithm.name();
  value["options"] = facts_json(algorithm.values());
  value["rows"] = static_cast<std::uint64_t>(rows_of(fit));
  value["features"] = fit.model().features();
  value["classes"] = Json::array();
  for (const std::string& name : fit.model().classes) value["classes"].push_back({{"label", name}});
  value["seconds"] = {{"read", nullptr}, {"solve", nullptr}, {"total", seconds}};
  value["iterations"] = fit.trace.iterations;
  value["stop"] = stop_name(fit.answer.stop);
  value["objective"] = {{"primal", nullptr}, {"dual", nullptr}, {"gap", nullptr}, {"relative_gap", nullptr}};
  value["training_error"] = nullptr;
  value["mistakes"] = fit.trace.mistakes.value_or(0);
  value["support_vectors"] = nullptr;
  value["certificate"] = certificate_json(fit.model());
  value["figures"] = Json::object();
  for (const auto& [name, figure] : fit.trace.figures) value["figures"][name] = figure;
  value["summary"] = fit.words.summary;
  value["notes"] = fit.words.notes;
  value["model"] = model_path;
  return value;
}

}  // namespace

int train_stream(const Algorithm& algorithm, const DataOptions& data, const std::string& from,
                 const std::string& model_path, const Common& common, Output& output) {
  check(data);
  const auto start = std::chrono::steady_clock::now();
  Run run = common.run();
  // Asked before every block of rows, when the stream is open: what has come by then is worth saving.
  run.observe = [](const Progress&) {
    finish_in_order();
    return true;
  };
  run.start = start_of_stream(from, run.threads);
  const Fit fit = train_on(
      data.path,
      {.zero_based = data.read.zero_based, .features = data.read.features, .positive = data.positive},
      algorithm, run);
  finish_in_order();
  save(fit.model(), model_path);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string& note : fit.words.notes) output.note(note);
  output.line(fmt::format("{}: {:.0f} rows as they came, {}", printable(data.path, 200), rows_of(fit),
                          counted(fit.model().features(), "feature")));
  output.line(fmt::format("{}: {}", algorithm.name(), facts_words(algorithm.values())));
  output.line(fmt::format("read and learned in {}", human_seconds(seconds)));
  output.line(fmt::format("mistakes {}", fit.trace.mistakes.value_or(0)));
  for (const std::string& line : fit.words.summary) output.line(line);
  for (std::size_t k = 0; k < fit.proof.certificates.size(); ++k) {
    const std::string plane = fit.proof.certificates.size() > 1
                                  ? fmt::format(" (class {})", printable(fit.model().classes[k]))
                                  : "";
    output.line(fmt::format("certificate{}: {}", plane, describe(fit.proof.certificates[k])));
  }
  if (model_path != "-") output.line(fmt::format("{} written", printable(model_path, 200)));
  output.object(output.json() ? json_of(algorithm, fit, seconds, model_path) : Json());
  return exit_code(fit);
}

}  // namespace halfspace::cli
