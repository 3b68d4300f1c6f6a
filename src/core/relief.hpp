// SPDX-License-Identifier: BSD-3-Clause
// Whoever goes through much memory says so between two pieces of the work: where memory is limited (data/storage/spill.hpp),
// pages are given back then, by the thread itself. Who reads rows here and there says which: what becomes resident is counted,
// for no other thread may get a processor in time. Nothing otherwise.
#pragma once

#include <atomic>
#include <cstddef>

namespace halfspace {

inline std::atomic<void (*)()> relief{nullptr};
// Arrays of rows, of which one row lies behind the other in each.
enum class RowArray { Start, Index, Value };
inline std::atomic<void (*)(RowArray, const void*, std::size_t)> page_count{nullptr};

inline void relieve() {
  if (void (*const give_back)() = relief.load(std::memory_order_relaxed)) give_back();
}

// Whether there is anything to count; loops over rows ask once.
[[nodiscard]] inline bool counts_pages() { return page_count.load(std::memory_order_relaxed) != nullptr; }

template <class View>
[[gnu::noinline, gnu::cold]] void count_pages(const View& view, std::size_t i) {
  const auto count = page_count.load(std::memory_order_relaxed);
  if (count == nullptr) return;
  const auto row = view.row(i);
  if constexpr (requires { row.index; }) {
    count(RowArray::Start, view.start + i, sizeof *view.start);
    count(RowArray::Index, row.index, row.size * sizeof(*row.index));
  }
  if (row.value != nullptr) count(RowArray::Value, row.value, row.size * sizeof(*row.value));
}
// About to be read.
template <class View>
void count_row(const View& view, std::size_t i) {
  if (counts_pages()) [[unlikely]]
    count_pages(view, i);
}
template <class View>
[[nodiscard]] auto counted_row(const View& view, std::size_t i) {
  count_row(view, i);
  return view.row(i);
}

}  // namespace halfspace
