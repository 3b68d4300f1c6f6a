// SPDX-License-Identifier: BSD-3-Clause
// halfspace train DATA -o MODEL
#include "halfspace/train/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "algorithm_options.hpp"
#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/doctor.hpp"
#include "halfspace/evaluate/calibrate.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/start.hpp"
#include "holdout.hpp"
#include "memory.hpp"
#include "signals.hpp"
#include "train_large.hpp"
#include "train_stream.hpp"
#include "train_team.hpp"
#include "train_words.hpp"
#include "verbs.hpp"
#include "witness_text.hpp"

namespace halfspace::cli {
namespace {

constexpr std::string_view default_algorithm = "logistic";

using Clock = std::chrono::steady_clock;
double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// What halfspace doctor would find worst, where looking costs next to nothing.
void note_gravest(const Dataset& data, const Threads& threads, std::vector<std::string>& notes) {
  constexpr std::uint64_t quickly_examined = 50'000;
  if (data.nonzeros() > quickly_examined) return;
  const Examination found = examine(data, threads);
  const Finding* const worst = gravest(found);
  // A table has said so when it was read, with the option that cures it.
  const bool said = worst != nullptr && worst->kind == "row-number" &&
                    std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
                      return note.find("numbers the rows") != std::string::npos;
                    });
  if (worst != nullptr && !said) notes.push_back(fmt::format("{}; {}", worst->text, worst->advice));
}

// What training and its times come to.
struct Result {
  Dataset data;   // of this process
  RowFacts rows;  // of all
  Fit fit;
  TrafficOfAll traffic;
  std::optional<Evaluation> test;                      // on rows that were not trained on
  std::vector<std::pair<std::string, double>> others;  // errors there of other models of the same walk
  double read_seconds = 0, solve_seconds = 0, total_seconds = 0;
  std::vector<std::string> notes;
};

class Train final : public Command {
 public:
  Train(const std::string& algorithm, bool stream, bool makes_features)
      : algorithm_(Algorithm::by_name(algorithm)), makes_features_(makes_features) {
    data_.map_allowed = true;
    if (!stream) return;
    // A stream is seen once, as it comes: other defaults for the algorithms that have these options.
    for (const OptionInfo& info : algorithm_.options()) {
      if (info.name == "passes") algorithm_.set("passes", "1");
      if (info.name == "order") algorithm_.set("order", "cyclic");
    }
  }

  void add_options(OptionList& options) override;
  [[nodiscard]] std::string epilogue() const override;
  [[nodiscard]] std::string hint_for(const std::string& option) const override;
  [[nodiscard]] int run(const Common& common, Output& output) override;

 private:
  void train(const Common& common, Result& out);
  [[nodiscard]] Dataset read_rows(const Common& common, const Team& team, std::vector<std::string>& notes);
  void save_and_judge(const Common& common, const Run& run, Result& out);
  [[nodiscard]] std::string test_words(const Result& out) const;
  void learn_probabilities(Result& out, const Preparation& how, const Run& run) const;
  void print(const Result& outcome, const Output& output) const;
  void print_no(const Result& outcome, const Output& output) const;
  [[nodiscard]] Json json(const Result& outcome) const;
  static void print_estimates(const Fit& fit, const Output& output);

  Algorithm algorithm_;
  std::string algorithm_word_;  // parsed once more by CLI11; the meaning was taken from it before
  std::string model_path_;
  std::string from_ = "zero";
  bool stream_ = false;
  bool verbose_ = false;
  bool makes_features_ = false;
  CalibrationKind calibrate_ = CalibrationKind::None;
  Deal deal_ = Deal::Place;
  DataOptions data_;
  Holdout holdout_;
  LargeOptions large_;
};

