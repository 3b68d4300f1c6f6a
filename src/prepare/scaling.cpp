// SPDX-License-Identifier: BSD-3-Clause
// Figures of the columns are taken over the rows of positive weight, a row of weight k counting k times.
// Every column is first divided by a power of two near its largest value, so that no sum of values up
// to 1.8e308 overflows.
#include "halfspace/prepare/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/relief.hpp"
#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "data/storage/row_store.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "prepare/deviations.hpp"

namespace halfspace {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double dense_limit = 4.0 * 1024 * 1024 * 1024;  // bytes

double clamped(double x) { return std::clamp(x, -largest, largest); }

// A power of two within a factor of two of |x| (1 for 0): dividing by it is exact unless the result is
// subnormal.
double power_near(double x) {
  if (x == 0) return 1;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

// f(column, value, whether it is not zero) for all entries of a dense row, without a branch, or the stored ones of a sparse
// row.
template <class V, class F>
void for_columns(const DenseRow<V>& row, const F& f) {
  for (std::size_t j = 0; j < row.size; ++j) {
    const double x = decode(row.value[j], row.divisor);
    f(j, x, x != 0);
  }
}
template <class V, class I, class F>
void for_columns(const SparseRow<V, I>& row, const F& f) {
  for_entries(row, [&](std::uint32_t j, double x) { f(j, x, true); });
}

// Smallest and largest value of every column, zeros that are not stored included; how many entries are none.
struct Ranges {
  std::vector<double> low, high;
  std::vector<std::size_t> stored;
  std::size_t rows = 0;  // of positive weight
};
// Those of all members: extremes do not depend on the order, and counts are whole numbers.
void join_ranges(const Team& team, Ranges& all) {
  if (team.alone()) return;
  all.rows = team.total(all.rows);
  const std::size_t columns = all.low.size();
  const auto lows = team.join(all.low), highs = team.join(all.high);
  const auto counts = team.join({all.stored.begin(), all.stored.end()});
  std::fill(all.stored.begin(), all.stored.end(), 0);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::size_t j = k % columns;
    all.low[j] = std::min(all.low[j], lows[k]);
    all.high[j] = std::max(all.high[j], highs[k]);
    all.stored[j] += static_cast<std::size_t>(counts[k]);
  }
}

// Of the rows from `begin` to `end`. What is known of a column lies side by side, because sparse rows come to columns here and there.
template <class View>
void sparse_ranges(const Dataset& data, const View& view, std::size_t begin, std::size_t end, Ranges& out) {
  struct Column {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    std::size_t stored = 0;
  };
  std::vector<Column> columns(view.cols);
  for (std::size_t i = begin; i < end; ++i) {
    if (data.weight(i) == 0) continue;
    ++out.rows;
    for_entries(counted_row(view, i), [&](std::uint32_t j, double x) {
      Column& column = columns[j];
      column.low = std::min(column.low, x);
      column.high = std::max(column.high, x);
      ++column.stored;
    });
  }
  for (std::size_t j = 0; j < view.cols; ++j) {
    out.low[j] = columns[j].low;
    out.high[j] = columns[j].high;
    out.stored[j] = columns[j].stored;
  }
}

template <class View>
Ranges column_ranges(const Dataset& data, const View& view, const Team& team) {
  const Threads& threads = team.threads();
  // Extremes do not depend on the order, so one part per thread will do.
  const auto parts = static_cast<std::size_t>(threads.count());
  const std::size_t block = std::max<std::size_t>(1, (view.rows + parts - 1) / parts);
  std::vector<Ranges> part((view.rows + block - 1) / block);
  for_blocks(threads, view.rows, block, [&](std::size_t begin, std::size_t end) {
    Ranges& p = part[begin / block];
    p.low.assign(view.cols, std::numeric_limits<double>::infinity());
    p.high.assign(view.cols, -std::numeric_limits<double>::infinity());
    p.stored.assign(view.cols, 0);
    if constexpr (is_sparse<View>) {
      sparse_ranges(data, view, begin, end, p);
      return;
    }
    double* const low = p.low.data();
    double* const high = p.high.data();
    std::size_t* const stored = p.stored.data();
    for (std::size_t i = begin; i < end; ++i) {
      if (data.weight(i) == 0) continue;
      ++p.rows;
      for_columns(counted_row(view, i), [=](std::size_t j, double x, bool there) {
        low[j] = there && x < low[j] ? x : low[j];
        high[j] = there && x > high[j] ? x : high[j];
        stored[j] += there ? 1 : 0;
      });
    }
  });
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Ranges all{std::vector<double>(view.cols, infinity), std::vector<double>(view.cols, -infinity),
             std::vector<std::size_t>(view.cols, 0)};
  for (const Ranges& p : part) {
    all.rows += p.rows;
    for (std::size_t j = 0; j < view.cols; ++j) {
      all.low[j] = std::min(all.low[j], p.low[j]);
      all.high[j] = std::max(all.high[j], p.high[j]);
      all.stored[j] += p.stored[j];
    }
  }
  join_ranges(team, all);
  for (std::size_t j = 0; j < view.cols; ++j) {
    double low = all.low[j], high = all.high[j];
    if (all.stored[j] < all.rows) {
      low = std::min(low, 0.0);
      high = std::max(high, 0.0);
    }
    all.low[j] = all.rows > 0 ? low : 0.0;
    all.high[j] = all.rows > 0 ? high : 0.0;
  }
  return all;
}

struct Sums {
  std::vector<double> sum;     // of weight * f(value) over the stored entries
  std::vector<double> weight;  // of weight over the stored entries, where rows have weights
  double rows = 0;             // of weight over the rows
};
template <class View, class F>
Sums column_sums(const Dataset& data, const View& view, double weight_unit, const Team& team, const F& f) {
  // At most 256 partial sums, by the number of rows alone: memory stays far below that of the data.
  const Stretch list = team.stretch(view.rows);
  const std::size_t block = std::max(row_block, (list.total + 255) / 256);
  const std::size_t blocks = (list.total + block - 1) / block;
  const bool weighted = team.any(!data.weights().empty());
  // One after the other: the sums, the weights, and the weight of the rows.
  const std::size_t numbers = view.cols * (weighted ? 2 : 1) + 1;
  std::vector<std::vector<double>> part(blocks);
  team.blocks(
      list, block, numbers * sizeof(double),
      [&](std::size_t t) {
        if (part[t].empty()) part[t].assign(numbers, 0.0);
        return reinterpret_cast<std::byte*>(part[t].data());
      },
      [&](std::size_t begin, std::size_t end, std::byte* to) {
        double* const sum = reinterpret_cast<double*>(to);
        double* const weights = sum + view.cols;
        double rows = sum[numbers - 1];
        for (std::size_t i = begin; i < end; ++i) {
          const double weight = data.weight(i) / weight_unit;
          if (weight == 0) continue;
          rows += weight;
          if (!weighted) {
            for_columns(counted_row(view, i),
                        [=](std::size_t j, double x, bool there) { sum[j] += there ? f(j, x) : 0.0; });
            continue;
          }
          for_entries(counted_row(view, i), [&](std::uint32_t j, double x) {
            sum[j] += weight * f(j, x);
            weights[j] += weight;
          });
        }
        sum[numbers - 1] = rows;
      });
  std::vector<double> all = blocks > 0 ? std::move(part[0]) : std::vector<double>(numbers, 0.0);
  for (std::size_t t = 1; t < blocks; ++t)
    for (std::size_t k = 0; k < numbers; ++k) all[k] += part[t][k];
  Sums out{{}, {}, all.back()};
  const auto cols = static_cast<std::ptrdiff_t>(view.cols);
  out.sum.assign(all.begin(), all.begin() + cols);
  if (weighted) out.weight.assign(all.begin() + cols, all.begin() + 2 * cols);
  return out;
}

template <class View>
Scaling learn_standard(const Dataset& data, const View& view, const Team& team) {
  const Ranges range = column_ranges(data, view, team);
  double weight_unit = 0;
  for (std::size_t i = 0; i < view.rows; ++i) weight_unit = std::max(weight_unit, data.weight(i));
  weight_unit = power_near(team.most(weight_unit));

  // Both powers of two: the product with one rounds as the quotient by the other.
  std::vector<double> unit(view.cols), inverse(view.cols);
  for (std::size_t j = 0; j < view.cols; ++j) {
    unit[j] = std::max(power_near(std::max(std::abs(range.low[j]), std::abs(range.high[j]))),
                       std::numeric_limits<double>::min());
    inverse[j] = 1 / unit[j];
  }
  const double* const factor = inverse.data();
  const Sums first =
      column_sums(data, view, weight_unit, team, [factor](std::size_t j, double x) { return x * factor[j]; });
  std::vector<double> mean(view.cols, 0.0);
  for (std::size_t j = 0; j < view.cols && first.rows > 0; ++j) mean[j] = first.sum[j] / first.rows;
  const double* const middle = mean.data();
  const Sums second = column_sums(data, view, weight_unit, team, [factor, middle](std::size_t j, double x) {
    const double away = x * factor[j] - middle[j];
    return away * away;
  });

  Scaling scaling{ScaleKind::Standard, std::vector<double>(view.cols, 0.0),
                  std::vector<double>(view.cols, 0.0)};
  for (std::size_t j = 0; j < view.cols; ++j) {
    if (range.low[j] == range.high[j]) {
      scaling.shift[j] = range.low[j];
      continue;
    }
    const double there = second.weight.empty() ? static_cast<double>(range.stored[j]) : second.weight[j];
    const double zeros = std::max(0.0, second.rows - there);
    const double variance = (second.sum[j] + zeros * (mean[j] * mean[j])) / second.rows;
    scaling.shift[j] = std::clamp(clamped(mean[j] * unit[j]), range.low[j], range.high[j]);
    if (variance > 0) scaling.factor[j] = clamped(1 / std::sqrt(variance) / unit[j]);
  }
  return scaling;
}

template <class View>
Scaling learn_minmax(const Dataset& data, const View& view, const Team& team) {
  const Ranges range = column_ranges(data, view, team);
  Scaling scaling{ScaleKind::MinMax, range.low, std::vector<double>(view.cols, 0.0)};
  for (std::size_t j = 0; j < view.cols; ++j) {
    const double half = range.high[j] / 2 - range.low[j] / 2;
    const double width = range.high[j] - range.low[j];
    if (range.high[j] > range.low[j]) {
      scaling.factor[j] = std::isfinite(width) ? clamped(1 / width) : 0.5 / half;
    }
  }
  return scaling;
}

// Bytes of the rows with `filled` columns of every row stored.
void refuse_if_huge(const Dataset& data, ScaleKind kind, double filled, const Team& team) {
  if (!data.sparse()) return;
  const auto rows = static_cast<double>(team.total(data.rows()));
  const auto nonzeros = static_cast<double>(team.total(data.nonzeros()));
  const double dense = 8 * rows * static_cast<double>(data.features());
  const double sparse = 12 * (rows * filled + nonzeros);
  if (std::min(dense, sparse) <= dense_limit) return;
  throw UsageError(
      fmt::format("scaling '{}' moves the zeros of {} sparse rows with {} features away from zero: {:.1f} "
                  "GiB, at most {:.0f} GiB are allowed",
                  OptionType<ScaleKind>::print(kind), static_cast<std::uint64_t>(rows), data.features(),
                  std::min(dense, sparse) / (dense_limit / 4), 4.0),
      "--scale unit keeps zeros where they are");
}
double scaled(double x, double shift, double factor) {
  const double away = x - shift;
  if (std::isfinite(away)) return clamped(away * factor);
  return clamped((x / 2 - shift / 2) * factor * 2);
}

// What becomes of a zero: the same in every row.
struct Zeros {
  std::vector<std::uint32_t> moved;  // columns where it does not stay zero
  std::vector<double> value;         // of these columns
};
Zeros move_zeros(const Scaling& scaling) {
  Zeros zeros;
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) {
    const double x = scaled(0, scaling.shift[j], scaling.factor[j]);
    if (x == 0) continue;
    zeros.moved.push_back(static_cast<std::uint32_t>(j));
    zeros.value.push_back(x);
  }
  return zeros;
}

