// SPDX-License-Identifier: BSD-3-Clause
// Vectors in large pages. Weights are met in no order: with pages of 4 KB nearly every access also waits for
// the translation of its address, and filling the vector the first time costs thousands of page faults.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

namespace halfspace {

template <class T>
struct LargePageAllocator {
  using value_type = T;
  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) noexcept {}  // NOLINT: allocators convert

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T) - page) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    if (bytes < page / 2) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* const at = std::aligned_alloc(page, whole);
    if (at == nullptr) throw std::bad_alloc();
    static_cast<void>(::madvise(at, whole, MADV_HUGEPAGE));
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t count) noexcept {
    if (count * sizeof(T) < page / 2) {
      ::operator delete(at);
    } else {
      std::free(at);  // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc
    }
  }
  template <class U>
  bool operator==(const LargePageAllocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20U;
};

template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace halfspace
