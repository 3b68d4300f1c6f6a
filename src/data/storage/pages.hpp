// SPDX-License-Identifier: BSD-3-Clause
// Memory straight from the system: uninitialised, given by the page when it is first written, given back when
// told. Or in a file, for rows that are not to stay in memory (spill.hpp): then room is asked for before it is written.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "data/storage/spill.hpp"

namespace halfspace {

// Asks the system for all pages of a piece of memory at once, which takes less than one fault for each. It may not
// know how; then they come as they are written.
inline void fetch_pages(void* data, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::uintptr_t page = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes + page - 1) / page * page;
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE));
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

// A reservation costs address space only; what is never written is never resident.
template <class T>
class Pages {
 public:
  Pages() = default;
  // `huge`: in large pages when the system has them, for arrays of many megabytes that are gone through often. A virtual
  // machine may have to ask its host for them, which takes longer than many faults.
  explicit Pages(std::size_t count, bool huge = false)
      : count_(count), bytes_(round_up(count * sizeof(T), page)) {
    if (bytes_ == 0) return;
    // Large pages begin at multiples of their size; so does the array, or its first part gets none.
    const std::size_t spare = huge ? large : 0;
    void* const at = ::mmap(nullptr, bytes_ + spare, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    const std::uintptr_t aligned = huge ? round_up(begin, large) : begin;
    if (aligned > begin) ::munmap(at, aligned - begin);
    if (const std::size_t behind = spare - (aligned - begin); behind > 0)
      ::munmap(reinterpret_cast<void*>(aligned + bytes_), behind);
    data_ = reinterpret_cast<T*>(aligned);
    if (huge) static_cast<void>(::madvise(data_, bytes_, MADV_HUGEPAGE));
  }
  // In a file of `spill`; in memory where there is none. Room for `there` elements is there at once.
  Pages(std::size_t count, const std::shared_ptr<Spill>& spill, std::size_t there = 0) {
    if (spill == nullptr) {
      *this = Pages(count);
      return;
    }
    count_ = count;
    bytes_ = count * sizeof(T);
    if (count == 0) return;
    file_ = std::make_unique<SpillFile>(spill, bytes_);
    data_ = static_cast<T*>(file_->get());
    ensure(there);
  }
  ~Pages() { unmap(); }
  Pages(Pages&& other) noexcept
      : file_(std::move(other.file_)),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  T& operator[](std::size_t i) const { return data_[i]; }

  // The first `count` elements will be written: in a file they need room on the disk.
  void ensure(std::size_t count) const {
    if (file_ != nullptr) file_->ensure(count * sizeof(T));
  }
  // Keeps the first `count` elements and gives the rest back.
  void shrink(std::size_t count) {
    if (file_ != nullptr) {
      file_->shrink(count * sizeof(T));
      count_ = count;
      return;
    }
    const std::size_t keep = round_up(count * sizeof(T), page);
    if (keep >= bytes_) return;
    if (keep == 0) {
      unmap();
      data_ = nullptr;
    } else {
      ::munmap(reinterpret_cast<std::byte*>(data_) + keep, bytes_ - keep);
    }
    bytes_ = keep;
    count_ = count;
  }
  // The elements [begin, end) will not be read again; the whole pages among them go back now.
  void drop(std::size_t begin, std::size_t end) const {
    if (file_ != nullptr) return file_->drop(begin * sizeof(T), end * sizeof(T));
    const std::size_t from = round_up(begin * sizeof(T), page);
    const std::size_t to = std::min(end * sizeof(T), bytes_) / page * page;
    if (from < to) ::madvise(reinterpret_cast<std::byte*>(data_) + from, to - from, MADV_DONTNEED);
  }

 private:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t large = std::size_t{2} << 20U;
  template <class N>
  static constexpr N round_up(N x, std::size_t to) {
    return (x + to - 1) / to * to;
  }
  void unmap() {
    if (file_ != nullptr) {
      file_.reset();
    } else if (data_ != nullptr) {
      ::munmap(data_, bytes_);
    }
  }

  std::unique_ptr<SpillFile> file_;
  T* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace halfspace