template <class View>
void scale_rows(const View& view, const Scaling& scaling, const Zeros& zeros, std::size_t begin,
                std::size_t end, RowBlock& out) {
  const std::vector<std::uint32_t>& moved = zeros.moved;
  for (std::size_t i = begin; i < end; ++i) {
    std::size_t next = 0;
    for_entries(counted_row(view, i), [&](std::uint32_t j, double x) {
      if (j >= scaling.shift.size()) return;
      for (; next < moved.size() && moved[next] < j; ++next) out.add(moved[next], zeros.value[next]);
      if (next < moved.size() && moved[next] == j) ++next;
      out.add(j, scaled(x, scaling.shift[j], scaling.factor[j]));
    });
    for (; next < moved.size(); ++next) out.add(moved[next], zeros.value[next]);
    out.end_row();
  }
}

template <class View>
void unit_rows(const View& view, std::size_t begin, std::size_t end, RowBlock& out) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto row = counted_row(view, i);
    double unit = 1, squares = norm2(row);
    if (!(squares > 1e-280 && squares < 1e280)) {
      double high = 0;
      for_entries(row, [&](std::uint32_t, double x) { high = std::max(high, std::abs(x)); });
      unit = power_near(high);
      squares = 0;
      for_entries(row, [&](std::uint32_t, double x) { squares += (x / unit) * (x / unit); });
    }
    const double norm = std::sqrt(squares);
    for_entries(row, [&](std::uint32_t j, double x) { out.add(j, x / unit / norm); });
    out.end_row();
  }
}

