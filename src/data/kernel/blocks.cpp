// SPDX-License-Identifier: BSD-3-Clause
// Blocks and sums of kernel values, panel after panel of the right rows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/kernel/rows.hpp"

namespace halfspace {

// Working memory of a thread for panels that are filled when they are met. A column that does not occur in
// the panel has place 0, which holds zeros.
template <class T>
struct PanelScratch {
  std::vector<std::uint32_t> place;
  AlignedVector<T> panel;
  std::vector<std::uint32_t> used;
};

template <class T>
class TileWalk {
 public:
  TileWalk(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right)
      : kernel_(kernel), left_(left), right_(right), operations_(detail::tiles().template of<T>()) {
    if (right.form_ == RowForm::Ones) fill_table();
  }

  // sink(first left row, rows, first right row, tile) for every tile, by panels.
  template <class Sink>
  void run(const Threads& threads, const Sink& sink) {
    const std::size_t groups = (left_.size() + detail::tile_rows - 1) / detail::tile_rows;
    // A task that takes less than about 50 microseconds is not worth waking a thread for.
    const double panel_work = static_cast<double>(left_.size() * right_.width_) * (right_.cost() + 16) + 1;
    const auto least = static_cast<std::size_t>(1.2e6 / panel_work) + 1;
    const std::size_t chunk =
        std::max(least, std::clamp<std::size_t>(2048 / std::max<std::size_t>(1, groups), 1,
                                                std::max<std::size_t>(1, right_.panels() / 16)));
    if (right_.form_ == RowForm::Ones) {
      for_blocks(threads, (right_.panels() + 1) / 2, (chunk + 1) / 2,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t p = begin; p < end; ++p) {
                     threads.check();
                     two_panels_of_ones(2 * p, groups, sink);
                   }
                 });
      return;
    }
    for_blocks(threads, right_.panels(), chunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        threads.check();
        one_panel(p, groups, sink);
      }
    });
  }

  // Of a set against itself, whose values are the same on both sides of the diagonal: the tiles of a panel with the rows up
  // to its own. sink(part, first left row, rows, first right row, tile); panels of one part come one after the other.
  template <class Sink>
  void run_own(const Threads& threads, std::size_t per_part, const Sink& sink) {
    const std::size_t panels = right_.panels(), width = right_.width_;
    for_blocks(threads, panels, per_part, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        threads.check();
        const std::size_t p = panels - 1 - k;  // the longest first
        const std::size_t rows = std::min(left_.size(), (p + 1) * width);
        one_panel(p, (rows + detail::tile_rows - 1) / detail::tile_rows,
                  [&](std::size_t first, std::size_t count, std::size_t column, const T* tile) {
                    sink(begin / per_part, first, count, column, tile);
                  });
      }
    });
  }

 private:
  // The values of all numbers of ones, by the very function that is applied to tiles.
  void fill_table() {
    table_.by_distance = kernel_.kind == KernelKind::Rbf;
    const std::size_t width = right_.width_;
    alignas(64) T tile[detail::widest_panel];
    alignas(64) T count[detail::widest_panel];
    const T none = 0;
    for (std::size_t first = 0; first < detail::ones_values; first += width) {
      for (std::size_t c = 0; c < width; ++c) {
        count[c] = table_.by_distance ? static_cast<T>(first + c) : T{0};
        tile[c] = table_.by_distance ? T{0} : static_cast<T>(first + c);
      }
      operations_.apply(kernel_, &none, 1, count, tile);
      std::copy(tile, tile + width, table_.value + first);
    }
    if (!table_.by_distance || sizeof(T) != sizeof(float) || operations_.lanes < 4) return;
    double unit = 1;
    const std::size_t most = left_.rows_->longest() + right_.longest();
    for (table_.digits = 0; unit <= static_cast<double>(most); ++table_.digits) {
      for (std::size_t v = 0; v < operations_.lanes; ++v)
        table_.factor[table_.digits * operations_.lanes + v] =
            static_cast<T>(std::exp(-std::min(87.0, kernel_.gamma * unit * static_cast<double>(v))));
      unit *= static_cast<double>(operations_.lanes);
    }
  }

  static PanelScratch<T>& scratch() {
    static thread_local PanelScratch<T> own;
    return own;
  }

  template <class Sink>
  void one_panel(std::size_t p, std::size_t groups, const Sink& sink) {
    const std::size_t width = right_.width_;
    alignas(64) T tile[detail::tile_rows * detail::widest_panel];
    const bool filled = right_.form_ == RowForm::Sparse && right_.panel_.empty();
    if (filled) fill(p);
    if (right_.form_ == RowForm::Multiples)
      prefetch(right_.pairs_.data() + p * ((right_.features_ + 1) / 2) * width);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t first = g * detail::tile_rows;
      const std::size_t rows = std::min(detail::tile_rows, left_.size() - first);
      products(p, first, rows, filled, tile);
      operations_.apply(kernel_, left_.length2_.data() + first, rows, right_.length2_.data() + p * width,
                        tile);
      sink(first, rows, p * width, static_cast<const T*>(tile));
    }
    if (filled) clear();
  }

  template <class Sink>
  void two_panels_of_ones(std::size_t p, std::size_t groups, const Sink& sink) {
    const std::size_t width = right_.width_;
    alignas(64) T tiles[2 * detail::tile_rows * detail::widest_panel];
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t first = g * detail::tile_rows;
      const std::size_t rows = std::min(detail::tile_rows, left_.size() - first);
      operations_.ones(left_.entries_.data() + first, rows,
                       right_.ones_.data() + p * right_.features_ * width,
                       right_.ones_length_.data() + p * width, table_, tiles);
      sink(first, rows, p * width, static_cast<const T*>(tiles));
      if (p + 1 < right_.panels())
        sink(first, rows, (p + 1) * width, static_cast<const T*>(tiles) + detail::tile_rows * width);
    }
  }

  // Columns of the panel will be asked for in no order that the processor foresees.
  void prefetch(const std::uint32_t* panel) const {
    const auto* const at = reinterpret_cast<const char*>(panel);
    const std::size_t bytes = (right_.features_ + 1) / 2 * right_.width_ * sizeof(std::uint32_t);
    for (std::size_t b = 0; b < bytes; b += 64) __builtin_prefetch(at + b);
  }

  void products(std::size_t p, std::size_t first, std::size_t rows, bool filled, T* tile) const {
    const std::size_t width = right_.width_;
    const std::size_t columns = right_.features_;
    // Sparse rows have no panels.
    const T* const panel = right_.panel_.empty() ? nullptr : right_.panel_.data() + p * columns * width;
    switch (right_.form_) {
      case RowForm::Dense:
        operations_.dense(left_.packed_.data() + first * columns, panel, columns, tile);
        break;
      case RowForm::Differences:
        operations_.differences(left_.packed_.data() + first * columns, panel, columns, tile);
        break;
      case RowForm::Sparse:
        if (filled) {
          const PanelScratch<T>& own = scratch();
          operations_.sparse(left_.entries_.data() + first, rows, own.place.data(), own.panel.data(), tile);
        } else {
          operations_.sparse(left_.entries_.data() + first, rows, nullptr, panel, tile);
        }
        break;
      case RowForm::Multiples:
        operations_.multiples(left_.pairs_.data() + first, rows,
                              right_.pairs_.data() + p * ((columns + 1) / 2) * width,
                              static_cast<T>(right_.unit_ * right_.unit_), tile);
        break;
      case RowForm::Ones: break;
      case RowForm::Given:
        for (std::size_t r = 0; r < rows; ++r) {
          const T* const row =
              left_.rows_->panel_.data() + std::size_t{left_.which_[first + r]} * right_.padded() + p * width;
          std::copy(row, row + width, tile + r * width);
        }
        break;
    }
  }

  void fill(std::size_t p) const {
    PanelScratch<T>& own = scratch();
    const std::size_t width = right_.width_;
    if (own.place.size() < right_.features_) own.place.resize(right_.features_, 0);
    own.used.clear();
    own.panel.assign(width, T{0});
    const std::size_t last = std::min(right_.size_, (p + 1) * width);
    for (std::size_t i = p * width; i < last; ++i) {
      for (std::uint64_t at = right_.start_[i]; at < right_.start_[i + 1]; ++at) {
        std::uint32_t& place = own.place[right_.index_[at]];
        if (place == 0) {
          own.used.push_back(right_.index_[at]);
          place = static_cast<std::uint32_t>(own.used.size());
          own.panel.resize(own.panel.size() + width, T{0});
        }
        own.panel[place * width + (i - p * width)] = right_.value_[at];
      }
    }
  }
  static void clear() {
    PanelScratch<T>& own = scratch();
    for (const std::uint32_t j : own.used) own.place[j] = 0;
  }

  const KernelFunction& kernel_;
  const LeftRows<T>& left_;
  const KernelRows<T>& right_;
  const detail::TileOperations<T>& operations_;
  detail::OnesTable<T> table_;
};

