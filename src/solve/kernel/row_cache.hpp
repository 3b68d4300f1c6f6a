// SPDX-License-Identifier: BSD-3-Clause
// Rows of the kernel matrix in float, as many as the memory allows; the one used longest ago leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/kernel/rows.hpp"

namespace halfspace {

class KernelRowCache {
 public:
  KernelRowCache() = default;
  // In the memory of another one, perhaps an empty one, where that is enough; its values are nobody's any more.
  KernelRowCache(const KernelRows<float>& rows, const KernelFunction& kernel, std::size_t capacity,
                 KernelRowCache&& memory);

  [[nodiscard]] bool on() const { return capacity_ > 0; }
  // For another problem on the same rows: what is there stays, as if it had been used long ago.
  void begin_again() { std::fill(last_use_.begin(), last_use_.end(), std::uint64_t{0}); }
  [[nodiscard]] bool fits(const KernelRows<float>& rows, std::size_t capacity) const {
    return rows_ == &rows && capacity_ == capacity;
  }
  // Only the memory stays.
  void forget() {
    rows_ = nullptr;
    capacity_ = 0;
  }
  // The row if it is there, else null.
  [[nodiscard]] const float* find(std::uint32_t row) const {
    return on() && slot_of_row_[row] != nowhere ? values_.get() + std::size_t{slot_of_row_[row]} * stride_
                                                : nullptr;
  }
  // All of these rows (at most the capacity), computed where they are not there; `now` grows from call to
  // call.
  [[nodiscard]] std::vector<const float*> take(const std::vector<std::uint32_t>& rows, std::uint64_t now,
                                               const Threads& threads);
  // One row; it stays where it is as long as no more than the capacity are asked for.
  [[nodiscard]] const float* take(std::uint32_t row, std::uint64_t now);

 private:
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  [[nodiscard]] std::vector<std::uint32_t> slots_for(std::size_t count);
  void put(std::uint32_t row, std::uint32_t slot, std::uint64_t now);

  const KernelRows<float>* rows_ = nullptr;
  KernelFunction kernel_;
  std::size_t capacity_ = 0, stride_ = 0, room_ = 0;
  AlignedRoom<float> values_;  // `room_` of them
  std::vector<std::uint32_t> slot_of_row_, row_of_slot_;
  std::vector<std::uint64_t> last_use_;
};

}  // namespace halfspace