// Some rows, scaled.
class ScaledRows {
 public:
  ScaledRows(const Dataset& data, const Scaling& scaling)
      : data_(data), scaling_(scaling), zeros_(move_zeros(scaling)) {}

  [[nodiscard]] bool by_columns() const { return scaling_.kind != ScaleKind::Unit; }
  [[nodiscard]] std::size_t columns() const {
    return by_columns() ? scaling_.shift.size() : data_.features();
  }
  // How many rows have about so many entries, by the data alone.
  [[nodiscard]] std::size_t block(std::size_t entries) const {
    const std::size_t of_a_row =
        1 + zeros_.moved.size() + data_.nonzeros() / std::max<std::size_t>(1, data_.rows());
    return std::clamp<std::size_t>(entries / of_a_row, 1, row_block);
  }
  [[nodiscard]] PackedBlock rows(std::size_t first, std::size_t last) const {
    RowBlock out;
    std::visit(
        [&](const auto& view) {
          if (by_columns()) {
            scale_rows(view, scaling_, zeros_, first, last, out);
          } else {
            unit_rows(view, first, last, out);
          }
        },
        data_.matrix());
    return pack(out);
  }

 private:
  const Dataset& data_;
  const Scaling& scaling_;
  Zeros zeros_;
};

StoredMatrix scale_in_memory(const Dataset& data, const Scaling& scaling, std::size_t begin, std::size_t end,
                             const Threads& threads) {
  const ScaledRows scaled(data, scaling);
  const std::size_t block = scaled.block(std::size_t{1} << 20U);
  std::vector<PackedBlock> packed((end - begin + block - 1) / block);
  for_blocks(threads, end - begin, block, [&](std::size_t first, std::size_t last) {
    packed[first / block] = scaled.rows(begin + first, begin + last);
  });
  return join(std::move(packed), scaled.columns(), threads);
}

