// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/row_access.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/relief.hpp"
#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "data/storage/row_products.hpp"

namespace halfspace {
namespace {

template <class View>
std::unique_ptr<RowAccess> select_columns(const View& view, std::span<const std::uint32_t> rows,
                                          std::span<const std::uint32_t> place, std::size_t columns,
                                          const Threads& threads);

template <class View>
class Access : public RowAccess {
 public:
  explicit Access(const View& view) : view_(view) {}

  [[nodiscard]] std::size_t rows() const override { return view_.rows; }
  [[nodiscard]] std::size_t cols() const override { return view_.cols; }
  [[nodiscard]] bool sparse() const override { return is_sparse<View>; }
  [[nodiscard]] std::size_t entries(std::size_t i) const override { return view_.row(i).size; }
  [[nodiscard]] double dot(std::size_t i, const double* w) const override {
    return halfspace::dot(row_of(i), w);
  }
  void axpy(double a, std::size_t i, double* w) const override { halfspace::axpy(a, row_of(i), w); }
  [[nodiscard]] double norm2(std::size_t i) const override { return halfspace::norm2(row_of(i)); }

  void prefetch(std::size_t i) const override { touch_row(i); }
  std::size_t scan(std::span<const std::uint32_t> order, const PlaneScan& scan,
                   double& score) const override {
    return scan_rows(order, scan, score, [&](std::size_t i) { return halfspace::dot(row_of(i), scan.w); });
  }
  void dot_planes(std::size_t i, const double* w, std::size_t planes, double* out) const override {
    dot_rows_planes(view_, i, i + 1, w, planes, out);
  }
  void axpy_plane(double a, std::size_t i, double* w, std::size_t planes) const override {
    for_entries(row_of(i), [&](std::uint32_t j, double x) { w[j * planes] += a * x; });
  }

  void dots(std::span<const std::uint32_t> chosen, const double* w, double* out) const override {
    const bool counts = counts_pages();
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (counts) [[unlikely]]
        count_pages(view_, chosen[k]);
      if (k + 4 < chosen.size()) prefetch(chosen[k + 4]);
      out[k] = halfspace::dot(view_.row(chosen[k]), w);
    }
  }
  void axpys(std::span<const std::uint32_t> chosen, const double* a, double* w) const override {
    const bool counts = counts_pages();
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (counts) [[unlikely]]
        count_pages(view_, chosen[k]);
      if (k + 4 < chosen.size()) prefetch(chosen[k + 4]);
      if (a[k] != 0) halfspace::axpy(a[k], view_.row(chosen[k]), w);
    }
  }
  void dots(std::size_t begin, std::size_t end, const double* w, double* out) const override {
    dot_rows(view_, begin, end, w, out);
  }
  void axpys(std::size_t begin, std::size_t end, const double* a, double* w) const override {
    const bool counts = counts_pages();
    for (std::size_t i = begin; i < end; ++i) {
      if (counts) [[unlikely]]
        count_pages(view_, i);
      if (a[i - begin] != 0) halfspace::axpy(a[i - begin], view_.row(i), w);
    }
  }

  std::size_t copy_entries(std::size_t i, std::uint32_t* index, double* value) const override {
    std::size_t count = 0;
    for_entries(row_of(i), [&](std::uint32_t j, double x) {
      index[count] = j;
      value[count++] = x;
    });
    return count;
  }

  void expand(std::size_t i, double a, double* out) const override { expand_as(i, a, out); }
  void expand(std::size_t i, float a, float* out) const override { expand_as(i, a, out); }
  void add_squares(double a, std::size_t i, double* w) const override {
    for_entries(row_of(i), [&](std::uint32_t j, double x) { w[j] += a * x * x; });
  }
  void add_sides(double a, std::size_t i, double* w) const override {
    for_entries(row_of(i), [&](std::uint32_t j, double x) {
      const double size = a * x;
      w[2 * j + (size < 0 ? 1 : 0)] += std::abs(size);
    });
  }
  [[nodiscard]] std::unique_ptr<RowAccess> select(std::span<const std::uint32_t> chosen,
                                                  std::span<const std::uint32_t> place, std::size_t columns,
                                                  const Threads& threads) const override {
    return select_columns(view_, chosen, place, columns, threads);
  }

