// SPDX-License-Identifier: BSD-3-Clause
// Whoever goes through much memory says so between two pieces of the work: where memory is limited (data/storage/spill.hpp),
// pages are given back then, by the thread itself. Nothing otherwise.
#pragma once

#include <atomic>

namespace halfspace {

inline std::atomic<void (*)()> relief{nullptr};

inline void relieve() {
  if (void (*const give_back)() = relief.load(std::memory_order_relaxed)) give_back();
}

}  // namespace halfspace