void Train::add_options(OptionList& options) {
  options.argument("DATA", "training rows: libsvm text, CSV or TSV, IDX, NPY, .hsd; - for standard input",
                   data_.path);
  options.group("Options");
  options.text("-o,--output", "MODEL", "where the model goes; - for standard output", model_path_).required =
      true;
  options.text("--algorithm", "NAME", "how to train; the list is at the end", algorithm_word_).fallback =
      default_algorithm;
  options.flag("--stream", "online learners: one pass over libsvm text as it comes, in constant memory",
               stream_);
  options.value("--calibrate", "HOW", std::string(calibrate_help), calibrate_);
  options.value("--deal", "HOW", "with --calibrate: " + std::string(deal_help), deal_);
  options.flag("--verbose", "all there is to say: options, times, every certificate and estimate", verbose_);
  add_algorithm_options(options, algorithm_, makes_features_ ? "kernel" : "");
  if (algorithm_.starts())
    options
        .text("--from", "START",
              "where the plane starts: zero, a model, or weights v1,v2,... (theta0 may come last)", from_)
        .fallback = "zero";
  data_.add_reading(options);
  data_.add_training(options);
  holdout_.add_options(options);
  large_.add_options(options);
  if (makes_features_) data_.add_map_kernel(options);
}

std::string Train::epilogue() const {
  std::string text = "Algorithms (halfspace train --algorithm NAME --help for the options of each):\n";
  for (const std::string& name : Algorithm::names()) {
    text += fmt::format("  {:<24}{}\n", name, Algorithm::by_name(name).summary());
  }
  return text;
}

std::string Train::hint_for(const std::string& option) const {
  return option == "--from" ? start_owners(algorithm_) : option_owners(algorithm_, option);
}

Dataset Train::read_rows(const Common& common, const Team& team, std::vector<std::string>& notes) {
  Dataset rows =
      team.alone() ? holdout_.read_rows(data_, common, notes) : read_share_of(data_, common, notes);
  if (!data_.positive.empty()) rows = against_rest(rows, data_.positive);
  if (!team.alone()) return rows;
  large_.check_rows(rows, algorithm_, common);
  rows = holdout_.training_part(rows, data_, common);
  note_gravest(rows, common.team(), notes);
  return rows;
}

void Train::train(const Common& common, Result& out) {
  const Clock::time_point start = Clock::now();
  const Team team = team_of_company(common);
  if (!team.alone() && large_.asked())
    throw UsageError("--memory and --checkpoint are for one process", "no --memory, no --checkpoint");
  if (team.alone()) large_.prepare(data_, algorithm_, model_path_, common);
  out.data = read_rows(common, team, out.notes);
  out.rows = facts_of(out.data, team);
  const Clock::time_point ready = Clock::now();
  if (!large_.limited()) keep_memory();
  out.read_seconds = seconds_between(start, ready);

  if (!team.alone()) finish_in_order();  // all processes stop at the same sum
  const Traffic before = team.alone() ? Traffic() : company().members->traffic();
  ProgressMeter meter(common.progress, common.quiet);
  Run run = common.run();
  run.members = company().members;
  run.observe = [&meter](const Progress& progress) {
    finish_in_order();  // from the first step on there is a model to save
    meter.show(progress);
    return true;
  };
  run.start = start_from(from_, out.data, team.threads());
  const Preparation how{data_.positive, data_.scale, data_.map, data_.map_kernel, data_.read.zero_based};
  run.checkpoint = large_.checkpoint();
  run = begin_run(run);
  out.fit = halfspace::train(out.data, how, algorithm_, run);
  if (out.fit.has_model()) learn_probabilities(out, how, run);
  out.solve_seconds = seconds_between(ready, Clock::now());
  // What is there after a stop is still said, and written.
  const Team closing = team.until(StopHandle());
  if (!team.alone())
    out.traffic = traffic_of_all(company().members->traffic().since(before), out.solve_seconds, closing);
  out.notes.insert(out.notes.end(), out.fit.words.notes.begin(), out.fit.words.notes.end());
  if (run.checkpoint != nullptr && run.checkpoint->resumed())
    out.notes.push_back(fmt::format("went on from {}", printable(run.checkpoint->path(), 200)));
  if (!out.fit.has_model()) return;
  finish_in_order();
  by_speaker(closing, [&] { save_and_judge(common, run, out); });
  out.total_seconds = seconds_between(start, Clock::now());
  if (large_.limited()) out.notes.push_back(large_.words());
}