template <class T>
void kernel_block(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right, T* out,
                  std::size_t stride, const Threads& threads) {
  const std::size_t width = detail::tiles().width;
  TileWalk<T>(kernel, left, right)
      .run(threads, [&](std::size_t first, std::size_t rows, std::size_t column, const T* tile) {
        for (std::size_t r = 0; r < rows; ++r)
          std::copy(tile + r * width, tile + (r + 1) * width, out + (first + r) * stride + column);
      });
}

template <class T>
void kernel_row(const KernelFunction& kernel, const KernelRows<T>& rows, std::uint32_t row, T* out) {
  if (rows.form_ != RowForm::Dense) {
    kernel_block(kernel, LeftRows<T>(rows, {&row, 1}), rows, out, rows.padded(), Threads(1));
    return;
  }
  const auto& operations = detail::tiles().of<T>();
  const T* const left =
      rows.panel_.data() + row / rows.width_ * rows.features_ * rows.width_ + row % rows.width_;
  operations.dense_row(left, rows.width_, rows.panel_.data(), rows.features_, rows.panels(), out);
  operations.apply_row(kernel, rows.length2_[row], rows.panels(), rows.length2_.data(), out);
}

template <class T>
LeftWeights<T>::LeftWeights(std::span<const double> weights, std::size_t planes) {
  constexpr std::size_t group = detail::tile_rows;
  const std::size_t rows = weights.size() / std::max<std::size_t>(1, planes);
  start_.push_back(0);
  for (std::size_t begin = 0; begin < rows; begin += group) {
    for (std::size_t p = 0; p < planes; ++p) {
      Part part{static_cast<std::uint32_t>(p), {}};
      bool any = false;
      for (std::size_t r = begin; r < std::min(rows, begin + group); ++r) {
        part.weight[r - begin] = static_cast<T>(weights[p * rows + r]);
        any = any || part.weight[r - begin] != 0;
      }
      if (any) parts_.push_back(part);
    }
    start_.push_back(parts_.size());
  }
}

