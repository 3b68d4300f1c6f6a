// SPDX-License-Identifier: BSD-3-Clause
// Rows that arrive in pieces, each written once, to where it stays. A piece is stored as it comes, in the
// smallest storage that keeps its own values; only pieces that differ from what the whole set needs are
// converted at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/storage/spill.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/data/builder.hpp"

namespace halfspace {

enum class ValueKind { Ones, Float, Decimal, Double };

// Column numbers of sparse rows take 16 bits up to so many columns.
inline constexpr std::uint64_t narrow_columns = std::uint64_t{1} << 16U;
// Of the two layouts, dense is chosen when it takes fewer bytes.
[[nodiscard]] inline bool dense_is_smaller(std::uint64_t rows, std::uint64_t cols, std::uint64_t entries,
                                           std::uint64_t value_bytes) {
  const double index_bytes = cols > narrow_columns ? 4 : 2;
  const double sparse = static_cast<double>(entries) * (index_bytes + static_cast<double>(value_bytes)) +
                        8 * static_cast<double>(rows + 1);
  return static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(value_bytes) < sparse;
}

// The room of one piece in the arrays of the set.
struct Segment {
  std::uint64_t row = 0, entry = 0;  // of its first row and entry
  std::uint64_t rows = 0, entries = 0;
  bool wide = false;       // column numbers of 32 bits instead of 16
  std::uint64_t full = 0;  // not 0: every row has just the columns 0 to full - 1, and no numbers are kept
  ValueKind kind = ValueKind::Ones;
  int decimals = 0;             // for Decimal
  std::int64_t max_digits = 0;  // for Decimal
  std::uint64_t* start = nullptr;
  void* index = nullptr;
  void* value = nullptr;
};

class RowStore {
 public:
  // At most so many rows and entries, of which only those that come take memory. With `cols` given, no column
  // lies beyond it. With `spill`, all of it lies in its files.
  RowStore(std::uint64_t most_rows, std::uint64_t most_entries, std::uint64_t cols,
           std::shared_ptr<Spill> spill = nullptr);
  // For rows that come from who knows where: as many as the disk of the spill has room for.
  explicit RowStore(const std::shared_ptr<Spill>& spill);
  ~RowStore();

  // Room for the next piece. Calls come one after the other, in the order of the rows.
  [[nodiscard]] Segment take(const PackedRows& piece);
  // Any thread, at any time after take().
  static void write(const Segment& segment, const PackedRows& piece);
  // When all is written: the set with `cols` columns, dense or sparse, whichever takes fewer bytes.
  [[nodiscard]] StoredMatrix finish(std::size_t cols, const Threads& threads);

 private:
  struct Arrays;
  struct Common {
    ValueKind kind = ValueKind::Ones;
    int decimals = 0;
  };
  [[nodiscard]] Common common() const;
  [[nodiscard]] Common common_decimal(int decimals) const;
  void write_columns(const Threads& threads);
  void widen(const Threads& threads);
  void convert_values(const Common& to, const Threads& threads);
  template <class V>
  StoredMatrix finish_as(std::size_t cols, int decimals, bool full, const Threads& threads);
  template <class V>
  StoredMatrix finish_full(std::size_t cols, int decimals);
  template <class V, class Index>
  StoredMatrix finish_sparse(const Index* index, std::size_t cols, int decimals);
  template <class V, class Index>
  StoredMatrix finish_dense(const Index* index, std::size_t cols, int decimals, const Threads& threads);

  std::shared_ptr<Arrays> arrays_;
  std::vector<Segment> segments_;
  std::uint64_t rows_ = 0, entries_ = 0;
  bool always_wide_;
};

}  // namespace halfspace
