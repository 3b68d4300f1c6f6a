// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "company.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/version.hpp"
#include "help.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr const Verb* all_verbs[] = {
    &train_verb,    &predict_verb, &evaluate_verb,   &tune_verb,   &compare_verb, &curve_verb,
    &path_verb,     &split_verb,   &separable_verb,  &verify_verb, &show_verb,    &explain_verb,
    &report_verb,   &plot_verb,    &playground_verb, &trace_verb,  &convert_verb, &export_verb,
    &generate_verb, &doctor_verb,  &completion_verb};

void print(std::string_view text) {
  let_readers_leave();
  Output(false, false).bytes(text);
}

bool asks_for_help(const std::vector<std::string>& args) {
  return std::any_of(args.begin(), args.end(),
                     [](const auto& arg) { return arg == "--help" || arg == "-h"; });
}

int run_help(const std::vector<std::string>& args) {
  if (args.empty()) {
    print(program_help());
  } else if (args.front() == "help") {
    print("halfspace help [VERB]\n");
  } else {
    print(verb_help(verb_by_name(args.front()), {args.begin() + 1, args.end()}));
  }
  return exit_done;
}

int run_verb(const Verb& verb, const std::vector<std::string>& args) {
  if (asks_for_help(args)) {
    print(verb_help(verb, args));
    return exit_done;
  }
  const std::unique_ptr<Command> command = verb.make(args);
  OptionList options;
  Common common;
  command->add_options(options);
  add_common_options(options, common);
  parse_options(options, std::string(verb.name), args,
                [&](const std::string& option) { return command->hint_for(option); });
  if (company().members != nullptr && verb.name != train_verb.name)
    throw UsageError(fmt::format("{} is for one process: train is what several do together", verb.name),
                     "without mpirun");
  common.quiet = common.quiet || is_silent();
  if (common.threads == 0) common.threads = company().threads;
  limit_seconds(common.seconds);
  Output output(common.json, common.quiet);
  const int code = command->run(common, output);
  return interrupted() ? exit_interrupted : code;
}

}  // namespace

std::span<const Verb* const> verbs() { return all_verbs; }

Run Common::run() const {
  Run run;
  run.seed = static_cast<std::uint64_t>(seed);
  run.threads = team();
  run.stop = program_stop();
  return run;
}

namespace {

// What other programs call it.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"fit", "train"},       {"learn", "train"},         {"test", "evaluate"},         {"score", "evaluate"},
    {"eval", "evaluate"},   {"validate", "evaluate"},   {"classify", "predict"},      {"apply", "predict"},
    {"cv", "tune"},         {"cross-validate", "tune"}, {"cross-validation", "tune"}, {"crossval", "tune"},
    {"grid", "tune"},       {"search", "tune"},         {"select", "tune"},           {"info", "show"},
    {"print", "show"},      {"inspect", "show"},        {"check", "doctor"},          {"describe", "doctor"},
    {"diagnose", "doctor"}, {"why", "explain"},         {"learning-curve", "curve"}};

}  // namespace

const Verb& verb_by_name(const std::string& name) {
  if (name == "calibrate")
    throw UsageError("unknown verb 'calibrate'",
                     "probabilities are learned with the model: halfspace train a9a -o a9a.model --algorithm "
                     "svm --calibrate platt; tune has --calibrate too");
  std::vector<std::string> names;
  for (const Verb* verb : all_verbs) {
    if (verb->name == name) return *verb;
    names.emplace_back(verb->name);
  }
  names.emplace_back("help");
  for (const auto& [other, ours] : other_names)
    if (name == other)
      throw UsageError(fmt::format("unknown verb '{}'", name),
                       fmt::format("here it is {}: {}", ours, verb_by_name(std::string(ours)).examples[0]));
  const std::string near = nearest_name(name, names);
  throw UsageError(fmt::format("unknown {} '{}'", name.starts_with("-") ? "option" : "verb", printable(name)),
                   near.empty() ? "see halfspace --help" : fmt::format("did you mean {}?", near));
}

void add_common_options(OptionList& options, Common& common) {
  options.group("Everywhere");
  options.flag("--json", "one JSON object on standard output instead of text", common.json);
  options.flag("--quiet", "no notes and no progress on standard error", common.quiet);
  options.value("--threads", "N", "threads to use; results do not depend on it", common.threads, {1, 1024})
      .fallback = "all allowed cores";
  options.value("--seed", "N", "seed of everything random", common.seed, {0, 9e15});
  options
      .value("--time", "S", "stop after this many seconds; the best model so far is written (exit code 4)",
             common.seconds, {0, 1e9})
      .fallback = "no limit";
  options.value("--progress", "WHEN", "progress on standard error: on a terminal, as JSON lines, or never",
                common.progress);
  OptionSpec help{"-h,--help", {}, "this text"};
  help.flag = true;
  help.set = [](const std::string&) {};  // looked for before parsing
  options.add(std::move(help));
}

int run_program(const std::vector<std::string>& args) {
  if (args.empty()) throw UsageError("no verb given", "see halfspace --help");
  const std::string& first = args.front();
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (first == "--version" || first == "-V") {
    print(fmt::format("halfspace {}\n", version()));
    return exit_done;
  }
  if (first == "--help" || first == "-h") return run_help({});
  if (first == "help") return run_help(rest);
  if (first == "manual") {  // for the build: writes the manual page
    print(manual_page());
    return exit_done;
  }
  return run_verb(verb_by_name(first), rest);
}

}  // namespace halfspace::cli
