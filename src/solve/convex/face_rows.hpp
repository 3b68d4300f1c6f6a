// SPDX-License-Identifier: BSD-3-Clause
// A copy of the rows of a face (face.cpp) for products with their Gram matrix.
//
// Columns  renumbered by frequency; a column with one entry adds to the diagonal alone.
// Orders   by row and by column, so that both halves of a product are sums read from memory, one after the
//          other: threads share them with the same bits for any number of threads.
// Memory   12 to 16 bytes per entry: 4 for a value, 2 or 4 for an index, twice.
#pragma once

#include <cstdint>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"

namespace halfspace {

class FaceRows {
 public:
  std::vector<std::uint32_t> ids;  // rows of the data, ascending
  std::vector<std::int8_t> y;
  std::vector<char> free;  // rows of `ids` that are in F now

  void build(const RowAccess& rows, const Problem& p, std::vector<std::uint32_t> chosen);
  // out = (rows rows' + diagonal) x for the free rows; returns x . (rows rows' + diagonal) x over all.
  double multiply(const std::vector<double>& x, std::vector<double>& out, const Threads& threads);

 private:
  // Entries y x in one order; an index is narrow when there are few enough of them.
  struct Order {
    std::vector<std::uint64_t> start;
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> wide;
    std::vector<float> value;

    void resize(std::size_t entries, std::size_t indices);
    void put(std::uint64_t at, std::uint32_t index, float v) {
      value[at] = v;
      if (wide.empty()) {
        narrow[at] = static_cast<std::uint16_t>(index);
      } else {
        wide[at] = index;
      }
    }
    [[nodiscard]] double dot(std::size_t i, const double* from) const;
  };

  Order by_row_, by_column_;
  std::vector<double> diagonal_;  // columns with one entry
  std::vector<double> t_;         // one number for every column, within a product
};

}  // namespace halfspace
