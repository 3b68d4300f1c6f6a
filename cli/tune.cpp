// SPDX-License-Identifier: BSD-3-Clause
// halfspace tune DATA -o MODEL
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "algorithm_options.hpp"
#include "describe.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/calibrate.hpp"
#include "halfspace/model/model_file.hpp"
#include "memory.hpp"
#include "search_options.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

struct TuneResult {
  FoldData rows;
  std::vector<SearchSpace> spaces;
  TuneOptions options;
  Tuning tuning;
  std::optional<NestedEstimate> nested;
  TunedFit fitted;
  std::optional<ErrorCount> error;  // on the training rows
  double search_seconds = 0, fit_seconds = 0, total_seconds = 0;
  std::vector<std::string> notes;

  [[nodiscard]] const TriedPoint& chosen() const { return tuning.table[fitted.point]; }
};

class Tune final : public Command {
 public:
  explicit Tune(const std::vector<std::string>& args)
      : algorithms_(args, "--algorithm", "logistic"), makes_features_(makes_features(args)) {
    data_.map_allowed = true;
  }

  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows", data_.path);
    options.group("Options");
    options.text("-o,--output", "MODEL", "where the model goes", model_path_).required = true;
    options
        .text("--algorithm", "NAMES", "what to train; several with commas between them are compared",
              algorithm_word_)
        .fallback = "logistic";
    options.value("--rule", "RULE",
                  "the best mean, or the plainest classifier within one standard error of it", rule_);
    options.value("--calibrate", "HOW", std::string(calibrate_help), calibrate_);
    options.flag("--nested", "an estimate for the whole procedure, choice included, on outer folds", nested_);
    folds_.add_options(options);
    algorithms_.add_options(options, makes_features_);
    data_.add_reading(options);
    data_.add_training(options);
  }
  [[nodiscard]] std::string epilogue() const override {
    return "An option of the algorithm whose value is a number may be a range LOW:HIGH, values A,B,C or "
           "LOW:HIGH:COUNT;\n"
           "2^-10 is a number, and --kernel rbf:LOW:HIGH searches gamma. Without a range C is searched from "
           "1e-4 to 1e4\n"
           "(nu 0.1 to 0.9, lambda 1e-6 to 1, passes 1 to 100), unless it is given.\n";
  }
  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    return algorithms_.hint_for(option);
  }

  int run(const Common& common, Output& output) override {
    if (model_path_ == "-") throw UsageError("-o -: tune writes its model to a file");
    check_output(model_path_, {data_.path});
    folds_.check();
    const TuneResult out = tune_all(common);
    for (const std::string& note : out.notes) output.note(note);
    if (const auto gap = largest_gap(out.tuning))
      output.note(fmt::format(
          "objectives on the folds are at most {:.2g} of their size above the best, certified", *gap));
    print(out, output);
    output.object(output.json() ? json(out) : Json());
    return exit_code(out.fitted.fit);
  }

 private:
  // Of all fits on folds; nothing where some have none.
  static std::optional<double> largest_gap(const Tuning& tuning) {
    double most = 0;
    for (const TriedPoint& point : tuning.table) {
      if (!point.score.finished) continue;
      if (!point.score.relative_gap) return std::nullopt;
      most = std::max(most, *point.score.relative_gap);
    }
    return most > 0 ? std::optional(most) : std::nullopt;
  }

  TuneResult tune_all(const Common& common) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point from) {
      return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const Clock::time_point start = Clock::now();
    TuneResult out;
    out.spaces = algorithms_.spaces(data_, true);
    out.rows = read_for_folds(data_, folds_.groups, common, out.notes);
    out.options = {folds_.plan(common, out.rows.groups), folds_.metric, rule_};
    keep_memory();
    const Clock::time_point ready = Clock::now();
    ProgressMeter meter(common.progress, common.quiet);
    const Run run = common.run();
    const auto show = [&meter](double begin, double share, std::string_view stage) {
      return [&meter, begin, share, stage](double done, std::uint64_t points) {
        if (points > 0) finish_in_order();  // from here on there is a model to save
        Progress progress;
        progress.done = begin + share * done;
        progress.iterations = points;
        progress.stage = stage;
        meter.show(progress);
      };
    };
    const double share = nested_ ? 1.0 / static_cast<double>(folds_.folds + 1) : 1.0;
    out.tuning = tune(out.rows.data, out.spaces, out.options, run, show(0, share, "tune"));
    if (!out.tuning.chosen) throw Stopped(run.stop.cause());
    if (nested_ && !out.tuning.stopped)
      out.nested =
          nested_estimate(out.rows.data, out.spaces, out.options, run, show(share, 1 - share, "nested"));
    out.search_seconds = since(ready);
    const Clock::time_point searched = Clock::now();
    out.fitted = fit_chosen(out.rows.data, out.spaces, out.tuning, out.options, run);
    Fit& fit = out.fitted.fit;
    if (fit.has_model()) learn_probabilities(out, run);
    out.notes.insert(out.notes.end(), fit.words.notes.begin(), fit.words.notes.end());
    if (!fit.has_model()) throw UsageError(fit.answer.reason);
    out.error = fit.trace.error;
    save(fit.model(), model_path_);
    out.fit_seconds = since(searched);
    out.total_seconds = since(start);
    return out;
  }

  // The chosen classifier once more on every fold: what its scores are worth on rows that it does not know.
  void learn_probabilities(TuneResult& out, const Run& run) const {
    if (calibrate_ == CalibrationKind::None) return;
    Fit& fit = out.fitted.fit;
    const Candidate chosen = out.spaces[out.chosen().space].at(out.chosen().values);
    FoldOptions folds = out.options.folds;
    folds.repeats = 1;
    try {
      calibrate_fit(fit, out.rows.data, chosen.preparation, chosen.make(), calibrate_, folds, run);
    } catch (const Stopped& stopped) {
      fit.answer.stop = stopped.cause() == StopCause::Cancelled ? Stop::Cancelled : Stop::Time;
      fit.words.notes.emplace_back("stopped before the probabilities were learned: the model has none");
    }
  }

  static std::string refusal_of(const TriedPoint& point) {
    return point.score.refusal.empty() ? "not finished" : "refused: " + printable(point.score.refusal, 120);
  }

  void print(const TuneResult& out, const Output& output) const {
    output.line(describe_data(out.rows.data, data_.path));
    output.line(describe_classes(out.rows.data));
    output.line(fmt::format("{}: mean and its standard error", folds_.words()));
    for (std::size_t k = 0; k < out.tuning.table.size(); ++k) {
      const TriedPoint& point = out.tuning.table[k];
      const std::string name = point_words(out.spaces, point);
      output.line(point.score.finished
                      ? fmt::format("  {:<32}{:>10.4f}{:>10.4f}{}{}", name, point.score.mean,
                                    point.score.standard_error, k == out.fitted.point ? "  chosen" : "",
                                    point.score.limits > 0 ? "  (stopped at a limit)" : "")
                      : fmt::format("  {:<32}{}", name, refusal_of(point)));
    }
    print_leaders(out, output);
    const TriedPoint& chosen = out.chosen();
    const ResampledTest estimate = fold_estimate(chosen.score.values, out.tuning.plan, folds_.metric);
    const std::string metric = OptionType<MetricKind>::print(folds_.metric.kind);
    output.line(fmt::format("chosen: {} ({})", point_words(out.spaces, chosen),
                            OptionType<ChoiceRule>::print(rule_)));
    output.line(fmt::format(
        "{} {:.4g}, 95 % interval {}, of the chosen point: a little too good, it was chosen for it", metric,
        estimate.mean, ends_words(estimate.interval)));
    if (out.nested)
      output.line(fmt::format("nested: {} {:.4g}, 95 % interval {}, choice included", metric,
                              out.nested->estimate.mean, ends_words(out.nested->estimate.interval)));
    for (const std::string& name : ends_reached(out))
      output.line(fmt::format("{} is at the end of what was tried: a wider range may do better", name));
    if (out.tuning.stopped) output.line("stopped before everything was tried");
    if (out.fitted.first_fold)
      output.line("the model was trained without the rows of one fold; there was no time for all rows");
    if (out.fitted.fit.model().calibrator.on()) output.line(probability_words(out.fitted.fit.model()));
    if (out.error) output.line("training error " + error_words(*out.error, 4));
    for (const Certificate& certificate : out.fitted.fit.proof.certificates)
      if (out.fitted.fit.proof.certificates.size() == 1)
        output.line(fmt::format("certificate{}: {}",
                                data_.scale == ScaleKind::None ? "" : ", on the scaled rows",
                                describe(certificate)));
    output.line(fmt::format("{} written; searched in {}, fitted in {}", printable(model_path_, 200),
                            human_seconds(out.search_seconds), human_seconds(out.fit_seconds)));
  }

  // Options whose chosen value is the first or the last of several.
  [[nodiscard]] std::vector<std::string> ends_reached(const TuneResult& out) const {
    std::vector<std::string> names;
    const std::vector<Axis>& axes = out.spaces[out.chosen().space].axes;
    for (std::size_t k = 0; k < axes.size() && rule_ == ChoiceRule::Best; ++k) {
      const double value = out.chosen().values[k];
      if (axes[k].values.size() > 1 && (value == axes[k].values.front() || value == axes[k].values.back()))
        names.push_back(fmt::format("{} {}", axes[k].option, axes[k].text(value)));
    }
    return names;
  }

  // Several algorithms: each at its best against the first.
  static void print_leaders(const TuneResult& out, const Output& output) {
    if (out.tuning.leaders.size() < 2) return;
    output.line("the choice for each, and its difference to the first (95 % interval)");
    const TriedPoint& first = out.tuning.table[out.tuning.leaders.front()];
    for (const std::size_t k : out.tuning.leaders) {
      const TriedPoint& point = out.tuning.table[k];
      const ResampledTest test = fold_difference(point.score, first.score, out.tuning.plan);
      output.line(fmt::format("  {:<32}{:>10.4f}{}", point_words(out.spaces, point), point.score.mean,
                              &point == &first
                                  ? std::string()
                                  : fmt::format("{:>+10.4f}  ({})", test.mean, ends_words(test.interval))));
    }
  }

  [[nodiscard]] static Json values_json(const TuneResult& out, const TriedPoint& point) {
    Json values = Json::object();
    const SearchSpace& space = out.spaces[point.space];
    if (out.spaces.size() > 1) values["algorithm"] = space.fixed.algorithm;
    for (std::size_t k = 0; k < space.axes.size(); ++k) {
      const Axis& axis = space.axes[k];
      values[axis.option] =
          axis.prefix.empty() ? whole_json(point.values[k]) : Json(axis.text(point.values[k]));
    }
    return values;
  }

  [[nodiscard]] Json json(const TuneResult& out) const {
    Json value;
    value["schema"] = "halfspace.tune/1";
    value["algorithm"] = out.spaces[out.chosen().space].fixed.algorithm;
    value["chosen"] = values_json(out, out.chosen());
    value["metric"] = OptionType<MetricKind>::print(folds_.metric.kind);
    value["folds"] = folds_.folds;
    value["repeats"] = folds_.repeats;
    value["rule"] = OptionType<ChoiceRule>::print(rule_);
    Json& table = value["table"] = Json::array();
    for (const TriedPoint& point : out.tuning.table) {
      Json row{{"values", values_json(out, point)}};
      const bool done = point.score.finished;
      row["mean"] = done ? Json(point.score.mean) : Json(nullptr);
      row["standard_error"] = done ? Json(point.score.standard_error) : Json(nullptr);
      row["fold_values"] = point.score.values;
      row["errors"] = done ? Json(point.score.errors.wrong) : Json(nullptr);
      row["limits"] = point.score.limits;
      row["relative_gap"] = point.score.relative_gap ? Json(*point.score.relative_gap) : Json(nullptr);
      if (!done) row["refusal"] = refusal_of(point);
      table.push_back(std::move(row));
    }
    const ResampledTest estimate =
        out.nested ? out.nested->estimate
                   : fold_estimate(out.chosen().score.values, out.tuning.plan, folds_.metric);
    value["estimate"] = estimate.mean;
    value["interval"] = ends_json(estimate.interval);
    value["nested"] =
        out.nested ? Json{{"chosen", out.nested->chosen}, {"errors", out.nested->errors.wrong}} : Json();
    value["leaderboard"] = leaders_json(out);
    value["at_the_end"] = ends_reached(out);
    value["stopped"] = out.tuning.stopped;
    const Fit& fit = out.fitted.fit;
    value["trained_on"] = out.fitted.first_fold ? "all rows but one fold" : "all rows";
    value["stop"] = stop_name(fit.answer.stop);
    value["training_error"] = out.error ? Json(out.error->share()) : Json(nullptr);
    value["calibration"] = calibration_json(fit.model().calibrator);
    value["relative_gap"] = fit.proof.objective ? Json(fit.proof.objective->relative_gap()) : Json(nullptr);
    value["seconds"] = {{"read", out.rows.seconds},
                        {"search", out.search_seconds},
                        {"fit", out.fit_seconds},
                        {"total", out.total_seconds}};
    value["notes"] = out.notes;
    value["model"] = model_path_;
    return value;
  }

  [[nodiscard]] static Json leaders_json(const TuneResult& out) {
    Json list = Json::array();
    if (out.tuning.leaders.empty()) return list;
    const TriedPoint& first = out.tuning.table[out.tuning.leaders.front()];
    for (const std::size_t k : out.tuning.leaders) {
      const TriedPoint& point = out.tuning.table[k];
      const ResampledTest test = fold_difference(point.score, first.score, out.tuning.plan);
      list.push_back({{"algorithm", out.spaces[point.space].fixed.algorithm},
                      {"values", values_json(out, point)},
                      {"mean", point.score.mean},
                      {"standard_error", point.score.standard_error},
                      {"difference", test.mean},
                      {"interval", ends_json(test.interval)}});
    }
    return list;
  }

  AlgorithmChoice algorithms_;
  std::string algorithm_word_, model_path_;
  bool makes_features_ = false, nested_ = false;
  ChoiceRule rule_ = ChoiceRule::Best;
  CalibrationKind calibrate_ = CalibrationKind::None;
  FoldChoice folds_;
  DataOptions data_;
};

}  // namespace

constinit const Verb tune_verb = {"tune",
                                  "DATA -o MODEL [--algorithm NAMES] [options]",
                                  "choose C and other options by cross-validation",
                                  {"halfspace tune a9a -o a9a.model --algorithm svm --C 1e-3:1e3",
                                   "halfspace tune table.csv -o table.model --algorithm "
                                   "logistic,svm,voted-perceptron --scale standard --nested"},
                                  "Tries values of an option on folds of the rows, coarsely and then more "
                                  "finely where the rows held out are "
                                  "predicted best, and trains the chosen classifier on all rows. Scaling and "
                                  "features are learned anew in every "
                                  "fold. Stopped early, it keeps the best so far.",
                                  [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
                                    return std::make_unique<Tune>(args);
                                  }};

}  // namespace halfspace::cli
