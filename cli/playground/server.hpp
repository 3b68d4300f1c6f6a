// SPDX-License-Identifier: BSD-3-Clause
// A server for one page and its questions, on 127.0.0.1 only. Two addresses exist, both behind a random token: GET /TOKEN/ is the
// page, POST /TOKEN/ask hands a question to the engine. Whatever else is asked gets a constant text; nothing of a
// request ever names a file or stands in a header of the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "halfspace/core/stop.hpp"

namespace halfspace::cli {

struct ServerLimits {
  std::uint32_t header_bytes = 8 * 1024;
  std::uint64_t body_bytes = 1U << 20U;
  std::size_t header_count = 100;
  std::size_t target_bytes = 2048;
  std::size_t connections = 1024;
  std::size_t queue = 64;  // questions that wait for the engine; more are told to come again
  double seconds = 5;      // for a whole request to come, and for its answer to be taken
};

struct ServerSetup {
  std::uint16_t port = 0;  // 0: any that is free
  std::string_view page;
  // Called by one thread of its own, never by two. Throws Stopped when the handle was cancelled.
  std::function<std::string(std::string_view question, const StopHandle& stop)> answer;
  // Told the address once the server listens.
  std::function<void(const std::string& address)> ready;
  double seconds = 0;  // ends by itself after so long; 0: never
  ServerLimits limits;
};

// Serves until SIGINT or SIGTERM (true), or until its time is up (false). Throws SystemError when the port cannot be had.
[[nodiscard]] bool serve(const ServerSetup& setup);

// 32 random characters that need no escape, from the system.
[[nodiscard]] std::string random_token();

}  // namespace halfspace::cli
