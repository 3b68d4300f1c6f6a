// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/parallel.hpp"

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <exception>
#include <map>
#include <mutex>
#include <optional>

namespace halfspace {

int Threads::available() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::max(1, CPU_COUNT(&allowed));
}

namespace {

// Arenas are kept: making one and waking its threads takes longer than many a loop. Never destroyed, because nobody
// knows whether a thread still is in one when the process ends.
tbb::task_arena& arena_of(int threads) {
  static std::mutex guard;
  static auto& arenas = *new std::map<int, tbb::task_arena>();
  const std::lock_guard lock(guard);
  return arenas.try_emplace(threads, threads).first->second;
}

}  // namespace

Threads::Threads(int count) : count_(count > 0 ? count : available()) {}

void Threads::run(std::size_t tasks, const std::function<void(std::size_t)>& task) const {
  if (count_ == 1 || tasks <= 1) {
    for (std::size_t t = 0; t < tasks; ++t) task(t);
    return;
  }
  // TBB keeps the first exception to arrive; we want the one a single thread would have met first.
  std::mutex guard;
  std::size_t failed_task = tasks;
  std::exception_ptr failure;
  // More threads than cores are allowed when asked for: same results, and tests rely on it.
  std::optional<tbb::global_control> width;
  if (count_ > tbb::info::default_concurrency())
    width.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count_));
  arena_of(count_).execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, tasks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t t = range.begin(); t != range.end(); ++t) {
            try {
              task(t);
            } catch (...) {
              const std::lock_guard lock(guard);
              if (t < failed_task) {
                failed_task = t;
                failure = std::current_exception();
              }
            }
          }
        },
        tbb::simple_partitioner{});
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace halfspace
