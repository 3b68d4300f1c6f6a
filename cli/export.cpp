// SPDX-License-Identifier: BSD-3-Clause
// halfspace export MODEL -o FILE
#include "halfspace/model/export.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/model/read_for_model.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

std::string said(const ExportCheck& check, bool drawn) {
  std::string out = fmt::format(
      "compared on {}{}: {}, ", counted(check.rows, "row"), drawn ? " drawn from the model" : "",
      check.other_labels == 0 ? "all labels equal"
                              : fmt::format("{} by rounding", counted(check.other_labels, "other label")));
  out += check.same_bits ? "scores equal to the bit"
                         : fmt::format("scores differ by {:.2g} at most", check.score);
  if (check.probabilities)
    out += check.probability == 0
               ? ", probabilities equal"
               : fmt::format(", probabilities differ by {:.2g} at most", check.probability);
  return out;
}

class Export final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train", model_path_);
    options.text("-o,--output", "FILE", "where it goes; - for standard output", output_path_).fallback =
        "standard output";
    OptionSpec to{"--to", "FORM", "what the model becomes",
                  "by the ending of FILE, else liblinear for planes and libsvm for kernel machines"};
    to.choices = OptionType<Target>::choices();
    to.set = [this](const std::string& text) { to_ = OptionType<Target>::parse("to", text, {}); };
    options.add(std::move(to));
    options.text("--name", "NAME", "what the names of C begin with; the table of SQL", how_.name).fallback =
        "model, rows";
    options.text("--rows", "DATA", "compare on these rows (the first 1000)", rows_path_).fallback =
        "rows drawn from the model";
  }

  int run(const Common& common, Output& output) override {
    const bool to_stdout = output_path_.empty() || output_path_ == "-";
    if (to_stdout && common.json)
      throw UsageError("--json and the model both want standard output", "-o FILE");
    if (to_stdout) output.divert();
    check_output(output_path_, {model_path_, rows_path_});
    check_one_stdin(model_path_, rows_path_);
    const Model model = load(model_path_, common.team());
    std::optional<Dataset> rows;
    if (!rows_path_.empty()) rows = rows_of_user(model, common, output);
    if (rows) how_.rows = &*rows;
    const Target target = to_.value_or(target_of_name(output_path_).value_or(usual_target(model)));
    const Exported made = export_model(model, target, how_, common.team());
    finish_in_order();
    write_file(to_stdout ? "-" : output_path_, [&](ByteSink& sink) { sink.write(made.bytes); });
    say(output, made, to_stdout);
    output.object(output.json() ? json_of(made, target) : Json());
    return exit_done;
  }

 private:
  Dataset rows_of_user(const Model& model, const Common& common, Output& output) const {
    ReadOptions reading;
    std::vector<std::string> notes;
    reading.threads = common.team();
    reading.notes = &notes;
    Dataset all = halfspace::read_for_model(rows_path_, model, reading);
    for (const std::string& note : notes) output.note(note);
    return all;
  }

  void say(Output& output, const Exported& made, bool to_stdout) const {
    const auto line = [&](const std::string& text) { to_stdout ? output.note(text) : output.line(text); };
    if (!to_stdout) output.line(fmt::format("{} written", printable(output_path_, 200)));
    line(said(made.check, rows_path_.empty()));
    line(fmt::format("run here: {}; not run: {}", made.check.ran, made.check.not_ran));
    if (!made.left_out.empty()) line(made.left_out);  // --quiet does not hide it
    for (const std::string& note : made.notes)
      if (note != made.left_out) output.note(note);
  }

  Json json_of(const Exported& made, Target target) const {
    Json value;
    value["schema"] = "halfspace.export/1";
    value["to"] = OptionType<Target>::print(target);
    value["output"] = output_path_;
    value["bytes"] = made.bytes.size();
    value["check"] = {
        {"rows", made.check.rows},
        {"other_labels", made.check.other_labels},
        {"same_bits", made.check.same_bits},
        {"score_difference", made.check.score},
        {"probability_difference", made.check.probabilities ? Json(made.check.probability) : Json(nullptr)},
        {"ran", made.check.ran},
        {"not_ran", made.check.not_ran}};
    value["notes"] = made.notes;
    return value;
  }

  std::string model_path_, output_path_, rows_path_;
  std::optional<Target> to_;
  ExportOptions how_;
};

}  // namespace

constinit const Verb export_verb = {
    "export",
    "MODEL [-o FILE] [--to FORM]",
    "a model in the form of another program",
    {"halfspace export plane.model --to c -o plane.h",
     "halfspace export a9a.model --to onnx -o a9a.onnx --rows a9a.t"},
    "Writes a model as a program (C, JavaScript), a query (SQL), a graph (ONNX), a document (JSON), or the "
    "text of LIBLINEAR "
    "or LIBSVM. What is written is run on rows first and compared with the model; the largest difference is "
    "said. "
    "What a form cannot say is refused.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Export>(); }};

}  // namespace halfspace::cli