 protected:
  template <class Dot>
  std::size_t scan_rows(std::span<const std::uint32_t> order, const PlaneScan& scan, double& score,
                        const Dot& product) const {
    constexpr std::size_t ahead = 8;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::uint32_t i = order[k];
      if (k + ahead < order.size()) touch_row(order[k + ahead]);
      score = product(i) + scan.offset;
      const double margin = scan.labels[i] == scan.positive ? score : -score;
      if (!(margin > scan.above)) return k;
    }
    return order.size();
  }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] auto row_of(std::size_t i) const {
    count_row(view_, i);
    return view_.row(i);
  }

  // Inlined by force: a function that only prefetches has no effect that the compiler knows of, and calls to
  // it go.
  [[gnu::always_inline]] void touch_row(std::size_t i) const {
    const auto row = view_.row(i);
    if constexpr (is_sparse<View>)
      touch(row.index, std::min<std::size_t>(row.size * sizeof(*row.index), 1024));
    if constexpr (!std::is_empty_v<typename View::Value>)
      touch(row.value, std::min<std::size_t>(row.size * sizeof(*row.value), 1024));
  }

 private:
  [[gnu::always_inline]] static void touch(const void* from, std::size_t bytes) {
    const char* p = static_cast<const char*>(from);
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + at);
  }
  template <class T>
  void expand_as(std::size_t i, T a, T* out) const {
    if constexpr (is_sparse<View>) std::fill(out, out + view_.cols, T{0});
    const auto row = row_of(i);
    if constexpr (is_sparse<View>) {
      for_entries(row, [&](std::uint32_t j, double x) { out[j] = a * static_cast<T>(x); });
    } else {
      for (std::size_t j = 0; j < row.size; ++j)
        out[j] = a * static_cast<T>(decode(row.value[j], row.divisor));
    }
  }

  View view_;
};

// Rows with arrays of their own. The arrays are as the system gave them until they are written.
template <class V, class I>
struct SparseArrays {
  SparseArrays(std::size_t rows, std::size_t columns) : start(rows + 1, 0), cols(columns) {}
  void make_room() {
    index = std::make_unique_for_overwrite<I[]>(start.back());
    if constexpr (!std::is_empty_v<V>) value = std::make_unique_for_overwrite<V[]>(start.back());
  }
  [[nodiscard]] CsrView<V, I> view() const {
    return {start.size() - 1, cols, start.data(), index.get(), value.get(), divisor};
  }
  std::vector<std::uint64_t> start;
  std::unique_ptr<I[]> index;
  std::unique_ptr<V[]> value;
  std::size_t cols;
  double divisor = 1;
};
template <class V>
struct DenseArrays {
  [[nodiscard]] DenseView<V> view() const { return {rows, cols, value.get(), divisor}; }
  std::size_t rows, cols;
  std::unique_ptr<V[]> value;
  double divisor = 1;
};
template <class Arrays>
class Owner final : private Arrays, public Access<decltype(std::declval<Arrays>().view())> {
 public:
  explicit Owner(Arrays arrays)
      : Arrays(std::move(arrays)), Access<decltype(std::declval<Arrays>().view())>(Arrays::view()) {}
};

// I: of the copies' indices.
template <class I, class View>
std::unique_ptr<RowAccess> select_entries(const View& view, std::span<const std::uint32_t> rows,
                                          std::span<const std::uint32_t> place, std::size_t columns,
                                          const Threads& threads) {
  using V = typename View::Value;
  SparseArrays<V, I> out(rows.size(), columns);
  out.divisor = view.divisor;
  for_blocks(threads, rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      count_row(view, rows[k]);
      const auto row = view.row(rows[k]);
      std::uint64_t count = 0;
      for (std::size_t e = 0; e < row.size; ++e) count += place[row.index[e]] != RowAccess::no_column ? 1 : 0;
      out.start[k + 1] = count;
    }
  });
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  out.make_room();
  for_blocks(threads, rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<I> index;
    std::vector<V> value;
    for (std::size_t k = begin; k < end; ++k) {
      count_row(view, rows[k]);
      const auto row = view.row(rows[k]);
      index.resize(std::max<std::size_t>(index.size(), row.size));
      if constexpr (!std::is_empty_v<V>) value.resize(index.size());
      // What is not kept is written over by the next entry: there is nothing to guess.
      std::size_t kept = 0;
      for (std::size_t e = 0; e < row.size; ++e) {
        const std::uint32_t to = place[row.index[e]];
        index[kept] = static_cast<I>(to);
        if constexpr (!std::is_empty_v<V>) value[kept] = row.value[e];
        kept += to != RowAccess::no_column ? 1 : 0;
      }
      std::copy_n(index.begin(), kept, out.index.get() + out.start[k]);
      if constexpr (!std::is_empty_v<V>) std::copy_n(value.begin(), kept, out.value.get() + out.start[k]);
    }
  });
  return std::make_unique<Owner<SparseArrays<V, I>>>(std::move(out));
}

template <class View>
std::unique_ptr<RowAccess> select_columns(const View& view, std::span<const std::uint32_t> rows,
                                          std::span<const std::uint32_t> place, std::size_t columns,
                                          const Threads& threads) {
  using V = typename View::Value;
  if constexpr (is_sparse<View>) {
    return columns <= std::size_t{1} << 16U
               ? select_entries<std::uint16_t>(view, rows, place, columns, threads)
               : select_entries<std::uint32_t>(view, rows, place, columns, threads);
  } else {
    std::vector<std::uint32_t> from;
    for (std::uint32_t j = 0; j < place.size(); ++j)
      if (place[j] != RowAccess::no_column) from.push_back(j);
    DenseArrays<V> out{rows.size(), columns, std::make_unique_for_overwrite<V[]>(rows.size() * columns),
                       view.divisor};
    for_blocks(threads, rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        count_row(view, rows[k]);
        const auto row = view.row(rows[k]);
        V* const to = out.value.get() + k * columns;
        for (std::size_t c = 0; c < columns; ++c) to[c] = row.value[from[c]];
      }
    });
    return std::make_unique<Owner<DenseArrays<V>>>(std::move(out));
  }
}

