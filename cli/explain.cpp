// SPDX-License-Identifier: BSD-3-Clause
// halfspace explain MODEL DATA --row I
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/explanation.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t moves_printed = 5;

class Explain final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model of planes", model_path_);
    options.argument("DATA", "rows, with or without labels; - for standard input", data_.path);
    options.value("--row", "I", "the row to explain, from 1", row_, {1, 4294967295.0}).required = true;
    options.list("--fixed", "NAMES", "columns or features that cannot change, separated by commas", fixed_);
    options.value("--top", "N", "how many contributions to print", top_, {0, 4294967295.0});
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    const Model model = load_before_rows("explain", model_path_, data_.path, common);
    std::vector<std::string> notes;
    const Dataset data = read_for_model(data_, model, common, notes);
    std::vector<std::uint32_t> fixed;
    for (const std::string& name : fixed_) {
      const std::vector<std::uint32_t> features = features_named(model, name);
      fixed.insert(fixed.end(), features.begin(), features.end());
    }
    const Explanation found = explain(model, data, static_cast<std::size_t>(row_ - 1), fixed, common.team());
    for (const std::string& note : notes) output.note(note);
    print(model, found, output);
    output.object(output.json() ? json(model, found, notes) : Json());
    return exit_done;
  }

 private:
  static std::string class_name(const Model& model, std::uint32_t label) {
    return label < model.classes.size() ? model.classes[label] : "none";
  }

  void print(const Model& model, const Explanation& found, const Output& output) const {
    output.line(fmt::format(
        "row {}: {}, score {:.10g}{}", row_, printable(class_name(model, found.given)), found.score,
        model.planes() == 1 ? fmt::format(" (above 0 means {})", printable(model.classes.back())) : ""));
    if (found.distance)
      output.line(fmt::format(
          "distance from {}: {:.6g}{}",
          found.rival ? "where " + printable(class_name(model, *found.rival)) + " would win" : "the plane",
          *found.distance,
          model.unit_rows || model.scaling.kind != ScaleKind::None ? " (of the row as the model scales it)"
                                                                   : ""));
    print_contributions(model, found, output);
    if (!found.nearest.empty()) {
      std::string moves;
      for (std::size_t k = 0; k < std::min(moves_printed, found.nearest.size()); ++k)
        moves += fmt::format("{}{} {:.6g}", k == 0 ? "" : ", ", feature_name(model, found.nearest[k].feature),
                             found.nearest[k].to);
      if (found.nearest.size() > moves_printed)
        moves += fmt::format(", and {} more", found.nearest.size() - moves_printed);
      output.line(fmt::format("nearest point where the label turns: {}", moves));
    }
    if (!found.changes.empty()) output.line("what would turn the label (each was tried):");
    for (const LabelChange& change : found.changes)
      output.line(fmt::format("  {}: {}{}", printable(class_name(model, change.label)),
                              change_words(model, change),
                              change.deviations && !model.deviations.empty()
                                  ? fmt::format("   ({:.3g} standard deviations)", *change.deviations)
                                  : ""));
  }

  // In the order of addition while all can be shown; else the largest.
  void print_contributions(const Model& model, const Explanation& found, const Output& output) const {
    std::vector<Contribution> shown = found.contributions;
    const auto most = static_cast<std::size_t>(top_);
    const bool cut = shown.size() > most;
    if (cut) {
      std::stable_sort(shown.begin(), shown.end(), [](const Contribution& a, const Contribution& b) {
        return std::abs(a.product) > std::abs(b.product);
      });
      shown.resize(most);
    }
    output.line(fmt::format("  {:<30} {:>14} {:>14} {:>14}", "feature", "value", "weight", "adds"));
    double rest = 0;
    for (const Contribution& one : found.contributions) rest += one.product;
    for (const Contribution& one : shown) {
      output.line(fmt::format("  {:<30} {:>14.6g} {:>14.6g} {:>14.6g}", feature_name(model, one.feature),
                              one.value, one.weight, one.product));
      rest -= one.product;
    }
    if (cut)
      output.line(fmt::format("  {:<30} {:>14} {:>14} {:>14.6g}",
                              fmt::format("{} others", found.contributions.size() - shown.size()), "", "",
                              rest));
    if (found.divisor != 1)
      output.line(fmt::format("  {:<30} {:>14} {:>14} {:>14.6g}", "divided by the row's length", "", "",
                              found.divisor));
    output.line(fmt::format("  {:<30} {:>14} {:>14} {:>14.6g}", "offset", "", "", found.offset));
  }

  // The category of a column before or after; empty: not a category.
  static std::string category(const Column& column, const LabelChange& change, bool after) {
    for (const MovedFeature& move : change.moved) {
      if ((after ? move.to : move.from) != 1) continue;
      const std::uint32_t within = move.feature - column.first_feature;
      if (within >= column.value_features()) return "missing";
      return column.categories[within + (column.reference ? 1 : 0)];
    }
    return column.reference && !column.categories.empty() ? column.categories.front()
                                                          : "none of its categories";
  }

  static std::string change_words(const Model& model, const LabelChange& change) {
    if (const Column* const column = category_column(model, change.moved.front().feature))
      return fmt::format("{} {} -> {}", printable(column->name), printable(category(*column, change, false)),
                         printable(category(*column, change, true)));
    std::string out;
    for (const MovedFeature& move : change.moved)
      out += fmt::format("{}{} {:.10g} -> {:.10g}", out.empty() ? "" : ", ",
                         feature_name(model, move.feature), move.from, move.to);
    return out;
  }

  static Json moves_json(const Model& model, const std::vector<MovedFeature>& moved) {
    Json out = Json::array();
    for (const MovedFeature& move : moved)
      out.push_back({{"feature", move.feature + 1},
                     {"name", feature_name(model, move.feature)},
                     {"from", move.from},
                     {"to", move.to}});
    return out;
  }

  [[nodiscard]] Json json(const Model& model, const Explanation& found,
                          const std::vector<std::string>& notes) const {
    Json value;
    value["schema"] = "halfspace.explain/1";
    value["row"] = row_;
    value["label"] = found.given == abstained ? Json(nullptr) : Json(model.classes[found.given]);
    value["class"] =
        model.planes() == 1 ? model.classes.back() : model.classes[found.plane];  // whose score this is
    value["score"] = found.score;
    value["contributions"] = Json::array();
    for (const Contribution& one : found.contributions)
      value["contributions"].push_back({{"feature", one.feature + 1},
                                        {"name", feature_name(model, one.feature)},
                                        {"value", one.value},
                                        {"weight", one.weight},
                                        {"contribution", one.product}});
    value["divisor"] = found.divisor;
    value["offset"] = found.offset;
    value["distance"] = found.distance ? Json(*found.distance) : Json(nullptr);
    value["rival"] = found.rival ? Json(model.classes[*found.rival]) : Json(nullptr);
    value["nearest"] = moves_json(model, found.nearest);
    value["changes"] = Json::array();
    for (const LabelChange& change : found.changes)
      value["changes"].push_back(
          {{"label", change.label == abstained ? Json(nullptr) : Json(model.classes[change.label])},
           {"deviations",
            change.deviations && !model.deviations.empty() ? Json(*change.deviations) : Json(nullptr)},
           {"moves", moves_json(model, change.moved)}});
    value["notes"] = notes;
    return value;
  }

  std::string model_path_;
  DataOptions data_;
  std::int64_t row_ = 1;
  std::int64_t top_ = 20;
  std::vector<std::string> fixed_;
};

}  // namespace

constinit const Verb explain_verb = {
    "explain",
    "MODEL DATA --row I [--fixed NAMES] [options]",
    "why a row got its label, and what would turn it",
    {"halfspace explain table.model table.csv --row 3",
     "halfspace explain table.model table.csv --row 3 --fixed age,sex --json"},
    "What every feature adds to the score of one row, how far the row is from the plane, the nearest point "
    "on it, and the "
    "smallest changes of one or a few columns after which the model says another label.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Explain>(); }};

}  // namespace halfspace::cli
