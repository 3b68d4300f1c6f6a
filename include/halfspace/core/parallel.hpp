// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops whose results do not depend on the number of threads: work is cut into blocks of a fixed
// size, each block is computed by one thread, and partial sums are added in block order. All sums over rows
// go through here, so that a distributed run replaces one place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "halfspace/core/stop.hpp"

namespace halfspace {

// How many threads, and until when.
class Threads {
 public:
  explicit Threads(int count = 1, StopHandle stop = {});  // 0: every core this process may use
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] static int available();

  // The same number of threads with another word on when to stop, and one thread with the same.
  [[nodiscard]] Threads until(StopHandle stop) const { return Threads(count_, std::move(stop)); }
  [[nodiscard]] Threads alone() const { return Threads(1, stop_); }
  [[nodiscard]] const StopHandle& stop() const { return stop_; }
  void check() const { stop_.check(); }  // throws Stopped

  // Calls task(0), ..., task(tasks - 1), each once, in any order. One thread or one task: no thread pool is
  // touched. The first exception (of the lowest task number) is rethrown after all tasks have ended. Throws Stopped,
  // and begins no more tasks, once a stop is asked for.
  void run(std::size_t tasks, const std::function<void(std::size_t)>& task) const;

 private:
  int count_;
  StopHandle stop_;
};

inline constexpr std::size_t row_block =
    1024;  // rows per block in sums over rows: part of the meaning of "same bits"

// f(begin, end) on consecutive blocks of [0, n).
template <class F>
void for_blocks(const Threads& threads, std::size_t n, std::size_t block, F&& f) {
  const std::size_t tasks = (n + block - 1) / block;
  threads.run(tasks, [&](std::size_t t) { f(t * block, std::min(n, (t + 1) * block)); });
}

// Sum of f(begin, end) over the blocks, added in block order. Sum needs operator+=.
template <class Sum, class F>
[[nodiscard]] Sum sum_blocks(const Threads& threads, std::size_t n, std::size_t block, Sum zero, F&& f) {
  const std::size_t tasks = (n + block - 1) / block;
  std::vector<Sum> part(tasks, zero);
  threads.run(tasks, [&](std::size_t t) { part[t] = f(t * block, std::min(n, (t + 1) * block)); });
  for (const Sum& p : part) zero += p;
  return zero;
}

}  // namespace halfspace
