// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a loop, one after the other on the thread that asks for them. A fuzz target cuts its work as for many
// threads, so that what depends on the cutting shows; starting and waking threads would take longer than the work does,
// and what threads do to each other is for the thread sanitizer. Takes the place of core/parallel.cpp.
#include <exception>
#include <utility>

#include "halfspace/core/parallel.hpp"

namespace halfspace {

int Threads::available() { return 1; }

Threads::Threads(int count, StopHandle stop) : count_(count > 0 ? count : 1), stop_(std::move(stop)) {}

void Threads::run(std::size_t tasks, const std::function<void(std::size_t)>& task) const {
  std::exception_ptr first;
  for (std::size_t t = 0; t < tasks; ++t) {
    stop_.check();
    try {
      task(t);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace halfspace

// Small inputs need no long memory of what was freed, and short stacks of who asked for it.
extern "C" const char* __asan_default_options() { return "malloc_context_size=4:quarantine_size_mb=16"; }
