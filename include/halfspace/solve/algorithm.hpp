// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms seen from outside: by name, options as text. The list itself is in algorithms.hpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/data/row_stream.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/online_options.hpp"

namespace halfspace {

struct MemoryShape;

struct OptionInfo {
  std::string name;  // as on the command line, without the dashes
  std::string unit;  // what stands for the value in the help; empty for a flag
  std::string help;
  std::string fallback;  // the value when it is not given
  std::string choices;   // "cyclic|shuffled" for words
  bool flag = false;
  bool number = false;
};

// One algorithm with its options.
class Algorithm {
 public:
  static std::vector<std::string> names();
  static Algorithm by_name(std::string_view name);  // UsageError with the nearest name

  ~Algorithm();
  Algorithm(Algorithm&&) noexcept;
  Algorithm& operator=(Algorithm&&) noexcept;

  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::string_view summary() const;
  [[nodiscard]] std::vector<OptionInfo> options() const;
  void set(std::string_view option, std::string_view text);  // UsageError: unknown option or bad value
  [[nodiscard]] Facts values() const;                        // every option with its value as text
  [[nodiscard]] bool starts() const;                         // takes Run::start
  // What it keeps in memory when the rows do not (solve/memory.hpp); UsageError where they have to.
  [[nodiscard]] std::uint64_t memory(const MemoryShape& shape) const;
  [[nodiscard]] Fit train(const Dataset& data, const Run& run) const;
  // One pass over rows that come once. UsageError for algorithms that need them again.
  [[nodiscard]] Fit train_stream(RowStream& stream, const Run& run) const;
  // The same, showing the updates. UsageError for algorithms that have none to show.
  [[nodiscard]] Fit trace(const Dataset& data, const Run& run, const UpdateObserver& observer) const;

 private:
  struct Any;
  explicit Algorithm(std::unique_ptr<Any> any);
  std::unique_ptr<Any> any_;
};

}  // namespace halfspace
