// SPDX-License-Identifier: BSD-3-Clause
// dot, axpy and squared norm of one stored row against a dense vector of doubles. Every kernel computes as if
// the stored values were the doubles they stand for, so the storage of a set never changes a bit of a result.
// Products are rounded before they are added (no fused multiply-add) and the order of the additions depends
// on the layout and the length of the row only: the same bits on every processor, whatever its vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "halfspace/core/stored_row.hpp"

namespace halfspace {

namespace detail {

inline constexpr int exact_decimals = 21;  // the largest p for which the quick decoding is proven exact

// Rows shorter than this are summed in place with four accumulators, longer ones by the processor's vectors
// with eight (sparse) or sixteen (dense, norms): part of the meaning of "same bits".
inline constexpr std::size_t short_row = 32;
// Decimal rows decode by vectors at any length: their divisions cost more than the call.
template <class Value>
inline constexpr bool in_place = !std::is_same_v<Value, Decimal>;

// The product as a double of its own: callers' compiler flags must not fuse it with the addition that
// follows.
inline double rounded(double product) {
#if defined(__x86_64__)
  asm("" : "+x"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#endif
  return product;
}

template <class Term>
inline double short_sum(std::size_t size, const Term& term) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    s0 += term(i);
    s1 += term(i + 1);
    s2 += term(i + 2);
    s3 += term(i + 3);
  }
  if (i < size) s0 += term(i);
  if (i + 1 < size) s1 += term(i + 1);
  if (i + 2 < size) s2 += term(i + 2);
  return (s0 + s2) + (s1 + s3);
}

// Four loads before four stores: the indices of a row differ, which the compiler cannot know.
template <class Index, class Step>
inline void scatter(std::size_t size, const Index* index, double* w, const Step& step) {
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    double* const at[4] = {w + index[i], w + index[i + 1], w + index[i + 2], w + index[i + 3]};
    const double sum[4] = {*at[0] + step(i), *at[1] + step(i + 1), *at[2] + step(i + 2),
                           *at[3] + step(i + 3)};
    *at[0] = sum[0];
    *at[1] = sum[1];
    *at[2] = sum[2];
    *at[3] = sum[3];
  }
  for (; i < size; ++i) w[index[i]] += step(i);
}

// Through the table of the processor's instruction set; any length.
template <class Value, class Index>
[[nodiscard]] double vector_dot(const SparseRow<Value, Index>& x, const double* w) noexcept;
template <class Value>
[[nodiscard]] double vector_dot(const DenseRow<Value>& x, const double* w) noexcept;
template <class Value, class Index>
void vector_axpy(double a, const SparseRow<Value, Index>& x, double* w) noexcept;
template <class Value>
void vector_axpy(double a, const DenseRow<Value>& x, double* w) noexcept;
template <class Value>
[[nodiscard]] double vector_norm2(const DenseRow<Value>& x) noexcept;
// out[k] = sum over the entries of x of value * w[column * planes + k], added in the order of the columns.
template <class Value, class Index>
void vector_planes(const SparseRow<Value, Index>& x, const double* w, std::size_t planes,
                   double* out) noexcept;
template <class Value>
void vector_planes(const DenseRow<Value>& x, const double* w, std::size_t planes, double* out) noexcept;

}  // namespace detail

// Defined for Value in {One (sparse only), float, double, Decimal}.
template <class Value, class Index>
[[nodiscard]] inline double dot(const SparseRow<Value, Index>& x, const double* w) noexcept {
  if (!detail::in_place<Value> || x.size >= detail::short_row) return detail::vector_dot(x, w);
  const Index* index = x.index;
  if constexpr (std::is_same_v<Value, One>) {
    return detail::short_sum(x.size, [=](std::size_t i) { return w[index[i]]; });
  } else {
    return detail::short_sum(x.size, [=, value = x.value, divisor = x.divisor](std::size_t i) {
      return detail::rounded(decode(value[i], divisor) * w[index[i]]);
    });
  }
}

template <class Value>
[[nodiscard]] inline double dot(const DenseRow<Value>& x, const double* w) noexcept {
  if (!detail::in_place<Value> || x.size >= detail::short_row) return detail::vector_dot(x, w);
  return detail::short_sum(x.size, [=, value = x.value, divisor = x.divisor](std::size_t i) {
    return detail::rounded(decode(value[i], divisor) * w[i]);
  });
}

// w += a x
template <class Value, class Index>
inline void axpy(double a, const SparseRow<Value, Index>& x, double* w) noexcept {
  if constexpr (std::is_same_v<Value, One>) {
    detail::scatter(x.size, x.index, w, [=](std::size_t) { return a; });
  } else if constexpr (detail::in_place<Value>) {
    detail::scatter(x.size, x.index, w, [=, value = x.value, divisor = x.divisor](std::size_t i) {
      return detail::rounded(a * decode(value[i], divisor));
    });
  } else {
    detail::vector_axpy(a, x, w);
  }
}
template <class Value>
inline void axpy(double a, const DenseRow<Value>& x, double* w) noexcept {
  if (!detail::in_place<Value> || x.size >= detail::short_row) return detail::vector_axpy(a, x, w);
  for (std::size_t i = 0; i < x.size; ++i) w[i] += detail::rounded(a * decode(x.value[i], x.divisor));
}

// Sum of squares.
template <class Value>
[[nodiscard]] inline double norm2(const DenseRow<Value>& x) noexcept {
  return detail::vector_norm2(x);
}
template <class Value, class Index>
[[nodiscard]] inline double norm2(const SparseRow<Value, Index>& x) noexcept {
  if constexpr (std::is_same_v<Value, One>) {
    return static_cast<double>(x.size);
  } else {
    return detail::vector_norm2(DenseRow<Value>{x.value, x.size, x.divisor});
  }
}

// The same for two plain vectors.
[[nodiscard]] inline double dot(const double* a, const double* b, std::size_t size) noexcept {
  return dot(DenseRow<double>{a, size, 1}, b);
}
inline void axpy(double a, const double* x, double* y, std::size_t size) noexcept {
  axpy(a, DenseRow<double>{x, size, 1}, y);
}
[[nodiscard]] inline double norm2(const double* x, std::size_t size) noexcept {
  return norm2(DenseRow<double>{x, size, 1});
}

// Name of the instruction set the kernels run on, for reports.
[[nodiscard]] const char* instruction_set();

}  // namespace halfspace
