// SPDX-License-Identifier: BSD-3-Clause
// Inner products of rows, each computed once: rows are asked for again and again while active sets change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace::separation {

class InnerProducts {
 public:
  InnerProducts(const RowAccess& rows, const Threads& threads)
      : rows_(rows), threads_(threads), slot_(rows.rows(), none) {}

  // The rows may be asked for from now on.
  void take(std::span<const std::uint32_t> rows);
  [[nodiscard]] double of(std::uint32_t a, std::uint32_t b) const {
    return slot_[a] > slot_[b] ? products_[slot_[a]][slot_[b]] : products_[slot_[b]][slot_[a]];
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::size_t most_dense = 4000;  // columns up to which rows are multiplied in blocks

  const RowAccess& rows_;
  const Threads& threads_;
  std::vector<std::uint32_t> slot_, taken_;
  std::vector<double> dense_;  // the rows taken, written out
  std::vector<std::vector<double>> products_;
};

}  // namespace halfspace::separation
