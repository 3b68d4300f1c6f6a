// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "halfspace/core/error.hpp"
#include "output.hpp"

namespace halfspace::mpi {
namespace {

using namespace std::chrono_literals;
constexpr auto beat_pause = 500ms;
constexpr auto eager = 1ms;  // of a wait, before it takes naps
constexpr auto pause = 50us;
constexpr int pulse_tag = 1;

// Seconds of silence after which a neighbour counts as gone, HALFSPACE_PATIENCE=S for another number.
double patience_asked(double fallback) {
  const char* const text = std::getenv("HALFSPACE_PATIENCE");
  if (text == nullptr) return fallback;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds >= 1 && seconds <= 1e6))
    throw UsageError(
        fmt::format("HALFSPACE_PATIENCE='{}' is not a number of seconds from 1 to 1e6", printable(text)));
  return seconds;
}

// Ends the process from a thread of its own when what should end it has not.
void end_after(std::chrono::milliseconds time, int code) {
  std::thread([time, code] {
    std::this_thread::sleep_for(time);
    ::_exit(code);
  }).detach();
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw SystemError(fmt::format("the other processes cannot be reached: {}: {}", call,
                                std::string(text.data(), static_cast<std::size_t>(length))));
}

World::World() {
  int given = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given), "MPI_Init_thread");
  if (given < MPI_THREAD_SERIALIZED) throw SystemError("this MPI does not let two threads take turns");
  check(MPI_Comm_size(MPI_COMM_WORLD, &count_), "MPI_Comm_size");
  check(MPI_Comm_rank(MPI_COMM_WORLD, &number_), "MPI_Comm_rank");
  check(MPI_Comm_dup(MPI_COMM_WORLD, &sums_), "MPI_Comm_dup");
  check(MPI_Comm_dup(MPI_COMM_WORLD, &pulses_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(sums_, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(pulses_, MPI_ERRORS_RETURN);
  if (number_ > 0) cli::keep_silent();
  patience_ = patience_asked(patience_);
  find_threads();
}

void World::begin_pulse() {
  if (count_ > 1) thread_ = std::jthread([this] { pulse(); });
}

World::~World() { stop_pulse(); }

// mpirun gives each process cores of its own, or the same ones to all of a machine: then they share them out.
void World::find_threads() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);
  MPI_Comm here = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, number_, MPI_INFO_NULL, &here),
        "MPI_Comm_split_type");
  int neighbours = 1;
  check(MPI_Comm_size(here, &neighbours), "MPI_Comm_size");
  std::vector<cpu_set_t> all(static_cast<std::size_t>(neighbours));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, here),
        "MPI_Allgather");
  MPI_Comm_free(&here);
  int same = 0;
  for (const cpu_set_t& one : all) same += CPU_EQUAL(&one, &mine) != 0 ? 1 : 0;
  threads_ = std::max(1, CPU_COUNT(&mine) / std::max(1, same));
  if (same <= CPU_COUNT(&mine)) spins_ = 2000;  // a core for each
}

void World::wait(const std::function<bool()>& done) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    {
      const std::lock_guard lock(lock_);
      if (done()) return;
    }
    // Others may want this core; after a while a wait is long enough for a nap not to matter.
    if (std::chrono::steady_clock::now() - start < eager) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(pause);
    }
  }
}

// Others may want this core; after a while a wait is long enough for a nap not to matter.
void World::nap_until(bool (*done)(const void*), const void* what) {
  const auto start = std::chrono::steady_clock::now();
  while (!done(what)) {
    if (std::chrono::steady_clock::now() - start < eager) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(pause);
    }
  }
}

void World::pulse() {
  for (int tick = 0;; ++tick) {
    {
      const std::lock_guard lock(lock_);
      if (ending_) return;
      beat(tick);
    }
    std::this_thread::sleep_for(beat_pause);
  }
}

// Beats are counted, not seconds: a process that was itself asleep does not hold it against others.
void World::beat(int tick) {
  const int next = (number_ + 1) % count_, before = (number_ + count_ - 1) % count_;
  int done = 1;
  if (told_ != MPI_REQUEST_NULL) MPI_Test(&told_, &done, MPI_STATUS_IGNORE);
  if (done != 0) {
    sent_ = static_cast<char>(tick);
    MPI_Isend(&sent_, 1, MPI_CHAR, next, pulse_tag, pulses_, &told_);
  }
  ++silent_;
  for (;;) {
    if (heard_ == MPI_REQUEST_NULL) MPI_Irecv(&received_, 1, MPI_CHAR, before, pulse_tag, pulses_, &heard_);
    int heard = 0;
    MPI_Test(&heard_, &heard, MPI_STATUS_IGNORE);
    if (heard == 0) break;
    silent_ = 0;
  }
  if (silent_ * std::chrono::duration<double>(beat_pause).count() <= patience_) return;
  const std::string said = fmt::format(
      "error: process {} of {} has not answered for {:.0f} seconds: stopped, or its machine is gone; all "
      "end\n",
      before, count_, patience_);
  std::fwrite(said.data(), 1, said.size(), stderr);
  end_all(cli::exit_system);
}

void World::stop_pulse() {
  {
    const std::lock_guard lock(lock_);
    ending_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void World::leave(int code) {
  // mpirun ends those that are left as soon as one has gone with an exit code, and this one is about to go.
  for (const int number : {SIGTERM, SIGINT, SIGALRM}) std::signal(number, SIG_IGN);
  if (count_ > 1) {
    MPI_Request all = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(lock_);
      check(MPI_Ibarrier(sums_, &all), "MPI_Ibarrier");
    }
    wait([&] {
      int done = 0;
      check(MPI_Test(&all, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
  }
  stop_pulse();
  if (heard_ != MPI_REQUEST_NULL) MPI_Cancel(&heard_);
  for (MPI_Request* const request : {&told_, &heard_})
    if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
  end_after(std::chrono::milliseconds(static_cast<std::int64_t>(1000 * patience_)), code);
  MPI_Finalize();
}

void World::end_all(int code) {
  std::fflush(stderr);
  end_after(5s, code);
  MPI_Abort(MPI_COMM_WORLD, code);
  ::_exit(code);
}

}  // namespace halfspace::mpi
