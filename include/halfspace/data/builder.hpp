// SPDX-License-Identifier: BSD-3-Clause
// From rows of doubles to the smallest lossless storage. Readers fill RowBlocks (in parallel if they like),
// pack each, and join the packed blocks in order; memory never holds the whole set as doubles.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// Some consecutive rows as read: start has one entry more than there are rows. No zeros, indices ascending.
struct RowBlock {
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> index;
  std::vector<double> value;

  void add(std::uint32_t column, double x) {
    if (x != 0) {
      index.push_back(column);
      value.push_back(x);
    }
  }
  void end_row() { start.push_back(static_cast<std::uint32_t>(index.size())); }
  [[nodiscard]] std::size_t rows() const { return start.size() - 1; }
  void clear() {
    start.assign(1, 0);
    index.clear();
    value.clear();
  }
};

// The same rows, values in the smallest storage that keeps them: the first of ones, float, Decimal, double
// that loses nothing, with the fewest decimals. So the storage is a function of the values alone. Owns
// nothing.
struct PackedRows {
  std::span<const std::uint32_t> start;
  std::span<const std::uint32_t> index;
  std::variant<std::monostate, std::span<const float>, std::span<const Decimal>, std::span<const double>>
      value;                    // monostate: ones
  int decimals = 0;             // for Decimal
  std::int64_t max_digits = 0;  // for Decimal: largest |digits|
  std::uint32_t columns = 0;    // largest index + 1
  [[nodiscard]] std::size_t rows() const { return start.empty() ? 0 : start.size() - 1; }
};
struct PackedBlock {
  PackedBlock() = default;
  explicit PackedBlock(const PackedRows& rows);
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> index;
  std::variant<std::monostate, std::vector<float>, std::vector<Decimal>, std::vector<double>> value;
  int decimals = 0;
  std::int64_t max_digits = 0;
  [[nodiscard]] std::size_t rows() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] PackedRows view() const;
};
inline constexpr int max_decimals = 18;
// Puts the values into a new block in the smallest storage that keeps them. False: that is double, and
// nothing was done.
[[nodiscard]] bool pack_values(std::span<const double> values, PackedBlock& packed);
[[nodiscard]] PackedBlock pack(const RowBlock& block);

struct StoredMatrix {
  Matrix matrix;
  std::shared_ptr<const void> storage;
};
// All blocks as one matrix of `cols` columns, dense or CSR, whichever takes fewer bytes. Frees blocks as it
// goes.
[[nodiscard]] StoredMatrix join(std::vector<PackedBlock> blocks, std::size_t cols, const Threads& threads);

// For readers that see one row after the other.
class MatrixBuilder {
 public:
  void add(std::uint32_t column, double x) { block_.add(column, x); }  // columns ascending within a row
  void end_row();
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] StoredMatrix finish(std::size_t cols, const Threads& threads);

 private:
  RowBlock block_;
  std::vector<PackedBlock> packed_;
  std::size_t rows_ = 0;
};

}  // namespace halfspace
