// SPDX-License-Identifier: BSD-3-Clause
#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halfspace/core/version.hpp"
#include "halfspace/solve/algorithm.hpp"

namespace halfspace::cli {
namespace {

constexpr std::size_t text_column = 26;
constexpr std::size_t line_width = 100;

std::string heading_of(const OptionSpec& spec) {
  std::string text;
  for (const char c : spec.names) {
    text += c;
    if (c == ',') text += ' ';
  }
  return spec.unit.empty() ? text : fmt::format("{} {}", text, spec.unit);
}

std::string explanation_of(const OptionSpec& spec) {
  std::string text = spec.help;
  if (!spec.choices.empty()) text += fmt::format(": {}", spec.choices);
  if (!spec.flag && !spec.fallback.empty()) text += fmt::format(" (default {})", spec.fallback);
  if (spec.required && !spec.positional) text += " (required)";
  return text;
}

// `text` cut into lines, continued at `indent`.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t used = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t length = end - begin;
    if (used > indent && used + 1 + length > line_width) {
      out += '\n';
      out.append(indent, ' ');
      used = indent;
    }
    if (used > indent) {
      out += ' ';
      ++used;
    }
    out.append(text, begin, length);
    used += length;
    begin = end + 1;
  }
  return out;
}

std::string entry(const std::string& heading, const std::string& explanation) {
  std::string line = fmt::format("  {}", heading);
  if (line.size() + 2 > text_column) {
    line += '\n';
    line.append(text_column, ' ');
  } else {
    line.append(text_column - line.size(), ' ');
  }
  return fmt::format("{}{}\n", line, wrapped(explanation, text_column));
}

// Groups in the order of their first option, arguments before all.
std::vector<std::string> groups_of(const OptionList& options) {
  std::vector<std::string> groups;
  for (const OptionSpec& spec : options.all()) {
    if (std::find(groups.begin(), groups.end(), spec.group) == groups.end()) groups.push_back(spec.group);
  }
  return groups;
}

// Text with the characters that roff gives a meaning escaped.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_entry(const std::string& heading, const std::string& explanation) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(heading), roff(explanation));
}

std::string roff_verb(const Verb& verb) {
  const std::unique_ptr<Command> command = verb.make({});
  OptionList options;
  command->add_options(options);
  std::string out =
      fmt::format(".SS halfspace {} {}\n{}\n", roff(verb.name), roff(verb.usage), roff(verb.description));
  for (const std::string& group : groups_of(options)) {
    if (group.starts_with("Algorithm ")) continue;  // all of them have a section of their own
    for (const OptionSpec& spec : options.all()) {
      if (spec.group == group) out += roff_entry(heading_of(spec), explanation_of(spec));
    }
  }
  out += ".PP\nExamples:\n.PP\n.nf\n.RS\n";
  for (const std::string_view example : verb.examples) out += fmt::format("{}\n", roff(example));
  return out + ".RE\n.fi\n";
}

std::string roff_algorithms() {
  std::string out = ".SH ALGORITHMS\n";
  for (const std::string& name : Algorithm::names()) {
    const Algorithm algorithm = Algorithm::by_name(name);
    out += fmt::format(".SS {}\n{}\n", roff(name), roff(algorithm.summary()));
    for (const OptionInfo& info : algorithm.options()) {
      out += roff_entry(
          fmt::format("--{}{}{}", info.name, info.unit.empty() ? "" : " ", info.unit),
          explanation_of({info.name, info.unit, info.help, info.fallback, info.choices, {}, info.flag}));
    }
  }
  return out;
}

constexpr std::array<std::array<std::string_view, 2>, 7> exit_codes = {{
    {"0", "done; the answer is yes"},
    {"1", "the answer is no"},
    {"2", "wrong usage: unknown option, impossible combination"},
    {"3", "bad input: data or model file, with the place"},
    {"4", "stopped at a limit; the best model so far is written"},
    {"5", "out of memory, disk full, cannot write"},
    {"130", "interrupted; the best model so far is written"},
}};

}  // namespace

std::string program_help() {
  std::string out =
      "Examples:\n"
      "  halfspace train a9a -o a9a.model\n"
      "  halfspace evaluate a9a.model a9a.t\n\n"
      "halfspace VERB [options] ARGUMENTS: linear classification with proofs\n\nVerbs:\n";
  for (const Verb* verb : verbs()) out += entry(std::string(verb->name), std::string(verb->summary));
  out += entry("help VERB", "the options of a verb");
  out += "\nExit codes:\n";
  for (const auto& [code, meaning] : exit_codes) out += entry(std::string(code), std::string(meaning));
  return out + "\nhalfspace --version prints the version.\n";
}

std::string verb_help(const Verb& verb, const std::vector<std::string>& args) {
  std::string out = "Examples:\n";
  for (const std::string_view example : verb.examples) out += fmt::format("  {}\n", example);
  out += fmt::format("\nhalfspace {} {}\n{}\n", verb.name, verb.usage,
                     wrapped(std::string(verb.description), 0));
  const std::unique_ptr<Command> command = verb.make(args);
  OptionList options;
  Common common;
  command->add_options(options);
  add_common_options(options, common);
  for (const std::string& group : groups_of(options)) {
    out += fmt::format("\n{}:\n", group);
    for (const OptionSpec& spec : options.all()) {
      if (spec.group == group) out += entry(heading_of(spec), explanation_of(spec));
    }
  }
  const std::string epilogue = command->epilogue();
  return epilogue.empty() ? out : fmt::format("{}\n{}", out, epilogue);
}

std::string manual_page() {
  std::string out = fmt::format(
      ".TH HALFSPACE 1 \"\" \"halfspace {}\" \"User commands\"\n"
      ".SH NAME\nhalfspace \\- linear classification with proofs\n"
      ".SH SYNOPSIS\n.B halfspace\n.I VERB\n[options]\n.I ARGUMENTS\n"
      ".SH DESCRIPTION\nTrains linear classifiers, predicts with them, and says what can be checked about "
      "the answer.\n"
      "Results go to standard output, everything else to standard error; a single \\- stands for standard "
      "input or\n"
      "output.\n.SH VERBS\n",
      version());
  for (const Verb* verb : verbs()) out += roff_verb(*verb);
  OptionList options;
  Common common;
  add_common_options(options, common);
  out += ".SH OPTIONS OF EVERY VERB\n";
  for (const OptionSpec& spec : options.all()) out += roff_entry(heading_of(spec), explanation_of(spec));
  out += roff_algorithms();
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes) out += roff_entry(std::string(code), std::string(meaning));
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBTERM\\fR\nWith the value dumb, no progress is drawn. The program never uses "
      "colours.\n";
  return out;
}

}  // namespace halfspace::cli
