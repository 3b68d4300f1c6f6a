// SPDX-License-Identifier: BSD-3-Clause
// When to stop early: the time budget and the caller's word. Seeds never come from here.
#pragma once

#include <chrono>

#include "halfspace/solve/fit.hpp"

namespace halfspace {

class Clock {
 public:
  explicit Clock(const Run& run) : run_(run), begin_(std::chrono::steady_clock::now()) {}

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  // True: go on. False: stop now, `why` says why.
  [[nodiscard]] bool go_on(const Progress& progress, Stop& why) const {
    if (run_.observe && !run_.observe(progress)) {
      why = Stop::Cancelled;
      return false;
    }
    if (seconds() >= run_.seconds) {
      why = Stop::Time;
      return false;
    }
    return true;
  }

 private:
  const Run& run_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace halfspace
