// SPDX-License-Identifier: BSD-3-Clause
// Passes over rows for many planes at once: every row is unpacked once and serves all planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/row_sums.hpp"
#include "core/simd/aligned.hpp"
#include "data/storage/row_access.hpp"
#include "solve/systems/plane_rows.hpp"

namespace halfspace {

class PlaneSums {
 public:
  // with_constant: every row ends with a 1 in a column of its own, the last one.
  PlaneSums(const RowAccess& rows, std::span<const std::uint32_t> ids, bool with_constant, std::size_t stride,
            const Team& team)
      : rows_(rows),
        ids_(ids),
        list_(team.stretch(ids.size())),
        with_constant_(with_constant),
        stride_(stride),
        team_(team) {}

  [[nodiscard]] const Stretch& list() const { return list_; }

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
    std::vector<AlignedVector<T>>& part = parts<T>();
    slice_sums(team_, list_, slices_of(list_.total, values(), 512), values(), part,
               [&](std::size_t begin, std::size_t end, T* sums) {
                 for_rows(begin, end, [&](std::size_t k, const Entries& row) { add(k, row, sums); });
               });
    add_parts(team_.threads(), part, values(), out.data());
  }

 private:
  template <class T>
  std::vector<AlignedVector<T>>& parts() {
    if constexpr (std::is_same_v<T, float>)
      return short_part_;
    else
      return part_;
  }

  const RowAccess& rows_;
  std::span<const std::uint32_t> ids_;
  Stretch list_;
  bool with_constant_;
  std::size_t stride_;
  Team team_;
  std::vector<AlignedVector<double>> part_;  // the planes of a feature share their cache lines with no others
  std::vector<AlignedVector<float>> short_part_;
};

}  // namespace halfspace