// Entries 0, ..., length - 1 hold all that is not zero, the last of them is not zero.
bool is_full(std::size_t entries, std::size_t length) { return 3 * entries > 2 * length; }

std::vector<double>& buffer_of(std::size_t size) {
  thread_local std::vector<double> buffer;
  if (buffer.size() < size) buffer.resize(size);
  return buffer;
}

template <class View>
class ByRow final : public Access<View> {
 public:
  explicit ByRow(const View& view) : Access<View>(view) {
    if constexpr (!is_sparse<View>) {
      length_.resize(view.rows);
      for (std::size_t i = 0; i < view.rows; ++i) length_[i] = measure(view.row(i));
    }
  }
  [[nodiscard]] double dot(std::size_t i, const double* w) const override { return product(i, w); }
  [[nodiscard]] double norm2(std::size_t i) const override {
    const auto row = this->row_of(i);
    return in_order(
        i, [&](const auto& plain) { return halfspace::norm2(plain); }, row);
  }
  std::size_t scan(std::span<const std::uint32_t> order, const PlaneScan& scan,
                   double& score) const override {
    return this->scan_rows(order, scan, score, [&](std::size_t i) { return product(i, scan.w); });
  }

 private:
  using Value = typename View::Value;

  [[nodiscard]] double product(std::size_t i, const double* w) const {
    return in_order(
        i, [&](const auto& row) { return halfspace::dot(row, w); }, this->row_of(i));
  }

  // f(row in the layout that its entries ask for)
  template <class F, class I>
  double in_order(std::size_t, const F& f, const SparseRow<Value, I>& row) const {
    const std::size_t length = row.size == 0 ? 0 : std::size_t{row.index[row.size - 1]} + 1;
    if (!is_full(row.size, length)) return f(row);
    std::vector<double>& buffer = buffer_of(length);
    std::fill_n(buffer.begin(), length, 0.0);
    for_entries(row, [&](std::uint32_t j, double x) { buffer[j] = x; });
    return f(DenseRow<double>{buffer.data(), length, 1});
  }
  template <class F>
  double in_order(std::size_t i, const F& f, const DenseRow<Value>& row) const {
    if (length_[i] != thin) return f(DenseRow<Value>{row.value, length_[i], row.divisor});
    std::vector<double>& buffer = buffer_of(row.size);
    thread_local std::vector<std::uint32_t> index;
    index.clear();
    for_entries(row, [&](std::uint32_t j, double x) {
      buffer[index.size()] = x;
      index.push_back(j);
    });
    return f(SparseRow<double>{index.data(), buffer.data(), index.size(), 1});
  }

  static std::uint32_t measure(const DenseRow<Value>& row) {
    std::size_t entries = 0, length = row.size;
    while (length > 0 && decode(row.value[length - 1], 1) == 0) --length;
    for (std::size_t j = 0; j < length; ++j) entries += decode(row.value[j], 1) != 0 ? 1 : 0;
    return is_full(entries, length) ? static_cast<std::uint32_t>(length) : thin;
  }

  static constexpr std::uint32_t thin = UINT32_MAX;
  std::vector<std::uint32_t> length_;  // of dense storage: the places to sum over; thin: entry by entry
};

}  // namespace

std::unique_ptr<RowAccess> RowAccess::by_row(const Matrix& matrix) {
  return std::visit(
      [](const auto& view) -> std::unique_ptr<RowAccess> {
        return std::make_unique<ByRow<std::decay_t<decltype(view)>>>(view);
      },
      matrix);
}

std::unique_ptr<RowAccess> RowAccess::of(const Matrix& matrix) {
  return std::visit(
      [](const auto& view) -> std::unique_ptr<RowAccess> {
        return std::make_unique<Access<std::decay_t<decltype(view)>>>(view);
      },
      matrix);
}

void row_products(const RowAccess& rows, const double* w, double* out, const Threads& threads) {
  for_blocks(threads, rows.rows(), row_block,
             [&](std::size_t begin, std::size_t end) { rows.dots(begin, end, w, out + begin); });
}

void add_row_sum(const RowAccess& rows, const double* a, double* out, const Team& team, const Stretch& all) {
  const std::size_t d = rows.cols(), slices = slices_of(all.total, d);
  const auto add = [&](std::size_t begin, std::size_t end, double* to) {
    rows.axpys(begin, end, a + begin, to);
  };
  std::vector<std::vector<double>> part;
  if (slices == 1) return add_slices(team, all, slices, d, out, part, add);
  slice_sums(team, all, slices, d, part, add);
  add_parts(team.threads(), part, d, out);
}

}  // namespace halfspace
