// SPDX-License-Identifier: BSD-3-Clause
// When to stop early: what the steps of a solver ask. Seeds never come from here.
#pragma once

#include "halfspace/solve/fit.hpp"

namespace halfspace {

[[nodiscard]] inline Stop stop_of(StopCause cause) {
  return cause == StopCause::Cancelled ? Stop::Cancelled : Stop::Time;
}
[[nodiscard]] inline Stop stop_of(const Stopped& stopped) { return stop_of(stopped.cause()); }

class Clock {
 public:
  explicit Clock(const Run& run) : run_(begin_run(run)) {}

  // Whether to stop here, and why.
  [[nodiscard]] StopCause cause(const Progress& progress) const {
    const bool cancelled = run_.observe && !run_.observe(progress);
    return cancelled ? StopCause::Cancelled : run_.stop.cause();
  }
  // True: go on. False: stop now, `why` says why.
  [[nodiscard]] bool go_on(const Progress& progress, Stop& why) const {
    const StopCause cause = this->cause(progress);
    if (cause == StopCause::None) return true;
    why = stop_of(cause);
    return false;
  }
  [[nodiscard]] Threads closing() const { return closing_team(run_); }

 private:
  Run run_;
};

}  // namespace halfspace
