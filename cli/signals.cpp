// SPDX-License-Identifier: BSD-3-Clause
#include "signals.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "halfspace/core/bytes.hpp"
#include "output.hpp"

namespace halfspace::cli {
namespace {

std::atomic<bool> stop_asked{false};
std::atomic<bool> in_order{false};
std::atomic<bool> launched{false};
std::atomic<bool> json_mode{false};
static_assert(std::atomic<bool>::is_always_lock_free);

// Never freed: a signal may come at any time.
StopHandle& the_stop() {
  static StopHandle& handle = *new StopHandle(StopHandle::make());
  return handle;
}
std::atomic<const StopHandle*> stop_of_signals{nullptr};

// Only calls that POSIX allows in a signal handler.
void on_signal(int number) {
  const bool alarm = number == SIGALRM;
  const bool before = !alarm && stop_asked.exchange(true);
  const bool again = before && !(launched && number == SIGTERM);
  if (in_order && !again) {
    if (!alarm) stop_of_signals.load()->cancel();
    return;
  }
  remove_temporary_files();
  if (alarm) {
    write_plain_error(exit_limit, "time limit reached; nothing was written", json_mode);
    _exit(exit_limit);
  }
  write_plain_error(exit_interrupted, "interrupted; nothing was written", json_mode);
  _exit(exit_interrupted);
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

// An exception outside main (static initialisers under memory pressure) is exit 5, not a signal.
[[noreturn]] void on_terminate() {
  const char* message = "internal error";
  if (const std::exception_ptr failure = std::current_exception()) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
      message = "out of memory";
    } catch (...) {
      message = "internal error (exception outside main)";
    }
  }
  write_plain_error(exit_system, message, json_mode);
  _exit(exit_system);
}

__attribute__((constructor(101))) void set_terminate_first() { std::set_terminate(on_terminate); }

}  // namespace

void install_signals(bool json) {
  json_mode = json;
  // A closed descriptor is opened the wrong way round: using it fails, as using a closed one should.
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (fcntl(STDOUT_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) (void)open("/dev/null", O_WRONLY | O_CLOEXEC);
  handle(SIGPIPE, SIG_IGN, 0);
  handle(SIGXFSZ, SIG_IGN, 0);
  stop_of_signals = &the_stop();
  handle(SIGINT, on_signal, SA_RESTART);
  handle(SIGTERM, on_signal, SA_RESTART);
}

void finish_in_order() { in_order = true; }
void expect_launcher() { launched = true; }
bool interrupted() { return stop_asked; }
const StopHandle& program_stop() { return the_stop(); }

void limit_seconds(double seconds) {
  if (!std::isfinite(seconds)) return;
  the_stop() = the_stop().within(seconds);
  handle(SIGALRM, on_signal, SA_RESTART);
  const double whole = std::floor(std::min(seconds, 1e9));
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((std::min(seconds, 1e9) - whole) * 1e6);
  if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value.tv_usec = 1;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace halfspace::cli
