// SPDX-License-Identifier: BSD-3-Clause
// Sparse rows without the columns that none of them has. Under a penalty on the size of the weights those of absent columns
// are 0, and vectors of as many numbers as there are columns would cost more than the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/storage/pages.hpp"
#include "data/storage/row_access.hpp"

namespace halfspace {

class PresentColumns {
 public:
  // Null where most columns are there, or the rows are dense. Columns that a row of any member has are there for all. With
  // `spill` the rows are copied to its files.
  [[nodiscard]] static std::unique_ptr<PresentColumns> worth_while(
      const RowAccess& rows, const Team& team = Threads(1), const std::shared_ptr<Spill>& spill = nullptr);

  [[nodiscard]] const RowAccess& rows() const { return *copies_; }
  [[nodiscard]] std::span<const std::uint32_t> columns() const { return columns_; }  // in order
  [[nodiscard]] std::vector<double> gather(const std::vector<double>& of_all) const;
  [[nodiscard]] std::vector<double> scatter(const std::vector<double>& of_present) const;

 private:
  PresentColumns() = default;

  std::size_t all_ = 0;
  std::vector<std::uint32_t> columns_;
  Pages<std::uint64_t> start_;
  Pages<std::uint32_t> index_;
  Pages<double> value_;
  std::unique_ptr<RowAccess> copies_;
};

}  // namespace halfspace
