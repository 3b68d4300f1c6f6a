// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/row_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "data/storage/decimal.hpp"
#include "data/storage/pages.hpp"

namespace halfspace {
namespace {

ValueKind kind_of(const PackedRows& piece) { return static_cast<ValueKind>(piece.value.index()); }

std::int32_t decimal_digits(double x, int decimals) {
  std::int32_t digits = 0;
  as_decimal(x, decimals, digits);
  return digits;
}

double as_double(std::uint32_t bits, const Segment& from) {
  switch (from.kind) {
    case ValueKind::Ones: return 1;
    case ValueKind::Float: return static_cast<double>(std::bit_cast<float>(bits));
    default:
      return decode(Decimal{static_cast<std::int32_t>(bits)},
                    power10[static_cast<std::size_t>(from.decimals)]);
  }
}

template <class To>
void copy_columns(std::span<const std::uint32_t> from, void* to) {
  To* const out = static_cast<To*>(to);
  for (std::size_t k = 0; k < from.size(); ++k) out[k] = static_cast<To>(from[k]);
}

// The number of columns when every row has all of them, else 0. Columns ascend within a row.
std::uint64_t full_columns(const PackedRows& piece) {
  const std::size_t rows = piece.rows();
  const std::uint64_t cols = rows == 0 ? 0 : piece.start[1];
  if (cols == 0 || piece.index.size() != rows * cols) return 0;
  for (std::size_t r = 0; r < rows; ++r)
    if (piece.start[r + 1] != (r + 1) * cols || piece.index[(r + 1) * cols - 1] != cols - 1) return 0;
  return cols;
}

template <class To>
void write_full_columns(const Segment& s, To* out) {
  for (std::uint64_t k = 0; k < s.entries; k += s.full)
    for (std::uint64_t j = 0; j < s.full; ++j) out[k + j] = static_cast<To>(j);
}

}  // namespace

// Of the two arrays of columns and of the two of values, most sets only ever write to one.
struct RowStore::Arrays {
  Pages<std::uint64_t> start;
  Pages<std::uint16_t> narrow;
  Pages<std::uint32_t> wide;
  Pages<std::uint32_t> value4;  // bits of float and Decimal values
  Pages<double> value8;
  Pages<std::uint64_t> dense;  // bits of the values of a dense set
  std::uint64_t most_entries = 0;
  std::shared_ptr<Spill> spill;

  // Room for `count` entries from `entry` on.
  template <class T>
  T* at(Pages<T>& pages, std::uint64_t entry, std::uint64_t count) {
    if (pages.get() == nullptr) pages = Pages<T>(most_entries, spill);
    pages.ensure(entry + count);
    return pages.get() + entry;
  }
};

RowStore::RowStore(std::uint64_t most_rows, std::uint64_t most_entries, std::uint64_t cols,
                   std::shared_ptr<Spill> spill)
    : arrays_(std::make_shared<Arrays>()), always_wide_(cols > narrow_columns) {
  arrays_->start = Pages<std::uint64_t>(most_rows + 1, spill);
  arrays_->most_entries = most_entries;
  arrays_->spill = std::move(spill);
}
RowStore::RowStore(const std::shared_ptr<Spill>& spill)
    : RowStore(spill->free_bytes() / sizeof(std::uint64_t) + 1,
               spill->free_bytes() / sizeof(std::uint16_t) + 1, 0, spill) {}
RowStore::~RowStore() = default;

Segment RowStore::take(const PackedRows& piece) {
  Segment s{.row = rows_, .entry = entries_, .rows = piece.rows(), .entries = piece.index.size()};
  s.kind = kind_of(piece);
  s.wide = always_wide_ || piece.columns > narrow_columns;
  s.decimals = piece.decimals;
  s.max_digits = piece.max_digits;
  s.full = full_columns(piece);
  arrays_->start.ensure(s.row + s.rows + 1);
  s.start = arrays_->start.get() + s.row;
  if (s.entries > 0) {
    if (s.full == 0)
      s.index = s.wide ? static_cast<void*>(arrays_->at(arrays_->wide, s.entry, s.entries))
                       : arrays_->at(arrays_->narrow, s.entry, s.entries);
    if (s.kind == ValueKind::Double) s.value = arrays_->at(arrays_->value8, s.entry, s.entries);
    if (s.kind == ValueKind::Float || s.kind == ValueKind::Decimal)
      s.value = arrays_->at(arrays_->value4, s.entry, s.entries);
  }
  rows_ += s.rows;
  entries_ += s.entries;
  segments_.push_back(s);
  return s;
}

void RowStore::write(const Segment& s, const PackedRows& piece) {
  for (std::size_t r = 0; r < s.rows; ++r) s.start[r] = s.entry + piece.start[r];
  if (s.entries == 0) return;
  if (s.full == 0) {
    fetch_pages(s.index, s.entries * (s.wide ? sizeof(std::uint32_t) : sizeof(std::uint16_t)));
    s.wide ? copy_columns<std::uint32_t>(piece.index, s.index)
           : copy_columns<std::uint16_t>(piece.index, s.index);
  }
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          fetch_pages(s.value, values.size_bytes());
          std::memcpy(s.value, values.data(), values.size_bytes());
        }
      },
      piece.value);
}

