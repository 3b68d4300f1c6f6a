// SPDX-License-Identifier: BSD-3-Clause
// halfspace trace DATA --algorithm NAME
#include <fmt/format.h>

#include <cmath>

#include "algorithm_options.hpp"
#include "data_options.hpp"
#include "describe.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "halfspace/report/trace_line.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/separability.hpp"
#include "halfspace/solve/start.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {

enum class ShowTheta { Auto, Always, Never };
inline constexpr std::string_view show_theta_words[] = {"auto", "always", "never"};

}  // namespace halfspace::cli

template <>
inline constexpr std::span<const std::string_view> halfspace::enum_words<halfspace::cli::ShowTheta> =
    halfspace::cli::show_theta_words;

namespace halfspace::cli {
namespace {

constexpr std::string_view traced_by_default = "perceptron";
constexpr std::size_t few_features = 100;

class Trace final : public Command {
 public:
  explicit Trace(const std::string& algorithm) : algorithm_(Algorithm::by_name(algorithm)) {}

  void add_options(OptionList& options) override {
    options.argument("DATA", "training rows of two classes", data_.path);
    options.group("Options");
    options.text("-o,--output", "FILE", "where the lines go", path_).fallback = "standard output";
    options.text("--algorithm", "NAME", "any of the online learners", word_).fallback = traced_by_default;
    options.value("--every", "N", "only every N-th update", every_, {1, 9e15});
    options.value("--max", "N", "at most N lines", most_, {1, 9e15}).fallback = "all of them";
    options.flag("--cosine", "the cosine to the widest plane after every update, and its bound", cosine_);
    options.value("--theta", "WHEN", "write the weights; auto: up to 100 features", theta_);
    add_algorithm_options(options, algorithm_);
    if (algorithm_.starts())
      options
          .text("--from", "START",
                "where the plane starts: zero, a model, or weights v1,v2,... (theta0 may come last)", from_)
          .fallback = "zero";
    data_.add_reading(options);
    options.text("--positive", "LABEL", "train this class against the rest", data_.positive);
  }

  [[nodiscard]] std::string hint_for(const std::string& option) const override {
    return option == "--from" ? start_owners(algorithm_) : option_owners(algorithm_, option);
  }

  int run(const Common& common, Output& output) override {
    if (common.json) throw UsageError("trace writes JSON lines as it is; it has no --json");
    check_output(path_, {data_.path, from_});
    if (cosine_ && from_ != "zero")
      throw UsageError("--cosine: the bound holds for walks that start at zero; leave --from out");
    std::vector<std::string> notes;
    Dataset data = read_data(data_, common, notes);
    if (!data_.positive.empty()) data = against_rest(data, data_.positive);
    if (cosine_) find_widest(data, common);
    // A file gets the lines so far; what goes to standard output is there already.
    if (!path_.empty() && path_ != "-") finish_in_order();
    Run run = common.run();
    run.start = start_from(from_, data, run.threads);
    Fit fit;
    write_file(path_.empty() ? "-" : path_, [&](ByteSink& sink) {
      const UpdateObserver observer{static_cast<std::uint64_t>(every_), static_cast<std::uint64_t>(most_),
                                    [&](const Update& update) { sink.write(line(update) + "\n"); }};
      fit = algorithm_.trace(data, run, observer);
    });
    for (const std::string& note : notes) output.note(note);
    // A perceptron moves on its mistakes, and only then.
    const bool perceptron = algorithm_.name().ends_with("perceptron");
    output.note(fmt::format("{}, {}",
                            counted(fit.trace.mistakes.value_or(0), perceptron ? "update" : "mistake"),
                            stop_name(fit.answer.stop)));
    return exit_code(fit);
  }

 private:
  [[nodiscard]] std::string line(const Update& update) const {
    TraceLine how{.theta = theta_ == ShowTheta::Always ||
                           (theta_ == ShowTheta::Auto && update.theta.size() <= few_features),
                  .batched = takes_batches(algorithm_)};
    if (cosine_) {
      // Novikoff: the cosine is at least sqrt(k) margin / R.
      const bool lifted = widest_.offset == Offset::Lifted;
      double product = lifted ? widest_.theta0 * update.theta0 : 0;
      for (std::size_t j = 0; j < update.theta.size(); ++j) product += widest_.theta[j] * update.theta[j];
      how.cosine = {product / std::hypot(update.norm, lifted ? update.theta0 : 0),
                    std::sqrt(static_cast<double>(update.number)) * widest_.margin / widest_.radius};
    }
    return trace_line(update, how);
  }

  // The widest plane of length 1 in the space where the perceptron walks.
  struct Widest {
    Offset offset = Offset::Lifted;
    std::vector<double> theta;
    double theta0 = 0, margin = 0, radius = 1;
  };

  void find_widest(const Dataset& data, const Common& common) {
    for (const auto& [name, value] : algorithm_.values())
      if (name == "offset") widest_.offset = OptionType<Offset>::parse("offset", value, {});
    Run run;
    run.threads = common.team();
    const Separability answer =
        separability(data, {.offset = widest_.offset, .margin = MarginWork::Full}, run);
    if (!answer.margin)
      throw UsageError("--cosine needs classes that a plane separates; these are not, or it is not known",
                       "halfspace separable DATA says why");
    widest_.theta = answer.widest.theta;
    widest_.theta0 = answer.widest.theta0;
    double length = widest_.offset == Offset::Lifted ? widest_.theta0 * widest_.theta0 : 0;
    for (const double w : widest_.theta) length += w * w;
    for (double& w : widest_.theta) w /= std::sqrt(length);
    widest_.theta0 /= std::sqrt(length);
    widest_.margin = answer.margin->lower;
    widest_.radius = answer.margin->radius;
  }

  Algorithm algorithm_;
  Widest widest_;
  bool cosine_ = false;
  std::string from_ = "zero";
  std::string word_, path_;
  std::int64_t every_ = 1;
  std::int64_t most_ = 9'000'000'000'000'000;
  ShowTheta theta_ = ShowTheta::Auto;
  DataOptions data_;
};

}  // namespace

constinit const Verb trace_verb = {
    "trace",
    "DATA [--algorithm NAME] [options]",
    "every update of an online learner as a line of JSON",
    {"halfspace trace small.txt --offset none",
     "halfspace trace small.txt --algorithm pegasos --lambda 0.5 --order cyclic --tie update"},
    "Trains between two classes and writes one line for every update: its number k, step and pass, the row "
    "(from "
    "1), y, its margin and loss before, the margin after, the rate eta, what theta was shrunk by and how "
    "much of y x "
    "was added, theta0, the length of theta, and theta before and after when it is short. Averaged learners "
    "add the "
    "running mean, the voted perceptron the votes of the plane, perceptrons the alpha of the row.",
    [](const std::vector<std::string>& args) -> std::unique_ptr<Command> {
      return std::make_unique<Trace>(algorithm_named(args, traced_by_default));
    }};

}  // namespace halfspace::cli
