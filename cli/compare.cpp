// SPDX-License-Identifier: BSD-3-Clause
// halfspace compare MODEL_A MODEL_B DATA, and halfspace compare DATA --algorithms A,B
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithm_options.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/comparison.hpp"
#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/evaluate/unknown_labels.hpp"
#include "halfspace/model/model_file.hpp"
#include "memory.hpp"
#include "search_options.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr double level = 0.05;

// Two models on the same rows.
class CompareModels final : public Command {
 public:
  void add_options(OptionList& options) override {
    options.argument("MODEL_A", "a model", first_);
    options.argument("MODEL_B", "another model", second_);
    options.argument("DATA", "labelled rows that neither was trained on", data_.path);
    data_.add_reading_for_model(options);
    data_.add_rename(options);
  }
  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    if (option == "--algorithm") return "halfspace compare DATA --algorithms A,B";
    return {};
  }
  [[nodiscard]] std::string epilogue() const override {
    return "halfspace compare DATA --algorithms A,B compares ways of training on folds: see compare "
           "--algorithms A,B "
           "--help.\n";
  }

  int run(const Common& common, Output& output) override {
    if ((first_ == "-") + (second_ == "-") + (data_.path == "-") > 1)
      throw UsageError("standard input comes once", "files for the others");
    if (data_.path == "-") throw UsageError("DATA is read once for each model: no standard input", "a file");
    constexpr std::string_view usage = "halfspace compare MODEL_A MODEL_B DATA, or DATA --algorithms A,B";
    const Model a = load_model(first_, common, usage);
    const Model b = load_model(second_, common, usage);
    std::vector<std::string> notes;
    const Dataset rows_a = read_for_model(data_, a, common, notes);
    const Dataset rows_b = read_for_model(data_, b, common, notes);
    const std::string unknown = unknown_labels_of(a, rows_a, b, rows_b);
    const PairedCounts counts = count_pairs({a, rows_a}, {b, rows_b}, common.team());
    const PairedTest test = mcnemar_test(counts.only_first_wrong, counts.only_second_wrong);
    const Interval interval = paired_difference_interval(counts);
    const auto needed = rows_to_decide(counts, level);
    if (const std::string training = trained_on_words(a, rows_a, b, rows_b); !training.empty())
      notes.push_back(training);
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    for (const std::string& note : notes) output.note(note);
    if (!unknown.empty()) notes.push_back(unknown);  // in the object; the text has it whatever --quiet says
    print(counts, test, interval, needed, output);
    if (!unknown.empty()) output.line(unknown);
    output.object(
        Json{{"schema", "halfspace.compare/1"},
             {"models", {first_, second_}},
             {"rows", counts.rows},
             {"errors",
              {counts.both_wrong + counts.only_first_wrong, counts.both_wrong + counts.only_second_wrong}},
             {"both_wrong", counts.both_wrong},
             {"only_first_wrong", counts.only_first_wrong},
             {"only_second_wrong", counts.only_second_wrong},
             {"test", "McNemar, exact"},
             {"p_value", test.p},
             {"mid_p_value", test.mid_p},
             {"difference", counts.difference()},
             {"interval", ends_json(interval)},
             {"rows_to_decide", needed ? Json(*needed) : Json(nullptr)},
             {"notes", notes}});
    return exit_done;
  }

 private:
  // Labels that are none of a model's make it wrong on their rows, which says nothing about the two; empty: there are none.
  static std::string unknown_labels_of(const Model& a, const Dataset& rows_a, const Model& b,
                                       const Dataset& rows_b) {
    if (!rows_a.labelled() || !rows_b.labelled()) return {};  // refused by the count
    check_some_known(a, rows_a);
    check_some_known(b, rows_b);
    std::vector<UnknownLabel> unknown = unknown_labels(a, rows_a);
    if (unknown.empty()) unknown = unknown_labels(b, rows_b);
    if (unknown.empty()) return {};
    const std::string hint = rename_hint(unknown);
    return fmt::format("labels that are none of the model's count as errors: {}{}", unknown_words(unknown),
                       hint.empty() ? "" : " -> " + hint);
  }

  // Which of the two knows these rows from its training; empty: neither.
  static std::string trained_on_words(const Model& a, const Dataset& rows_a, const Model& b,
                                      const Dataset& rows_b) {
    const bool first = trained_on(a, rows_a), second = trained_on(b, rows_b);
    if (!first && !second) return {};
    return fmt::format("these are the rows that {} trained on: expect a larger error on others",
                       first && second ? "both models were"
                       : first         ? "the first model was"
                                       : "the second model was");
  }

  void print(const PairedCounts& counts, const PairedTest& test, const Interval& interval,
             const std::optional<std::uint64_t>& needed, const Output& output) const {
    const auto error = [&](const std::string& name, std::uint64_t only) {
      const std::uint64_t wrong = counts.both_wrong + only;
      output.line(
          fmt::format("{}: error {:.4g} ({} of {} rows)", printable(name, 200),
                      counts.rows > 0 ? static_cast<double>(wrong) / static_cast<double>(counts.rows) : 0.0,
                      wrong, counts.rows));
    };
    error(first_, counts.only_first_wrong);
    error(second_, counts.only_second_wrong);
    output.line(fmt::format("only the first wrong: {}; only the second wrong: {}; both: {}",
                            counts.only_first_wrong, counts.only_second_wrong, counts.both_wrong));
    output.line(
        fmt::format("difference {:+.4g}, 95 % interval {}", counts.difference(), ends_words(interval)));
    output.line(fmt::format("McNemar's exact test: p = {:.4g} (mid-p {:.4g})", test.p, test.mid_p));
    if (test.p <= level) {
      output.line(fmt::format("the {} is better: chance alone would seldom do this",
                              counts.difference() < 0 ? "first" : "second"));
    } else if (!needed) {
      output.line("no difference seen");
    } else if (*needed > counts.rows) {
      output.line(
          fmt::format("not decided: if the difference is what it seems, about {} rows would show it, {} more",
                      *needed, *needed - counts.rows));
    } else {
      output.line("not decided, though so many rows usually would show such a difference");
    }
  }

  std::string first_, second_;
  DataOptions data_;
};

