// SPDX-License-Identifier: BSD-3-Clause
// halfspace export MODEL -o FILE
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/liblinear.hpp"
#include "halfspace/model/libsvm.hpp"
#include "halfspace/model/model_file.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Export final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model written by halfspace train", model_path_);
    options.text("-o,--output", "FILE", "where it goes; - for standard output", output_path_).fallback =
        "standard output";
    OptionSpec to{"--to", "FORM", "liblinear for planes, libsvm for kernel machines", "by the kind of model"};
    to.choices = "liblinear|libsvm";
    to.set = [this](const std::string& text) {
      constexpr std::string_view words[] = {"liblinear", "libsvm"};
      to_ = words[parse_word("to", text, words)];
    };
    options.add(std::move(to));
  }

  int run(const Common& common, Output& output) override {
    const bool to_stdout = output_path_.empty() || output_path_ == "-";
    if (to_stdout && common.json)
      throw UsageError("--json and the model both want standard output", "-o FILE");
    if (to_stdout) output.divert();
    check_output(output_path_, {model_path_});
    const Model model = load(model_path_, common.team());
    const bool kernel = to_.empty() ? std::holds_alternative<KernelModel>(model.form) : to_ == "libsvm";
    const std::string text = kernel ? to_libsvm_text(model) : to_liblinear_text(model);
    finish_in_order();
    write_file(to_stdout ? "-" : output_path_, [&](ByteSink& sink) { sink.write(text); });
    if (!to_stdout) output.line(fmt::format("{} written", printable(output_path_, 200)));
    Json value;
    value["schema"] = "halfspace.export/1";
    value["to"] = kernel ? "libsvm" : "liblinear";
    value["output"] = output_path_;
    output.object(output.json() ? value : Json());
    return exit_done;
  }

 private:
  std::string model_path_, output_path_, to_;
};

}  // namespace

constinit const Verb export_verb = {
    "export",
    "MODEL [-o FILE] [--to FORM]",
    "a model in the form of another program",
    {"halfspace export a9a.model -o a9a.libsvm", "halfspace export plane.model --to liblinear > plane.txt"},
    "Writes a model as LIBLINEAR (planes) or LIBSVM (kernel machines) has it, so that their programs give "
    "the same labels. "
    "What they cannot say is refused.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Export>(); }};

}  // namespace halfspace::cli