// Smallest storage that keeps the values of every segment.
RowStore::Common RowStore::common() const {
  ValueKind widest = ValueKind::Ones;
  int most = 0;
  for (const Segment& s : segments_) {
    if (s.entries == 0) continue;
    widest = std::max(widest, s.kind);
    most = std::max(most, s.decimals);
  }
  return widest == ValueKind::Decimal ? common_decimal(most) : Common{widest, 0};
}

RowStore::Common RowStore::common_decimal(int most) const {
  // Floats next to decimals may need more decimals than those have.
  for (const Segment& s : segments_) {
    if (s.kind != ValueKind::Float) continue;
    for (std::uint64_t k = 0; k < s.entries; ++k) {
      const double x = as_double(static_cast<const std::uint32_t*>(s.value)[k], s);
      std::int32_t digits = 0;
      while (!as_decimal(x, most, digits))
        if (++most > max_decimals) return {ValueKind::Double, 0};
    }
  }
  const auto power = [](int p) { return power10[static_cast<std::size_t>(p)]; };
  for (const Segment& s : segments_) {
    if (s.entries == 0) continue;
    double largest = power(most);  // of ones
    if (s.kind == ValueKind::Decimal) largest = static_cast<double>(s.max_digits) * power(most - s.decimals);
    if (s.kind == ValueKind::Float) {
      for (std::uint64_t k = 0; k < s.entries; ++k) {
        const double x = as_double(static_cast<const std::uint32_t*>(s.value)[k], s);
        largest = std::max(largest, std::abs(x) * power(most));
      }
    }
    if (largest > digits_limit) return {ValueKind::Double, 0};
  }
  return {ValueKind::Decimal, most};
}

// The numbers that full segments do without, for a set that needs them.
void RowStore::write_columns(const Threads& threads) {
  for (Segment& s : segments_) {
    if (s.full == 0) continue;
    s.index = s.wide ? static_cast<void*>(arrays_->at(arrays_->wide, s.entry, s.entries))
                     : arrays_->at(arrays_->narrow, s.entry, s.entries);
  }
  threads.run(segments_.size(), [&](std::size_t t) {
    const Segment& s = segments_[t];
    if (s.full == 0) return;
    s.wide ? write_full_columns(s, static_cast<std::uint32_t*>(s.index))
           : write_full_columns(s, static_cast<std::uint16_t*>(s.index));
  });
}

// Whatever has too many columns for 16 bits has 32 in all segments.
void RowStore::widen(const Threads& threads) {
  static_cast<void>(arrays_->at(arrays_->wide, 0, entries_));
  threads.run(segments_.size(), [&](std::size_t t) {
    const Segment& s = segments_[t];
    if (s.wide || s.entries == 0) return;
    std::copy_n(static_cast<const std::uint16_t*>(s.index), s.entries, arrays_->wide.get() + s.entry);
    arrays_->narrow.drop(s.entry, s.entry + s.entries);
  });
  arrays_->narrow = {};
}

void RowStore::convert_values(const Common& to, const Threads& threads) {
  if (to.kind == ValueKind::Ones || entries_ == 0) return;
  const bool eight = to.kind == ValueKind::Double;
  static_cast<void>(eight ? static_cast<void*>(arrays_->at(arrays_->value8, 0, entries_))
                          : arrays_->at(arrays_->value4, 0, entries_));
  threads.run(segments_.size(), [&](std::size_t t) {
    const Segment& s = segments_[t];
    if (s.entries == 0 || (s.kind == to.kind && s.decimals == to.decimals)) return;
    const auto* const from = static_cast<const std::uint32_t*>(s.value);
    if (eight) {
      double* const out = arrays_->value8.get() + s.entry;
      fetch_pages(out, s.entries * sizeof(double));
      for (std::uint64_t k = 0; k < s.entries; ++k) out[k] = as_double(from == nullptr ? 0 : from[k], s);
      if (from != nullptr) arrays_->value4.drop(s.entry, s.entry + s.entries);
      return;
    }
    std::uint32_t* const out = arrays_->value4.get() + s.entry;
    if (s.kind == ValueKind::Decimal) {
      const auto factor =
          static_cast<std::uint32_t>(power10[static_cast<std::size_t>(to.decimals - s.decimals)]);
      for (std::uint64_t k = 0; k < s.entries; ++k) out[k] *= factor;
    } else if (s.kind == ValueKind::Ones) {
      std::fill_n(out, s.entries,
                  to.kind == ValueKind::Float
                      ? std::bit_cast<std::uint32_t>(1.0F)
                      : static_cast<std::uint32_t>(power10[static_cast<std::size_t>(to.decimals)]));
    } else {
      for (std::uint64_t k = 0; k < s.entries; ++k)
        out[k] = static_cast<std::uint32_t>(decimal_digits(as_double(out[k], s), to.decimals));
    }
  });
  if (eight) arrays_->value4 = {};
}

