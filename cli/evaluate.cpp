// SPDX-License-Identifier: BSD-3-Clause
// halfspace evaluate MODEL DATA
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/model/model_file.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t confusion_classes = 12;  // a wider table does not fit a terminal

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

class Evaluate final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train, or one of LIBLINEAR or LIBSVM", model_path_);
    options.argument("DATA", "labelled rows; - for standard input", data_.path);
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    const Model model = load(model_path_, common.team());
    std::vector<std::string> notes;
    const Dataset data = read_for_model(data_, model, common, notes);
    if (!data.labelled()) throw InputError({data.name()}, "no labels", "evaluation needs labelled rows");
    const Evaluation result = evaluate(model, data, common.team());
    if (result.unknown_labels > 0) {
      notes.push_back(fmt::format("{} rows have a label that is none of the model's; they count as errors",
                                  result.unknown_labels));
    }
    for (const std::string& note : notes) output.note(note);
    print(result, model, output);
    output.object(output.json() ? json(result, model, notes) : Json());
    return exit_done;
  }

 private:
  static void print(const Evaluation& result, const Model& model, const Output& output) {
    output.line(fmt::format("error {}{}", error_words(result.count, 6),
                            result.interval ? fmt::format(", 95 % interval {:.4g} to {:.4g}", result.interval->low,
                                                          result.interval->high)
                                            : ", no interval: weights that are not whole"));
    output.line(fmt::format("accuracy {:.6g}", 1 - result.error));
    if (result.auc) output.line(fmt::format("area under the curve {:.6g}", *result.auc));
    if (result.log_loss) output.line(fmt::format("log-loss {:.6g}", *result.log_loss));
    if (!result.zero_rows.empty()) output.line(zero_rows_words(model, result.zero_rows));
    output.line("");
    output.line(fmt::format("{:<15} {:>10}{:>12}{:>12}{:>12}", "class", result.count.weighted ? "weight" : "rows", "precision", "recall", "f1"));
    for (const ClassFigures& figures : result.classes) {
      output.line(fmt::format("{:<15} {:>10.10g}{:>12.4f}{:>12.4f}{:>12.4f}", cut(figures.label, 15),
                              figures.rows, figures.precision, figures.recall, figures.f1));
    }
    if (model.classes.size() <= confusion_classes) print_confusion(result, model, output);
  }

  static void print_confusion(const Evaluation& result, const Model& model, const Output& output) {
    bool abstentions = false;
    for (const auto& row : result.confusion)
      abstentions = abstentions || (row.size() > model.classes.size() && row.back() > 0);
    const std::size_t columns = model.classes.size() + (abstentions ? 1 : 0);
    // As wide as the names, within reason.
    std::size_t longest = 0;
    for (const std::string& name : model.classes) longest = std::max(longest, printable(name, 12).size());
    const std::size_t width = std::clamp<std::size_t>(longest + 2, 10, 14);
    output.line(result.count.weighted ? "\nsums of weights" : "");
    std::string head = fmt::format("{:<16}", "true \\ given");
    for (std::size_t k = 0; k < columns; ++k) {
      head += fmt::format("{:>{}}", k < model.classes.size() ? cut(model.classes[k], width - 2) : "none", width);
    }
    output.line(head);
    for (std::size_t k = 0; k < result.confusion.size(); ++k) {
      std::string line = fmt::format("{:<16}", k < model.classes.size() ? cut(model.classes[k], 15) : "other");
      for (std::size_t j = 0; j < std::min(columns, result.confusion[k].size()); ++j) {
        line += fmt::format("{:>{}.{}g}", result.confusion[k][j], width, width - 2);
      }
      output.line(line);
    }
  }

  // A name in at most `width` characters.
  static std::string cut(const std::string& name, std::size_t width) {
    return printable(name, name.size() <= width ? width : width - 3);
  }

  static Json json(const Evaluation& result, const Model& model, const std::vector<std::string>& notes) {
    Json value;
    value["schema"] = "halfspace.evaluate/1";
    value["rows"] = result.count.rows;
    value["errors"] = result.count.wrong;
    value["error"] = result.error;  // share of the weight
    value["weight"] = weight_json(result.count);
    value["interval"] = result.interval ? Json{result.interval->low, result.interval->high} : Json(nullptr);
    value["accuracy"] = 1 - result.error;
    value["classes"] = model.classes;
    Json confusion = Json::array(), undecided = Json::array();
    for (const auto& row : result.confusion) {
      Json cells = Json::array();
      for (std::size_t k = 0; k + 1 < row.size(); ++k) cells.push_back(whole_json(row[k]));
      confusion.push_back(std::move(cells));
      undecided.push_back(whole_json(row.back()));
    }
    value["confusion"] = std::move(confusion);
    value["undecided"] = std::move(undecided);  // weight of each class with a score of exactly zero
    value["rows_on_plane"] = zero_rows_json(model, result.zero_rows);
    value["auc"] = optional_json(result.auc);
    value["log_loss"] = optional_json(result.log_loss);
    value["unknown_labels"] = result.unknown_labels;
    Json figures = Json::array();
    for (const ClassFigures& one : result.classes) {
      figures.push_back({{"label", one.label},
                         {"rows", whole_json(one.rows)},
                         {"precision", one.precision},
                         {"recall", one.recall},
                         {"f1", one.f1}});
    }
    value["per_class"] = std::move(figures);
    value["notes"] = notes;
    return value;
  }

  std::string model_path_;
  DataOptions data_;
};

}  // namespace

constinit const Verb evaluate_verb = {
    "evaluate",
    "MODEL DATA [options]",
    "how often the model is wrong on labelled rows",
    {"halfspace evaluate a9a.model a9a.t", "halfspace evaluate a9a.model a9a.t --json"},
    "Error with its exact 95 % interval, figures per class, confusion table, area under the curve, log-loss. A score "
    "of exactly "
    "zero counts as an error for both classes, whatever label the tie rule gives it.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Evaluate>(); }};

}  // namespace halfspace::cli