void Train::save_and_judge(const Common& common, const Run& run, Result& out) {
  save(out.fit.model(), model_path_);
  // Out of time: the same command with more of it goes on.
  if (run.checkpoint != nullptr && out.fit.answer.stop != Stop::Time &&
      out.fit.answer.stop != Stop::Cancelled)
    run.checkpoint->remove();
  if (!program_stop().asked()) out.test = holdout_.judge(out.fit.model(), out.data, data_, common, out.notes);
  std::vector<std::string> said_before;
  if (out.test)
    for (const auto& [name, model] : out.fit.answer.others)
      out.others.emplace_back(name, holdout_.judge(model, out.data, data_, common, said_before)->error);
}

// A fit that was stopped keeps its model, without probabilities.
void Train::learn_probabilities(Result& out, const Preparation& how, const Run& run) const {
  if (calibrate_ == CalibrationKind::None) return;
  Run quiet = run;
  quiet.observe = nullptr;
  const FoldOptions folds{.seed = run.seed, .deal = deal_};
  try {
    calibrate_fit(out.fit, out.data, how, algorithm_, calibrate_, folds, quiet);
  } catch (const Stopped& stopped) {
    out.fit.answer.stop = stopped.cause() == StopCause::Cancelled ? Stop::Cancelled : Stop::Time;
    out.fit.words.notes.emplace_back("stopped before the probabilities were learned: the model has none");
  }
}

// A verdict, and the rows that prove it when it is no.
Json separation_json(const SeparationProof& proof) {
  Json rows = Json::array(), weights = Json::array();
  if (!proof.witnesses.empty()) {
    for (const std::uint32_t row : proof.witnesses.front().rows) rows.push_back(std::uint64_t{row} + 1);
    for (const Share& share : shares(proof.witnesses.front())) weights.push_back(share.exact);
  }
  return {{"verdict", OptionType<Separation>::print(proof.verdict)},
          {"witness_rows", std::move(rows)},
          {"witness_weights", std::move(weights)}};
}

// Bounds on errors, and the rows without which the plane separates the classes: one object, or one for every class.
Json errors_json(const Fit& fit) {
  Json all = Json::array();
  for (std::size_t k = 0; k < fit.proof.certificates.size(); ++k) {
    const auto* const bounds = std::get_if<ErrorBounds>(&fit.proof.certificates[k]);
    if (bounds == nullptr) continue;
    Json rows = Json::array();
    for (const std::uint32_t row : bounds->errors) rows.push_back(std::uint64_t{row} + 1);
    all.push_back({{"class", function_name(fit.model(), k)},
                   {"upper", bounds->upper},
                   {"lower", bounds->lower},
                   {"rows", std::move(rows)}});
  }
  return all.size() == 1 ? all[0] : all;
}

