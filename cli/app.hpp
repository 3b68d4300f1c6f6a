// SPDX-License-Identifier: BSD-3-Clause
// The frame every verb lives in: what a verb is, the options all of them have, and the dispatch.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace halfspace::cli {

// Options of every verb.
struct Common {
  bool json = false;
  bool quiet = false;
  std::int64_t threads = 0;  // 0: every core this process may use
  std::int64_t seed = 1;
  double seconds = std::numeric_limits<double>::infinity();
  ProgressMode progress = ProgressMode::Auto;

  [[nodiscard]] Threads team() const { return Threads(static_cast<int>(threads)); }
  [[nodiscard]] Run run() const;  // seed, threads, and the stop of the program
};

class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  virtual void add_options(OptionList& options) = 0;
  // More text for the end of the help; empty for most verbs.
  [[nodiscard]] virtual std::string epilogue() const { return {}; }
  // Why an option is unknown here, when the verb can tell.
  [[nodiscard]] virtual std::string hint_for(const std::string&) const { return {}; }
  [[nodiscard]] virtual int run(const Common& common, Output& output) = 0;
};

// Constants only: the program starts without building what it does not need.
struct Verb {
  std::string_view name;
  std::string_view usage;    // "DATA -o MODEL [options]"
  std::string_view summary;  // one line
  std::array<std::string_view, 2> examples;
  std::string_view description;
  // `args` are the words after the verb: some options depend on others.
  std::unique_ptr<Command> (*make)(const std::vector<std::string>& args);
};

[[nodiscard]] std::span<const Verb* const> verbs();
[[nodiscard]] const Verb& verb_by_name(const std::string& name);  // UsageError with the nearest name

void add_common_options(OptionList& options, Common& common);

// Runs the program; errors are exceptions.
[[nodiscard]] int run_program(const std::vector<std::string>& args);

}  // namespace halfspace::cli
