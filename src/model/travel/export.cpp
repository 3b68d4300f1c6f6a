// SPDX-License-Identifier: BSD-3-Clause
// The list of targets.
#include "halfspace/model/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "halfspace/core/error.hpp"
#include "halfspace/model/liblinear.hpp"
#include "halfspace/model/libsvm.hpp"
#include "halfspace/model/model_file.hpp"
#include "model/travel/compare.hpp"
#include "model/travel/graph.hpp"
#include "model/travel/targets.hpp"

namespace halfspace {
namespace {

struct Made {
  std::string bytes;
  std::function<travel::Answers(const Dataset&)> answers;
};

std::vector<double> dense_row(const Dataset& data, std::size_t i, std::size_t features) {
  std::vector<double> out(features, 0.0);
  std::visit(
      [&](const auto& x) {
        for_entries(x.row(i), [&](std::size_t j, double v) {
          if (j < features) out[j] = v;
        });
      },
      data.matrix());
  return out;
}

travel::Answers run_rows(const travel::Graph& graph, const Dataset& data) {
  travel::Answers out;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const travel::Answer one = travel::run(graph, dense_row(data, i, graph.width()));
    out.scores.insert(out.scores.end(), one.scores.begin(), one.scores.end());
    out.probabilities.insert(out.probabilities.end(), one.probabilities.begin(), one.probabilities.end());
    out.labels.push_back(one.label);
    out.size = std::max(out.size, one.size);
  }
  return out;
}

// A text that was read back. Two classes may have changed their places, and so the score its sign.
travel::Answers ask(const Model& model, const Model& back, const Dataset& data) {
  travel::Answers out;
  out.scores = scores(back, data);
  out.labels = labels_from_scores(back, out.scores);
  if (has_probabilities(back) && !labels_follow_probabilities(back) &&
      back.calibrator.on() == model.calibrator.on())
    out.probabilities = probabilities_from_scores(back, out.scores);
  if (back.classes == model.classes) return out;
  for (double& score : out.scores) score = 0 - score;
  for (std::uint32_t& label : out.labels) label = label == abstained ? label : 1 - label;
  for (std::size_t i = 0; i + 1 < out.probabilities.size(); i += 2)
    std::swap(out.probabilities[i], out.probabilities[i + 1]);
  return out;
}

template <class Print>
Made printed(const Model& model, std::string_view language, const Print& print) {
  travel::Graph graph = travel::graph_of(model, language);
  std::string bytes = print(graph);
  return {std::move(bytes),
          [graph = std::move(graph)](const Dataset& data) { return run_rows(graph, data); }};
}

Made read_back(const Model& model, std::string text, Model back) {
  return {std::move(text),
          [&model, back = std::move(back)](const Dataset& data) { return ask(model, back, data); }};
}

Made document(const Model& model) {
  static_cast<void>(travel::graph_of(model, "JSON"));  // the same kinds of models
  std::string text = travel::to_json(model);
  Model back = travel::model_from_document(text);
  return read_back(model, std::move(text), std::move(back));
}

Made foreign(const Model& model, std::string text) {
  Model back = model_from_bytes(text, "the text");
  return read_back(model, std::move(text), std::move(back));
}

// One entry for each target, in their order.
struct TargetEntry {
  Made (*make)(const Model& model, const ExportOptions& options);
  std::string_view ran, not_ran;
};
constexpr std::string_view steps = "the steps that it is printed from";
constexpr std::string_view text_read = "the text, read back";
const TargetEntry targets[] = {
    {[](const Model& m, const ExportOptions&) {
       return printed(m, "ONNX", [](const travel::Graph& g) { return travel::to_onnx(g); });
     },
     "the graph, node by node", "the runtime that will load it"},
    {[](const Model& m, const ExportOptions& o) {
       return printed(m, "C", [&](const travel::Graph& g) { return travel::to_c(g, o.name); });
     },
     steps, "the compiler that will translate it"},
    {[](const Model& m, const ExportOptions&) {
       return printed(m, "JavaScript", [](const travel::Graph& g) { return travel::to_javascript(g); });
     },
     steps, "the engine that will run it"},
    {[](const Model& m, const ExportOptions& o) {
       return printed(m, "SQL", [&](const travel::Graph& g) { return travel::to_sql(g, m, o.name); });
     },
     steps, "the database that will run it, and how it reads numbers and cells"},
    {[](const Model& m, const ExportOptions&) { return document(m); }, text_read,
     "the program that will use it"},
    {[](const Model& m, const ExportOptions&) { return foreign(m, to_liblinear_text(m)); }, text_read,
     "LIBLINEAR itself"},
    {[](const Model& m, const ExportOptions&) { return foreign(m, to_libsvm_text(m)); }, text_read,
     "LIBSVM itself"}};
static_assert(std::size(targets) == enum_words<Target>.size());

// Answers of the model that the form does not give.
std::string left_out(const Model& model, Target target, const ExportCheck& check) {
  if (check.probabilities) return {};
  if (model.calibrator.on())
    return fmt::format("left out: the probabilities that {} calibration has learned",
                       OptionType<CalibrationKind>::print(model.calibrator.kind));
  if (!has_probabilities(model) || target == Target::Libsvm) return {};
  return labels_follow_probabilities(model)
             ? "left out: the probabilities of pairs of classes; labels are those of the votes"
             : "left out: probabilities";
}

std::vector<std::string> notes_of(const Model& model, Target target) {
  std::vector<std::string> out;
  const bool table = model.encoding != nullptr && model.encoding->features() > 0;
  const bool program = target == Target::Onnx || target == Target::C || target == Target::JavaScript;
  if (table && (program || target == Target::Liblinear || target == Target::Libsvm))
    out.push_back(fmt::format(
        "it takes the {} features that the columns of the table become, not the columns", model.features()));
  if (model.tie == Tie::Abstain && model.planes() == 1 &&
      (target == Target::Liblinear || target == Target::Libsvm))
    out.emplace_back("a score of exactly zero becomes the first class there");
  return out;
}

// As many as are compared in a second or so.
Dataset first_rows(const Dataset& rows, const Model& model) {
  constexpr std::size_t most_rows = 1000, least_rows = 20, most_products = 300'000'000;
  std::size_t products = model.features() * model.planes();
  if (const auto* kernel = std::get_if<KernelModel>(&model.form))
    products = kernel->index.size() + kernel->vector.size();
  const std::size_t count =
      std::clamp(most_products / std::max<std::size_t>(1, products), least_rows, most_rows);
  return rows.part(0, std::min(rows.rows(), count));
}

}  // namespace