// There is no model, and an old one stays: why, and what proves it.
void Train::print_no(const Result& out, const Output& output) const {
  const SeparationProof* proof = out.fit.proof.separation.get();
  const bool as_read =
      data_.scale == ScaleKind::None && !data_.map;  // the proof is about the rows of the file
  output.line(describe_data(out.rows, data_.path));
  output.line(describe_classes(out.rows));
  output.line(fmt::format("{}: no model: {}", algorithm_.name(), out.fit.answer.reason));
  for (const std::string& line : out.fit.words.summary) output.line(line);
  if (proof != nullptr && as_read) {
    for (const std::string& line : proof_lines(*proof, out.data)) output.line(line);
    output.line(
        fmt::format("next: halfspace separable {} -o CERT writes the proof", printable(data_.path, 200)));
  }
  if (!output.json()) return;
  Json json{{"schema", "halfspace.train/1"},
            {"algorithm", algorithm_.name()},
            {"rows", out.rows.rows},
            {"features", out.rows.features},
            {"stop", stop_name(out.fit.answer.stop)},
            {"refusal", out.fit.answer.reason}};
  if (proof != nullptr) {
    json.update(separation_json(*proof));
    json["positive"] = proof->positive;
    Json& names = json["runaway_columns"] = Json::array();
    for (const std::uint32_t column : proof->plane.columns)
      names.push_back(column < out.data.features() && !data_.map ? out.data.feature_name(column)
                                                                 : fmt::format("{}", column + 1));
    json["proof"] = as_read ? Json::parse(to_json(*proof)) : Json();
  }
  json["notes"] = out.notes;
  json["model"] = nullptr;
  output.object(json);
}

// The error on rows that were not trained on, and beside it those of the other models of the walk.
std::string Train::test_words(const Result& out) const {
  if (!out.test) return {};
  std::string text = holdout_.words(*out.test);
  for (std::size_t k = 0; k < out.others.size(); ++k)
    text += fmt::format("{} {} {:.4g}", k == 0 ? "\nof the models of this walk:" : ",", out.others[k].first,
                        out.others[k].second);
  return text;
}

void Train::print(const Result& out, const Output& output) const {
  if (!verbose_)
    return print_short({out.rows, out.fit, test_words(out), data_.path, model_path_,
                        std::string(algorithm_.name()), out.solve_seconds},
                       output);
  output.line(describe_data(out.rows, data_.path));
  output.line(describe_classes(out.rows));
  const std::string options = facts_words(algorithm_.values());
  output.line(fmt::format("{}{}{}", algorithm_.name(), options.empty() ? "" : ": ", options));
  output.line(fmt::format("read in {}, solved in {}", human_seconds(out.read_seconds),
                          human_seconds(out.solve_seconds)));
  if (out.traffic.processes > 1) output.line(traffic_words(out.traffic));
  output.line(fmt::format("stop: {}", stop_words(out.fit.answer.stop, out.fit.trace.iterations)));
  if (out.fit.proof.objective) {
    const DualityGap gap{out.fit.proof.objective->primal, out.fit.proof.objective->dual};
    output.line(fmt::format("objective {:.8g}, at most {:.2g} above the optimum (relative {:.1e}{})",
                            gap.primal, gap.gap(), gap.relative(),
                            std::abs(gap.primal) < 1 ? ", measured against 1" : ""));
  }
  output.line(
      out.fit.trace.error
          ? "training error " + error_words(*out.fit.trace.error, 4)
          : std::string("training error: not counted, it would take longer than the training or the time "
                        "allowed; halfspace evaluate counts it"));
  if (out.test) output.line(test_words(out));
  for (const std::string& line : out.fit.words.summary) output.line(line);
  print_estimates(out.fit, output);
  if (out.fit.model().calibrator.on()) output.line(probability_words(out.fit.model()));
  const std::size_t certificates = out.fit.proof.certificates.size();
  const bool pairs = certificates > out.fit.model().classes.size();  // too many to print: their sum is above
  for (std::size_t k = 0; !pairs && k < certificates; ++k) {
    const std::string plane =
        certificates > 1 ? fmt::format(" (class {})", printable(function_name(out.fit.model(), k))) : "";
    output.line(fmt::format("certificate{}{}: {}", plane,
                            data_.map                        ? ", on the features"
                            : data_.scale == ScaleKind::None ? ""
                                                             : ", on the scaled rows",
                            describe(out.fit.proof.certificates[k])));
  }
  if (model_path_ == "-") return;
  std::error_code code;
  const auto size = std::filesystem::file_size(model_path_, code);
  output.line(fmt::format("{} written{}", printable(model_path_, 200),
                          code ? "" : fmt::format(" ({})", human_bytes(size))));
  output.line(
      fmt::format("next: halfspace evaluate {0} TEST    halfspace show {0}", printable(model_path_, 200)));
}

