// SPDX-License-Identifier: BSD-3-Clause
// dot, axpy and squared norm of one stored row against a dense vector of doubles. Every kernel computes as if the
// stored values were the doubles they stand for, so the storage of a set never changes a bit of a result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace {

// How values are stored. One: nothing is stored, the value is 1. Decimal: an integer k that stands for the double
// nearest to k / 10^p, with one p for the whole matrix (text files: 0.0625 is 625 / 10^4).
struct One {};
struct Decimal {
  std::int32_t digits;
};

// `divisor` is 10^p for Decimal and unused otherwise.
template <class Value>
struct SparseRow {
  const std::uint32_t* index;  // ascending
  const Value* value;          // null for One
  std::size_t size;
  double divisor;
};
template <class Value>
struct DenseRow {
  const Value* value;
  std::size_t size;
  double divisor;
};

// The double that a stored value stands for.
inline double decode(const One&, double) { return 1.0; }
inline double decode(const float& v, double) { return static_cast<double>(v); }
inline double decode(const double& v, double) { return v; }
inline double decode(const Decimal& v, double divisor) { return static_cast<double>(v.digits) / divisor; }

// Defined for Value in {One (sparse only), float, double, Decimal}.
template <class Value>
[[nodiscard]] double dot(const SparseRow<Value>& x, const double* w) noexcept;
template <class Value>
[[nodiscard]] double dot(const DenseRow<Value>& x, const double* w) noexcept;
template <class Value>
void axpy(double a, const SparseRow<Value>& x, double* w) noexcept;  // w += a x
template <class Value>
void axpy(double a, const DenseRow<Value>& x, double* w) noexcept;
template <class Value>
[[nodiscard]] double norm2(const SparseRow<Value>& x) noexcept;  // sum of squares
template <class Value>
[[nodiscard]] double norm2(const DenseRow<Value>& x) noexcept;

// The same for two plain vectors.
[[nodiscard]] double dot(const double* a, const double* b, std::size_t size) noexcept;
void axpy(double a, const double* x, double* y, std::size_t size) noexcept;
[[nodiscard]] double norm2(const double* x, std::size_t size) noexcept;

// Name of the instruction set the kernels run on, for reports.
[[nodiscard]] const char* instruction_set();

}  // namespace halfspace
