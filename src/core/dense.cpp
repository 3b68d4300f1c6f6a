// SPDX-License-Identifier: BSD-3-Clause
// Two kernels do all the work, each with a dozen vector accumulators. Panels (sums of outer products): six
// columns of one panel, broadcast, against two or three vectors of the other. Tiles (Cholesky): three rows
// against four rows, both read along the common dimension.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/dense.cpp"
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
#endif
#include "core/dense.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// out[i][j] = sum over k of a[i][k] b[j][k] for I x J rows.
template <std::size_t I, std::size_t J, class T>
HWY_INLINE void tile(const T* a, std::size_t stride_a, const T* b, std::size_t stride_b, std::size_t depth,
                     T (&out)[3][4]) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[I][J];
  for (std::size_t i = 0; i < I; ++i)
    for (std::size_t j = 0; j < J; ++j) sum[i][j] = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= depth; k += lanes) {
    hn::Vec<decltype(d)> left[I];
    for (std::size_t i = 0; i < I; ++i) left[i] = hn::LoadU(d, a + i * stride_a + k);
    for (std::size_t j = 0; j < J; ++j) {
      const auto right = hn::LoadU(d, b + j * stride_b + k);
      for (std::size_t i = 0; i < I; ++i) sum[i][j] = hn::MulAdd(left[i], right, sum[i][j]);
    }
  }
  for (std::size_t i = 0; i < I; ++i) {
    for (std::size_t j = 0; j < J; ++j) {
      T rest = 0;
      for (std::size_t t = k; t < depth; ++t) rest += a[i * stride_a + t] * b[j * stride_b + t];
      out[i][j] = hn::GetLane(hn::SumOfLanes(d, sum[i][j])) + rest;
    }
  }
}

template <std::size_t I, class T>
HWY_INLINE void tile_any(std::size_t width, const T* a, std::size_t stride_a, const T* b,
                         std::size_t stride_b, std::size_t depth, T (&out)[3][4]) {
  switch (width) {
    case 4: tile<I, 4>(a, stride_a, b, stride_b, depth, out); break;
    case 3: tile<I, 3>(a, stride_a, b, stride_b, depth, out); break;
    case 2: tile<I, 2>(a, stride_a, b, stride_b, depth, out); break;
    default: tile<I, 1>(a, stride_a, b, stride_b, depth, out); break;
  }
}

template <class T>
void products(const T* a, std::size_t rows_a, std::size_t stride_a, const T* b, std::size_t rows_b,
              std::size_t stride_b, std::size_t depth, double sign, double* c, std::size_t stride_c) {
  for (std::size_t i = 0; i < rows_a; i += 3) {
    const std::size_t height = rows_a - i < 3 ? rows_a - i : 3;
    for (std::size_t j = 0; j < rows_b; j += 4) {
      const std::size_t width = rows_b - j < 4 ? rows_b - j : 4;
      T out[3][4];
      const T* left = a + i * stride_a;
      const T* right = b + j * stride_b;
      if (height == 3) {
        tile_any<3>(width, left, stride_a, right, stride_b, depth, out);
      } else if (height == 2) {
        tile_any<2>(width, left, stride_a, right, stride_b, depth, out);
      } else {
        tile_any<1>(width, left, stride_a, right, stride_b, depth, out);
      }
      for (std::size_t r = 0; r < height; ++r)
        for (std::size_t s = 0; s < width; ++s)
          c[(i + r) * stride_c + j + s] += sign * static_cast<double>(out[r][s]);
    }
  }
}

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

void products_double(const double* a, std::size_t rows_a, std::size_t stride_a, const double* b,
                     std::size_t rows_b, std::size_t stride_b, std::size_t depth, double* c,
                     std::size_t stride_c) {
  products(a, rows_a, stride_a, b, rows_b, stride_b, depth, -1.0, c, stride_c);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>

#include "core/targets.hpp"
#include "halfspace/core/kernels.hpp"

namespace halfspace {
namespace detail {
namespace {

struct Products {
  decltype(&HWY_STATIC_DISPATCH(panels_float)) of_floats;
  decltype(&HWY_STATIC_DISPATCH(panels_double)) of_doubles;
  decltype(&HWY_STATIC_DISPATCH(products_double)) in_double;
};
Products choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (runs_target(TARGET))               \
    return {&NAMESPACE::panels_float, &NAMESPACE::panels_double, &NAMESPACE::products_double};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&HWY_STATIC_DISPATCH(panels_float), &HWY_STATIC_DISPATCH(panels_double),
          &HWY_STATIC_DISPATCH(products_double)};
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
void subtract_products(const double* a, std::size_t rows_a, std::size_t stride_a, const double* b,
                       std::size_t rows_b, std::size_t stride_b, std::size_t depth, double* c,
                       std::size_t stride_c) noexcept {
  detail::best().in_double(a, rows_a, stride_a, b, rows_b, stride_b, depth, c, stride_c);
}

namespace {

constexpr std::size_t block = 48;

// Column by column on one diagonal block; the pivots are relative to the unit diagonal.
bool factor_block(double* l, std::size_t n, std::size_t from, std::size_t to) {
  constexpr double smallest_pivot = 1e-14;
  for (std::size_t j = from; j < to; ++j) {
    double* row = l + j * n;
    double pivot = row[j];
    for (std::size_t k = from; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > smallest_pivot)) return false;
    row[j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < to; ++i) {
      double sum = l[i * n + j];
      for (std::size_t k = from; k < j; ++k) sum -= l[i * n + k] * row[k];
      l[i * n + j] = sum / row[j];
    }
  }
  return true;
}

// Minus the inverse of a factored diagonal block, row after row, zeros above its diagonal.
void invert_block(const double* l, std::size_t n, std::size_t from, std::size_t to, double* out) {
  const std::size_t size = to - from;
  std::fill(out, out + size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = l + (from + i) * n + from;
    double* mine = out + i * size;
    for (std::size_t k = 0; k < i; ++k) {
      const double* above = out + k * size;
      for (std::size_t j = 0; j <= k; ++j) mine[j] -= row[k] * above[j];
    }
    for (std::size_t j = 0; j < i; ++j) mine[j] /= row[i];
    mine[i] = -1 / row[i];
  }
}

}  // namespace

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
  std::vector<double> inverse(block * block);
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t to = std::min(n, from + block);
    const std::size_t size = to - from;
    double* corner = l_.data() + from * n;
    // The block itself (its upper triangle is written too, and read by nobody), then all rows below in fixed
    // groups: what stands left of the block is taken off, and the rest is divided by the block through its
    // inverse.
    subtract_products(corner, size, n, corner, size, n, from, corner + from, n);
    if (!factor_block(l_.data(), n, from, to)) return false;
    if (to == n) break;
    invert_block(l_.data(), n, from, to, inverse.data());
    const auto below = [&](std::size_t begin, std::size_t end) {
      double* first = l_.data() + (to + begin) * n;
      subtract_products(first, end - begin, n, corner, size, n, from, first + from, n);
      std::vector<double> rest((end - begin) * size);
      for (std::size_t i = 0; i < end - begin; ++i) {
        double* row = first + i * n + from;
        std::copy(row, row + size, rest.begin() + static_cast<std::ptrdiff_t>(i * size));
        std::fill(row, row + size, 0.0);
      }
      subtract_products(rest.data(), end - begin, size, inverse.data(), size, size, size, first + from, n);
    };
    if (n - to >= 384) {
      for_blocks(threads, n - to, 96, below);
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