// The coefficients of an unpenalised fit, those furthest from 0 in units of their errors first.
void Train::print_estimates(const Fit& fit, const Output& output) {
  if (fit.proof.estimates.empty()) return;
  std::vector<Estimate> sorted = fit.proof.estimates;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Estimate& a, const Estimate& b) { return std::abs(a.z()) > std::abs(b.z()); });
  constexpr std::size_t most = 20;
  output.line(fmt::format("{:<24}{:>14}{:>14}{:>10}  {}", "coefficient", "estimate", "error", "z",
                          "95 % interval (Wald)"));
  for (std::size_t k = 0; k < std::min(most, sorted.size()); ++k) {
    const Estimate& e = sorted[k];
    output.line(fmt::format("{:<24}{:>14.6g}{:>14.6g}{:>10.3g}  {:.6g} to {:.6g}",
                            e.feature ? feature_name(fit.model(), *e.feature) : std::string("theta0"),
                            e.value, e.error, e.z(), e.lower(), e.upper()));
  }
  if (sorted.size() > most) output.line(fmt::format("and {} more (all with --json)", sorted.size() - most));
}

Json Train::json(const Result& out) const {
  const Fit& fit = out.fit;
  Json value;
  value["schema"] = "halfspace.train/1";
  value["algorithm"] = algorithm_.name();
  value["options"] = facts_json(algorithm_.values());
  if (algorithm_.starts())
    value["from"] = fact(fit.model(), "from").empty() ? "zero" : fact(fit.model(), "from");
  value["rows"] = out.rows.rows;
  value["features"] = out.rows.features;
  value["nonzeros"] = out.rows.nonzeros;
  value["storage"] = out.rows.storage;
  value["classes"] = classes_json(out.rows);
  if (out.traffic.processes > 1) value["team"] = traffic_json(out.traffic);
  value["seconds"] = {{"read", out.read_seconds}, {"solve", out.solve_seconds}, {"total", out.total_seconds}};
  value["iterations"] = fit.trace.iterations;
  value["stop"] = stop_name(fit.answer.stop);
  Json& objective = value["objective"];
  objective["primal"] = fit.proof.objective ? Json(fit.proof.objective->primal) : Json(nullptr);
  objective["dual"] = fit.proof.objective ? Json(fit.proof.objective->dual) : Json(nullptr);
  objective["gap"] = fit.proof.objective ? Json(fit.proof.objective->gap()) : Json(nullptr);
  objective["relative_gap"] = fit.proof.objective ? Json(fit.proof.objective->relative_gap()) : Json(nullptr);
  const std::optional<ErrorCount>& error = fit.trace.error;
  value["training_error"] = error ? Json(error->share()) : Json(nullptr);  // share of the weight
  value["training_errors"] = error ? Json(error->wrong) : Json(nullptr);   // rows
  value["training_rows"] = error ? Json(error->rows) : Json(nullptr);
  value["training_weight"] = error ? weight_json(*error) : Json(nullptr);
  value["test"] = holdout_.json(out.test);
  value["test_of_others"] = Json::array();
  for (const auto& [name, wrong] : out.others)
    value["test_of_others"].push_back({{"name", name}, {"error", wrong}});
  value["mistakes"] = fit.trace.mistakes ? Json(*fit.trace.mistakes) : Json(nullptr);
  value["support_vectors"] = fit.trace.support_vectors ? Json(*fit.trace.support_vectors) : Json(nullptr);
  value["certificate"] = certificate_json(fit.model());
  if (Json errors = errors_json(fit); !errors.empty()) value["errors"] = std::move(errors);
  if (fit.proof.separation != nullptr) value["separation"] = separation_json(*fit.proof.separation);
  value["figures"] = Json::object();
  for (const auto& [name, figure] : fit.trace.figures) value["figures"][name] = figure;
  if (!fit.trace.curve.empty()) value["curve"] = fit.trace.curve;
  if (!fit.proof.estimates.empty()) {
    Json& list = value["coefficients"] = Json::array();
    for (const Estimate& e : fit.proof.estimates) {
      list.push_back({{"name", e.feature ? feature_name(fit.model(), *e.feature) : std::string("theta0")},
                      {"estimate", e.value},
                      {"error", e.error},
                      {"z", e.z()},
                      {"interval", {e.lower(), e.upper()}}});
    }
  }
  const std::string problem = fact(fit.model(), "formula");
  value["formula"] = problem.empty() ? Json(nullptr) : Json(problem);
  value["scale"] = OptionType<ScaleKind>::print(data_.scale);
  value["map"] = fit.model().map == nullptr
                     ? Json(nullptr)
                     : Json{{"kind", OptionType<MapKind>::print(fit.model().map->kind)},
                            {"kernel", OptionType<KernelFunction>::print(fit.model().map->kernel)},
                            {"features", fit.model().map->outputs}};
  value["calibration"] = calibration_json(fit.model().calibrator);
  value["data"] = fact(fit.model(), "data");
  value["summary"] = fit.words.summary;
  value["notes"] = out.notes;
  value["model"] = model_path_;
  return value;
}

