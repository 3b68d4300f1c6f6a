// SPDX-License-Identifier: BSD-3-Clause
#include "solve/kernel/row_cache.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/kernel/pair_steps.hpp"

namespace halfspace {

KernelRowCache::KernelRowCache(const KernelRows<float>& rows, const KernelFunction& kernel,
                               std::size_t capacity, KernelRowCache&& memory)
    : rows_(&rows),
      kernel_(kernel),
      capacity_(capacity),
      stride_((rows.padded() + detail::pair_padding - 1) / detail::pair_padding * detail::pair_padding) {
  slot_of_row_.assign(rows.size(), nowhere);
  if (memory.values_ != nullptr && memory.room_ >= capacity_ * stride_) {
    room_ = std::exchange(memory.room_, 0);
    values_ = std::move(memory.values_);
    return;
  }
  memory.values_ = nullptr;
  // Folds differ by a row or two: a little more than is needed serves the next one too, and takes no memory as long as it is
  // not written to.
  room_ = (capacity_ + capacity_ / 64 + 1) * (stride_ + detail::pair_padding);
  values_ = aligned_room<float>(room_);
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

void KernelRowCache::put(std::uint32_t row, std::uint32_t slot, std::uint64_t now) {
  if (row_of_slot_[slot] != nowhere) slot_of_row_[row_of_slot_[slot]] = nowhere;
  row_of_slot_[slot] = row;
  slot_of_row_[row] = slot;
  last_use_[slot] = now;
}

const float* KernelRowCache::take(std::uint32_t row, std::uint64_t now) {
  if (const float* const found = find(row); found != nullptr) return found;
  const std::uint32_t slot = slots_for(1)[0];
  put(row, slot, now);
  float* const to = values_.get() + std::size_t{slot} * stride_;
  kernel_row(kernel_, *rows_, row, to);
  std::fill(to + rows_->padded(), to + stride_, 0.0F);
  return to;
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
  for (std::size_t first = 0; first < missing.size();) {
    // Slots that follow each other are filled in place; of others a few rows at a time, so that the block between them
    // and the cache stays small.
    const std::size_t left = missing.size() - first;
    const bool in_place = slots.back() == slots[first] + left - 1;
    const std::size_t count = in_place ? left : std::min<std::size_t>(96, left);
    const std::span<const std::uint32_t> part(missing.data() + first, count);
    AlignedVector<float> values(in_place ? 0 : count * stride_);
    float* const to = in_place ? values_.get() + std::size_t{slots[first]} * stride_ : values.data();
    kernel_block(kernel_, LeftRows<float>(*rows_, part), *rows_, to, stride_, threads);
    for (std::size_t r = 0; r < count; ++r) {
      put(part[r], slots[first + r], now);
      if (!in_place)
        std::copy_n(values.data() + r * stride_, stride_,
                    values_.get() + std::size_t{slots[first + r]} * stride_);
    }
    first += count;
  }
  std::vector<const float*> out;
  out.reserve(rows.size());
  for (const std::uint32_t row : rows) out.push_back(find(row));
  return out;
}

}  // namespace halfspace
