// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/stop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace halfspace {
namespace {

static_assert(std::atomic<std::int64_t>::is_always_lock_free);  // a signal handler stores it

std::int64_t now() noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

// So large a number of seconds is no limit; the sum with the time of day must not overflow.
constexpr double most_seconds = 1e9;

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(std::clamp(seconds, 0.0, most_seconds) * 1e9);
}

}  // namespace

const char* Stopped::what() const noexcept {
  return cause_ == StopCause::Time ? "stopped: the time is up" : "stopped: cancelled";
}

StopHandle StopHandle::make() {
  StopHandle handle;
  handle.cancelled_ = std::make_shared<std::atomic<std::int64_t>>(0);
  return handle;
}

void StopHandle::cancel() const noexcept {
  if (cancelled_ == nullptr) return;
  std::int64_t none = 0;
  cancelled_->compare_exchange_strong(none, std::max<std::int64_t>(1, now()), std::memory_order_relaxed);
}

StopHandle StopHandle::within(double seconds) const {
  StopHandle handle = *this;
  if (std::isnan(seconds) || seconds > most_seconds) return handle;
  if (cancelled_ == nullptr) handle.cancelled_ = make().cancelled_;  // a run may have other reasons to end
  handle.deadline_ = std::min(deadline_, now() + nanoseconds(seconds));
  return handle;
}

StopHandle StopHandle::with_grace(double seconds) const {
  StopHandle handle = *this;
  handle.grace_ += nanoseconds(seconds);
  return handle;
}

StopCause StopHandle::cause() const noexcept {
  const std::int64_t cancelled = cancelled_ == nullptr ? 0 : cancelled_->load(std::memory_order_relaxed);
  if (cancelled == 0 && deadline_ == never) return StopCause::None;
  if (cancelled != 0 && grace_ == 0) return StopCause::Cancelled;
  const std::int64_t since = now() - grace_;
  if (cancelled != 0 && since >= cancelled) return StopCause::Cancelled;
  return since >= deadline_ ? StopCause::Time : StopCause::None;
}

double StopHandle::left() const noexcept {
  if (deadline_ == never) return std::numeric_limits<double>::infinity();
  return static_cast<double>(deadline_ - now()) * 1e-9;
}

void StopHandle::look() const {
  if (const StopCause why = cause(); why != StopCause::None) throw Stopped(why);
}

}  // namespace halfspace
