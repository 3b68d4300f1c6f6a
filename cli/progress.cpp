// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "output.hpp"

namespace halfspace::cli {
namespace {

constexpr auto pause = std::chrono::milliseconds(100);
constexpr int bar_cells = 24;

bool plain_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

// Seconds until the budget is used up at the speed so far; NaN when nobody knows.
double seconds_left(const Progress& progress, double seconds) {
  return progress.done > 0 ? seconds * (1 - progress.done) / progress.done : std::nan("");
}

}  // namespace

ProgressMeter::ProgressMeter(ProgressMode mode, bool quiet)
    : form_(quiet || mode == ProgressMode::None ? Form::Nothing
            : mode == ProgressMode::Jsonl       ? Form::Jsonl
            : plain_terminal()                  ? Form::Line
                                                : Form::Nothing),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressMeter::~ProgressMeter() {
  if (form_ != Form::Line || width_ == 0) return;
  // Spaces and carriage returns only: no colours, no escape sequences, whatever NO_COLOR says.
  const std::size_t width = width_;
  std::fputc('\r', stderr);
  for (std::size_t i = 0; i < width; ++i) std::fputc(' ', stderr);
  std::fputc('\r', stderr);
}

void ProgressMeter::show(const Progress& progress) {
  if (form_ == Form::Nothing) return;
  const std::lock_guard lock(guard_);
  const auto now = std::chrono::steady_clock::now();
  // A run shorter than the pause shows no bar; JSON lines have the first step at least.
  if (now - last_ < pause && (shown_ || form_ == Form::Line)) return;
  last_ = now;
  shown_ = true;
  draw(progress, std::chrono::duration<double>(now - start_).count());
}

void ProgressMeter::draw(const Progress& progress, double seconds) {
  const double left = seconds_left(progress, seconds);
  if (form_ == Form::Jsonl) {
    Json line;
    line["schema"] = "halfspace.progress/1";
    line["stage"] = progress.stage;
    line["done"] = progress.done;  // not a number prints as null
    line["iterations"] = progress.iterations;
    line["seconds"] = seconds;
    line["seconds_left"] = left;
    line["relative_gap"] = progress.relative_gap;
    const std::string text = json_text(line) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
    return;
  }
  std::string text(progress.stage);
  if (std::isfinite(progress.done)) {
    const int cells = static_cast<int>(std::min(1.0, std::max(0.0, progress.done)) * bar_cells);
    text += fmt::format(" [{}{}] {:3.0f} %", std::string(static_cast<std::size_t>(cells), '#'),
                        std::string(static_cast<std::size_t>(bar_cells - cells), '.'), 100 * progress.done);
  }
  text += fmt::format("  {} passes", progress.iterations);
  if (seconds > 0) text += fmt::format(", {:.3g}/s", static_cast<double>(progress.iterations) / seconds);
  if (std::isfinite(progress.relative_gap)) text += fmt::format(", gap {:.1e}", progress.relative_gap);
  if (std::isfinite(left)) text += fmt::format(", {:.0f} s left", std::ceil(left));
  const std::size_t length = text.size();
  if (length < width_) text.append(width_ - length, ' ');
  width_ = std::max(width_, length);
  std::fputc('\r', stderr);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace halfspace::cli
