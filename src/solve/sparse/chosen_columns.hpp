// SPDX-License-Identifier: BSD-3-Clause
// Some columns of a list of rows: the working set of a sparse solver, as rows of their own for products and matrices, and
// by columns for coordinate steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"

namespace halfspace {

class ChosenColumns {
 public:
  // `chosen`: ascending. All columns of all rows in order: nothing is copied.
  ChosenColumns(const RowAccess& rows, std::span<const std::uint32_t> ids, std::vector<std::uint32_t> chosen,
                const Team& team);
  // Some of the columns of `wider`, which has them all.
  ChosenColumns(const ChosenColumns& wider, std::vector<std::uint32_t> chosen);

  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  [[nodiscard]] std::size_t size() const { return chosen_.size(); }
  // Rows of size() columns, and which of them: those of the list, in its order.
  [[nodiscard]] const RowAccess& rows() const { return *rows_; }
  [[nodiscard]] std::span<const std::uint32_t> ids() const { return ids_; }
  [[nodiscard]] double entries() const { return entries_; }  // of all rows
  [[nodiscard]] double squares() const {
    return squares_;
  }  // sum of the squared numbers of entries of the rows

  // out = X w, one number for every row of the list; out += X' a.
  void products(const double* w, double* out) const;
  void add_sums(const double* a, double* out);

  // By columns: entries start[c] to start[c + 1] of row and value. Made when asked for the first time.
  struct Walk {
    std::vector<std::uint64_t> start;
    std::vector<std::uint32_t> row;  // a place in the list
    std::vector<float> value;
  };
  [[nodiscard]] const Walk& walk();

 private:
  // numbers: of the chosen columns in `rows`.
  void gather(const RowAccess& rows, std::span<const std::uint32_t> ids,
              std::span<const std::uint32_t> numbers);
  void measure();

  Team team_;
  std::vector<std::uint32_t> chosen_;
  const RowAccess* rows_ = nullptr;
  std::shared_ptr<const RowAccess> own_;
  std::vector<std::uint32_t> own_ids_;
  std::span<const std::uint32_t> ids_;
  Stretch list_;
  bool in_order_ = false;  // the list is all of rows_
  double entries_ = 0, squares_ = 0;
  std::vector<std::vector<double>> part_;
  Walk walk_;
};

}  // namespace halfspace
