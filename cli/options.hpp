// SPDX-License-Identifier: BSD-3-Clause
// The options of a verb as a table. Parsing, the help and the manual page all read this one table; CLI11
// stays behind parse_options(), in one translation unit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/options.hpp"

namespace halfspace::cli {

struct OptionSpec {
  std::string names;  // "-o,--output", or "DATA" for an argument without dashes
  std::string unit;   // what stands for the value in the help; empty for a flag
  std::string help;
  std::string fallback;  // value when it is not given, for the help; empty: none
  std::string choices;   // "a|b|c"
  std::string group;
  bool flag = false;
  bool positional = false;
  bool required = false;
  bool repeats = false;  // may be given several times
  std::function<void(const std::string&)> set;

  [[nodiscard]] std::string long_name() const;  // "--output", or "DATA"
};

class OptionList {
 public:
  // Options added from here on belong to this group of the help.
  void group(std::string title) { group_ = std::move(title); }

  OptionSpec& argument(std::string name, std::string help, std::string& value);
  OptionSpec& flag(std::string names, std::string help, bool& value);
  OptionSpec& text(std::string names, std::string unit, std::string help, std::string& value);
  // Separated by commas, or given several times.
  OptionSpec& list(std::string names, std::string unit, std::string help, std::vector<std::string>& value);
  OptionSpec& add(OptionSpec spec);

  // A number or a word, read by the table of option types. The value held now is the fallback shown.
  template <class T>
  OptionSpec& value(const std::string& names, std::string unit, std::string help, T& value,
                    Range range = {}) {
    OptionSpec spec{names, std::move(unit), std::move(help), OptionType<T>::print(value),
                    OptionType<T>::choices()};
    const std::string name = bare(spec.long_name());
    spec.set = [&value, name, range](const std::string& text) {
      value = OptionType<T>::parse(name, text, range);
    };
    return add(std::move(spec));
  }

  [[nodiscard]] std::span<const OptionSpec> all() const { return specs_; }

 private:
  static std::string bare(const std::string& long_name);  // without the dashes
  std::vector<OptionSpec> specs_;
  std::string group_ = "Options";
};

// Sets every option given in `args`. Throws UsageError: unknown, repeated, missing. `hint_for` may explain an
// unknown option (empty: the nearest name is offered).
void parse_options(const OptionList& options, const std::string& verb, std::vector<std::string> args,
                   const std::function<std::string(const std::string&)>& hint_for);

}  // namespace halfspace::cli
