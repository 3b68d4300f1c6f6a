// SPDX-License-Identifier: BSD-3-Clause
// Two kernels do all the work, each with a dozen vector accumulators. Panels (sums of outer products): six
// columns of one panel, broadcast, against two or three vectors of the other. Tiles (Cholesky): six rows,
// broadcast along the common dimension, against a packed slice of as many vectors.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/dense.cpp"
#include "core/simd/dense.hpp"

#include <cmath>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t group_rows = 6;

// out[i][j] = sum over k of a[k][i] b[k][j] for six columns of a and `Vectors` vectors of columns of b.
template <std::size_t Vectors, class T>
HWY_INLINE void outer_tile(const T* a, const T* b, std::size_t depth, T* out) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[group_rows][Vectors];
  for (std::size_t i = 0; i < group_rows; ++i)
    for (std::size_t v = 0; v < Vectors; ++v) sum[i][v] = hn::Zero(d);
  for (std::size_t k = 0; k < depth; ++k) {
    const T* left = a + k * panel_columns;
    const T* right = b + k * panel_columns;
    hn::Vec<decltype(d)> column[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) column[v] = hn::LoadU(d, right + v * lanes);
    for (std::size_t i = 0; i < group_rows; ++i) {
      const auto value = hn::Set(d, left[i]);
      for (std::size_t v = 0; v < Vectors; ++v) sum[i][v] = hn::MulAdd(value, column[v], sum[i][v]);
    }
  }
  for (std::size_t i = 0; i < group_rows; ++i)
    for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sum[i][v], d, out + i * panel_columns + v * lanes);
}

template <class T>
HWY_INLINE void panels(const T* a, const T* b, std::size_t depth, double sign, std::size_t rows,
                       std::size_t columns, double* c, std::size_t stride_c) {
  constexpr std::size_t most_lanes = hn::MaxLanes(hn::ScalableTag<T>());
  constexpr std::size_t vectors = most_lanes * sizeof(T) == 64 ? 3 : 2;
  const std::size_t width = vectors * hn::Lanes(hn::ScalableTag<T>());
  alignas(64) T out[group_rows * panel_columns];
  for (std::size_t i = 0; i < rows; i += group_rows) {
    for (std::size_t j = 0; j < columns; j += width) outer_tile<vectors>(a + i, b + j, depth, out + j);
    const std::size_t height = rows - i < group_rows ? rows - i : group_rows;
    for (std::size_t r = 0; r < height; ++r) {
      double* to = c + (i + r) * stride_c;
      const T* from = out + r * panel_columns;
      for (std::size_t j = 0; j < columns; ++j) to[j] += sign * static_cast<double>(from[j]);
    }
  }
}
void panels_float(const float* a, const float* b, std::size_t depth, double sign, std::size_t rows,
                  std::size_t columns, double* c, std::size_t stride_c) {
  panels(a, b, depth, sign, rows, columns, c, stride_c);
}
void panels_double(const double* a, const double* b, std::size_t depth, double sign, std::size_t rows,
                   std::size_t columns, double* c, std::size_t stride_c) {
  panels(a, b, depth, sign, rows, columns, c, stride_c);
}

// Columns of one slice: as many as the vectors of one tile hold.
template <class T>
constexpr std::size_t slice_vectors = hn::MaxLanes(hn::ScalableTag<T>()) * sizeof(T) == 64 ? 3 : 2;

// out -= sum over k of a[i][k] slice[k][j] for six rows of a (the last one again where there are fewer) and
// one slice of columns.
HWY_INLINE void row_tile(const double* const (&a)[group_rows], const double* slice, std::size_t depth,
                         std::size_t rows, std::size_t columns, double* c, std::size_t stride_c) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t vectors = slice_vectors<double>;
  hn::Vec<decltype(d)> sum[group_rows][vectors];
  for (std::size_t i = 0; i < group_rows; ++i)
    for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = hn::Zero(d);
  for (std::size_t k = 0; k < depth; ++k) {
    hn::Vec<decltype(d)> column[vectors];
    for (std::size_t v = 0; v < vectors; ++v) column[v] = hn::LoadU(d, slice + (k * vectors + v) * lanes);
    for (std::size_t i = 0; i < group_rows; ++i) {
      const auto value = hn::Set(d, a[i][k]);
      for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = hn::MulAdd(value, column[v], sum[i][v]);
    }
  }
  alignas(64) double out[group_rows * panel_columns];
  for (std::size_t i = 0; i < group_rows; ++i)
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(sum[i][v], d, out + i * panel_columns + v * lanes);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) c[i * stride_c + j] -= out[i * panel_columns + j];
}

