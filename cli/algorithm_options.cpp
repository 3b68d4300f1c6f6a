// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm_options.hpp"

#include <fmt/format.h>

#include "halfspace/core/error.hpp"

namespace halfspace::cli {

namespace {

// The value of an option that is looked for before parsing.
std::string value_given(const std::vector<std::string>& args, const std::string& option,
                        std::string_view fallback) {
  const std::string prefix = option + "=";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].starts_with(prefix)) return args[i].substr(prefix.size());
    if (args[i] == option && i + 1 < args.size()) return args[i + 1];
  }
  return std::string(fallback);
}

}  // namespace

std::string algorithm_named(const std::vector<std::string>& args, std::string_view fallback) {
  return value_given(args, "--algorithm", fallback);
}

bool makes_features(const std::vector<std::string>& args) {
  return value_given(args, "--features", "").find(':') != std::string::npos;
}

void add_algorithm_options(OptionList& options, Algorithm& algorithm, std::string_view but) {
  options.group(fmt::format("Algorithm {}", algorithm.name()));
  for (const OptionInfo& info : algorithm.options()) {
    if (info.name == but) continue;
    OptionSpec spec{"--" + info.name, info.unit, info.help, info.fallback, info.choices};
    spec.flag = info.flag;
    spec.set = [&algorithm, name = info.name, flag = info.flag](const std::string& text) {
      algorithm.set(name, flag && text.empty() ? "true" : text);
    };
    options.add(std::move(spec));
  }
}

std::string start_owners(const Algorithm& algorithm) {
  std::string owners;
  for (const std::string& name : Algorithm::names())
    if (Algorithm::by_name(name).starts()) owners += (owners.empty() ? "" : ", ") + name;
  return fmt::format("{} has no plane to start from; an option of {}", algorithm.name(), owners);
}

std::string option_owners(const Algorithm& algorithm, const std::string& option) {
  // Other programs have options for what is part of the kernel's name here.
  if (option == "--gamma") return "the width of a kernel is part of its name: --kernel rbf:GAMMA";
  if (option == "--degree" || option == "--coef0")
    return "numbers of a kernel are part of its name: --kernel poly:DEGREE,GAMMA,COEF";
  std::string owners;
  for (const std::string& name : Algorithm::names()) {
    for (const OptionInfo& info : Algorithm::by_name(name).options()) {
      if ("--" + info.name == option) owners += (owners.empty() ? "" : ", ") + name;
    }
  }
  if (owners.empty()) return {};
  return fmt::format("{} has no {}; an option of {}", algorithm.name(), printable(option), owners);
}

}  // namespace halfspace::cli
