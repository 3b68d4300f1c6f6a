// SPDX-License-Identifier: BSD-3-Clause
// MPI in this process: who the others are, whether they are alive, and the end of all.
//
// Every process tells the next one twice a second that it lives, the last one tells the first. So a process that is
// stopped or whose machine is gone is found by its neighbour however long the sums take that it owes the others, at a
// price that does not grow with their number. MPI is called by two threads, never at once: every call holds the lock.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace halfspace::mpi {

// Throws SystemError with MPI's own words.
void check(int code, const char* call);

class World {
 public:
  World();  // MPI_Init_thread; SystemError where MPI will not let two threads take turns
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] int number() const { return number_; }
  // Threads for each of the processes that share the cores which this one may use.
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] MPI_Comm sums() const { return sums_; }
  [[nodiscard]] std::mutex& lock() { return lock_; }

  // From here on two threads call MPI, under the lock, and a neighbour that falls silent ends all.
  void begin_pulse();

  // Calls done() under the lock until it is true, at first without a pause.
  void wait(const std::function<bool()>& done);
  // The same for what is no call of MPI, without the lock: others of this machine are about to do something.
  template <class Done>
  void wait_near(const Done& done) const {
    for (int k = 0; k < spins_; ++k) {
      if (done()) return;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    nap_until([](const void* what) { return (*static_cast<const Done*>(what))(); }, &done);
  }

  // All processes have come to the same end: waits for them, and leaves MPI.
  void leave(int code);
  // This one knows something that the others do not: ends all of them with this exit code.
  [[noreturn]] void end_all(int code);

 private:
  void find_threads();
  static void nap_until(bool (*done)(const void*), const void* what);
  void pulse();         // the thread that tells and listens
  void beat(int tick);  // once
  void stop_pulse();

  int count_ = 1, number_ = 0, threads_ = 1;
  int spins_ = 0;  // looks at what one waits for before others get the core
  MPI_Comm sums_ = MPI_COMM_NULL, pulses_ = MPI_COMM_NULL;
  std::mutex lock_;
  double patience_ = 15;  // seconds
  bool ending_ = false;
  MPI_Request told_ = MPI_REQUEST_NULL, heard_ = MPI_REQUEST_NULL;
  char sent_ = 0, received_ = 0;
  int silent_ = 0;  // beats since the neighbour was heard
  std::jthread thread_;
};

}  // namespace halfspace::mpi
