// SPDX-License-Identifier: BSD-3-Clause
// Figures of the columns are taken over the rows of positive weight, a row of weight k counting k times.
// Every column is first divided by a power of two near its largest value, so that no sum of values up
// to 1.8e308 overflows.
#include "halfspace/prepare/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"

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
template <class View>
Ranges column_ranges(const Dataset& data, const View& view, const Threads& threads) {
  struct Part {
    std::vector<double> low, high;
    std::vector<std::size_t> stored;
    std::size_t rows = 0;
  };
  // Extremes do not depend on the order, so one part per thread will do.
  const auto parts = static_cast<std::size_t>(threads.count());
  const std::size_t block = std::max<std::size_t>(1, (view.rows + parts - 1) / parts);
  std::vector<Part> part((view.rows + block - 1) / block);
  for_blocks(threads, view.rows, block, [&](std::size_t begin, std::size_t end) {
    Part& p = part[begin / block];
    p.low.assign(view.cols, std::numeric_limits<double>::infinity());
    p.high.assign(view.cols, -std::numeric_limits<double>::infinity());
    p.stored.assign(view.cols, 0);
    double* const low = p.low.data();
    double* const high = p.high.data();
    std::size_t* const stored = p.stored.data();
    for (std::size_t i = begin; i < end; ++i) {
      if (data.weight(i) == 0) continue;
      ++p.rows;
      for_columns(view.row(i), [=](std::size_t j, double x, bool there) {
        low[j] = there && x < low[j] ? x : low[j];
        high[j] = there && x > high[j] ? x : high[j];
        stored[j] += there ? 1 : 0;
      });
    }
  });
  Ranges all{std::vector<double>(view.cols, 0.0), std::vector<double>(view.cols, 0.0),
             std::vector<std::size_t>(view.cols, 0)};
  for (const Part& p : part) all.rows += p.rows;
  for (std::size_t j = 0; j < view.cols; ++j) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Part& p : part) {
      low = std::min(low, p.low[j]);
      high = std::max(high, p.high[j]);
      all.stored[j] += p.stored[j];
    }
    if (all.stored[j] < all.rows) {
      low = std::min(low, 0.0);
      high = std::max(high, 0.0);
    }
    if (all.rows > 0) {
      all.low[j] = low;
      all.high[j] = high;
    }
  }
  return all;
}

struct Sums {
  std::vector<double> sum;     // of weight * f(value) over the stored entries
  std::vector<double> weight;  // of weight over the stored entries, where rows have weights
  double rows = 0;             // of weight over the rows
  Sums& operator+=(const Sums& other) {
    if (sum.empty()) return *this = other;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += other.sum[j];
    for (std::size_t j = 0; j < weight.size(); ++j) weight[j] += other.weight[j];
    rows += other.rows;
    return *this;
  }
};
template <class View, class F>
Sums column_sums(const Dataset& data, const View& view, double weight_unit, const Threads& threads,
                 const F& f) {
  // At most 256 partial sums, by the number of rows alone: memory stays far below that of the data.
  const std::size_t block = std::max(row_block, (view.rows + 255) / 256);
  return sum_blocks(threads, view.rows, block, Sums{}, [&](std::size_t begin, std::size_t end) {
    const bool weighted = !data.weights().empty();
    Sums s{std::vector<double>(view.cols, 0.0), std::vector<double>(weighted ? view.cols : 0, 0.0), 0};
    double* const sum = s.sum.data();
    double* const weights = s.weight.data();
    for (std::size_t i = begin; i < end; ++i) {
      const double weight = data.weight(i) / weight_unit;
      if (weight == 0) continue;
      s.rows += weight;
      if (!weighted) {
        for_columns(view.row(i),
                    [=](std::size_t j, double x, bool there) { sum[j] += there ? f(j, x) : 0.0; });
        continue;
      }
      for_entries(view.row(i), [&](std::uint32_t j, double x) {
        sum[j] += weight * f(j, x);
        weights[j] += weight;
      });
    }
    return s;
  });
}

