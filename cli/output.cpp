// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "halfspace/core/error.hpp"
#include "halfspace/core/stop.hpp"

namespace halfspace::cli {
namespace {

bool readers_may_leave = false;
bool silent = false;
int write_error = 0;  // of bytes that could not be written, as errno has it

struct Failure {
  int code = exit_system;
  std::string line;  // for people
  std::string message;
  std::string hint;
  Place place;
  bool silent = false;
};

// Standard output is a pipe that nobody reads any more: whoever closed it (head, say) has what they wanted. The exit code still
// says that not everything was written.
bool reader_left() {
  pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

Failure usage_failure(const UsageError& error) {
  return {exit_usage, error.said().line, error.said().message, error.said().hint, {}};
}

Failure system_failure(const char* message) {
  return {exit_system, fmt::format("error: {}", message), message, {}, {}};
}

// The single place that knows which exception means which exit code.
Failure describe_failure() {
  try {
    throw;
  } catch (const InputError& error) {
    return {exit_input, error.said().line, error.said().message, error.said().hint, error.place()};
  } catch (const UsageError& error) {
    return usage_failure(error);
  } catch (const SystemError& error) {
    Failure out = system_failure(error.what());
    if (!error.file().empty()) out = {exit_system, error.what(), error.message(), {}, {.file = error.file()}};
    out.silent = reader_left();
    return out;
  } catch (const Stopped& stopped) {
    const bool time = stopped.cause() == StopCause::Time;
    const std::string message =
        time ? "time limit reached; nothing was written" : "interrupted; nothing was written";
    return {time ? exit_limit : exit_interrupted, fmt::format("error: {}", message), message, {}, {}};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return system_failure(fmt::format("internal error: {}", error.what()).c_str());
  } catch (...) {
    return system_failure("internal error");
  }
}

// Control characters never reach the terminal; line breaks would make two lines of one error.
std::string one_line(const std::string& text) { return printable(text, 8192); }

// Names that slipped through: nothing of a file or a model reaches the terminal as a control. Line breaks are ours.
std::string safe_lines(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    out += is_printable(line) ? std::string(line) : printable(line, line.size());
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json known(std::uint64_t number) { return number == 0 ? Json(nullptr) : Json(number); }

void print_failure(const Failure& failure, bool json) {
  if (failure.silent || silent) return;
  if (json) {
    Json object;
    object["schema"] = "halfspace.error/1";
    object["code"] = failure.code;
    object["message"] = failure.message;
    object["file"] = known(failure.place.file);
    object["line"] = known(failure.place.line);
    object["column"] = known(failure.place.column);
    object["byte"] = failure.place.byte ? Json(*failure.place.byte) : Json(nullptr);
    object["hint"] = known(failure.hint);
    const std::string text = json_text(object) + '\n';
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  const std::string text = one_line(failure.line) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void write_all(int descriptor, const char* text) noexcept {
  std::size_t left = std::strlen(text);
  while (left > 0) {
    const ssize_t wrote = ::write(descriptor, text, left);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text += wrote;
    left -= static_cast<std::size_t>(wrote);
  }
}

}  // namespace

void write_plain_error(int code, const char* message, bool json) noexcept {
  if (silent) return;
  if (json) {
    const char digits[4] = {static_cast<char>('0' + code / 100), static_cast<char>('0' + code / 10 % 10),
                            static_cast<char>('0' + code % 10), '\0'};
    write_all(STDOUT_FILENO, "{\"schema\":\"halfspace.error/1\",\"code\":");
    write_all(STDOUT_FILENO, code < 10 ? digits + 2 : digits);
    write_all(STDOUT_FILENO, ",\"message\":\"");
    write_all(STDOUT_FILENO, message);
    write_all(STDOUT_FILENO, "\",\"file\":null,\"line\":null,\"column\":null,\"byte\":null,\"hint\":null}\n");
  }
  write_all(STDERR_FILENO, "error: ");
  write_all(STDERR_FILENO, message);
  write_all(STDERR_FILENO, "\n");
}

int report_failure(bool json) noexcept {
  try {
    const Failure failure = describe_failure();
    print_failure(failure, json);
    return failure.code;
  } catch (...) {
    // Out of memory, the first time or while describing something else: constant text only.
    write_plain_error(exit_system, "out of memory", json);
    return exit_system;
  }
}

void Output::line(std::string_view text) const {
  if (json_ || silent) return;
  std::FILE* to = diverted_ ? stderr : stdout;
  const std::string safe = safe_lines(text);
  std::fwrite(safe.data(), 1, safe.size(), to);
  std::fputc('\n', to);
}

void Output::object(const Json& value) const {
  if (json_) bytes(json_text(value) + '\n');
}

void Output::note(std::string_view text) const {
  if (quiet_ || silent) return;
  const std::string line = fmt::format("note: {}\n", one_line(std::string(text)));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Output::bytes(std::string_view text) const {
  if (silent) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) write_error = errno;
}

void keep_silent(bool how) { silent = how; }
bool is_silent() { return silent; }

void let_readers_leave() { readers_may_leave = true; }

void close_output() {
  errno = write_error;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const int code = errno;
    std::clearerr(stdout);
    if (code == EPIPE && readers_may_leave) return;
    throw SystemError(fmt::format("cannot write to standard output{}{}", code == 0 ? "" : ": ",
                                  code == 0 ? "" : std::strerror(code)));
  }
}

std::string json_text(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Invisible characters and marks of direction as \uNNNN, which reads back as the same text.
  return is_printable(text) ? text : value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string human_bytes(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1000) return fmt::format("{} bytes", bytes);
  if (size < 1e6) return fmt::format("{:.3g} kB", size / 1e3);
  if (size < 1e9) return fmt::format("{:.3g} MB", size / 1e6);
  return fmt::format("{:.4g} GB", size / 1e9);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string human_seconds(double seconds) {
  return seconds < 0.001 ? "under 1 ms"
         : seconds < 1   ? fmt::format("{:.0f} ms", seconds * 1e3)
                         : fmt::format("{:.2f} s", seconds);
}

}  // namespace halfspace::cli
