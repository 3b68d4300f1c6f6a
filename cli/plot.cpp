// SPDX-License-Identifier: BSD-3-Clause
// halfspace plot WHAT ... -o FILE.svg
#include "halfspace/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "algorithm_options.hpp"
#include "data_options.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/bayes.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/solve/start.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t most_panels = 24;
constexpr std::uint64_t most_json = std::uint64_t{1} << 30U;

enum class Picture { Plane, Steps, Losses, Roc, Margins, Path, Curve, VaryingC, Cone };
constexpr std::array<std::string_view, 9> picture_words = {"plane", "steps", "losses",    "roc", "margins",
                                                           "path",  "curve", "varying-c", "cone"};

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
    const std::string named = algorithm_named(args, "");
    if (!named.empty()) algorithm_.emplace(Algorithm::by_name(named));
  }

  void add_options(OptionList& options) override {
    options.argument("WHAT", join_words(picture_words, ", "), what_);
    if (wants_model())
      options.argument("MODEL", "plane, roc, margins: a model of halfspace train", model_path_).required =
          known_;
    if (is(Picture::Path) || is(Picture::Curve)) {
      options.argument("FILE",
                       is(Picture::Path) ? "what halfspace path --json or tune --json has printed"
                                         : "what halfspace curve --json has printed",
                       data_.path);
    } else if (!is(Picture::Losses)) {
      options.argument("DATA", "labelled rows; path, curve: the JSON of that command", data_.path).required =
          known_;
    }
    options.group("Options");
    options.text("-o,--output", "FILE.svg", "where the picture goes", path_).fallback = "standard output";
    if (!known_ || wants_columns())
      options.list("--columns", "A,B", "plane, steps, varying-c, cone: the two columns, by name or number",
                   columns_);
    if (!known_ || is(Picture::Plane))
      options.text("--bayes", "LAW", "plane: the law that halfspace generate --law has written", law_path_);
    if (!known_ || is(Picture::VaryingC))
      options.list("--C", "C,C,...", "varying-c: the values", values_).fallback = "0.01,1,100";
    if (!known_ || draws_rows())
      options.text("--positive", "LABEL", "steps, varying-c, cone: this class against the rest",
                   data_.positive);
    if (!known_ || is(Picture::Steps)) add_steps(options);
    if (draws_rows()) {
      data_.add_reading(options);
    } else if (known_ && wants_model()) {
      data_.add_reading_for_model(options);
    }
  }

  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    return algorithm_ ? option_owners(*algorithm_, option) : std::string();
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
  [[nodiscard]] bool is(Picture picture) const { return known_ && picture_ == picture; }
  // Pictures that train for themselves.
  [[nodiscard]] bool draws_rows() const {
    return is(Picture::Steps) || is(Picture::VaryingC) || is(Picture::Cone);
  }
  [[nodiscard]] bool wants_columns() const { return draws_rows() || is(Picture::Plane); }
  [[nodiscard]] bool wants_model() const {
    return !known_ || is(Picture::Plane) || is(Picture::Roc) || is(Picture::Margins);
  }
  void add_steps(OptionList& options) {
    options.value("--steps", "N", "steps: at most so many updates", steps_, {1, 60});
    options.flag("--no-offset", "steps: planes through the origin", no_offset_);
    options.text("--algorithm", "NAME", "steps: any of the online learners, with its options", word_)
        .fallback = "perceptron";
    if (!algorithm_ || !is(Picture::Steps)) return;
    add_algorithm_options(options, *algorithm_);
    if (algorithm_->starts())
      options
          .text("--from", "START", "steps: where the plane starts: zero, a model, or weights v1,v2,...",
                from_)
          .fallback = "zero";
  }

  [[nodiscard]] ColumnPair columns_of(const Dataset& data) const {
    if (columns_.empty()) return std::nullopt;
    return std::pair(column_named(data, columns_[0]), column_named(data, columns_[1]));
  }

  // The rows of the two columns alone that the start speaks of are those of the picture.
  [[nodiscard]] std::string draw_rows(const Common& common, std::vector<std::string>& notes) const {
    Dataset data = read_data(data_, common, notes);
    if (!data_.positive.empty()) data = against_rest(data, data_.positive);
    Run run = common.run();
    if (is(Picture::Cone)) return plot_cone(data, columns_of(data), run);
    if (is(Picture::VaryingC)) {
      std::vector<double> values;
      for (const std::string& text : values_)
        values.push_back(OptionType<double>::parse("C", text, {1e-300, 1e300}));
      if (values.empty()) values = {0.01, 1, 100};
      if (values.size() > most_panels) throw UsageError(fmt::format("--C: at most {} values", most_panels));
      return plot_varying_c(data, columns_of(data), values, run);
    }
    if (no_offset_ && algorithm_)
      throw UsageError("--no-offset is the perceptron's; with --algorithm: --offset none");
    run.start = start_from(from_, data, run.threads);
    return plot_steps(data, columns_of(data),
                      {.steps = static_cast<std::uint64_t>(steps_),
                       .offset = !no_offset_,
                       .algorithm = algorithm_ ? &*algorithm_ : nullptr},
                      run);
  }

  [[nodiscard]] std::string draw(const Common& common, std::vector<std::string>& notes) const {
    if (picture_ == Picture::Losses) return plot_losses();
    if (draws_rows()) return draw_rows(common, notes);
    if (picture_ == Picture::Path || picture_ == Picture::Curve) {
      const std::string json = read_all(*open_source(data_.path), data_.path, most_json);
      const std::string_view verb = picture_ == Picture::Path ? "path" : "curve";
      if (json.find_first_not_of(" \t\r\n") == std::string::npos ||
          json[json.find_first_not_of(" \t\r\n")] != '{')
        throw InputError({.file = data_.path}, "no JSON",
                         fmt::format("what halfspace {} --json prints", verb),
                         fmt::format("halfspace {0} DATA --json > {0}.json", verb));
      return picture_ == Picture::Path ? plot_path(json, {.file = data_.path})
                                       : plot_curve(json, {.file = data_.path});
    }
    const Model model = load(model_path_, common.team());
    const Dataset data = read_for_model(data_, model, common, notes);
    if (picture_ == Picture::Roc) return plot_roc(model, data, common.run());
    if (picture_ == Picture::Margins) return plot_margins(model, data, common.run());
    if (law_path_.empty()) return plot_plane(model, data, columns_of(data), common.run());
    const Law law =
        law_from_json(read_all(*open_source(law_path_), law_path_, most_json), {.file = law_path_});
    return plot_plane(model, data, columns_of(data), common.run(), &law);
  }

  Picture picture_ = Picture::Plane;
  bool known_ = false;
  bool no_offset_ = false;
  std::int64_t steps_ = 6;
  std::string what_, model_path_, path_, law_path_, word_;
  std::string from_ = "zero";
  std::vector<std::string> columns_, values_;
  std::optional<Algorithm> algorithm_;
  DataOptions data_;
};

}  // namespace

constinit const Verb plot_verb = {
    "plot",
    "plane|roc|margins MODEL DATA | steps|varying-c|cone DATA | path|curve FILE.json | losses  [-o FILE.svg]",
    "one picture as SVG: plane, steps, losses, roc, margins, path, curve, varying-c, cone",
    {"halfspace plot plane iris.model data/iris.csv --columns 'petal length,petal width' -o plane.svg",
     "halfspace plot losses -o losses.svg"},
    "plane: points of two columns with plane, margin and half spaces, and the Bayes classifier of a known "
    "law. "
    "steps: the first updates of an online learner on two columns, with the running mean or the votes. "
    "varying-c: "
    "a support vector machine for each C. cone: the space of the weights, with the planes that separate the "
    "classes. losses: zero-one, perceptron, hinge, squared hinge and logistic loss over the margin. roc: the "
    "ROC "
    "curve with its hull. margins: the histogram of the margins. path, curve: errors over an option or over "
    "the "
    "number of rows, from the JSON of halfspace path, tune or curve.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<Plot>(args);
    }};

}  // namespace halfspace::cli