// Ways of training on the same folds.
class CompareAlgorithms final : public Command {
 public:
  explicit CompareAlgorithms(const std::vector<std::string>& args)
      : algorithms_(args, "--algorithms", ""), makes_features_(makes_features(args)) {
    data_.map_allowed = true;
  }

  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows", data_.path);
    options.group("Options");
    options.text("--algorithms", "A,B", "what to train, two or more names with commas between them", word_);
    folds_.add_options(options);
    algorithms_.add_options(options, makes_features_);
    data_.add_reading(options);
    data_.add_training(options);
  }
  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    return algorithms_.hint_for(option);
  }

  int run(const Common& common, Output& output) override {
    if (algorithms_.names().size() < 2)
      throw UsageError("--algorithms: two names or more to compare", "--algorithms logistic,svm");
    folds_.check();
    const std::vector<Candidate> candidates = algorithms_.candidates(data_);
    std::vector<std::string> notes;
    const FoldData rows = read_for_folds(data_, folds_.groups, common, notes);
    keep_memory();
    const FoldPlan plan = plan_folds(rows.data, folds_.plan(common, rows.groups));
    ProgressMeter meter(common.progress, common.quiet);
    const Run run = common.run();
    const auto all = static_cast<double>(candidates.size() * plan.held_out.size());
    const std::vector<CandidateScore> scores =
        cross_validate(rows.data, plan, candidates, folds_.metric, run, [&](const FoldsDone& news) {
          Progress progress;
          progress.done = static_cast<double>(news.done) / all;
          progress.iterations = news.done;
          progress.stage = "compare";
          meter.show(progress);
        });
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (!scores[k].refusal.empty())
        throw UsageError(scores[k].refusal, candidates[k].algorithm + " cannot do these rows");
      if (!scores[k].finished) throw Stopped(run.stop.cause());
    }
    for (const std::string& note : notes) output.note(note);
    report(rows.data, plan, candidates, scores, output);
    return exit_done;
  }

 private:
  struct Pair {
    std::size_t a, b;
    ResampledTest test;
  };

  void report(const Dataset& data, const FoldPlan& plan, const std::vector<Candidate>& candidates,
              const std::vector<CandidateScore>& scores, const Output& output) const {
    std::vector<Pair> pairs;
    std::vector<double> p;
    for (std::size_t a = 0; a < scores.size(); ++a) {
      for (std::size_t b = a + 1; b < scores.size(); ++b) {
        pairs.push_back({a, b, fold_difference(scores[a], scores[b], plan)});
        p.push_back(pairs.back().test.p);
      }
    }
    const std::vector<double> adjusted = holm_adjusted(p);
    output.line(describe_data(data, data_.path));
    output.line(fmt::format("{}: mean and its standard error", folds_.words()));
    Json list = Json::array(), tests = Json::array();
    for (std::size_t k = 0; k < scores.size(); ++k) {
      output.line(fmt::format("  {:<32}{:>10.4f}{:>10.4f}", candidates[k].algorithm, scores[k].mean,
                              scores[k].standard_error));
      list.push_back({{"algorithm", candidates[k].algorithm},
                      {"mean", scores[k].mean},
                      {"standard_error", scores[k].standard_error},
                      {"interval", ends_json(fold_estimate(scores[k].values, plan, folds_.metric).interval)},
                      {"fold_values", scores[k].values},
                      {"errors", scores[k].errors.wrong},
                      {"rows", scores[k].errors.rows}});
    }
    output.line(
        fmt::format("differences, first less second: 95 % interval, p of the corrected resampled t-test{}",
                    pairs.size() > 1 ? ", and by Holm for all of them" : ""));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Pair& pair = pairs[k];
      output.line(fmt::format("  {:<32}{:>+10.4f}  ({})  p = {:.3g}{}",
                              candidates[pair.a].algorithm + " - " + candidates[pair.b].algorithm,
                              pair.test.mean, ends_words(pair.test.interval), pair.test.p,
                              pairs.size() > 1 ? fmt::format(", adjusted {:.3g}", adjusted[k]) : ""));
      tests.push_back({{"first", candidates[pair.a].algorithm},
                       {"second", candidates[pair.b].algorithm},
                       {"difference", pair.test.mean},
                       {"interval", ends_json(pair.test.interval)},
                       {"p_value", pair.test.p},
                       {"p_adjusted", adjusted[k]}});
    }
    output.object(Json{{"schema", "halfspace.compare/1"},
                       {"rows", data.rows()},
                       {"metric", OptionType<MetricKind>::print(folds_.metric.kind)},
                       {"folds", folds_.folds},
                       {"repeats", folds_.repeats},
                       {"test", "corrected resampled t, Holm"},
                       {"algorithms", std::move(list)},
                       {"pairs", std::move(tests)}});
  }

  AlgorithmChoice algorithms_;
  std::string word_;
  bool makes_features_ = false;
  FoldChoice folds_;
  DataOptions data_;
};

}  // namespace

constinit const Verb compare_verb = {
    "compare",
    "MODEL_A MODEL_B DATA [options]    or    DATA --algorithms A,B [options]",
    "is one classifier better than another, or is it chance",
    {"halfspace compare a.model b.model test.csv",
     "halfspace compare table.csv --algorithms logistic,svm,averaged-perceptron --scale standard --repeats "
     "10"},
    "Two models on the same rows: McNemar's exact test, the interval of the difference, and how many rows "
    "would decide. "
    "With --algorithms, ways of training on the same folds: the corrected resampled t-test, adjusted for "
    "several "
    "comparisons.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      const bool algorithms = std::any_of(args.begin(), args.end(), [](const std::string& arg) {
        return arg == "--algorithms" || arg.starts_with("--algorithms=");
      });
      if (algorithms) return std::make_unique<CompareAlgorithms>(args);
      return std::make_unique<CompareModels>();
    }};

}  // namespace halfspace::cli
