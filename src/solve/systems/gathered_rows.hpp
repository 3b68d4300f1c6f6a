// SPDX-License-Identifier: BSD-3-Clause
// Rows of all members of a team, on every one of them: for systems that are made of some rows (samples, rows that enter
// or leave a matrix).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace {

class GatheredRows {
 public:
  // Alone: the rows given, where they are. Otherwise copies of those of all members, in order.
  GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen);
  // Every row brings a number along.
  GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen,
               std::span<const double> weight);

  [[nodiscard]] const RowAccess& rows() const { return *rows_; }
  [[nodiscard]] std::span<const std::uint32_t> chosen() const { return chosen_; }
  [[nodiscard]] std::span<const double> weight() const { return weight_; }

 private:
  GatheredRows(const Team& team, const RowAccess& rows, std::span<const std::uint32_t> chosen,
               std::span<const double> weight, bool weighed);
  void add(const Members::Bytes& message, std::size_t columns, bool weighed);

  const RowAccess* rows_;
  std::span<const std::uint32_t> chosen_;
  std::span<const double> weight_;
  std::vector<std::uint64_t> start_;
  std::vector<std::uint32_t> index_, numbers_;
  std::vector<double> value_, weights_;
  std::unique_ptr<RowAccess> copies_;
};

}  // namespace halfspace
