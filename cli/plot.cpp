// SPDX-License-Identifier: BSD-3-Clause
// halfspace plot WHAT ... -o FILE.svg
#include "halfspace/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

enum class Picture { Plane, Steps, Losses, Roc, Margins };
constexpr std::array<std::string_view, 5> picture_words = {"plane", "steps", "losses", "roc", "margins"};

class Plot final : public Command {
 public:
  // What is drawn decides which arguments and options there are; the help without one lists all.
  explicit Plot(const std::vector<std::string>& args) {
    for (const std::string& arg : args) {
      const auto* const word = std::find(picture_words.begin(), picture_words.end(), arg);
      if (word == picture_words.end()) continue;
      picture_ = static_cast<Picture>(word - picture_words.begin());
      known_ = true;
      break;
    }
  }

  void add_options(OptionList& options) override {
    options.argument("WHAT", "plane, steps, losses, roc or margins", what_);
    if (wants_model())
      options.argument("MODEL", "plane, roc, margins: a model of halfspace train", model_path_).required =
          known_;
    if (wants_data()) options.argument("DATA", "all but losses: labelled rows", data_.path).required = known_;
    options.group("Options");
    options.text("-o,--output", "FILE.svg", "where the picture goes", path_).fallback = "standard output";
    if (!known_ || picture_ == Picture::Plane || picture_ == Picture::Steps)
      options.list("--columns", "A,B", "plane, steps: the two columns, by name or number", columns_);
    if (!known_ || picture_ == Picture::Steps) {
      options.value("--steps", "N", "steps: at most so many updates", steps_, {1, 60});
      options.flag("--no-offset", "steps: planes through the origin", no_offset_);
      options.text("--positive", "LABEL", "steps: this class against the rest", data_.positive);
    }
    if (known_ && picture_ == Picture::Steps) {
      data_.add_reading(options);
    } else if (known_ && wants_data()) {
      data_.add_reading_for_model(options);
    }
  }

  int run(const Common& common, Output& output) override {
    if (common.json)
      throw UsageError("plot writes SVG; it has no --json", "report --json has the data of pictures");
    static_cast<void>(parse_word("WHAT", what_, picture_words));
    check_one_stdin(model_path_, data_.path);
    check_output(path_, {model_path_, data_.path});
    if (!columns_.empty() && columns_.size() != 2) throw UsageError("--columns takes two columns: A,B");
    std::vector<std::string> notes;
    const std::string svg = draw(common, notes);
    for (const std::string& note : notes) output.note(note);
    write_file(path_.empty() ? "-" : path_, [&](ByteSink& sink) { sink.write(svg); });
    if (!path_.empty() && path_ != "-")
      output.line(fmt::format("{} written ({})", printable(path_, 200), human_bytes(svg.size())));
    return exit_done;
  }

 private:
  [[nodiscard]] bool wants_data() const { return !known_ || picture_ != Picture::Losses; }
  [[nodiscard]] bool wants_model() const { return wants_data() && (!known_ || picture_ != Picture::Steps); }

  [[nodiscard]] ColumnPair columns_of(const Dataset& data) const {
    if (columns_.empty()) return std::nullopt;
    return std::pair(column_named(data, columns_[0]), column_named(data, columns_[1]));
  }

  [[nodiscard]] std::string draw(const Common& common, std::vector<std::string>& notes) const {
    if (picture_ == Picture::Losses) return plot_losses();
    if (picture_ == Picture::Steps) {
      Dataset data = read_data(data_, common, notes);
      if (!data_.positive.empty()) data = against_rest(data, data_.positive);
      return plot_steps(data, columns_of(data),
                        {.steps = static_cast<std::uint64_t>(steps_), .offset = !no_offset_}, common.run());
    }
    const Model model = load(model_path_, common.team());
    const Dataset data = read_for_model(data_, model, common, notes);
    if (picture_ == Picture::Plane) return plot_plane(model, data, columns_of(data), common.run());
    if (picture_ == Picture::Roc) return plot_roc(model, data, common.run());
    return plot_margins(model, data, common.run());
  }

  Picture picture_ = Picture::Plane;
  bool known_ = false;
  bool no_offset_ = false;
  std::int64_t steps_ = 6;
  std::string what_, model_path_, path_;
  std::vector<std::string> columns_;
  DataOptions data_;
};

}  // namespace

constinit const Verb plot_verb = {
    "plot",
    "plane MODEL DATA | steps DATA | losses | roc MODEL DATA | margins MODEL DATA  [-o FILE.svg] [options]",
    "one picture as SVG: plane, steps, losses, roc, margins",
    {"halfspace plot plane iris.model data/iris.csv --columns 'petal length,petal width' -o plane.svg",
     "halfspace plot losses -o losses.svg"},
    "plane: points of two columns with plane, margin and half spaces. steps: the first updates of a "
    "perceptron on two "
    "columns. losses: zero-one, perceptron, hinge, squared hinge and logistic loss over the margin. roc: the "
    "ROC curve "
    "with its hull. margins: the histogram of the margins.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<Plot>(args);
    }};

}  // namespace halfspace::cli
