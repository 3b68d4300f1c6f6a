// SPDX-License-Identifier: BSD-3-Clause
#include "solve/kernel_row_cache.hpp"

#include <algorithm>
#include <numeric>

namespace halfspace {

KernelRowCache::KernelRowCache(const KernelRows<float>& rows, const KernelFunction& kernel,
                               std::size_t capacity)
    : rows_(&rows), kernel_(kernel), capacity_(capacity), stride_(rows.padded()) {
  slot_of_row_.assign(rows.size(), nowhere);
  values_.reserve(capacity_ * stride_);
}

// New slots while there is room, then those used longest ago.
std::vector<std::uint32_t> KernelRowCache::slots_for(std::size_t count) {
  std::vector<std::uint32_t> slots;
  const std::size_t old = row_of_slot_.size();
  const std::size_t fresh = std::min(count, capacity_ - old);
  for (std::size_t k = 0; k < fresh; ++k) {
    slots.push_back(static_cast<std::uint32_t>(row_of_slot_.size()));
    row_of_slot_.push_back(nowhere);
    last_use_.push_back(0);
  }
  if (fresh > 0) values_.resize(row_of_slot_.size() * stride_);
  if (slots.size() < count) {
    std::vector<std::uint32_t> all(old);
    std::iota(all.begin(), all.end(), 0U);
    const auto rest = static_cast<std::ptrdiff_t>(count - slots.size());
    std::nth_element(all.begin(), all.begin() + rest - 1, all.end(), [&](std::uint32_t a, std::uint32_t b) {
      return last_use_[a] != last_use_[b] ? last_use_[a] < last_use_[b] : a < b;
    });
    std::sort(all.begin(), all.begin() + rest);
    slots.insert(slots.end(), all.begin(), all.begin() + rest);
  }
  return slots;
}

std::vector<const float*> KernelRowCache::take(const std::vector<std::uint32_t>& rows, std::uint64_t now,
                                               const Threads& threads) {
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t row : rows) {
    if (slot_of_row_[row] == nowhere) {
      missing.push_back(row);
    } else {
      last_use_[slot_of_row_[row]] = now;
    }
  }
  const std::vector<std::uint32_t> slots = slots_for(missing.size());
  // A few rows at a time, so that the block between them and the cache stays small.
  constexpr std::size_t at_once = 96;
  AlignedVector<float> values(std::min(at_once, missing.size()) * stride_);
  for (std::size_t first = 0; first < missing.size(); first += at_once) {
    const std::size_t count = std::min(at_once, missing.size() - first);
    const std::span<const std::uint32_t> part(missing.data() + first, count);
    kernel_block(kernel_, LeftRows<float>(*rows_, part), *rows_, values.data(), stride_, threads);
    for (std::size_t r = 0; r < count; ++r) {
      const std::uint32_t slot = slots[first + r];
      if (row_of_slot_[slot] != nowhere) slot_of_row_[row_of_slot_[slot]] = nowhere;
      row_of_slot_[slot] = part[r];
      slot_of_row_[part[r]] = slot;
      last_use_[slot] = now;
      std::copy_n(values.data() + r * stride_, stride_, values_.data() + std::size_t{slot} * stride_);
    }
  }
  std::vector<const float*> out;
  for (const std::uint32_t row : rows) out.push_back(find(row));
  return out;
}

}  // namespace halfspace
