// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace::cli {
namespace {

std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string see_help(const std::string& verb) { return fmt::format("see halfspace {} --help", verb); }

// Options of other programs: what they are called here, where the verb has it.
constexpr std::pair<std::string_view, std::string_view> other_options[] = {
    {"--cv", "--folds"},          {"--kfold", "--folds"},        {"--k", "--folds"},
    {"--n-splits", "--folds"},    {"--test-size", "--test"},     {"--scoring", "--metric"},
    {"--n-jobs", "--threads"},    {"--jobs", "--threads"},       {"-j", "--threads"},
    {"--random-state", "--seed"}, {"--steps", "--sizes"},        {"--points", "--sizes"},
    {"--train-sizes", "--sizes"}, {"--validation", "--holdout"}, {"--target", "--label"},
    {"--sep", "--delimiter"},     {"--na", "--missing-words"},   {"--impute", "--missing"}};

std::string known_elsewhere(const std::string& name, const OptionList& options) {
  for (const auto& [other, ours] : other_options) {
    if (name != other) continue;
    for (const OptionSpec& spec : options.all())
      if (!spec.positional && spec.long_name() == ours)
        return spec.unit.empty() ? std::string(ours) : fmt::format("{} {}", ours, spec.unit);
  }
  return {};
}

[[noreturn]] void refuse_extra(const OptionList& options, const std::string& verb, const std::string& extra,
                               const std::function<std::string(const std::string&)>& hint_for) {
  if (!extra.starts_with("-") || extra == "-" || extra.starts_with("-,")) {
    throw UsageError(fmt::format("unexpected argument '{}'", printable(extra)), see_help(verb));
  }
  const std::string name = extra.substr(0, extra.find('='));
  std::string hint = hint_for(name);
  if (hint.empty())
    if (const std::string ours = known_elsewhere(name, options); !ours.empty())
      hint = fmt::format("here it is {}", ours);
  if (hint.empty()) {
    std::vector<std::string> names{"--help"};
    for (const OptionSpec& spec : options.all()) {
      if (!spec.positional) names.push_back(spec.long_name());
    }
    const std::string near = nearest_name(name, names);
    hint = near.empty() ? see_help(verb) : fmt::format("did you mean {}?", near);
  }
  throw UsageError(fmt::format("{}: unknown option {}", verb, printable(name)), hint);
}

// What may stand behind the option.
std::string values_of(const OptionSpec& spec, const std::string& verb) {
  const std::string& what = spec.choices.empty() ? spec.unit : spec.choices;
  return what.empty() ? see_help(verb) : fmt::format("{} {}; {}", spec.long_name(), what, see_help(verb));
}

// A value that was left out because the next word is an option, or is empty.
void check_value(const OptionSpec& spec, const std::string& value, const std::string& verb) {
  if (value.empty())
    throw UsageError(fmt::format("{} needs a value", spec.long_name()), values_of(spec, verb));
  if (!spec.positional && value.size() > 2 && value.starts_with("--")) {
    throw UsageError(fmt::format("{} needs a value, found the option {}", spec.long_name(), printable(value)),
                     values_of(spec, verb));
  }
}

// "-,FILE" is standard input and a file of labels; CLI11 would take it for an option.
constexpr std::string_view pair_mark = "\x1f";
void mark_pair(std::string& arg) {
  if (arg.starts_with("-,")) arg.insert(0, pair_mark);
}
std::string without_mark(std::string arg) {
  if (arg.starts_with(pair_mark)) arg.erase(0, pair_mark.size());
  return arg;
}

}  // namespace

std::string OptionSpec::long_name() const {
  const std::vector<std::string> parts = split(names, ',');
  for (const std::string& part : parts) {
    if (part.starts_with("--")) return part;
  }
  return parts.front();
}

std::string OptionList::bare(const std::string& long_name) {
  return long_name.substr(std::min(long_name.size(), long_name.find_first_not_of('-')));
}

