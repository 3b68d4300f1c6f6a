// SPDX-License-Identifier: BSD-3-Clause
// A model as a JSON document: every number of it, shortest decimals that mean the same doubles, for programs that have no reader
// of safetensors. "rule" says in words what to do with them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "model/file/model_json.hpp"
#include "model/travel/targets.hpp"
#include "model/travel/text.hpp"

namespace halfspace::travel {
namespace {

using Document = nlohmann::ordered_json;

std::string_view probability_rule(const Model& model) {
  if (!has_probabilities(model)) return "none";
  if (model.calibrator.on()) return "calibrated";
  if (labels_follow_probabilities(model)) return "pairs";
  if (model.planes() == 1) return "sigmoid";
  return is_softmax(model) ? "softmax" : "one-vs-rest";
}

std::string rule_of(const Model& model) {
  std::string out;
  if (model.scaling.kind != ScaleKind::None) out += "x becomes (x - scaling.shift) * scaling.factor. ";
  if (model.unit_rows) out += "x is divided by its length, if that is not 0. ";
  if (std::holds_alternative<LookupModel>(model.form))
    return out + "the class is labels[i] where x[feature] = values[i], else fallback.";
  const bool kernel = std::holds_alternative<KernelModel>(model.form);
  out += kernel ? "f[k] = sum of coefficients[i] * K(vectors[i], x) + offset, for every function k; features "
                  "of vectors "
                  "count from 0. "
                : "f[k] = weights[k] . x + offsets[k]. ";
  if (model.classes.size() == 2)
    return out + "f[0] > 0 is the last class, f[0] < 0 the first, 0 what tie says.";
  if (kernel && std::get<KernelModel>(model.form).pairs)
    return out +
           "the functions are those of the pairs of classes (0, 1), (0, 2), ..., (1, 2), ...: above 0 a vote "
           "for the "
           "second, else for the first; the most votes win, of equal ones the first in order.";
  return out + "the largest f wins, of equal ones the first in order.";
}

Document calibration_of(const Calibrator& map) {
  const std::string_view rule =
      map.kind == CalibrationKind::Platt
          ? "two classes: 1 / (1 + exp(-(slope f + shift))) is the probability of the last, held at 1/2 or "
            "above where f > 0, at 1/2 or below where f < 0, at 1/2 where f = 0; more: exp(slope f[k]) "
            "divided "
            "by their sum"
          : "lines between the points (scores, probabilities), level outside; two classes: the probability "
            "of "
            "the last, held on the side of f like that of platt; more: that of every class, divided by their "
            "sum";
  return {{"kind", OptionType<CalibrationKind>::print(map.kind)},
          {"rule", rule},
          {"slope", map.slope},
          {"shift", map.shift},
          {"scores", map.scores},
          {"probabilities", map.probabilities}};
}

void add_kernel(const KernelModel& machine, Document& out) {
  out["kernel"] = OptionType<KernelFunction>::print(machine.kernel);
  out["pairs"] = machine.pairs;
  out["order"] = machine.order;
  Document vectors = Document::array();
  for (std::size_t r = 0; r < machine.vectors(); ++r) {
    Document vector = {{"features", Document::array()}, {"values", Document::array()}};
    for (std::uint64_t at = machine.start[r]; at < machine.start[r + 1]; ++at) {
      vector["features"].push_back(machine.index[at]);
      vector["values"].push_back(machine.value[at]);
    }
    vectors.push_back(std::move(vector));
  }
  out["vectors"] = std::move(vectors);
  Document functions = Document::array();
  for (std::size_t k = 0; k < machine.offsets.size(); ++k) {
    Document function = {
        {"offset", machine.offsets[k]}, {"vectors", Document::array()}, {"coefficients", Document::array()}};
    for (std::uint64_t at = machine.first[k]; at < machine.first[k + 1]; ++at) {
      function["vectors"].push_back(machine.vector[at]);
      function["coefficients"].push_back(machine.coefficient[at]);
    }
    if (!machine.sigmoid.empty()) function["sigmoid"] = {machine.sigmoid[2 * k], machine.sigmoid[2 * k + 1]};
    functions.push_back(std::move(function));
  }
  out["functions"] = std::move(functions);
}

void add_form(const Model& model, Document& out) {
  if (const auto* linear = std::get_if<LinearModel>(&model.form)) {
    Document weights = Document::array();
    for (std::size_t k = 0; k < linear->planes; ++k) {
      const auto plane = linear->plane(k);
      weights.push_back(std::vector<double>(plane.begin(), plane.end()));
    }
    out["weights"] = std::move(weights);
    out["offsets"] = linear->offsets;
    out["order"] = linear->order;
  } else if (const auto* kernel = std::get_if<KernelModel>(&model.form)) {
    add_kernel(*kernel, out);
  } else {
    const auto& lookup = std::get<LookupModel>(model.form);
    out["feature"] = lookup.feature;
    out["values"] = lookup.values;
    out["labels"] = lookup.labels;
    out["fallback"] = lookup.fallback;
  }
}

KernelModel kernel_from(const Document& in, std::size_t features) {
  KernelModel out{.features = features};
  out.kernel = OptionType<KernelFunction>::parse("kernel", in.at("kernel").get<std::string>(), {});
  out.pairs = in.at("pairs");
  out.order = in.at("order").get<std::vector<std::uint32_t>>();
  for (const Document& vector : in.at("vectors")) {
    for (const Document& j : vector.at("features")) out.index.push_back(j);
    for (const Document& x : vector.at("values")) out.value.push_back(x);
    out.start.push_back(out.index.size());
  }
  for (const Document& function : in.at("functions")) {
    for (const Document& r : function.at("vectors")) out.vector.push_back(r);
    for (const Document& c : function.at("coefficients")) out.coefficient.push_back(c);
    out.first.push_back(out.vector.size());
    out.offsets.push_back(function.at("offset"));
    if (function.contains("sigmoid"))
      for (const Document& x : function.at("sigmoid")) out.sigmoid.push_back(x);
  }
  return out;
}

}  // namespace

std::string to_json(const Model& model) {
  constexpr std::string_view kinds[] = {"linear", "lookup", "voted", "kernel"};
  Document out = {{"schema", "halfspace.model/1"},
                  {"kind", kinds[model.form.index()]},
                  {"rule", rule_of(model)},
                  {"features", model.features()},
                  {"classes", model.classes}};
  if (model.encoding != nullptr) {
    std::vector<std::string> names;
    for (std::uint32_t j = 0; j < model.encoding->features(); ++j)
      names.push_back(model.encoding->feature_name(j));
    out["names"] = std::move(names);
    out["table"] = Document::parse(detail::encoding_to_json(*model.encoding));
  }
  if (model.scaling.kind != ScaleKind::None)
    out["scaling"] = {{"shift", model.scaling.shift}, {"factor", model.scaling.factor}};
  out["unit_rows"] = model.unit_rows;
  out["tie"] = OptionType<Tie>::print(model.tie);
  out["probability"] = probability_rule(model);
  if (model.calibrator.on()) out["calibration"] = calibration_of(model.calibrator);
  add_form(model, out);
  // A line for each key: numbers by the thousand stay together.
  std::string text = "{";
  for (const auto& [key, value] : out.items())
    text += fmt::format("{}\n{}: {}", text.size() > 1 ? "," : "", json_string(key),
                        value.dump(-1, ' ', true, Document::error_handler_t::replace));
  return text + "\n}\n";
}

Model model_from_document(const std::string& text) {
  const Document in = Document::parse(text);
  Model out;
  const std::size_t features = in.at("features");
  out.classes = in.at("classes").get<std::vector<std::string>>();
  out.unit_rows = in.at("unit_rows");
  out.tie = OptionType<Tie>::parse("tie", in.at("tie").get<std::string>(), {});
  const std::string probability = in.at("probability");
  if (probability == "sigmoid" || probability == "softmax" || probability == "one-vs-rest") {
    out.algorithm = "logistic";
    out.options.emplace_back("multiclass", probability);
  }
  if (in.contains("calibration")) {
    const Document& map = in["calibration"];
    out.calibrator = {
        .kind = OptionType<CalibrationKind>::parse("kind", map.at("kind").get<std::string>(), {}),
        .slope = map.at("slope"),
        .shift = map.at("shift"),
        .scores = map.at("scores").get<std::vector<double>>(),
        .probabilities = map.at("probabilities").get<std::vector<double>>()};
  }
  if (in.contains("scaling")) {
    out.scaling.kind = ScaleKind::Standard;
    out.scaling.shift = in["scaling"].at("shift").get<std::vector<double>>();
    out.scaling.factor = in["scaling"].at("factor").get<std::vector<double>>();
  }
  if (in.at("kind") == "linear") {
    LinearModel linear{.features = features, .planes = in.at("weights").size()};
    for (const Document& plane : in.at("weights"))
      for (const Document& w : plane) linear.weights.push_back(w);
    linear.offsets = in.at("offsets").get<std::vector<double>>();
    linear.order = in.at("order").get<std::vector<std::uint32_t>>();
    out.form = std::move(linear);
  } else if (in.at("kind") == "kernel") {
    out.form = kernel_from(in, features);
  } else {
    out.form = LookupModel{.features = features,
                           .feature = in.at("feature"),
                           .values = in.at("values").get<std::vector<double>>(),
                           .labels = in.at("labels").get<std::vector<std::uint32_t>>(),
                           .fallback = in.at("fallback")};
  }
  return out;
}

}  // namespace halfspace::travel
