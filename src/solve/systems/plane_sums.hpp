// SPDX-License-Identifier: BSD-3-Clause
// Passes over rows for many planes at once: every row is unpacked once and serves all planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/aligned.hpp"
#include "data/row_access.hpp"
#include "solve/plane_rows.hpp"

namespace halfspace {

class PlaneSums {
 public:
  // with_constant: every row ends with a 1 in a column of its own, the last one.
  PlaneSums(const RowAccess& rows, std::span<const std::uint32_t> ids, bool with_constant, std::size_t stride,
            const Threads& threads)
      : rows_(rows), ids_(ids), with_constant_(with_constant), stride_(stride), threads_(threads) {}

  [[nodiscard]] std::size_t values() const { return (rows_.cols() + 1) * stride_; }

  // f(k, entries) for the rows [begin, end) of the list.
  template <class F>
  void for_rows(std::size_t begin, std::size_t end, F&& f) const {
    const std::size_t d = rows_.cols();
    std::vector<std::uint32_t> index(d + 1);
    std::vector<double> value(d + 1);
    for (std::size_t k = begin; k < end; ++k) {
      if (k + 2 < end) rows_.prefetch(ids_[k + 2]);
      std::size_t size = rows_.copy_entries(ids_[k], index.data(), value.data());
      if (with_constant_) {
        index[size] = static_cast<std::uint32_t>(d);
        value[size++] = 1;
      }
      f(k, Entries{index.data(), value.data(), size});
    }
  }

  // out += sum over the rows of what `add(k, entries, sums)` adds to its own sums, which are of type T.
  template <class T, class F>
  void sum(std::vector<double>& out, F&& add) {
    const std::size_t n = ids_.size(), count = slices();
    const std::size_t length = (n + count - 1) / count;
    std::vector<AlignedVector<T>>& part = parts<T>();
    part.resize(count);
    threads_.run(count, [&](std::size_t t) {
      part[t].assign(values(), T{0});
      for_rows(std::min(n, t * length), std::min(n, (t + 1) * length),
               [&](std::size_t k, const Entries& row) { add(k, row, part[t].data()); });
    });
    for_blocks(threads_, values(), 8192, [&](std::size_t begin, std::size_t end) {
      for (const auto& v : part)
        for (std::size_t j = begin; j < end; ++j) out[j] += static_cast<double>(v[j]);
    });
  }

 private:
  // Slices of rows for sums of weights: a function of the shape alone.
  [[nodiscard]] std::size_t slices() const {
    const std::size_t by_memory = std::max<std::size_t>(2, (std::size_t{1} << 21U) / values());
    return std::clamp<std::size_t>(std::min(ids_.size() / 512, by_memory), 1, 16);
  }

  template <class T>
  std::vector<AlignedVector<T>>& parts() {
    if constexpr (std::is_same_v<T, float>)
      return short_part_;
    else
      return part_;
  }

  const RowAccess& rows_;
  std::span<const std::uint32_t> ids_;
  bool with_constant_;
  std::size_t stride_;
  const Threads& threads_;
  std::vector<AlignedVector<double>> part_;  // the planes of a feature share their cache lines with no others
  std::vector<AlignedVector<float>> short_part_;
};

}  // namespace halfspace
