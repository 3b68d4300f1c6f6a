// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one instruction set as a table of functions, chosen once when the first row is met.
#pragma once

#include <cstdint>

#include "core/simd/row_loops.hpp"

namespace halfspace::detail {

template <class V, class I>
struct SparseKernels {
  double (*dot)(const SparseRow<V, I>&, const double*) = nullptr;
  double (*dot_gather)(const SparseRow<V, I>&, const double*) = nullptr;  // same bits by gather instructions
  void (*axpy)(double, const SparseRow<V, I>&, double*) = nullptr;
  void (*planes)(const SparseRow<V, I>&, const double*, std::size_t, double*) = nullptr;
};
template <class I>
struct SparseTable {
  SparseKernels<One, I> one;
  SparseKernels<float, I> of_float;
  SparseKernels<double, I> of_double;
  SparseKernels<Decimal, I> decimal;
};
template <class V>
struct DenseKernels {
  double (*dot)(const DenseRow<V>&, const double*) = nullptr;
  void (*axpy)(double, const DenseRow<V>&, double*) = nullptr;
  double (*norm2)(const DenseRow<V>&) = nullptr;
  void (*planes)(const DenseRow<V>&, const double*, std::size_t, double*) = nullptr;
};

struct KernelTable {
  SparseTable<std::uint32_t> wide;    // columns of 32 bits
  SparseTable<std::uint16_t> narrow;  // of 16
  DenseKernels<float> dense_float;
  DenseKernels<double> dense_double;
  DenseKernels<Decimal> dense_decimal;
  const char* name = nullptr;
};

// The table of the best instruction set of this processor.
[[nodiscard]] KernelTable best_table();
// Tables of every instruction set this processor has, best first; for tests and benchmarks.
std::size_t available_tables(KernelTable* out, std::size_t capacity);

}  // namespace halfspace::detail