template <class T>
LeftWeights<T>::LeftWeights(std::size_t rows, std::span<const std::uint64_t> first,
                            std::span<const std::uint32_t> row, std::span<const double> weight) {
  constexpr std::size_t group = detail::tile_rows;
  struct Entry {
    std::uint32_t plane, row;
    T weight;
  };
  std::vector<Entry> entries;
  entries.reserve(row.size());
  for (std::size_t p = 0; p + 1 < first.size(); ++p)
    for (std::uint64_t at = first[p]; at < first[p + 1]; ++at)
      entries.push_back({static_cast<std::uint32_t>(p), row[at], static_cast<T>(weight[at])});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row / group < b.row / group; });
  auto at = entries.begin();
  start_.push_back(0);
  for (std::size_t tile = 0; tile * group < rows; ++tile) {
    for (; at != entries.end() && at->row / group == tile; ++at) {
      if (parts_.size() == start_.back() || parts_.back().plane != at->plane)
        parts_.push_back({at->plane, {}});
      parts_.back().weight[at->row % group] += at->weight;
    }
    start_.push_back(parts_.size());
  }
}

template <class T>
void add_kernel_sums(const KernelFunction& kernel, const LeftRows<T>& left, const KernelRows<T>& right,
                     const LeftWeights<T>& weights, double* sums, const Threads& threads) {
  const auto& operations = detail::tiles().of<T>();
  TileWalk<T>(kernel, left, right)
      .run(threads, [&](std::size_t first, std::size_t rows, std::size_t column, const T* tile) {
        for (const auto& part : weights.parts(first / detail::tile_rows))
          operations.add(tile, rows, part.weight, sums + part.plane * right.padded() + column);
      });
}

