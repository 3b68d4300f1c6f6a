// SPDX-License-Identifier: BSD-3-Clause
// One plane: a plain sum per row; dense rows go eight at a time, so that eight independent sums hide the
// latency of the additions. Several planes: the weights are laid out feature by feature once, and each entry
// of a row adds to all planes at once. Cost: one multiplication and addition per entry and plane.
#include "model/row_scores.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/relief.hpp"
#include "core/simd/row_loops.hpp"

namespace halfspace::detail {
namespace {

// The part of a row that a model of `features` features sees.
template <class V, class I>
SparseRow<V, I> clipped(SparseRow<V, I> row, std::size_t features) {
  if (row.size > 0 && row.index[row.size - 1] >= features) {
    row.size =
        static_cast<std::size_t>(std::lower_bound(row.index, row.index + row.size, features) - row.index);
  }
  return row;
}
template <class V>
DenseRow<V> clipped(DenseRow<V> row, std::size_t features) {
  row.size = std::min(row.size, features);
  return row;
}

// f(column, value) for every stored entry; zeros of dense rows included (they add nothing, a branch costs
// more).
template <class V, class I, class F>
void for_stored(const SparseRow<V, I>& row, F&& f) {
  for_entries(row, f);
}
template <class V, class F>
void for_stored(const DenseRow<V>& row, F&& f) {
  for (std::size_t j = 0; j < row.size; ++j) f(j, decode(row.value[j], row.divisor));
}

template <class Row>
double row_norm(const Row& row) {
  double sum = 0;
  double largest = 0;
  for_stored(row, [&](std::size_t, double x) {
    sum += x * x;
    largest = std::max(largest, std::abs(x));
  });
  if (largest == 0 || (std::isfinite(sum) && sum > 1e-280)) return std::sqrt(sum);
  // The squares left the range of double: the same sum in units of a power of two near the largest entry.
  int exponent = 0;
  (void)std::frexp(largest, &exponent);
  sum = 0;
  for_stored(row, [&](std::size_t, double x) {
    const double scaled = std::ldexp(x, -exponent);
    sum += scaled * scaled;
  });
  return std::ldexp(std::sqrt(sum), exponent);
}

template <class Row>
double plain_sum(const Row& row, const double* weights) {
  double sum = 0;
  for_stored(row, [&](std::size_t j, double x) { sum += x * weights[j]; });
  return sum;
}

template <class V, class I>
void one_plane(const CsrView<V, I>& x, std::size_t begin, std::size_t end, std::span<const double> weights,
               double* out) {
  for (std::size_t i = begin; i < end; ++i)
    out[i] = plain_sum(clipped(counted_row(x, i), weights.size()), weights.data());
}

template <class V>
void one_plane(const DenseView<V>& x, std::size_t begin, std::size_t end, std::span<const double> weights,
               double* out) {
  constexpr std::size_t together = 8;
  const std::size_t size = std::min(x.cols, weights.size());
  std::size_t i = begin;
  for (; i + together <= end; i += together) {
    const V* const rows = x.value + i * x.cols;
    double sum[together] = {};
    for (std::size_t j = 0; j < size; ++j) {
      const double w = weights[j];
      for (std::size_t r = 0; r < together; ++r) sum[r] += decode(rows[r * x.cols + j], x.divisor) * w;
    }
    std::copy(sum, sum + together, out + i);
  }
  for (; i < end; ++i) out[i] = plain_sum(clipped(counted_row(x, i), size), weights.data());
}

// Weights feature by feature, as the kernel for many planes wants them. Blocks of features stay in the cache
// while the planes pass.
std::vector<double> feature_major(const LinearModel& model, const Threads& threads) {
  constexpr std::size_t features_per_block = 256;
  std::vector<double> table(model.features * model.planes);
  for_blocks(threads, model.features, features_per_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < model.planes; ++k) {
      const double* const plane = model.weights.data() + k * model.features;
      for (std::size_t j = begin; j < end; ++j) table[j * model.planes + k] = plane[j];
    }
  });
  return table;
}

