// SPDX-License-Identifier: BSD-3-Clause
// What the program says: results on standard output, everything else on standard error, and the exit code.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace halfspace::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_input = 3;
inline constexpr int exit_limit = 4;
inline constexpr int exit_system = 5;
inline constexpr int exit_interrupted = 130;

using Json = nlohmann::ordered_json;

class Output {
 public:
  Output(bool json, bool quiet) : json_(json), quiet_(quiet) {}
  [[nodiscard]] bool json() const { return json_; }

  // One line of the result. After divert() results go to standard error, because standard output holds a
  // file.
  void line(std::string_view text) const;
  void divert() { diverted_ = true; }
  void object(const Json& value) const;     // the one JSON object of --json
  void note(std::string_view text) const;   // standard error, unless --quiet
  void bytes(std::string_view text) const;  // to standard output as they are

 private:
  bool json_, quiet_, diverted_ = false;
};

// One of several processes speaks for all; the others say nothing, not of errors either.
void keep_silent(bool silent = true);
[[nodiscard]] bool is_silent();

// Flushes standard output; throws SystemError when not everything arrived.
void close_output();
// What is printed need not be read to its end: a pipe that is closed before is no failure (help, lists of words).
void let_readers_leave();

// Reports the exception being handled: one line on standard error, with `json` also an object on standard
// output. Returns the exit code.
[[nodiscard]] int report_failure(bool json) noexcept;

// The same from constant text, without allocating; safe in a signal handler.
void write_plain_error(int code, const char* message, bool json) noexcept;

// JSON as one line; bytes that are not text become the replacement character.
[[nodiscard]] std::string json_text(const Json& value);

[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
[[nodiscard]] std::string human_seconds(double seconds);
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);  // "1 row", "2 rows"

}  // namespace halfspace::cli
