// SPDX-License-Identifier: BSD-3-Clause
// halfspace curve DATA
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "algorithm_options.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/evaluate/learning_curve.hpp"
#include "memory.hpp"
#include "search_options.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

class LearningCurve final : public Command {
 public:
  explicit LearningCurve(const std::vector<std::string>& args)
      : algorithms_(args, "--algorithm", "logistic"), makes_features_(makes_features(args)) {
    data_.map_allowed = true;
  }

  void add_options(OptionList& options) override {
    options.argument("DATA", "labelled rows", data_.path);
    options.group("Options");
    options.text("--algorithm", "NAME", "what to train", word_).fallback = "logistic";
    options.list("--sizes", "N,N", "numbers of training rows", sizes_).fallback = "halves of all";
    add_share(options, "--test", "share of the rows to test on", curve_.test_share, {1e-6, 0.99});
    options.value("--repeats", "R", "how often, with other rows each time", curve_.repeats, {1, 1e4});
    groups_.add(options);
    OptionSpec bayes{"--bayes-error", "E", "the best possible error, where generate has said it"};
    bayes.set = [this](const std::string& text) {
      bayes_ = OptionType<double>::parse("bayes-error", text, {0, 1});
    };
    options.add(std::move(bayes));
    algorithms_.add_options(options, makes_features_);
    data_.add_reading(options);
    data_.add_training(options);
  }
  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    return algorithms_.hint_for(option);
  }

  int run(const Common& common, Output& output) override {
    if (algorithms_.names().size() != 1)
      throw UsageError("--algorithm: one for a curve", "halfspace compare DATA --algorithms A,B");
    const Candidate candidate = algorithms_.candidates(data_).front();
    for (const std::string& text : sizes_)
      curve_.sizes.push_back(
          static_cast<std::uint64_t>(OptionType<std::int64_t>::parse("sizes", text, {2, 4294967295.0})));
    std::vector<std::string> notes;
    const FoldData rows = read_for_folds(data_, groups_, common, notes);
    keep_memory();
    curve_.groups = rows.groups;
    curve_.seed = static_cast<std::uint64_t>(common.seed);
    ProgressMeter meter(common.progress, common.quiet);
    const Run run = common.run();
    const std::vector<LearningPoint> points =
        learning_curve(rows.data, candidate, curve_, run, [&meter](double done) {
          finish_in_order();  // the points so far are an answer
          Progress progress;
          progress.done = done;
          progress.stage = "curve";
          meter.show(progress);
        });
    for (const std::string& note : notes) output.note(note);
    print(rows.data, points, output);
    output.object(output.json() ? json(rows.data, points) : Json());
    return run.stop.asked() ? exit_limit : exit_done;
  }

 private:
  void print(const Dataset& data, const std::vector<LearningPoint>& points, const Output& output) const {
    output.line(describe_data(data, data_.path));
    output.line(
        fmt::format("{:>10}{:>16}{:>12}  {}", "rows", "training error", "test error", "95 % interval"));
    for (const LearningPoint& point : points) {
      if (!point.finished) {
        output.line(fmt::format("{:>10}  {}", point.rows,
                                point.refusal.empty() ? "not finished" : printable(point.refusal, 120)));
        continue;
      }
      output.line(fmt::format("{:>10}{:>16.4f}{:>12.4f}  {}", point.rows, point.training_error,
                              point.test_error, point.interval ? ends_words(*point.interval) : ""));
    }
    if (bayes_) output.line(fmt::format("Bayes error {:.4f}", *bayes_));
  }

  [[nodiscard]] Json json(const Dataset& data, const std::vector<LearningPoint>& points) const {
    Json list = Json::array();
    for (const LearningPoint& point : points) {
      const bool done = point.finished;
      list.push_back({{"rows", point.rows},
                      {"training_error", done ? Json(point.training_error) : Json(nullptr)},
                      {"test_error", done ? Json(point.test_error) : Json(nullptr)},
                      {"interval", point.interval ? ends_json(*point.interval) : Json(nullptr)},
                      {"test_rows", point.test_rows},
                      {"refusal", point.refusal.empty() ? Json(nullptr) : Json(point.refusal)}});
    }
    return {{"schema", "halfspace.curve/1"}, {"algorithm", algorithms_.names().front()},
            {"rows", data.rows()},           {"features", data.features()},
            {"repeats", curve_.repeats},     {"bayes_error", bayes_ ? Json(*bayes_) : Json(nullptr)},
            {"points", std::move(list)}};
  }

  AlgorithmChoice algorithms_;
  std::string word_;
  bool makes_features_ = false;
  std::vector<std::string> sizes_;
  LearningOptions curve_;
  GroupOption groups_;
  std::optional<double> bayes_;
  DataOptions data_;
};

}  // namespace

constinit const Verb curve_verb = {
    "curve",
    "DATA [--algorithm NAME] [options]",
    "error against the number of training rows",
    {"halfspace curve a9a --algorithm svm", "halfspace curve table.csv --sizes 100,300,1000 --repeats 20"},
    "Trains on more and more of the rows and tests on rows that were kept out. Where the test error still "
    "falls, more "
    "rows would help; where both errors have met, only another classifier would.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<LearningCurve>(args);
    }};

}  // namespace halfspace::cli