// Rows that are not to stay in memory: some blocks at a time are there.
StoredMatrix scale_to_files(const Dataset& data, const Scaling& scaling, std::size_t begin, std::size_t end,
                            const Threads& threads) {
  const ScaledRows scaled(data, scaling);
  RowStore store(data.spill());
  const std::size_t block = scaled.block(std::size_t{1} << 16U);
  const std::size_t at_once = block * 4 * static_cast<std::size_t>(threads.count());
  for (std::size_t from = begin; from < end; from += at_once) {
    const std::size_t rows = std::min(at_once, end - from);
    std::vector<PackedBlock> packed((rows + block - 1) / block);
    for_blocks(threads, rows, block, [&](std::size_t first, std::size_t last) {
      packed[first / block] = scaled.rows(from + first, from + last);
    });
    std::vector<Segment> places;
    places.reserve(packed.size());
    for (const PackedBlock& rows_here : packed) places.push_back(store.take(rows_here.view()));
    threads.run(packed.size(), [&](std::size_t t) { RowStore::write(places[t], packed[t].view()); });
  }
  return store.finish(scaled.columns(), threads);
}

}  // namespace

Scaling learn_scaling(const Dataset& data, ScaleKind kind, const Team& team) {
  if (kind == ScaleKind::None || kind == ScaleKind::Unit) return {kind, {}, {}};
  // The mean of a column that is filled anywhere is (nearly) never zero: known to be too much before any
  // work.
  if (kind == ScaleKind::Standard) refuse_if_huge(data, kind, static_cast<double>(data.features()), team);
  Scaling scaling = std::visit(
      [&](const auto& view) {
        return kind == ScaleKind::Standard ? learn_standard(data, view, team)
                                           : learn_minmax(data, view, team);
      },
      data.matrix());
  refuse_if_huge(data, kind, static_cast<double>(move_zeros(scaling).moved.size()), team);
  return scaling;
}

