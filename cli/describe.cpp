// SPDX-License-Identifier: BSD-3-Clause
#include "describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"

namespace halfspace::cli {

Json certificate_json(const Model& model) {
  if (model.certificate.empty()) return nullptr;
  Json value = Json::parse(model.certificate, nullptr, false);
  // A proof may have megabytes: it stays in the model, and its length is said.
  for (Json& one : value.is_array() ? value : Json::array()) {
    if (!one.is_object() || !one.contains("proof")) continue;
    one["proof_characters"] = one["proof"].get_ref<const std::string&>().size();
    one.erase("proof");
  }
  return value.is_discarded() ? Json(nullptr) : value;
}

std::string facts_words(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(name),
                        value.empty() ? "-" : printable(value));
  }
  return text;
}

Json facts_json(const Facts& facts) {
  Json out = Json::object();
  for (const auto& [name, value] : facts) out[name] = value;
  return out;
}

std::string probability_words(const Model& model) {
  const Calibrator& c = model.calibrator;
  const std::string last = printable(model.classes.back());
  if (c.kind == CalibrationKind::Isotonic)
    return fmt::format("probabilities: isotonic, {} points from score {:.4g} to {:.4g}", c.scores.size(),
                       c.scores.front(), c.scores.back());
  if (model.planes() != 1)
    return fmt::format("probabilities: platt, in proportion to exp({:.4g} f)", c.slope);
  return fmt::format("probabilities: platt, {} has 1 / (1 + exp(-({:.4g} f {} {:.4g})))", last, c.slope,
                     c.shift < 0 ? "-" : "+", std::abs(c.shift));
}

Json calibration_json(const Calibrator& c) {
  if (!c.on()) return nullptr;
  Json out{{"kind", OptionType<CalibrationKind>::print(c.kind)}};
  if (c.kind == CalibrationKind::Platt) out.update({{"slope", c.slope}, {"shift", c.shift}});
  if (c.kind == CalibrationKind::Isotonic)
    out.update({{"scores", c.scores}, {"probabilities", c.probabilities}});
  return out;
}

int exit_code(const Fit& fit) {
  if (fit.answer.stop == Stop::Cancelled) return exit_interrupted;
  switch (fit.outcome()) {
    case Outcome::Yes: return exit_done;
    case Outcome::No: return exit_no;
    case Outcome::Limit: break;
  }
  return exit_limit;
}

std::string stop_words(Stop stop, std::uint64_t iterations) {
  std::string passes = fmt::format("{} pass{}", iterations, iterations == 1 ? "" : "es");
  switch (stop) {
    case Stop::Converged: return fmt::format("converged after {}", passes);
    case Stop::Clean: return fmt::format("the last of {} was clean: no mistakes", passes);
    case Stop::Passes: return fmt::format("{} done, the last one not clean", passes);
    case Stop::Limit: return fmt::format("limit reached after {}; this is the best model so far", passes);
    case Stop::Time: return fmt::format("time limit reached after {}; this is the best model so far", passes);
    case Stop::Refused: return fmt::format("refused after {}", passes);
    case Stop::Cancelled: return fmt::format("interrupted after {}; this is the best model so far", passes);
  }
  return passes;
}

std::string error_words(const ErrorCount& count, int digits) {
  if (!count.weighted)
    return fmt::format("{:.{}g} ({} of {} rows)", count.share(), digits, count.wrong, count.rows);
  return fmt::format("{:.{}g} of the weight ({:.10g} of {:.10g}; {} of {} rows)", count.share(), digits,
                     count.wrong_weight, count.weight, count.wrong, count.rows);
}

Json whole_json(double value) {
  constexpr double most = 0x1p53;
  return value == std::floor(value) && value >= 0 && value < most ? Json(static_cast<std::uint64_t>(value))
                                                                  : Json(value);
}

Json weight_json(const ErrorCount& count) {
  return {{"total", whole_json(count.weight)}, {"errors", whole_json(count.wrong_weight)}};
}

