// SPDX-License-Identifier: BSD-3-Clause
// halfspace verify MODEL DATA
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data_options.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class Verify final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL", "a model of svm or logistic, written by halfspace train", model_path_);
    options.argument("DATA", "the rows it was trained on; - for standard input", data_.path);
    data_.add_reading_for_model(options);
  }

  int run(const Common& common, Output& output) override {
    const Model model = load(model_path_);
    const std::string scale = fact(model, "scale");
    if (!scale.empty()) {
      throw UsageError(
          fmt::format("the model was trained with --scale {}: its gap belongs to the scaled rows",
                      printable(scale)),
          "train without --scale to verify");
    }
    std::vector<std::string> notes;
    const Dataset data = read_for_model(data_, model, common, notes);
    if (!data.labelled()) throw InputError({data.name()}, "no labels", "the labelled rows of the training");
    const ModelCheck check = verify(model, data, common.team());
    for (const std::string& note : notes) output.note(note);
    for (const std::string& line : check.lines) output.line(line);
    output.line(check.holds ? "verified: the model's gap holds" : "NOT verified");
    output.object(output.json() ? json(check) : Json());
    return check.holds ? exit_done : exit_no;
  }

 private:
  static Json json(const ModelCheck& check) {
    Json value;
    value["schema"] = "halfspace.verify/1";
    value["holds"] = check.holds;
    value["lines"] = check.lines;
    Json gaps = Json::array();
    for (const DualityGap& gap : check.gaps) {
      gaps.push_back(
          {{"primal", gap.primal}, {"dual", gap.dual}, {"gap", gap.gap()}, {"relative_gap", gap.relative()}});
    }
    value["gaps"] = std::move(gaps);
    return value;
  }

  std::string model_path_;
  DataOptions data_;
};

}  // namespace

constinit const Verb verify_verb = {
    "verify",
    "MODEL DATA [options]",
    "check a model's duality gap against its training data",
    {"halfspace verify a9a.model a9a", "halfspace verify a9a.model a9a --json"},
    "Recomputes the gap of every plane from the model and the data alone, by code that shares nothing with "
    "the solvers "
    "and counts rounding against the claim. Exit 0: it holds; exit 1: it does not, or the data are others.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> { return std::make_unique<Verify>(); }};

}  // namespace halfspace::cli
