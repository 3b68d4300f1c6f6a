// SPDX-License-Identifier: BSD-3-Clause
// halfspace path DATA
#include "halfspace/evaluate/path.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "memory.hpp"
#include "path_changes.hpp"
#include "search_options.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr double points_per_decade = 2;
constexpr double quick_work = 1e9,
                 list_work = 1e15;  // multiplications for the places where support vectors change

class PathVerb final : public Command {
 public:
  explicit PathVerb(const std::vector<std::string>& args) : algorithms_(args, "--algorithm", "svm") {}

  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows", data_.path);
    options.group("Options");
    options.text("--algorithm", "NAME", "what to train: svm, logistic, nu-svm or any other", word_).fallback =
        "svm";
    add_share(options, "--holdout", "share of the rows to validate on", share_, {1e-6, 0.99});
    options.value(
        "--changes", "WHICH",
        "svm with the hinge and nu-svm: where exactly support vectors change; auto: where that is quick, "
        "list: however long it takes, and prints the places",
        changes_);
    groups_.add(options);
    algorithms_.add_options(options, false);
    data_.add_reading(options);
    data_.add_training(options);
  }
  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    if (option == "-o" || option == "--output")
      return "the table goes to standard output; with --json > path.json, halfspace plot path path.json -o "
             "path.svg draws it";
    return algorithms_.hint_for(option);
  }

  int run(const Common& common, Output& output) override {
    if (algorithms_.names().size() != 1)
      throw UsageError("--algorithm: one for a path", "halfspace compare DATA --algorithms A,B");
    const SearchSpace space = algorithms_.spaces(data_, true, points_per_decade).front();
    if (space.axes.size() != 1) throw UsageError("a path goes along one option: one range", range_hint());
    std::vector<std::string> notes;
    const FoldData rows = read_for_folds(data_, groups_, common, notes);
    keep_memory();
    const auto seed = static_cast<std::uint64_t>(common.seed);
    const Split split = rows.groups.empty() ? stratified_split(rows.data, share_, seed)
                                            : grouped_split(rows.data, rows.groups, share_, seed);
    const bool wanted = changes_ != ShowChanges::None && has_support_changes(rows.data, space);
    if (changes_ == ShowChanges::List && !wanted)
      throw UsageError(
          "--changes list is for two classes and svm with the hinge and the penalty l2 along C, or nu-svm "
          "along nu, without a kernel",
          "--algorithm svm --C 1e-4:1e4");
    ProgressMeter meter(common.progress, common.quiet);
    const Run run = common.run();
    const std::vector<PathPoint> points = path_points(rows.data, split, space, run, [&meter](double done) {
      finish_in_order();  // the points so far are an answer
      Progress progress;
      progress.done = done;
      progress.stage = "path";
      meter.show(progress);
    });
    for (const std::string& note : notes) output.note(note);
    const std::string& option = space.axes.front().option;
    output.line(describe_data(rows.data, data_.path));
    output.line(fmt::format("{}: trained on {} rows, validated on {}", algorithms_.names().front(),
                            split.train.size(), split.test.size()));
    if (const auto zero = zero_up_to(points))
      output.line(fmt::format("all weights are 0 up to C = {:.6g}; every fit begins with the plane before it",
                              *zero));
    print(points, option, output);
    std::optional<SupportChanges> changes;
    if (wanted && !run.stop.asked())
      changes = support_changes(rows.data, split, space,
                                changes_ == ShowChanges::List ? list_work : quick_work, run);
    if (changes) print_changes(*changes, option, changes_, output);
    if (output.json()) {
      Json out = json(rows.data, split, points, option);
      out["changes"] = changes ? changes_json(*changes, option, changes_) : Json();
      output.object(out);
    }
    return run.stop.asked() ? exit_limit : exit_done;
  }

 private:
  [[nodiscard]] std::string range_hint() const {
    const auto axis = usual_axis(Algorithm::by_name(algorithms_.names().front()));
    if (axis) return fmt::format("--{} {}", axis->first, axis->second);
    return "--algorithm svm --C 1e-4:1e4, or --algorithm nu-svm --nu 0.1:0.9";
  }

  static std::optional<double> zero_up_to(const std::vector<PathPoint>& points) {
    for (const PathPoint& point : points)
      if (point.zero_up_to) return point.zero_up_to;
    return std::nullopt;
  }

  static std::string cell(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : std::string("-");
  }

  static std::string count(const std::optional<std::uint64_t>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  }

  static void print(const std::vector<PathPoint>& points, const std::string& option, const Output& output) {
    // Of planes that are made of few features, how many; of others, the rows that they are made of.
    const bool sparse = zero_up_to(points).has_value();
    output.line(fmt::format("{:>10}{:>12}{:>12}{:>10}{:>12}{:>12}{:>10}", option, "|theta|", "margin",
                            sparse ? "weights" : "vectors", "training", "validation", "gap"));
    for (const PathPoint& point : points) {
      if (!point.finished) {
        output.line(fmt::format("{:>10.4g}  {}", point.value,
                                point.refusal.empty() ? "not finished" : printable(point.refusal, 120)));
        continue;
      }
      output.line(fmt::format(
          "{:>10.4g}{:>12}{:>12}{:>10}{:>12.4f}{:>12.4f}{:>10}{}", point.value, cell(point.norm),
          cell(point.margin), count(sparse ? point.nonzero : point.support_vectors), point.training.share(),
          point.validation.share(), point.relative_gap ? fmt::format("{:.0e}", *point.relative_gap) : "-",
          outcome_of(point.stop) == Outcome::Limit ? "  stopped at a limit" : ""));
    }
  }

  [[nodiscard]] Json json(const Dataset& data, const Split& split, const std::vector<PathPoint>& points,
                          const std::string& option) const {
    const auto known = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    Json list = Json::array();
    for (const PathPoint& point : points) {
      Json row;
      row[option] = point.value;
      row["norm"] = known(point.norm);
      row["margin"] = known(point.margin);
      row["support_vectors"] = known(point.support_vectors);
      row["nonzero_weights"] = known(point.nonzero);
      row["zero_up_to_C"] = known(point.zero_up_to);
      row["training_error"] = point.finished ? Json(point.training.share()) : Json(nullptr);
      row["validation_error"] = point.finished ? Json(point.validation.share()) : Json(nullptr);
      row["relative_gap"] = known(point.relative_gap);
      row["theta"] = point.theta;
      row["theta0"] = point.theta0;
      row["stop"] = stop_name(point.stop);
      if (!point.finished) row["refusal"] = point.refusal.empty() ? "not finished" : point.refusal;
      list.push_back(std::move(row));
    }
    return {{"schema", "halfspace.path/1"},
            {"algorithm", algorithms_.names().front()},
            {"option", option},
            {"rows", data.rows()},
            {"training_rows", split.train.size()},
            {"validation_rows", split.test.size()},
            {"scale", OptionType<ScaleKind>::print(data_.scale)},
            {"points", std::move(list)}};
  }

  AlgorithmChoice algorithms_;
  std::string word_;
  double share_ = 0.25;
  ShowChanges changes_ = ShowChanges::Auto;
  GroupOption groups_;
  DataOptions data_;
};

}  // namespace

constinit const Verb path_verb = {
    "path",
    "DATA [--algorithm NAME] [--C LOW:HIGH] [options]",
    "what becomes of a classifier along C or another option",
    {"halfspace path a9a --C 1e-4:1e4",
     "halfspace path table.csv --algorithm nu-svm --nu 0.05:0.5 --scale standard"},
    "Trains at every value of a range: length of theta, margin, support vectors, error on the training rows "
    "and on rows "
    "held out, and how far the objective is at most from the best one, certified at every point.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<PathVerb>(args);
    }};

}  // namespace halfspace::cli
