// SPDX-License-Identifier: BSD-3-Clause
// Sorting many things by a number: stable, and in time proportional to how many they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace halfspace {

// Whole numbers in the order of doubles that are not NaN; -0 is 0.
[[nodiscard]] inline std::uint64_t order_key(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
  return (bits >> 63U) != 0 ? ~bits : bits | (std::uint64_t{1} << 63U);
}

// By key(item), ascending; equal keys stay in their order. `room` is scratch that may be kept from call to call.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& room, Key key) {
  constexpr std::size_t few = 3000;  // below, comparing is quicker
  if (items.size() < few) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return key(a) < key(b); });
    return;
  }
  constexpr unsigned bits = 11, digits = 6;
  constexpr std::uint64_t mask = (1U << bits) - 1;
  std::vector<std::array<std::uint32_t, mask + 1>> counts(digits);
  for (const Item& item : items) {
    const std::uint64_t k = key(item);
    for (unsigned d = 0; d < digits; ++d) ++counts[d][(k >> (bits * d)) & mask];
  }
  room.resize(items.size());
  for (unsigned d = 0; d < digits; ++d) {
    auto& count = counts[d];
    // A digit that all share moves nothing.
    if (count[(key(items.front()) >> (bits * d)) & mask] == items.size()) continue;
    std::uint32_t at = 0;
    for (std::uint32_t& c : count) at += std::exchange(c, at);
    for (const Item& item : items) room[count[(key(item) >> (bits * d)) & mask]++] = item;
    items.swap(room);
  }
}

}  // namespace halfspace
