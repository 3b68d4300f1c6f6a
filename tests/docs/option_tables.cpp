// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/algorithms/options.md: the options of every algorithm, from the tables that the program itself uses.
#include <fmt/format.h>

#include "halfspace/solve/algorithm.hpp"

namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\|");
  return text;
}

}  // namespace

int main() {
  fmt::print(
      "# Options of the algorithms\n"
      "Made from the tables of the library (`fields()` of every algorithm); `tests/docs/options_test.py` "
      "compares this page with them and,\n"
      "with `--write`, writes it anew. On the command line an option is `--name VALUE`, a flag `--name`; the "
      "same names hold everywhere else.\n");
  for (const std::string& name : halfspace::Algorithm::names()) {
    const auto algorithm = halfspace::Algorithm::by_name(name);
    fmt::print("\n## {}\n{}.\n", name, algorithm.summary());
    const auto options = algorithm.options();
    if (options.empty()) {
      fmt::print("\nNo options.\n");
      continue;
    }
    fmt::print("\n| option | values | default | meaning |\n|---|---|---|---|\n");
    for (const auto& option : options)
      fmt::print("| `{}` | {} | {} | {} |\n", option.name,
                 cell(option.flag              ? "flag"
                      : option.choices.empty() ? option.unit
                                               : option.choices),
                 option.flag ? "off" : cell(option.fallback.empty() ? "-" : option.fallback),
                 cell(option.help));
  }
  return 0;
}