template <class V, class Index>
StoredMatrix RowStore::finish_sparse(const Index* index, std::size_t cols, int decimals) {
  CsrView<V, Index> view{.rows = rows_, .cols = cols, .start = arrays_->start.get(), .index = index};
  if constexpr (std::is_same_v<V, double>) view.value = arrays_->value8.get();
  if constexpr (sizeof(V) == 4) view.value = reinterpret_cast<const V*>(arrays_->value4.get());
  view.divisor = power10[static_cast<std::size_t>(decimals)];
  return {view, arrays_};
}

template <class V, class Index>
StoredMatrix RowStore::finish_dense(const Index* index, std::size_t cols, int decimals,
                                    const Threads& threads) {
  const std::size_t size = rows_ * cols;
  const std::size_t words = (size * sizeof(V) + 7) / 8;
  arrays_->dense = Pages<std::uint64_t>(words, arrays_->spill, words);
  V* const dense = reinterpret_cast<V*>(arrays_->dense.get());
  const CsrView<V, Index> from = std::get<CsrView<V, Index>>(finish_sparse<V>(index, cols, decimals).matrix);
  // Rows are given back as soon as they are copied, so that the set is not there twice.
  for_blocks(threads, rows_, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = from.row(i);
      for (std::size_t k = 0; k < row.size; ++k) dense[i * cols + row.index[k]] = row.value[k];
    }
    arrays_->narrow.drop(from.start[begin], from.start[end]);
    arrays_->wide.drop(from.start[begin], from.start[end]);
    arrays_->value4.drop(from.start[begin], from.start[end]);
    arrays_->value8.drop(from.start[begin], from.start[end]);
  });
  arrays_->start = {};
  arrays_->narrow = {};
  arrays_->wide = {};
  arrays_->value4 = {};
  arrays_->value8 = {};
  return {DenseView<V>{rows_, cols, dense, from.divisor}, arrays_};
}

// Values row after row without a gap: they are a dense set where they lie.
template <class V>
StoredMatrix RowStore::finish_full(std::size_t cols, int decimals) {
  DenseView<V> view{.rows = rows_, .cols = cols};
  if constexpr (sizeof(V) == 8) view.value = arrays_->value8.get();
  if constexpr (sizeof(V) == 4) view.value = reinterpret_cast<const V*>(arrays_->value4.get());
  view.divisor = power10[static_cast<std::size_t>(decimals)];
  arrays_->start = {};
  return {view, arrays_};
}

template <class V>
StoredMatrix RowStore::finish_as(std::size_t cols, int decimals, bool full, const Threads& threads) {
  const bool wide = cols > narrow_columns;
  if constexpr (!std::is_empty_v<V>) {
    if (full) return finish_full<V>(cols, decimals);
  }
  const auto finish_with = [&](const auto* index) -> StoredMatrix {
    if constexpr (!std::is_empty_v<V>) {
      if (dense_is_smaller(rows_, cols, entries_, sizeof(V)))
        return finish_dense<V>(index, cols, decimals, threads);
    }
    return finish_sparse<V>(index, cols, decimals);
  };
  return wide ? finish_with(arrays_->wide.get()) : finish_with(arrays_->narrow.get());
}

StoredMatrix RowStore::finish(std::size_t cols, const Threads& threads) {
  arrays_->start.ensure(rows_ + 1);
  arrays_->start[rows_] = entries_;
  arrays_->start.shrink(rows_ + 1);
  const Common to = common();
  const auto is_full = [&](const Segment& s) { return s.full == cols || s.rows == 0; };
  const bool full =
      entries_ > 0 && to.kind != ValueKind::Ones && std::all_of(segments_.begin(), segments_.end(), is_full);
  if (!full) write_columns(threads);
  if (!full && cols > narrow_columns && entries_ > 0) widen(threads);
  convert_values(to, threads);
  arrays_->narrow.shrink(entries_);
  arrays_->wide.shrink(entries_);
  arrays_->value4.shrink(entries_);
  arrays_->value8.shrink(entries_);
  segments_.clear();
  switch (to.kind) {
    case ValueKind::Ones: return finish_as<One>(cols, 0, full, threads);
    case ValueKind::Float: return finish_as<float>(cols, 0, full, threads);
    case ValueKind::Decimal: return finish_as<Decimal>(cols, to.decimals, full, threads);
    case ValueKind::Double: break;
  }
  return finish_as<double>(cols, 0, full, threads);
}

}  // namespace halfspace