std::size_t slice_columns() { return slice_vectors<double> * hn::Lanes(hn::ScalableTag<double>()); }

void pack_rows(const double* b, std::size_t rows, std::size_t stride, std::size_t depth, double* out) {
  const std::size_t width = slice_columns();
  for (std::size_t first = 0; first < rows; first += width, out += depth * width) {
    const std::size_t here = rows - first < width ? rows - first : width;
    for (std::size_t j = 0; j < here; ++j)
      for (std::size_t k = 0; k < depth; ++k) out[k * width + j] = b[(first + j) * stride + k];
    for (std::size_t j = here; j < width; ++j)
      for (std::size_t k = 0; k < depth; ++k) out[k * width + j] = 0;
  }
}

void subtract_packed(const double* a, std::size_t rows, std::size_t stride_a, const double* packed,
                     std::size_t columns, std::size_t depth, double* c, std::size_t stride_c) {
  const std::size_t width = slice_columns();
  for (std::size_t i = 0; i < rows; i += group_rows) {
    const std::size_t height = rows - i < group_rows ? rows - i : group_rows;
    const double* row[group_rows];
    for (std::size_t r = 0; r < group_rows; ++r) row[r] = a + (i + (r < height ? r : height - 1)) * stride_a;
    for (std::size_t j = 0; j < columns; j += width)
      row_tile(row, packed + j * depth, depth, height, columns - j < width ? columns - j : width,
               c + i * stride_c + j, stride_c);
  }
}

// One diagonal block, column by column: each finished column is taken off the rest of the block at once. The
// pivots are relative to the unit diagonal.
bool factor_diagonal(double* l, std::size_t stride, std::size_t size) {
  constexpr double smallest_pivot = 1e-14;
  double column[panel_columns];
  for (std::size_t j = 0; j < size; ++j) {
    const double pivot = l[j * stride + j];
    if (!(pivot > smallest_pivot)) return false;
    const double root = std::sqrt(pivot);
    l[j * stride + j] = root;
    for (std::size_t i = j + 1; i < size; ++i) column[i] = l[i * stride + j] = l[i * stride + j] / root;
    for (std::size_t i = j + 1; i < size; ++i) {
      double* row = l + i * stride;
      const double factor = column[i];
      for (std::size_t k = j + 1; k <= i; ++k) row[k] -= factor * column[k];
    }
  }
  return true;
}

// Minus the inverse of a factored diagonal block, row after row, zeros above its diagonal.
void invert_diagonal(const double* l, std::size_t stride, std::size_t size, double* out) {
  for (std::size_t k = 0; k < size * size; ++k) out[k] = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = l + i * stride;
    double* mine = out + i * size;
    for (std::size_t k = 0; k < i; ++k) {
      const double* above = out + k * size;
      const double factor = row[k];
      for (std::size_t j = 0; j <= k; ++j) mine[j] -= factor * above[j];
    }
    for (std::size_t j = 0; j < i; ++j) mine[j] /= row[i];
    mine[i] = -1 / row[i];
  }
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>

#include "core/simd/row_loops.hpp"
#include "core/simd/targets.hpp"

namespace halfspace {
namespace detail {
namespace {

struct Products {
  decltype(&HWY_STATIC_DISPATCH(panels_float)) of_floats;
  decltype(&HWY_STATIC_DISPATCH(panels_double)) of_doubles;
  decltype(&HWY_STATIC_DISPATCH(pack_rows)) pack;
  decltype(&HWY_STATIC_DISPATCH(subtract_packed)) subtract;
  decltype(&HWY_STATIC_DISPATCH(factor_diagonal)) factor;
  decltype(&HWY_STATIC_DISPATCH(invert_diagonal)) invert;
};
Products choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE)                                                     \
  if (runs_target(TARGET))                                                                   \
    return {&NAMESPACE::panels_float,    &NAMESPACE::panels_double,   &NAMESPACE::pack_rows, \
            &NAMESPACE::subtract_packed, &NAMESPACE::factor_diagonal, &NAMESPACE::invert_diagonal};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&HWY_STATIC_DISPATCH(panels_float),    &HWY_STATIC_DISPATCH(panels_double),
          &HWY_STATIC_DISPATCH(pack_rows),       &HWY_STATIC_DISPATCH(subtract_packed),
          &HWY_STATIC_DISPATCH(factor_diagonal), &HWY_STATIC_DISPATCH(invert_diagonal)};
}
const Products& best() {
  static const Products chosen = choose();
  return chosen;
}

}  // namespace
}  // namespace detail

