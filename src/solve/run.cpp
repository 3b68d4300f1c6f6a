// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/run.hpp"

#include <mutex>

namespace halfspace {
namespace {

// Whoever asks waits for who is asking; the first no is the last word.
class OneAtATime {
 public:
  OneAtATime(std::function<bool(const Progress&)> observe, StopHandle stop)
      : observe_(std::move(observe)), stop_(std::move(stop)) {}

  bool ask(const Progress& progress) {
    const std::lock_guard lock(guard_);
    if (no_) return false;
    no_ = !observe_(progress);
    if (no_) stop_.cancel();
    return !no_;
  }

 private:
  std::mutex guard_;
  bool no_ = false;
  std::function<bool(const Progress&)> observe_;
  StopHandle stop_;
};

}  // namespace

Run begin_run(const Run& run) {
  Run begun = run;
  if (run.begun) return begun;
  begun.begun = true;
  const StopHandle& given = run.stop.can_cancel() ? run.stop : run.threads.stop();
  begun.stop = (given.can_cancel() ? given : StopHandle::make()).within(run.seconds);
  begun.seconds = std::numeric_limits<double>::infinity();
  // Where there are several members, only sums stop, all of them at once.
  begun.threads = run.members != nullptr ? Threads(run.threads.count()) : run.threads.until(begun.stop);
  if (run.observe) {
    auto one = std::make_shared<OneAtATime>(run.observe, begun.stop);
    begun.observe = [one = std::move(one)](const Progress& progress) { return one->ask(progress); };
  }
  return begun;
}

namespace {

constexpr double grace = 0.2;  // seconds

Team with_members(const Threads& threads, Members* members) {
  return members != nullptr ? Team(threads, *members) : Team(threads);
}

}  // namespace

Team team_of(const Run& run) { return with_members(run.threads.until(run.stop), run.members); }

Threads closing_team(const Run& run) {
  return run.members != nullptr ? run.threads : run.threads.until(run.stop.with_grace(grace));
}
Team closing_members(const Run& run) {
  return with_members(run.threads.until(run.stop.with_grace(grace)), run.members);
}
Team patient_members(const Run& run) { return with_members(Threads(run.threads.count()), run.members); }

std::string_view stop_name(Stop stop) {
  switch (stop) {
    case Stop::Converged: return "converged";
    case Stop::Clean: return "clean";
    case Stop::Passes: return "passes";
    case Stop::Limit: return "limit";
    case Stop::Time: return "time";
    case Stop::Refused: return "refused";
    case Stop::Cancelled: break;
  }
  return "cancelled";
}

}  // namespace halfspace
