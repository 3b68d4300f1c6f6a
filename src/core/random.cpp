// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/random.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace halfspace {

PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint64_t Random::next() {
  if (left_ == 0) {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
    const PhiloxBlock block =
        philox({low(block_), high(block_), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
    buffer_ = {block[0] | (std::uint64_t{block[1]} << 32U), block[2] | (std::uint64_t{block[3]} << 32U)};
    ++block_;
    left_ = 2;
  }
  return buffer_[static_cast<std::size_t>(--left_)];
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Multiply-shift with rejection (Lemire: "Fast random integer generation in an interval", 2019).
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double Random::normal() {
  if (std::exchange(has_spare_, false)) return spare_;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

void Random::shuffle(std::span<std::uint32_t> items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
}

}  // namespace halfspace