template <class View>
Scaling learn_standard(const Dataset& data, const View& view, const Threads& threads) {
  const Ranges range = column_ranges(data, view, threads);
  double weight_unit = 0;
  for (std::size_t i = 0; i < view.rows; ++i) weight_unit = std::max(weight_unit, data.weight(i));
  weight_unit = power_near(weight_unit);

  // Both powers of two: the product with one rounds as the quotient by the other.
  std::vector<double> unit(view.cols), inverse(view.cols);
  for (std::size_t j = 0; j < view.cols; ++j) {
    unit[j] = std::max(power_near(std::max(std::abs(range.low[j]), std::abs(range.high[j]))),
                       std::numeric_limits<double>::min());
    inverse[j] = 1 / unit[j];
  }
  const double* const factor = inverse.data();
  const Sums first = column_sums(data, view, weight_unit, threads,
                                 [factor](std::size_t j, double x) { return x * factor[j]; });
  std::vector<double> mean(view.cols, 0.0);
  for (std::size_t j = 0; j < view.cols && first.rows > 0; ++j) mean[j] = first.sum[j] / first.rows;
  const double* const middle = mean.data();
  const Sums second =
      column_sums(data, view, weight_unit, threads, [factor, middle](std::size_t j, double x) {
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
Scaling learn_minmax(const Dataset& data, const View& view, const Threads& threads) {
  const Ranges range = column_ranges(data, view, threads);
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
void refuse_if_huge(const Dataset& data, ScaleKind kind, double filled) {
  if (!data.sparse()) return;
  const auto rows = static_cast<double>(data.rows());
  const double dense = 8 * rows * static_cast<double>(data.features());
  const double sparse = 12 * (rows * filled + static_cast<double>(data.nonzeros()));
  if (std::min(dense, sparse) <= dense_limit) return;
  throw UsageError(
      fmt::format("scaling '{}' moves the zeros of {} sparse rows with {} features away from zero: {:.1f} "
                  "GiB, at most {:.0f} GiB are allowed",
                  OptionType<ScaleKind>::print(kind), data.rows(), data.features(),
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
    for_entries(view.row(i), [&](std::uint32_t j, double x) {
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
    const auto row = view.row(i);
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

}  // namespace

Scaling learn_scaling(const Dataset& data, ScaleKind kind, const Threads& threads) {
  if (kind == ScaleKind::None || kind == ScaleKind::Unit) return {kind, {}, {}};
  // The mean of a column that is filled anywhere is (nearly) never zero: known to be too much before any
  // work.
  if (kind == ScaleKind::Standard) refuse_if_huge(data, kind, static_cast<double>(data.features()));
  Scaling scaling = std::visit(
      [&](const auto& view) {
        return kind == ScaleKind::Standard ? learn_standard(data, view, threads)
                                           : learn_minmax(data, view, threads);
      },
      data.matrix());
  refuse_if_huge(data, kind, static_cast<double>(move_zeros(scaling).moved.size()));
  return scaling;
}

std::vector<double> column_deviations(const Dataset& data, const Threads& threads) {
  // Nothing is scaled here: zeros stay where they are.
  std::vector<double> out =
      std::visit([&](const auto& view) { return learn_standard(data, view, threads); }, data.matrix()).factor;
  for (double& x : out) x = x > 0 ? clamped(1 / x) : 0;
  return out;
}

Dataset apply_scaling(const Dataset& data, const Scaling& scaling, const Threads& threads) {
  const bool by_columns = scaling.kind == ScaleKind::Standard || scaling.kind == ScaleKind::MinMax;
  if (by_columns && (scaling.shift.size() != data.features() || scaling.factor.size() != data.features())) {
    throw UsageError(fmt::format("the scaling was learned on {} features, {} has {}", scaling.shift.size(),
                                 printable(data.name()), data.features()));
  }
  if (by_columns) refuse_if_huge(data, scaling.kind, static_cast<double>(move_zeros(scaling).moved.size()));
  if (scaling.kind == ScaleKind::None) return data;
  return apply_scaling(data, scaling, 0, data.rows(), threads);
}

Dataset apply_scaling(const Dataset& data, const Scaling& scaling, std::size_t begin, std::size_t end,
                      const Threads& threads) {
  const bool by_columns = scaling.kind != ScaleKind::Unit;
  const Zeros zeros = move_zeros(scaling);
  // Blocks of about a million entries, by the data alone.
  const std::size_t entries =
      1 + zeros.moved.size() + data.nonzeros() / std::max<std::size_t>(1, data.rows());
  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 20U) / entries, 1, row_block);
  std::vector<PackedBlock> packed((end - begin + block - 1) / block);
  std::visit(
      [&](const auto& view) {
        for_blocks(threads, end - begin, block, [&](std::size_t first, std::size_t last) {
          RowBlock rows;
          if (by_columns) {
            scale_rows(view, scaling, zeros, begin + first, begin + last, rows);
          } else {
            unit_rows(view, begin + first, begin + last, rows);
          }
          packed[first / block] = pack(rows);
        });
      },
      data.matrix());
  StoredMatrix stored = join(std::move(packed), by_columns ? scaling.shift.size() : data.features(), threads);

  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
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
  return Dataset::make(std::move(parts), false);
}

}  // namespace halfspace