int Train::run(const Common& common, Output& output) {
  if (model_path_ == "-") {
    if (common.json) throw UsageError("--json and -o - both want standard output");
    output.divert();
  }
  by_speaker(team_of_company(common), [&] {
    check_output(model_path_, {data_.path, from_, holdout_.test_path()});
  });
  holdout_.check();
  check_company({holdout_, stream_, calibrate_ != CalibrationKind::None, from_ != "zero"});
  if (stream_ && holdout_.asked())
    throw UsageError("--stream sees every row once and keeps none: no --holdout and no --test",
                     "halfspace evaluate MODEL TEST");
  if (stream_ && calibrate_ != CalibrationKind::None)
    throw UsageError("--stream keeps no rows to learn probabilities from", "no --calibrate");
  if (calibrate_ == CalibrationKind::None && deal_ != Deal::Place)
    throw UsageError("--deal says which rows are held out for --calibrate", "--calibrate platt");
  if (calibrate_ != CalibrationKind::None && holdout_.grouped())
    throw UsageError("--calibrate makes folds that know no groups",
                     "halfspace tune --groups COLUMN --calibrate");
  large_.check(holdout_.shares() || calibrate_ != CalibrationKind::None, data_);
  if (stream_ && large_.limited()) throw UsageError("--stream takes constant memory as it is", "no --memory");
  if (stream_) return train_stream(algorithm_, data_, from_, model_path_, common, output);
  Result out;
  train(common, out);
  for (const std::string& note : out.notes)
    if (verbose_ || !is_about_solving(note)) output.note(note);
  if (!out.fit.has_model()) {
    print_no(out, output);
    return exit_code(out.fit);
  }
  print(out, output);
  output.object(output.json() ? json(out) : Json());
  return exit_code(out.fit);
}

}  // namespace

constinit const Verb train_verb = {
    "train",
    "DATA -o MODEL [--algorithm NAME] [options]",
    "learn a model from labelled rows",
    {"halfspace train a9a -o a9a.model",
     "halfspace train table.csv -o table.model --label species --scale standard"},
    "Reads labelled rows, trains a model and writes it. Says how long it took, why it stopped, the error on "
    "the "
    "training rows, and what can be proved about the result.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<Train>(algorithm_named(args, default_algorithm),
                                     std::find(args.begin(), args.end(), "--stream") != args.end(),
                                     makes_features(args));
    }};

}  // namespace halfspace::cli
