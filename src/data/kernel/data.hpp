// SPDX-License-Identifier: BSD-3-Clause
// What every kernel problem on one set of rows asks for, found once for all of them: how the rows are packed, how long
// they are, which of them are equal.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/kernel/multiples.hpp"
#include "data/kernel/rows.hpp"
#include "data/storage/equal_rows.hpp"

namespace halfspace {

class KernelData {
 public:
  // Equal rows are looked for only if asked (and never where columns are kernel values): else all count as different.
  KernelData(const Dataset& data, const KernelFunction& kernel, bool find_equal, const Threads& threads);

  [[nodiscard]] const RowAccess& access() const { return *access_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] RowForm form() const { return form_; }         // for values in float
  [[nodiscard]] RowForm plain_form() const { return plain_; }  // the same without Multiples
  [[nodiscard]] double deviation() const { return multiples_.deviation; }
  [[nodiscard]] std::span<const double> length2() const { return length2_; }
  [[nodiscard]] const EqualRows& equal() const { return equal_; }
  // Given: the columns that hold the values with these rows.
  [[nodiscard]] std::vector<std::uint32_t> columns_of(std::span<const std::uint32_t> rows) const;

  // Where the rows are few and short, all of them are packed once, and those of a problem taken from there.
  void pack_all(const Threads& threads);
  template <class T>
  [[nodiscard]] KernelRows<T> pack(std::span<const std::uint32_t> rows, RowForm form, const Threads& threads,
                                   bool panels = true) const {
    if constexpr (sizeof(T) == sizeof(float))
      if (all_ && form == all_->form()) return KernelRows<T>(*all_, rows);
    return KernelRows<T>(*access_, rows, features_, form, threads, columns_of(rows), panels, length2_,
                         multiples_.unit);
  }

 private:
  std::unique_ptr<RowAccess> access_;
  std::size_t features_;
  RowForm plain_, form_;
  Multiples multiples_;
  std::vector<double> length2_;  // of every row
  EqualRows equal_;              // among all rows
  std::optional<KernelRows<float>> all_;
};

}  // namespace halfspace
