// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one instruction set as a table of functions, chosen once when the first row is met.
#pragma once

#include <cstdint>

#include "halfspace/core/kernels.hpp"

namespace halfspace::detail {

template <class V>
struct SparseKernels {
  double (*dot)(const SparseRow<V>&, const double*) = nullptr;
  double (*dot_gather)(const SparseRow<V>&, const double*) = nullptr;  // same bits by gather instructions
  void (*axpy)(double, const SparseRow<V>&, double*) = nullptr;
  void (*planes)(const SparseRow<V>&, const double*, std::size_t, double*) = nullptr;
};
template <class V>
struct DenseKernels {
  double (*dot)(const DenseRow<V>&, const double*) = nullptr;
  void (*axpy)(double, const DenseRow<V>&, double*) = nullptr;
  double (*norm2)(const DenseRow<V>&) = nullptr;
  void (*planes)(const DenseRow<V>&, const double*, std::size_t, double*) = nullptr;
};

struct KernelTable {
  SparseKernels<One> sparse_one;
  SparseKernels<float> sparse_float;
  SparseKernels<double> sparse_double;
  SparseKernels<Decimal> sparse_decimal;
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
