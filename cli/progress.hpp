// SPDX-License-Identifier: BSD-3-Clause
// Progress on standard error: a line redrawn in place on a terminal, JSON lines when asked for, otherwise
// nothing.
#pragma once

#include <chrono>
#include <mutex>
#include <span>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace::cli {

enum class ProgressMode { Auto, Jsonl, None };
inline constexpr std::string_view progress_words[] = {"auto", "jsonl", "none"};

class ProgressMeter {
 public:
  ProgressMeter(ProgressMode mode, bool quiet);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  void show(const Progress& progress);  // from any thread

 private:
  enum class Form { Nothing, Line, Jsonl };
  void draw(const Progress& progress, double seconds);

  Form form_;
  std::mutex guard_;
  std::chrono::steady_clock::time_point start_, last_;
  bool shown_ = false;
  std::size_t width_ = 0;  // of the line on the terminal
};

}  // namespace halfspace::cli

template <>
inline constexpr std::span<const std::string_view> halfspace::enum_words<halfspace::cli::ProgressMode> =
    halfspace::cli::progress_words;
