// SPDX-License-Identifier: BSD-3-Clause
// halfspace completion bash|zsh|fish: scripts for the shell, from the same tables as parsing and help
#include <fmt/format.h>

#include <algorithm>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "verbs.hpp"

namespace halfspace::cli {
namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

struct Known {
  std::string name;  // "--scale"
  std::string help;
  std::vector<std::string> words;  // that may follow it
  bool flag = false;
};

std::vector<std::string> words_of(const OptionSpec& spec) {
  if (spec.long_name() == "--algorithm") return Algorithm::names();
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < spec.choices.size();) {
    const std::size_t end = std::min(spec.choices.find('|', begin), spec.choices.size());
    const std::string word = spec.choices.substr(begin, end - begin);
    // Forms such as "constant:ETA" are no words to complete.
    if (!word.empty() && word.find_first_of(":[] ,") == std::string::npos) out.push_back(word);
    begin = end + 1;
  }
  return out;
}

// The options of a verb, whatever the algorithm; arguments without dashes apart.
std::vector<Known> options_of(const Verb& verb) {
  std::vector<Known> out;
  const auto add = [&](const OptionSpec& spec) {
    if (spec.positional) return;
    const std::string name = spec.long_name();
    const auto same = [&](const Known& known) { return known.name == name; };
    if (std::none_of(out.begin(), out.end(), same))
      out.push_back({name, spec.help, words_of(spec), spec.flag});
  };
  for (const std::string& algorithm : Algorithm::names()) {
    const std::unique_ptr<Command> command = verb.make({"--algorithm", algorithm});
    OptionList options;
    Common common;
    command->add_options(options);
    add_common_options(options, common);
    for (const OptionSpec& spec : options.all()) add(spec);
  }
  return out;
}

// In single quotes, where nothing but the quote has a meaning.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string verb_names() {
  std::string out;
  for (const Verb* verb : verbs()) out += fmt::format("{} ", verb->name);
  return out + "help";
}

std::string bash_script() {
  std::string names, words;
  for (const Verb* verb : verbs()) {
    std::string list;
    for (const Known& option : options_of(*verb)) {
      list += (list.empty() ? "" : " ") + option.name;
      if (!option.words.empty())
        words += fmt::format("    {}) list={} ;;\n", in_quotes(fmt::format("{} {}", verb->name, option.name)),
                             in_quotes(fmt::format("{}", fmt::join(option.words, " "))));
    }
    names += fmt::format("    {}) list={} ;;\n", verb->name, in_quotes(list));
  }
  return fmt::format(
      "# Completion of halfspace for bash: halfspace completion bash > "
      "~/.local/share/bash-completion/completions/halfspace\n"
      "_halfspace() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} "
      "list=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W {} -- \"$word\")); return; fi\n"
      "  if [ \"$verb\" = help ]; then COMPREPLY=($(compgen -W {} -- \"$word\")); return; fi\n"
      "  if [ \"$verb\" = completion ]; then COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")); return; "
      "fi\n"
      "  case \"$verb $before\" in\n{}  esac\n"
      "  if [ -n \"$list\" ]; then COMPREPLY=($(compgen -W \"$list\" -- \"$word\")); return; fi\n"
      "  case \"$word\" in -*) ;; *) COMPREPLY=($(compgen -f -- \"$word\")); return ;; esac\n"
      "  case \"$verb\" in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$list\" -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -o bashdefault -F _halfspace halfspace\n",
      in_quotes(verb_names()), in_quotes(verb_names()), words, names);
}

// What _arguments gives a meaning.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_script() {
  std::string out =
      "#compdef halfspace\n# Completion of halfspace for zsh: halfspace completion zsh > a folder of "
      "$fpath/_halfspace\n"
      "_halfspace() {\n  local -a verbs\n  verbs=(\n";
  for (const Verb* verb : verbs())
    out += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", verb->name, zsh_text(verb->summary))));
  out +=
      "    'help:the options of a verb'\n  )\n  if (( CURRENT == 2 )); then _describe verb verbs; return; "
      "fi\n"
      "  local verb=$words[2]\n  shift words; (( CURRENT-- ))\n  case $verb in\n";
  for (const Verb* verb : verbs()) {
    out += fmt::format("    {})\n      _arguments", verb->name);
    for (const Known& option : options_of(*verb)) {
      std::string spec = fmt::format("{}[{}]", option.name, zsh_text(option.help));
      if (!option.flag)
        spec +=
            option.words.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(option.words, " "));
      out += " \\\n        " + in_quotes(spec);
    }
    out += fmt::format(" \\\n        {} ;;\n",
                       in_quotes(verb->name == "completion" ? "*:shell:(bash zsh fish)" : "*:file:_files"));
  }
  return out + "    help) _describe verb verbs ;;\n  esac\n}\n_halfspace \"$@\"\n";
}

std::string fish_script() {
  std::string out =
      "# Completion of halfspace for fish: halfspace completion fish > "
      "~/.config/fish/completions/halfspace.fish\n";
  for (const Verb* verb : verbs()) {
    out += fmt::format("complete -c halfspace -f -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                       in_quotes(verb->summary));
    for (const Known& option : options_of(*verb)) {
      out += fmt::format("complete -c halfspace -n '__fish_seen_subcommand_from {}' -l {} -d {}", verb->name,
                         option.name.substr(2), in_quotes(option.help));
      if (!option.flag) out += " -r";
      if (!option.words.empty())
        out += fmt::format(" -f -a {}", in_quotes(fmt::format("{}", fmt::join(option.words, " "))));
      out += '\n';
    }
  }
  out += "complete -c halfspace -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
  return out + fmt::format("complete -c halfspace -f -n '__fish_seen_subcommand_from help' -a {}\n",
                           in_quotes(verb_names()));
}

class Completion final : public Command {
 public:
  void add_options(OptionList& options) override { options.argument("SHELL", "bash, zsh or fish", shell_); }

  int run(const Common& common, Output& output) override {
    if (common.json) throw UsageError("completion: a script is no JSON", "without --json");
    const std::size_t shell = parse_word("shell", shell_, shells);
    output.bytes(shell == 0 ? bash_script() : shell == 1 ? zsh_script() : fish_script());
    return exit_done;
  }

 private:
  std::string shell_;
};

}  // namespace

constinit const Verb completion_verb = {
    "completion",
    "bash|zsh|fish",
    "a script that completes verbs, options and their words in the shell",
    {"halfspace completion bash > ~/.local/share/bash-completion/completions/halfspace",
     "halfspace completion fish > ~/.config/fish/completions/halfspace.fish"},
    "Prints a script for the shell, made from the same tables as the help.",
    [](const std::vector<std::string>&) -> std::unique_ptr<Command> {
      return std::make_unique<Completion>();
    }};

}  // namespace halfspace::cli
