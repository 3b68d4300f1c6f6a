// SPDX-License-Identifier: BSD-3-Clause
// Vectors whose memory begins on a cache line, as aligned vector loads need it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace halfspace {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, line); }
  [[nodiscard]] bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Numbers that are nothing until they are written: pages that are never touched take no memory and no time.
template <class T>
struct AlignedDelete {
  void operator()(T* p) const noexcept { ::operator delete(p, AlignedAllocator<T>::line); }
};
template <class T>
using AlignedRoom = std::unique_ptr<T[], AlignedDelete<T>>;
template <class T>
[[nodiscard]] AlignedRoom<T> aligned_room(std::size_t n) {
  return AlignedRoom<T>(AlignedAllocator<T>().allocate(n));
}

}  // namespace halfspace