void add_panels(const float* a, const float* b, std::size_t depth, double sign, std::size_t rows,
                std::size_t columns, double* c, std::size_t stride_c) noexcept {
  detail::best().of_floats(a, b, depth, sign, rows, columns, c, stride_c);
}
void add_panels(const double* a, const double* b, std::size_t depth, double sign, std::size_t rows,
                std::size_t columns, double* c, std::size_t stride_c) noexcept {
  detail::best().of_doubles(a, b, depth, sign, rows, columns, c, stride_c);
}
namespace {

constexpr std::size_t block = panel_columns;
constexpr std::size_t group = 24;  // rows that are worked on at a time

}  // namespace

void subtract_products(const double* a, std::size_t rows_a, std::size_t stride_a, const double* b,
                       std::size_t rows_b, std::size_t stride_b, std::size_t depth, double* c,
                       std::size_t stride_c) {
  std::vector<double> packed((rows_b + block) * depth);
  detail::best().pack(b, rows_b, stride_b, depth, packed.data());
  detail::best().subtract(a, rows_a, stride_a, packed.data(), rows_b, depth, c, stride_c);
}

bool Cholesky::factor(std::vector<double> matrix, std::size_t n, double ridge, const Threads& threads) {
  l_ = std::move(matrix);
  n_ = n;
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = l_[i * n + i];
    if (!(diagonal > 0) || !std::isfinite(diagonal)) return false;
    scale_[i] = 1 / std::sqrt(diagonal);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) l_[i * n + j] *= scale_[i] * scale_[j];
    l_[i * n + i] = 1 + ridge;
  }
  const detail::Products& use = detail::best();
  // What stands left of the block, and minus its inverse, both packed for products with many rows.
  packed_.resize(block * (n + block));
  std::vector<double> inverse(block * block);
  std::vector<double> packed_inverse(2 * block * block);
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t to = std::min(n, from + block);
    const std::size_t size = to - from;
    double* corner = l_.data() + from * n;
    use.pack(corner, size, n, from, packed_.data());
    // The block itself (its upper triangle is written too, and read by nobody), then all rows below in fixed
    // groups: what stands left of the block is taken off, and the rest is divided by the block through its
    // inverse.
    use.subtract(corner, size, n, packed_.data(), size, from, corner + from, n);
    if (!use.factor(corner + from, n, size)) return false;
    if (to == n) break;
    use.invert(corner + from, n, size, inverse.data());
    use.pack(inverse.data(), size, size, size, packed_inverse.data());
    const auto below = [&](std::size_t begin, std::size_t end) {
      double rest[block * group];
      for (std::size_t first = begin; first < end; first += group) {
        const std::size_t rows = std::min(group, end - first);
        double* row = l_.data() + (to + first) * n;
        use.subtract(row, rows, n, packed_.data(), size, from, row + from, n);
        for (std::size_t i = 0; i < rows; ++i) {
          std::copy_n(row + i * n + from, size, rest + i * size);
          std::fill_n(row + i * n + from, size, 0.0);
        }
        use.subtract(rest, rows, size, packed_inverse.data(), size, size, row + from, n);
      }
    };
    if (n - to >= 384) {
      for_blocks(threads, n - to, 4 * group, below);
    } else {
      below(0, n - to);
    }
  }
  return true;
}

void Cholesky::solve(double* x) const {
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = l_.data() + i * n_;
    x[i] = (x[i] * scale_[i] - dot(row, x, i)) / row[i];
  }
  for (std::size_t i = n_; i-- > 0;) {
    const double* row = l_.data() + i * n_;
    x[i] /= row[i];
    axpy(-x[i], row, x, i);
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] *= scale_[i];
}

}  // namespace halfspace
#endif  // HWY_ONCE
