// SPDX-License-Identifier: BSD-3-Clause
// Turns of tasks that are done in any order but have something to do one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include "core/relax.hpp"

namespace halfspace {

// Tasks must be handed out in order, so that the one which others wait for is always under way.
class InOrder {
 public:
  // Runs `take` once every earlier task had its turn. A turn is passed on even when `take` throws.
  template <class Take>
  void turn(std::size_t task, const Take& take) {
    // The task before is nearly done. Going to sleep takes longer than the rest of it, and who is woken is
    // often put on the processor of who woke it, where the two take turns.
    for (int k = 0; k < 5000 && next_.load(std::memory_order_acquire) != task; ++k)
      k < 1000 ? relax() : std::this_thread::yield();
    std::size_t now = next_.load(std::memory_order_acquire);
    while (now != task) {
      next_.wait(now, std::memory_order_acquire);
      now = next_.load(std::memory_order_acquire);
    }
    struct PassOn {
      std::atomic<std::size_t>& next;
      ~PassOn() {
        next.fetch_add(1, std::memory_order_release);
        next.notify_all();
      }
    } const pass_on{next_};
    take();
  }

 private:
  std::atomic<std::size_t> next_{0};
};

}  // namespace halfspace
