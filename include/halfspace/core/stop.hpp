// SPDX-License-Identifier: BSD-3-Clause
// One clock and one cancel for everything that can take long. A handle is cheap to copy and may be asked by any
// thread: by a team before every task (core/parallel.hpp), and by loops that use no team.
//
// Work that has a best answer so far returns it and says why it stopped; work that has none throws Stopped. What is
// left to do once a stop was asked for (proving the model that is there, counting its errors) asks a handle with a
// grace, which begins to say stop that much later.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>

namespace halfspace {

enum class StopCause { None, Time, Cancelled };

// Not an error: the answer that there was no time for one. Passes through the library to who asked for the stop.
class Stopped final : public std::exception {
 public:
  explicit Stopped(StopCause cause) : cause_(cause) {}
  [[nodiscard]] StopCause cause() const { return cause_; }
  [[nodiscard]] const char* what() const noexcept override;

 private:
  StopCause cause_;
};

class StopHandle {
 public:
  StopHandle() = default;  // never asks anybody to stop, and cannot be cancelled
  [[nodiscard]] static StopHandle make();

  // From any thread, and from a signal handler. All copies of the handle see it; the first time counts.
  void cancel() const noexcept;

  [[nodiscard]] StopHandle within(double seconds) const;  // also stops so many seconds from now
  [[nodiscard]] StopHandle with_grace(double seconds) const;

  [[nodiscard]] bool can_cancel() const { return cancelled_ != nullptr; }
  [[nodiscard]] bool possible() const {
    return cancelled_ != nullptr || deadline_ != never;
  }  // that it ever asks
  [[nodiscard]] bool asked() const noexcept { return possible() && cause() != StopCause::None; }
  [[nodiscard]] StopCause cause() const noexcept;
  [[nodiscard]] double left() const noexcept;  // seconds; infinity: no limit
  void check() const {
    if (possible()) look();
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  void look() const;  // throws Stopped

  // Times are nanoseconds of the steady clock.
  std::shared_ptr<std::atomic<std::int64_t>> cancelled_;  // when; 0: not yet
  std::int64_t deadline_ = never;
  std::int64_t grace_ = 0;
};

}  // namespace halfspace
