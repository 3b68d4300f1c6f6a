// SPDX-License-Identifier: BSD-3-Clause
// One tile does all the work: three rows of A against four rows of B, twelve vector accumulators along the
// common dimension. Both operands are read along their rows, so symmetric updates and Cholesky's inner
// products share it.

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

void products_float(const float* a, std::size_t rows_a, const float* b, std::size_t rows_b, std::size_t depth,
                    std::size_t stride, double* c, std::size_t stride_c) {
  products(a, rows_a, stride, b, rows_b, stride, depth, 1.0, c, stride_c);
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

namespace halfspace {
namespace detail {
namespace {

struct Products {
  decltype(&HWY_STATIC_DISPATCH(products_float)) in_float;
  decltype(&HWY_STATIC_DISPATCH(products_double)) in_double;
};
Products choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (runs_target(TARGET)) return {&NAMESPACE::products_float, &NAMESPACE::products_double};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&HWY_STATIC_DISPATCH(products_float), &HWY_STATIC_DISPATCH(products_double)};
}
const Products& best() {
  static const Products chosen = choose();
  return chosen;
}

}  // namespace
}  // namespace detail

void add_products(const float* a, std::size_t rows_a, const float* b, std::size_t rows_b, std::size_t depth,
                  std::size_t stride, double* c, std::size_t stride_c) noexcept {
  detail::best().in_float(a, rows_a, b, rows_b, depth, stride, c, stride_c);
}
void subtract_products(const double* a, std::size_t rows_a, std::size_t stride_a, const double* b,
                       std::size_t rows_b, std::size_t stride_b, std::size_t depth, double* c,
                       std::size_t stride_c) noexcept {
  detail::best().in_double(a, rows_a, stride_a, b, rows_b, stride_b, depth, c, stride_c);
}

namespace {

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
  constexpr std::size_t block = 48;
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t to = std::min(n, from + block);
    // The block's own rows first, then all rows below in fixed groups.
    for (std::size_t i = from; i < to; ++i) {
      subtract_products(l_.data() + i * n, 1, n, l_.data() + from * n, i + 1 - from, n, from,
                        l_.data() + i * n + from, n);
    }
    if (!factor_block(l_.data(), n, from, to)) return false;
    const auto below = [&](std::size_t begin, std::size_t end) {
      double* first = l_.data() + (to + begin) * n;
      subtract_products(first, end - begin, n, l_.data() + from * n, to - from, n, from, first + from, n);
      for (std::size_t i = to + begin; i < to + end; ++i) {
        double* row = l_.data() + i * n;
        for (std::size_t j = from; j < to; ++j) {
          const double* pivot_row = l_.data() + j * n;
          double sum = row[j];
          for (std::size_t k = from; k < j; ++k) sum -= row[k] * pivot_row[k];
          row[j] = sum / pivot_row[j];
        }
      }
    };
    if (n - to >= 384) {
      for_blocks(threads, n - to, 96, below);
    } else if (n > to) {
      below(0, n - to);
    }
  }
  return true;
}

void Cholesky::solve(double* x) const {
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = l_.data() + i * n_;
    double sum = x[i] * scale_[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
  for (std::size_t i = n_; i-- > 0;) {
    const double* row = l_.data() + i * n_;
    const double value = x[i] / row[i];
    x[i] = value;
    for (std::size_t k = 0; k < i; ++k) x[k] -= row[k] * value;
  }
  for (std::size_t i = 0; i < n_; ++i) x[i] *= scale_[i];
}

}  // namespace halfspace
#endif  // HWY_ONCE