// `table` is empty when laying out the weights does not pay.
template <class View>
void many_planes(const View& x, std::size_t begin, std::size_t end, const LinearModel& model,
                 std::span<const double> table, double* out) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto row = clipped(counted_row(x, i), model.features);
    double* const to = out + i * model.planes;
    if (!table.empty()) {
      vector_planes(row, table.data(), model.planes, to);
    } else {
      for (std::size_t k = 0; k < model.planes; ++k) to[k] = plain_sum(row, model.plane(k).data());
    }
  }
}

template <class View>
void finish(const View& x, const LinearModel& model, bool unit_rows, std::size_t begin, std::size_t end,
            double* out) {
  for (std::size_t i = begin; i < end; ++i) {
    double* const row = out + i * model.planes;
    const double norm = unit_rows ? row_norm(counted_row(x, i)) : 1;
    for (std::size_t k = 0; k < model.planes; ++k) {
      if (unit_rows && norm > 0) row[k] /= norm;
      row[k] += model.offsets[k];
    }
  }
}

template <class V, class I>
double value_at(const SparseRow<V, I>& row, std::uint32_t feature) {
  const I* const last = row.index + row.size;
  const I* const found = std::lower_bound(row.index, last, feature);
  if (found == last || *found != feature) return 0;
  if constexpr (std::is_empty_v<V>) {
    return 1;
  } else {
    return decode(row.value[found - row.index], row.divisor);
  }
}
template <class V>
double value_at(const DenseRow<V>& row, std::uint32_t feature) {
  return feature < row.size ? decode(row.value[feature], row.divisor) : 0;
}

}  // namespace

void linear_scores(const LinearModel& model, bool unit_rows, const Dataset& data, const Threads& threads,
                   std::span<double> out) {
  // The plane of a constant answer asks nothing of the rows.
  const bool constant =
      std::all_of(model.weights.begin(), model.weights.end(), [](double w) { return w == 0; });
  // Laying out the weights pays only when the rows use them about once.
  std::vector<double> table;
  if (!constant && model.planes > 1 && data.nonzeros() >= model.features)
    table = feature_major(model, threads);
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), row_block, [&](std::size_t begin, std::size_t end) {
          if (constant) {
            std::fill(out.data() + begin * model.planes, out.data() + end * model.planes, 0.0);
          } else if (model.planes == 1) {
            one_plane(x, begin, end, model.plane(0), out.data());
          } else {
            many_planes(x, begin, end, model, table, out.data());
          }
          finish(x, model, unit_rows, begin, end, out.data());
        });
      },
      data.matrix());
}

void linear_scores_of(const LinearModel& model, bool unit_rows, const Dataset& data,
                      std::span<const std::uint32_t> rows, const Threads& threads, std::span<double> out) {
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, rows.size(), row_block, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const auto whole = counted_row(x, rows[i]);
            const auto row = clipped(whole, model.features);
            const double norm = unit_rows ? row_norm(whole) : 1;
            for (std::size_t k = 0; k < model.planes; ++k) {
              double sum = plain_sum(row, model.plane(k).data());
              if (unit_rows && norm > 0) sum /= norm;
              out[i * model.planes + k] = sum + model.offsets[k];
            }
          }
        });
      },
      data.matrix());
}

void row_norms(const Dataset& data, const Threads& threads, std::span<double> out) {
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), row_block, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) out[i] = row_norm(counted_row(x, i));
        });
      },
      data.matrix());
}

void feature_values(std::uint32_t feature, bool unit_rows, const Dataset& data, const Threads& threads,
                    std::span<double> out) {
  std::visit(
      [&](const auto& x) {
        for_blocks(threads, data.rows(), row_block, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const auto row = counted_row(x, i);
            // An exact value is looked up: divide by the very norm that scaling the training rows divided by.
            const double squares = unit_rows ? norm2(row) : 1;
            const bool plain = squares > 1e-280 && squares < 1e280;
            const double norm = plain ? std::sqrt(squares) : row_norm(row);
            out[i] = norm > 0 ? value_at(row, feature) / norm : 0;
          }
        });
      },
      data.matrix());
}

}  // namespace halfspace::detail