void add_own_sums(const KernelFunction& kernel, const KernelRows<double>& rows,
                  std::span<const double> weights, double* sums, const Threads& threads) {
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  const LeftRows<double> left(rows, all);
  constexpr std::size_t most_parts = 32;
  const std::size_t per_part = std::max<std::size_t>(1, (rows.panels() + most_parts - 1) / most_parts);
  // Rows of ones come two panels at a time, given values are only looked up.
  if (rows.form() == RowForm::Ones || rows.form() == RowForm::Given || rows.panels() < 2) {
    return add_kernel_sums(kernel, left, rows, LeftWeights<double>(weights), sums, threads);
  }
  const auto& operations = detail::tiles().of<double>();
  const std::size_t width = detail::tiles().width, padded = rows.padded();
  std::vector<double> weight(padded, 0.0);
  std::copy(weights.begin(), weights.end(), weight.begin());
  // What tiles beside the diagonal add to the sums of their left rows, part by part.
  std::vector<double> mirrored((rows.panels() + per_part - 1) / per_part * padded, 0.0);
  TileWalk<double>(kernel, left, rows)
      .run_own(threads, per_part,
               [&](std::size_t part, std::size_t first, std::size_t count, std::size_t column,
                   const double* tile) {
                 double of_row[detail::tile_rows];
                 const std::size_t mine = std::min(count, column + width - std::min(first, column + width));
                 std::copy_n(weight.data() + first, mine, of_row);
                 if (mine > 0) operations.add(tile, mine, of_row, sums + column);
                 const std::size_t before = std::min(count, column - std::min(first, column));
                 if (before > 0)
                   operations.add_rows(tile, before, weight.data() + column,
                                       mirrored.data() + part * padded + first);
               });
  for (std::size_t at = 0; at < mirrored.size(); at += padded)
    for (std::size_t i = 0; i < padded; ++i) sums[i] += mirrored[at + i];
}

template <class T>
double sum_error(const KernelFunction& kernel, const LeftScale& left, double length) {
  constexpr bool single = sizeof(T) == sizeof(float);
  constexpr double unit = single ? 0x1.0p-24 : 0x1.0p-53;
  constexpr double shortest = single ? 1e-10 : 0;  // products below 1e-20 may vanish in float
  const double a = std::max(left.length, shortest), b = std::max(length, shortest);
  // Rounding of the numbers themselves and of what follows the sum is in the eight.
  const std::size_t terms = left.form == RowForm::Sparse
                                ? left.entries / detail::sparse_chains + detail::sparse_chains
                                : left.entries;
  const double product = 2 * static_cast<double>(terms + 8) * unit;
  double value = 0;
  switch (left.form) {
    case RowForm::Dense:
    case RowForm::Sparse: value = kernel.value_error(product, a, b, unit); break;
    case RowForm::Multiples: {
      // Products are exact but for the deviations d of the rows: off by at most d (a + b + d), squared distances by at
      // most four times that.
      const double apart = left.deviation * (a + b + left.deviation);
      const double error = kernel.kind == KernelKind::Rbf ? 4 * apart / ((a + b) * (a + b)) : apart / (a * b);
      value = kernel.value_error(24 * unit + error, a, b, unit);
      break;
    }
    case RowForm::Differences: value = product + 16 * unit; break;  // t exp(-t) <= 1/e
    case RowForm::Ones: value = kernel.value_error(0, a, b, unit); break;
    case RowForm::Given: break;
  }
  // Weights are rounded to T, six values are added in T, and the sums of six in double.
  const double sums = 12 * unit + 2 * static_cast<double>(left.rows + 12) * 0x1.0p-53;
  return (value + sums * kernel.largest(a, b)) * (1 + 1e-9);
}

template double sum_error<float>(const KernelFunction&, const LeftScale&, double);
template double sum_error<double>(const KernelFunction&, const LeftScale&, double);
template void kernel_block(const KernelFunction&, const LeftRows<float>&, const KernelRows<float>&, float*,
                           std::size_t, const Threads&);
template void kernel_block(const KernelFunction&, const LeftRows<double>&, const KernelRows<double>&, double*,
                           std::size_t, const Threads&);
template void kernel_row(const KernelFunction&, const KernelRows<float>&, std::uint32_t, float*);
template void kernel_row(const KernelFunction&, const KernelRows<double>&, std::uint32_t, double*);
template class LeftWeights<float>;
template class LeftWeights<double>;
template void add_kernel_sums(const KernelFunction&, const LeftRows<float>&, const KernelRows<float>&,
                              const LeftWeights<float>&, double*, const Threads&);
template void add_kernel_sums(const KernelFunction&, const LeftRows<double>&, const KernelRows<double>&,
                              const LeftWeights<double>&, double*, const Threads&);

}  // namespace halfspace
