// SPDX-License-Identifier: BSD-3-Clause
// halfspace evaluate MODEL DATA
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/baselines.hpp"
#include "halfspace/evaluate/bayes.hpp"
#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/evaluate/unknown_labels.hpp"
#include "halfspace/model/model_file.hpp"
#include "threshold.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t confusion_classes = 12;  // a wider table does not fit a terminal

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

std::string interval_words(const std::optional<Interval>& interval) {
  return interval ? fmt::format(", 95 % interval {:.4g} to {:.4g}", interval->low, interval->high) : "";
}

// "FP:FN", two numbers of at least 0.
Costs parse_costs(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    throw UsageError(fmt::format("--cost: '{}' is not two numbers", printable(text)),
                     "FP:FN, what a false alarm and a miss cost, for example 1:5");
  const Costs costs{OptionType<double>::parse("cost", text.substr(0, colon), {0, 1e300}),
                    OptionType<double>::parse("cost", text.substr(colon + 1), {0, 1e300})};
  if (!(costs.false_positive + costs.false_negative > 0))
    throw UsageError("--cost: both costs are 0", "FP:FN, for example 1:5");
  return costs;
}

// Where the labels of a table would be, and what works without them.
std::string label_hint(const Model& model, const std::string& model_path, const std::string& rows) {
  std::string predict =
      fmt::format("halfspace predict {} {} needs none", printable(model_path, 200), printable(rows, 200));
  if (model.encoding == nullptr || model.encoding->label_column.empty()) return predict;
  return fmt::format("the model learned from column {}; {}", printable(model.encoding->label_column),
                     predict);
}

// What there is to tell of an evaluation.
struct Judged {
  Evaluation result;
  std::vector<Baseline> baselines;
  bool on_training_rows = false;
  std::vector<UnknownLabel> unknown;
  std::string unknown_words;  // of them; empty: there are none
  std::vector<std::string> notes;
  std::optional<BayesComparison> bayes;
};