std::string zero_rows_words(const Model& model, std::span<const std::uint32_t> rows) {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t k = 0; k < std::min(most, rows.size()); ++k)
    list += fmt::format("{}{}", k == 0 ? "" : ", ", std::uint64_t{rows[k]} + 1);
  const bool plane = std::holds_alternative<LinearModel>(model.form);
  return fmt::format("{} with a score of zero{}, an error for either class: {}{}{}",
                     counted(rows.size(), "row"), plane ? " (on the plane)" : "",
                     rows.size() == 1 ? "row " : "rows ", list,
                     rows.size() > most ? fmt::format(" and {} more", rows.size() - most) : "");
}

Json zero_rows_json(const Model& model, std::span<const std::uint32_t> rows) {
  if (model.planes() != 1) return nullptr;
  Json out = Json::array();
  for (const std::uint32_t row : rows) out.push_back(std::uint64_t{row} + 1);
  return out;
}

std::string feature_name(const Model& model, std::uint32_t feature) {
  if (model.map != nullptr) return fmt::format("phi{}", feature + 1);
  if (model.encoding != nullptr && feature < model.encoding->features()) {
    return printable(model.encoding->feature_name(feature));
  }
  return fmt::format("x{}", feature + 1);
}

const Column* category_column(const Model& model, std::uint32_t feature) {
  if (model.encoding == nullptr || model.map != nullptr) return nullptr;
  const std::vector<Column>& columns = model.encoding->columns;
  const auto after =
      std::upper_bound(columns.begin(), columns.end(), feature,
                       [](std::uint32_t f, const Column& column) { return f < column.first_feature; });
  if (after == columns.begin()) return nullptr;
  const Column& column = *(after - 1);
  return column.kind == ColumnKind::Category && feature - column.first_feature < column.features() ? &column
                                                                                                   : nullptr;
}

std::vector<NamedWeight> largest_weights(const Model& model, std::size_t plane, std::size_t count) {
  const std::span<const double> weights = std::get<LinearModel>(model.form).plane(plane);
  // Weights beside a scaling are those of columns in units of it already.
  const bool known = model.deviations.size() == weights.size() && model.scaling.kind == ScaleKind::None;
  const auto larger = [](const NamedWeight& a, const NamedWeight& b) {
    const double x = std::abs(a.effect);
    const double y = std::abs(b.effect);
    return x != y ? x > y : a.feature < b.feature;
  };
  // A heap with the least of them in front: a plane may have millions of weights.
  std::vector<NamedWeight> best;
  for (std::size_t j = 0; j < weights.size() && count > 0; ++j) {
    if (weights[j] == 0) continue;
    const NamedWeight one{static_cast<std::uint32_t>(j), weights[j],
                          known ? weights[j] * model.deviations[j] : weights[j]};
    if (best.size() == count) {
      if (!larger(one, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), larger);
      best.pop_back();
    }
    best.push_back(one);
    std::push_heap(best.begin(), best.end(), larger);
  }
  std::sort_heap(best.begin(), best.end(), larger);
  return best;
}

std::string formula(const Model& model, std::size_t plane, std::size_t terms) {
  const auto* linear = std::get_if<LinearModel>(&model.form);
  if (linear == nullptr) return {};
  // Features are made of rows of unit length; planes divide the sum instead.
  const bool divided = model.unit_rows && model.map == nullptr;
  std::string text = divided ? "f(x) = (" : "f(x) =";
  std::vector<NamedWeight> largest = largest_weights(model, plane, terms + 1);
  const bool more = largest.size() > terms;
  if (more) largest.resize(terms);
  bool first = true;
  const auto add = [&](double value, const std::string& name) {
    const std::string size = fmt::format("{:.6g}", std::abs(value));
    text += first ? (value < 0 ? " -" : " ") : (value < 0 ? " - " : " + ");
    text += name.empty() ? size : size + " " + name;
    first = false;
  };
  for (const NamedWeight& term : largest) add(term.weight, feature_name(model, term.feature));
  if (more) text += " + ...";
  if (divided) text += " )/|x|";
  const double offset = linear->offsets.at(plane);
  if (offset != 0 || first) add(offset, "");
  return text;
}

}  // namespace halfspace::cli