Target usual_target(const Model& model) {
  return std::holds_alternative<KernelModel>(model.form) ? Target::Libsvm : Target::Liblinear;
}

std::optional<Target> target_of_name(std::string_view name) {
  constexpr std::pair<std::string_view, Target> endings[] = {
      {".onnx", Target::Onnx},      {".h", Target::C},     {".js", Target::JavaScript},
      {".mjs", Target::JavaScript}, {".sql", Target::Sql}, {".json", Target::Json}};
  for (const auto& [ending, target] : endings)
    if (name.ends_with(ending)) return target;
  return {};
}

Exported export_model(const Model& model, Target target, const ExportOptions& options,
                      const Threads& threads) {
  if (!options.name.empty() && target != Target::C && target != Target::Sql)
    throw UsageError("--name is for C and SQL", "--to c or sql");
  const TargetEntry& entry = targets[static_cast<std::size_t>(target)];
  Made made = entry.make(model, options);
  const Dataset rows = options.rows == nullptr ? probe_rows(model) : first_rows(*options.rows, model);
  Exported out;
  out.check = travel::compare(model, made.answers(rows), rows, target, threads);
  out.check.ran = entry.ran;
  out.check.not_ran = entry.not_ran;
  out.left_out = left_out(model, target, out.check);
  out.notes = notes_of(model, target);
  if (!out.left_out.empty()) out.notes.push_back(out.left_out);
  out.bytes = std::move(made.bytes);
  return out;
}

}  // namespace halfspace