class Evaluate final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train, or one of LIBLINEAR or LIBSVM",
                     model_path_);
    options.argument("DATA", "labelled rows; - for standard input", data_.path);
    threshold_.add_option(options);
    OptionSpec cost{
        "--cost", "FP:FN",
        "two classes: what a false alarm and a miss cost; says the mean cost and the threshold that is "
        "cheapest on these rows"};
    cost.set = [this](const std::string& text) { costs_ = parse_costs(text); };
    options.add(std::move(cost));
    options.text("--training", "FILE",
                 "the rows that the model was trained on, to train baselines (majority, stump, lookup)",
                 training_path_);
    options.text(
        "--bayes", "LAW",
        "a law of halfspace generate --law that the rows were drawn from: the error beyond the least "
        "possible",
        law_path_);
    data_.add_reading_for_model(options);
    data_.add_rename(options);
  }

  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    if (option == "--label") return "labels stand in the column of that name in the training table";
    if (option == "--metric") return "all figures are said; --json has more of them, --cost FP:FN a price";
    return {};
  }

  int run(const Common& common, Output& output) override {
    check_one_stdin(model_path_, data_.path);
    check_one_stdin(training_path_, data_.path);
    check_one_stdin(model_path_, training_path_);
    const Model model = load_before_rows("evaluate", model_path_, data_.path, common);
    threshold_.settle(model);
    const Judged judged = judge(model, common);
    for (const std::string& note : judged.notes) output.note(note);
    print(judged, model, output);
    output.object(output.json() ? json(judged, model) : Json());
    return exit_done;
  }

 private:
  [[nodiscard]] Judged judge(const Model& model, const Common& common) const {
    Judged out;
    const Dataset data = read_for_model(data_, model, common, out.notes);
    if (!data.labelled())
      throw InputError({data.name()}, "no labels", "evaluation needs labelled rows",
                       label_hint(model, model_path_, data_.path));
    out.result = evaluate(model, data, common.team(), {threshold_.score, costs_});
    out.unknown = unknown_labels(model, data);
    if (!out.unknown.empty()) {
      const std::string hint = rename_hint(out.unknown);
      const bool one = out.result.unknown_labels == 1;
      out.unknown_words = fmt::format("{} {} a label that is none of the model's and {}: {}{}",
                                      counted(out.result.unknown_labels, "row"), one ? "has" : "have",
                                      one ? "counts as an error" : "count as errors",
                                      unknown_words(out.unknown), hint.empty() ? "" : " -> " + hint);
    }
    out.on_training_rows = trained_on(model, data);
    if (!law_path_.empty())
      out.bayes = compare_with_bayes(
          model, data, law_from_json(read_all(*open_source(law_path_), law_path_), {.file = law_path_}),
          common.team());
    if (training_path_.empty()) {
      out.baselines.push_back(majority_of(model, data));
      return out;
    }
    DataOptions from = data_;
    from.path = training_path_;
    const Dataset training = read_for_model(from, model, common, out.notes);
    if (!training.labelled())
      throw InputError({training.name()}, "no labels", "baselines need labelled rows");
    if (!trained_on(model, training))
      out.notes.push_back(fmt::format("--training {}: not the rows that the model was trained on",
                                      printable(training_path_, 200)));
    out.baselines = baselines(model, training, data, common.run());
    return out;
  }

  void print(const Judged& judged, const Model& model, const Output& output) const {
    const Evaluation& result = judged.result;
    output.line(fmt::format(
        "error {}{}", error_words(result.count, 6),
        result.interval ? interval_words(result.interval) : ", no interval: weights that are not whole"));
    if (!judged.unknown_words.empty()) output.line(judged.unknown_words);
    output.line(fmt::format("accuracy {:.6g}", 1 - result.error));
    if (judged.on_training_rows)
      output.line("these are the rows it was trained on: expect a larger error on others");
    if (threshold_.set()) {
      const std::string share = threshold_.probability
                                    ? fmt::format(", a probability above {:.10g},", *threshold_.probability)
                                    : "";
      output.line(fmt::format("a score above {:.10g}{} means {}", threshold_.score, share,
                              printable(model.classes.back())));
    }
    for (const Baseline& one : judged.baselines)
      output.line(fmt::format("for comparison: {} ({}){}: error {}", one.name, one.what,
                              training_path_.empty() ? "" : " from the training rows",
                              error_words(one.count, 6)));
    if (judged.bayes) {
      const BayesComparison& bayes = *judged.bayes;
      output.line(fmt::format("Bayes error {:.6g}; the Bayes classifier has error {:.6g} on these rows",
                              bayes.bayes_error, bayes.best_error));
      output.line(fmt::format("excess {:.6g}: mean of |2 eta - 1| over the {} where the two disagree",
                              bayes.excess, counted(bayes.differing, "row")));
    }
    if (result.auc)
      output.line(
          fmt::format("area under the curve {:.6g}{}", *result.auc, interval_words(result.auc_interval)));
    if (result.log_loss) output.line(fmt::format("log-loss {:.6g}", *result.log_loss));
    if (result.hinge_loss && result.zero_one_loss)
      output.line(fmt::format("mean hinge loss {:.6g}, never below the zero-one loss {:.6g}{}",
                              *result.hinge_loss, *result.zero_one_loss,
                              !threshold_.set() ? "" : " (at threshold 0)"));
    print_costs(result, output);
    if (!result.zero_rows.empty()) output.line(zero_rows_words(model, result.zero_rows));
    output.line("");
    output.line(fmt::format("{:<15} {:>10}{:>12}{:>12}{:>12}", "class",
                            result.count.weighted ? "weight" : "rows", "precision", "recall", "f1"));
    for (const ClassFigures& figures : result.classes) {
      output.line(fmt::format("{:<15} {:>10.10g}{:>12.4f}{:>12.4f}{:>12.4f}", cut(figures.label, 15),
                              figures.rows, figures.precision, figures.recall, figures.f1));
    }
    if (model.classes.size() <= confusion_classes) print_confusion(result, model, output);
  }

  void print_costs(const Evaluation& result, const Output& output) const {
    if (!result.cost || !result.cheapest) return;
    output.line(
        fmt::format("cost {:.6g} a row ({:.6g} for a false alarm, {:.6g} for a miss) at threshold {:.6g}",
                    *result.cost, costs_->false_positive, costs_->false_negative, threshold_.score));
    output.line(
        fmt::format("cheapest on these rows: {:.6g} a row at --threshold {:.10g}; chosen here, so likely "
                    "dearer on others",
                    result.cheapest->cost, result.cheapest->threshold));
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
      head +=
          fmt::format("{:>{}}", k < model.classes.size() ? cut(model.classes[k], width - 2) : "none", width);
    }
    output.line(head);
    for (std::size_t k = 0; k < result.confusion.size(); ++k) {
      std::string line =
          fmt::format("{:<16}", k < model.classes.size() ? cut(model.classes[k], 15) : "other");
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

  [[nodiscard]] Json json(const Judged& judged, const Model& model) const {
    const Evaluation& result = judged.result;
    Json value;
    value["schema"] = "halfspace.evaluate/1";
    value["rows"] = result.count.rows;
    value["errors"] = result.count.wrong;
    value["error"] = result.error;  // share of the weight
    value["weight"] = weight_json(result.count);
    value["interval"] = interval_json(result.interval);
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
    value["balanced_error"] = result.balanced_error;
    value["hinge_loss"] = optional_json(result.hinge_loss);
    value["zero_one_loss"] = optional_json(result.zero_one_loss);
    value["auc"] = optional_json(result.auc);
    value["auc_interval"] = interval_json(result.auc_interval);
    value["average_precision"] = optional_json(result.average_precision);
    value["log_loss"] = optional_json(result.log_loss);
    value["brier"] = optional_json(result.brier);
    value["calibration_error"] = optional_json(result.calibration_error);
    value["trained_on_these_rows"] = judged.on_training_rows;
    value["threshold"] = model.planes() == 1 ? Json(threshold_.score) : Json(nullptr);
    value["cost"] = costs_json(result);
    value["baselines"] = baselines_json(judged);
    value["bayes"] = judged.bayes ? Json{{"bayes_error", judged.bayes->bayes_error},
                                         {"best_error", judged.bayes->best_error},
                                         {"excess", judged.bayes->excess},
                                         {"differing", judged.bayes->differing}}
                                  : Json(nullptr);
    value["curve"] = curve_json(result);
    value["calibration"] = calibration_json(result);
    value["unknown_labels"] = result.unknown_labels;
    value["unknown"] = Json::array();
    for (const UnknownLabel& one : judged.unknown)
      value["unknown"].push_back({{"label", one.label},
                                  {"rows", one.rows},
                                  {"nearest", one.nearest.empty() ? Json(nullptr) : Json(one.nearest)}});
    Json figures = Json::array();
    for (const ClassFigures& one : result.classes) {
      figures.push_back({{"label", one.label},
                         {"rows", whole_json(one.rows)},
                         {"precision", one.precision},
                         {"precision_interval", interval_json(one.precision_interval)},
                         {"recall", one.recall},
                         {"recall_interval", interval_json(one.recall_interval)},
                         {"f1", one.f1}});
    }
    value["per_class"] = std::move(figures);
    value["notes"] = judged.notes;
    if (!judged.unknown_words.empty()) value["notes"].push_back(judged.unknown_words);
    return value;
  }

  [[nodiscard]] Json costs_json(const Evaluation& result) const {
    if (!result.cost || !result.cheapest) return nullptr;
    return {{"false_positive", costs_->false_positive},
            {"false_negative", costs_->false_negative},
            {"mean", *result.cost},
            {"cheapest_threshold", result.cheapest->threshold},
            {"cheapest_mean", result.cheapest->cost}};
  }

  [[nodiscard]] Json baselines_json(const Judged& judged) const {
    Json out = Json::array();
    for (const Baseline& one : judged.baselines)
      out.push_back({{"name", one.name},
                     {"what", one.what},
                     {"error", one.count.share()},
                     {"errors", one.count.wrong},
                     {"trained_on", training_path_.empty() ? Json(nullptr) : Json(training_path_)}});
    return out;
  }

  static Json curve_json(const Evaluation& result) {
    Json out = Json::array();
    for (const CurvePoint& point : result.curve)
      out.push_back({{"threshold", point.threshold},
                     {"false_positive_rate", point.false_positive_rate},
                     {"true_positive_rate", point.true_positive_rate},
                     {"precision", point.precision},
                     {"hull", point.hull}});
    return out;
  }

  static Json calibration_json(const Evaluation& result) {
    Json out = Json::array();
    for (const CalibrationBin& bin : result.calibration)
      out.push_back({{"low", bin.low},
                     {"high", bin.high},
                     {"weight", whole_json(bin.weight)},
                     {"predicted", bin.predicted},
                     {"observed", bin.observed},
                     {"interval", interval_json(bin.interval)}});
    return out;
  }

  std::string model_path_;
  std::string training_path_, law_path_;
  Threshold threshold_;
  std::optional<Costs> costs_;
  DataOptions data_;
};

}  // namespace

constinit const Verb evaluate_verb = {
    "evaluate",
    "MODEL DATA [options]",
    "how often the model is wrong on labelled rows",
    {"halfspace evaluate a9a.model a9a.t", "halfspace evaluate a9a.model a9a.t --cost 1:5"},
    "Error with its exact 95 % interval beside that of baselines, figures per class, confusion table, area "
    "under the curve, "
    "log-loss, costs. "
    "A score "
    "of exactly "
    "zero counts as an error for both classes, whatever label the tie rule gives it.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Evaluate>(); }};

}  // namespace halfspace::cli