std::vector<double> column_deviations(const Dataset& data, const Team& team) {
  if (auto found = detail::deviations_in_one_pass(data, team)) return std::move(*found);
  // Nothing is scaled here: zeros stay where they are.
  std::vector<double> out =
      std::visit([&](const auto& view) { return learn_standard(data, view, team); }, data.matrix()).factor;
  for (double& x : out) x = x > 0 ? clamped(1 / x) : 0;
  return out;
}

Dataset apply_scaling(const Dataset& data, const Scaling& scaling, const Team& team) {
  const bool by_columns = scaling.kind == ScaleKind::Standard || scaling.kind == ScaleKind::MinMax;
  if (by_columns && (scaling.shift.size() != data.features() || scaling.factor.size() != data.features())) {
    throw UsageError(fmt::format("the scaling was learned on {} features, {} has {}", scaling.shift.size(),
                                 printable(data.name()), data.features()));
  }
  if (by_columns)
    refuse_if_huge(data, scaling.kind, static_cast<double>(move_zeros(scaling).moved.size()), team);
  if (scaling.kind == ScaleKind::None) return data;
  return apply_scaling(data, scaling, 0, data.rows(), team.threads());
}

Dataset apply_scaling(const Dataset& data, const Scaling& scaling, std::size_t begin, std::size_t end,
                      const Threads& threads) {
  StoredMatrix stored = data.spill() == nullptr ? scale_in_memory(data, scaling, begin, end, threads)
                                                : scale_to_files(data, scaling, begin, end, threads);

  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  parts.spill = data.spill();
  const auto part = [&](const auto& whole) {
    return whole.empty() ? whole : whole.subspan(begin, end - begin);
  };
  const auto labels = part(data.labels());
  const auto weights = part(data.weights());
  parts.labels.assign(labels.begin(), labels.end());
  parts.classes = data.classes();
  parts.weights.assign(weights.begin(), weights.end());
  parts.encoding = data.encoding();
  parts.name = data.name();
  parts.may_be_empty = data.rows() == 0;
  return Dataset::make(std::move(parts), false);
}

}  // namespace halfspace