OptionSpec& OptionList::add(OptionSpec spec) {
  if (spec.group.empty()) spec.group = group_;
  return specs_.emplace_back(std::move(spec));
}

OptionSpec& OptionList::argument(std::string name, std::string help, std::string& value) {
  OptionSpec spec{std::move(name), {}, std::move(help)};
  spec.positional = true;
  spec.required = true;
  spec.group = "Arguments";
  spec.set = [&value](const std::string& text) { value = text; };
  return add(std::move(spec));
}

OptionSpec& OptionList::flag(std::string names, std::string help, bool& value) {
  OptionSpec spec{std::move(names), {}, std::move(help)};
  spec.flag = true;
  spec.set = [&value](const std::string&) { value = true; };
  return add(std::move(spec));
}

OptionSpec& OptionList::text(std::string names, std::string unit, std::string help, std::string& value) {
  OptionSpec spec{std::move(names), std::move(unit), std::move(help), value};
  spec.set = [&value](const std::string& text) { value = text; };
  return add(std::move(spec));
}

OptionSpec& OptionList::list(std::string names, std::string unit, std::string help,
                             std::vector<std::string>& value) {
  OptionSpec spec{std::move(names), std::move(unit), std::move(help)};
  spec.repeats = true;
  spec.set = [&value](const std::string& text) {
    for (const std::string& part : split(text, ',')) {
      // As cells: blanks around a name are not part of it.
      const std::size_t first = part.find_first_not_of(" \t");
      if (first != std::string::npos)
        value.push_back(part.substr(first, part.find_last_not_of(" \t") + 1 - first));
    }
  };
  return add(std::move(spec));
}

void parse_options(const OptionList& options, const std::string& verb, std::vector<std::string> args,
                   const std::function<std::string(const std::string&)>& hint_for) {
  CLI::App app;
  app.set_help_flag();  // the help is ours
  app.allow_extras();
  std::vector<CLI::Option*> parsed;
  for (const OptionSpec& spec : options.all()) {
    CLI::Option* option = spec.flag ? app.add_flag(spec.names) : app.add_option(spec.names);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);  // repeats are counted below
    parsed.push_back(option);
  }
  try {
    std::for_each(args.begin(), args.end(), mark_pair);
    std::reverse(args.begin(), args.end());
    app.parse(std::move(args));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what(), name = text.substr(0, text.find(':'));
    std::string hint = see_help(verb);
    for (const OptionSpec& spec : options.all())
      if (!spec.positional && spec.long_name() == name) hint = values_of(spec, verb);
    throw UsageError(fmt::format("{} needs a value", printable(name)), hint);
  } catch (const CLI::ParseError& error) {
    throw UsageError(printable(error.what(), 200), see_help(verb));
  }
  for (const std::string& extra : app.remaining()) {
    if (extra != "--")  // CLI11 hands the end-of-options mark back
      refuse_extra(options, verb, without_mark(extra), hint_for);
  }
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const OptionSpec& spec = options.all()[i];
    const std::vector<std::string>& results = parsed[i]->results();
    if (results.empty()) {
      if (!spec.required) continue;
      throw UsageError(spec.positional ? fmt::format("{}: {} is missing", verb, spec.long_name())
                                       : fmt::format("{}: {} {} is missing", verb, spec.names, spec.unit),
                       fmt::format("{}; {}", verb_by_name(verb).examples[0], see_help(verb)));
    }
    if (results.size() > 1 && !spec.repeats)
      throw UsageError(fmt::format("{} is given {} times", spec.long_name(), results.size()));
    if (spec.flag) {
      if (results.front() != "true") throw UsageError(fmt::format("{} takes no value", spec.long_name()));
    } else {
      check_value(spec, results.front(), verb);
    }
    spec.set(without_mark(results.front()));
    for (std::size_t k = 1; k < results.size(); ++k) {
      check_value(spec, results[k], verb);
      spec.set(without_mark(results[k]));
    }
  }
}

}  // namespace halfspace::cli
