// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers (Philox4x32-10; Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011). The n-th number of a stream is a pure function of (seed, stream, n): the same on
// every platform, and any thread can compute any part of a stream.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace halfspace {

using PhiloxBlock = std::array<std::uint32_t, 4>;
[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  [[nodiscard]] std::uint64_t next();                      // 64 random bits
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), unbiased; bound >= 1
  [[nodiscard]] double uniform();                          // [0, 1), 53 bits
  [[nodiscard]] double normal();                           // standard normal (Box-Muller)
  void shuffle(std::span<std::uint32_t> items);            // Fisher-Yates

 private:
  std::uint64_t seed_, stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 2> buffer_{};
  int left_ = 0;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace halfspace
