// SPDX-License-Identifier: BSD-3-Clause
// Which table of kernels this process uses, and the way from the public functions to it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "core/simd/loop_table.hpp"

namespace halfspace {
namespace detail {
namespace {

// Seconds for some long sparse rows by one of two ways to the same bits.
double seconds(double (*dot_of)(const SparseRow<double>&, const double*)) {
  constexpr std::size_t entries = 256, weights = 1024;
  std::array<std::uint32_t, entries> index;
  std::array<double, entries> value;
  std::array<double, weights> w;
  value.fill(1.5);
  w.fill(0.5);
  for (std::size_t i = 0; i < entries; ++i)
    index[i] = static_cast<std::uint32_t>(i * (weights / entries) + i % 3);
  const SparseRow<double> row{index.data(), value.data(), entries, 1};
  double best = 1;
  volatile double keep = 0;
  for (int round = 0; round < 8; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int repeat = 0; repeat < 4; ++repeat) keep = keep + dot_of(row, w.data());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

template <class I>
void use_gather(SparseTable<I>& table) {
  table.one.dot = table.one.dot_gather;
  table.of_float.dot = table.of_float.dot_gather;
  table.of_double.dot = table.of_double.dot_gather;
  table.decimal.dot = table.decimal.dot_gather;
}

// Whether gather instructions pay differs between processors, and on some with their microcode: measured
// once, in microseconds. Only speed hangs on it, never a bit.
KernelTable choose() {
  KernelTable best = best_table();
  if (best.wide.of_double.dot_gather != nullptr &&
      seconds(best.wide.of_double.dot_gather) < 0.9 * seconds(best.wide.of_double.dot)) {
    use_gather(best.wide);
    use_gather(best.narrow);
  }
  return best;
}

std::atomic<const KernelTable*> chosen{nullptr};

[[gnu::noinline, gnu::cold]] const KernelTable& first_table() noexcept {
  static const KernelTable table = choose();
  chosen.store(&table, std::memory_order_release);
  return table;
}
inline const KernelTable& kernels() noexcept {
  const KernelTable* table = chosen.load(std::memory_order_acquire);
  return table != nullptr ? *table : first_table();
}

template <class I>
const SparseTable<I>& sparse_table() noexcept {
  if constexpr (sizeof(I) == 2) return kernels().narrow;
  if constexpr (sizeof(I) == 4) return kernels().wide;
}
template <class V, class I>
const SparseKernels<V, I>& sparse() noexcept {
  if constexpr (std::is_same_v<V, One>) return sparse_table<I>().one;
  if constexpr (std::is_same_v<V, float>) return sparse_table<I>().of_float;
  if constexpr (std::is_same_v<V, double>) return sparse_table<I>().of_double;
  if constexpr (std::is_same_v<V, Decimal>) return sparse_table<I>().decimal;
}
template <class V>
const DenseKernels<V>& dense() noexcept {
  if constexpr (std::is_same_v<V, float>) return kernels().dense_float;
  if constexpr (std::is_same_v<V, double>) return kernels().dense_double;
  if constexpr (std::is_same_v<V, Decimal>) return kernels().dense_decimal;
}

}  // namespace

template <class V, class I>
double vector_dot(const SparseRow<V, I>& x, const double* w) noexcept {
  return sparse<V, I>().dot(x, w);
}
template <class V>
double vector_dot(const DenseRow<V>& x, const double* w) noexcept {
  return dense<V>().dot(x, w);
}
template <class V, class I>
void vector_axpy(double a, const SparseRow<V, I>& x, double* w) noexcept {
  sparse<V, I>().axpy(a, x, w);
}
template <class V>
void vector_axpy(double a, const DenseRow<V>& x, double* w) noexcept {
  dense<V>().axpy(a, x, w);
}
template <class V>
double vector_norm2(const DenseRow<V>& x) noexcept {
  return dense<V>().norm2(x);
}
template <class V, class I>
void vector_planes(const SparseRow<V, I>& x, const double* w, std::size_t planes, double* out) noexcept {
  sparse<V, I>().planes(x, w, planes, out);
}
template <class V>
void vector_planes(const DenseRow<V>& x, const double* w, std::size_t planes, double* out) noexcept {
  dense<V>().planes(x, w, planes, out);
}

template double vector_dot(const SparseRow<One>&, const double*) noexcept;
template double vector_dot(const SparseRow<One, std::uint16_t>&, const double*) noexcept;
template double vector_dot(const SparseRow<float>&, const double*) noexcept;
template double vector_dot(const SparseRow<float, std::uint16_t>&, const double*) noexcept;
template double vector_dot(const SparseRow<double>&, const double*) noexcept;
template double vector_dot(const SparseRow<double, std::uint16_t>&, const double*) noexcept;
template double vector_dot(const SparseRow<Decimal>&, const double*) noexcept;
template double vector_dot(const SparseRow<Decimal, std::uint16_t>&, const double*) noexcept;
template double vector_dot(const DenseRow<float>&, const double*) noexcept;
template double vector_dot(const DenseRow<double>&, const double*) noexcept;
template double vector_dot(const DenseRow<Decimal>&, const double*) noexcept;
template void vector_axpy(double, const SparseRow<Decimal>&, double*) noexcept;
template void vector_axpy(double, const SparseRow<Decimal, std::uint16_t>&, double*) noexcept;
template void vector_axpy(double, const DenseRow<float>&, double*) noexcept;
template void vector_axpy(double, const DenseRow<double>&, double*) noexcept;
template void vector_axpy(double, const DenseRow<Decimal>&, double*) noexcept;
template double vector_norm2(const DenseRow<float>&) noexcept;
template double vector_norm2(const DenseRow<double>&) noexcept;
template double vector_norm2(const DenseRow<Decimal>&) noexcept;
template void vector_planes(const SparseRow<One>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const SparseRow<One, std::uint16_t>&, const double*, std::size_t,
                            double*) noexcept;
template void vector_planes(const SparseRow<float>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const SparseRow<float, std::uint16_t>&, const double*, std::size_t,
                            double*) noexcept;
template void vector_planes(const SparseRow<double>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const SparseRow<double, std::uint16_t>&, const double*, std::size_t,
                            double*) noexcept;
template void vector_planes(const SparseRow<Decimal>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const SparseRow<Decimal, std::uint16_t>&, const double*, std::size_t,
                            double*) noexcept;
template void vector_planes(const DenseRow<float>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const DenseRow<double>&, const double*, std::size_t, double*) noexcept;
template void vector_planes(const DenseRow<Decimal>&, const double*, std::size_t, double*) noexcept;

}  // namespace detail

const char* instruction_set() { return detail::kernels().name; }

}  // namespace halfspace
