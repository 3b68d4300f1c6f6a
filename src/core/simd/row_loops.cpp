// SPDX-License-Identifier: BSD-3-Clause
// Kernels by Highway: compiled once per instruction set, chosen at run time.
//
// A sum of products runs over N accumulators: entry i goes to accumulator i mod N, and at the end the upper
// half is added to the lower half until one is left. N is 4, 8 or 16 by layout and length, never by the width
// of the vectors, and products are rounded before they are added: so two, four or eight lanes give the same
// bits.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/row_loops.cpp"
#include <algorithm>

#include "core/simd/each_target.hpp"
#include "core/simd/loop_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Divisor {
  double divisor;
  double reciprocal;
};
template <class V>
HWY_INLINE Divisor make_divisor(double divisor) {
  if constexpr (std::is_same_v<V, Decimal>) return {divisor, 1.0 / divisor};
  return {1, 1};
}

template <class D>
HWY_INLINE hn::Vec<D> load_values(D d, const double* value, Divisor) {
  return hn::LoadU(d, value);
}
template <class D>
HWY_INLINE hn::Vec<D> load_values(D d, const float* value, Divisor) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), value));
}
// The correctly rounded k / 10^p. With fused multiply-add by Markstein's correction ("Computation of
// elementary functions on the IBM RISC System/6000 processor", 1990): q = k r is within two units in the last
// place, its remainder k - q 10^p is exact while 2 * 5^p < 2^53, and q + remainder * r misses the quotient by
// less than 2^-52 units before its one rounding. That rounding could only go wrong if the quotient lay so
// near to the middle of two doubles, but k / 10^p keeps 1 / (2 * 5^p) units away from it (ties do not occur):
// enough for p <= 21
// (and found true for every k of 32 bits with every p <= 22).
template <class D>
HWY_INLINE hn::Vec<D> load_values(D d, const Decimal* value, Divisor q) {
  const auto k = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, D>(), &value->digits));
  const auto divisor = hn::Set(d, q.divisor);
#if HWY_NATIVE_FMA
  static_assert(exact_decimals <= 21);
  const auto reciprocal = hn::Set(d, q.reciprocal);
  const auto quotient = hn::Mul(k, reciprocal);
  return hn::MulAdd(hn::NegMulAdd(quotient, divisor, k), reciprocal, quotient);
#else
  return hn::Div(k, divisor);
#endif
}

// The weights at some indices, by one load each: on many processors faster than a gather instruction.
template <class D, class I>
HWY_INLINE hn::Vec<D> load_weights(D d, const I* index, const double* w) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SSE4
  if constexpr (hn::MaxLanes(d) == 2) return hn::Vec<D>{_mm_set_pd(w[index[1]], w[index[0]])};
#endif
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 4)
    return hn::Vec<D>{_mm256_set_pd(w[index[3]], w[index[2]], w[index[1]], w[index[0]])};
#endif
  HWY_ALIGN double lane[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) lane[i] = w[index[i]];
  return hn::Load(d, lane);
}
template <class D, class I>
HWY_INLINE hn::Vec<D> gather_weights(D d, const I* index, const double* w) {
  const hn::Rebind<std::uint32_t, D> d32;
  const auto loaded = hn::LoadU(hn::Rebind<I, D>(), index);
  const auto wide = [&]() HWY_ATTR {
    if constexpr (sizeof(I) == 2) {
      return hn::PromoteTo(hn::Rebind<std::uint64_t, D>(), hn::PromoteTo(d32, loaded));
    } else {
      return hn::PromoteTo(hn::Rebind<std::uint64_t, D>(), loaded);
    }
  }();
  return hn::GatherIndex(d, w, hn::BitCast(hn::Rebind<std::int64_t, D>(), wide));
}

// Terms of a sum: the vector of products that starts at entry i.
template <class V, class I, bool gather>
struct SparseTerm {
  const SparseRow<V, I>& x;
  const double* w;
  Divisor q;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
    const auto weights = gather ? gather_weights(d, x.index + i, w) : load_weights(d, x.index + i, w);
    if constexpr (std::is_same_v<V, One>) {
      return weights;
    } else {
      return hn::Mul(load_values(d, x.value + i, q), weights);
    }
  }
};
template <class V>
struct DenseTerm {
  const V* value;
  const double* w;
  Divisor q;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
    return hn::Mul(load_values(d, value + i, q), hn::LoadU(d, w + i));
  }
};
template <class V>
struct SquareTerm {
  const V* value;
  Divisor q;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
    const auto v = load_values(d, value + i, q);
    return hn::Mul(v, v);
  }
};

template <std::size_t N, class Term>
HWY_INLINE double sum_lanes(std::size_t size, const Term& term) {
  const hn::CappedTag<double, N> d;
  constexpr std::size_t L = hn::MaxLanes(d);
  constexpr std::size_t K = N / L;
  hn::Vec<decltype(d)> sum[K];
  for (std::size_t k = 0; k < K; ++k) sum[k] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + N <= size; i += N) {
    for (std::size_t k = 0; k < K; ++k) sum[k] = hn::Add(sum[k], term(d, i + k * L));
  }
  std::size_t lane = 0;
  for (std::size_t k = 0; k < K; ++k) {
    if (i + L <= size) {
      sum[k] = hn::Add(sum[k], term(d, i));
      i += L;
      lane += L;
    }
  }
  HWY_ALIGN double part[N];
  for (std::size_t k = 0; k < K; ++k) hn::Store(sum[k], d, part + k * L);
  for (; i < size; ++i, ++lane) part[lane] += hn::GetLane(term(hn::CappedTag<double, 1>(), i));
  for (std::size_t half = N / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
  }
  return part[0];
}

template <class V, class I, bool gather>
double sparse_dot(const SparseRow<V, I>& x, const double* w) {
  const SparseTerm<V, I, gather> term{x, w, make_divisor<V>(x.divisor)};
  return x.size < short_row ? sum_lanes<4>(x.size, term) : sum_lanes<8>(x.size, term);
}
template <class V>
double dense_dot(const DenseRow<V>& x, const double* w) {
  const DenseTerm<V> term{x.value, w, make_divisor<V>(x.divisor)};
  return x.size < short_row ? sum_lanes<4>(x.size, term) : sum_lanes<16>(x.size, term);
}
template <class V>
double dense_norm2(const DenseRow<V>& x) {
  const SquareTerm<V> term{x.value, make_divisor<V>(x.divisor)};
  return x.size < short_row ? sum_lanes<4>(x.size, term) : sum_lanes<16>(x.size, term);
}

template <class V, class I>
void sparse_axpy(double a, const SparseRow<V, I>& x, double* w) {
  if constexpr (std::is_same_v<V, One>) {
    for (std::size_t i = 0; i < x.size; ++i) w[x.index[i]] += a;
  } else {
    const Divisor q = make_divisor<V>(x.divisor);
    const hn::CappedTag<double, 8> d;
    constexpr std::size_t L = hn::MaxLanes(d);
    HWY_ALIGN double step[L];
    std::size_t i = 0;
    for (; i + L <= x.size; i += L) {
      hn::Store(hn::Mul(hn::Set(d, a), load_values(d, x.value + i, q)), d, step);
      for (std::size_t k = 0; k < L; ++k) w[x.index[i + k]] += step[k];
    }
    for (; i < x.size; ++i)
      w[x.index[i]] += a * hn::GetLane(load_values(hn::CappedTag<double, 1>(), x.value + i, q));
  }
}
template <class V>
void dense_axpy(double a, const DenseRow<V>& x, double* w) {
  const Divisor q = make_divisor<V>(x.divisor);
  const auto step = [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, w + i), hn::Mul(hn::Set(d, a), load_values(d, x.value + i, q))), d,
               w + i);
  };
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t L = hn::MaxLanes(d);
  std::size_t i = 0;
  for (; i + L <= x.size; i += L) step(d, i);
  for (; i < x.size; ++i) step(hn::CappedTag<double, 1>(), i);
}

template <class V, class I>
HWY_INLINE std::size_t column(const SparseRow<V, I>& x, std::size_t i) {
  return x.index[i];
}
template <class V>
HWY_INLINE std::size_t column(const DenseRow<V>&, std::size_t i) {
  return i;
}
template <class Row>
HWY_INLINE double value_at(const Row& x, std::size_t i) {
  if constexpr (std::is_empty_v<std::decay_t<decltype(*x.value)>>) {
    return 1.0;
  } else {
    return decode(x.value[i], x.divisor);
  }
}

// K vectors of planes at the offsets 0, L, 2L, ..., the last ones moved back so that none reaches beyond
// `width`: where they overlap they compute the same thing twice, which is cheaper than a tail. Requires L <=
// width <= K L.
template <std::size_t K, class D, class Row>
HWY_INLINE void plane_block(D d, const Row& x, const double* w, std::size_t stride, std::size_t width,
                            double* out) {
  constexpr std::size_t L = hn::MaxLanes(d);
  std::size_t at[K];
  hn::Vec<D> sum[K];
  for (std::size_t k = 0; k < K; ++k) {
    at[k] = std::min(k * L, width - L);
    sum[k] = hn::Zero(d);
  }
  for (std::size_t i = 0; i < x.size; ++i) {
    const auto value = hn::Set(d, value_at(x, i));
    const double* from = w + column(x, i) * stride;
    for (std::size_t k = 0; k < K; ++k) sum[k] = hn::Add(sum[k], hn::Mul(value, hn::LoadU(d, from + at[k])));
  }
  for (std::size_t k = 0; k < K; ++k) hn::StoreU(sum[k], d, out + at[k]);
}

template <class Row>
void row_planes(const Row& x, const double* w, std::size_t planes, double* out) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t L = hn::MaxLanes(d);
  std::size_t first = 0;
  for (; planes - first > 8 * L; first += 8 * L) plane_block<8>(d, x, w + first, planes, 8 * L, out + first);
  const std::size_t width = planes - first;
  w += first;
  out += first;
  if (width < L) {
    const hn::CappedTag<double, 4> four;
    const hn::CappedTag<double, 2> two;
    const hn::CappedTag<double, 1> one;
    if (L > 4 && width >= 4) return plane_block<2>(four, x, w, planes, width, out);
    if (L > 2 && width >= 2) return plane_block<2>(two, x, w, planes, width, out);
    if (width == 1) plane_block<1>(one, x, w, planes, width, out);
    return;
  }
  switch ((width + L - 1) / L) {
    case 1: return plane_block<1>(d, x, w, planes, width, out);
    case 2: return plane_block<2>(d, x, w, planes, width, out);
    case 3: return plane_block<3>(d, x, w, planes, width, out);
    case 4: return plane_block<4>(d, x, w, planes, width, out);
    case 5:
    case 6: return plane_block<6>(d, x, w, planes, width, out);
    default: return plane_block<8>(d, x, w, planes, width, out);
  }
}

template <class V, class I>
SparseKernels<V, I> sparse_kernels() {
  return {&sparse_dot<V, I, false>,
          HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 ? &sparse_dot<V, I, true> : nullptr,
          &sparse_axpy<V, I>, &row_planes<SparseRow<V, I>>};
}
template <class I>
SparseTable<I> sparse_table() {
  return {sparse_kernels<One, I>(), sparse_kernels<float, I>(), sparse_kernels<double, I>(),
          sparse_kernels<Decimal, I>()};
}
template <class V>
DenseKernels<V> dense_kernels() {
  return {&dense_dot<V>, &dense_axpy<V>, &dense_norm2<V>, &row_planes<DenseRow<V>>};
}
KernelTable table() {
  return {sparse_table<std::uint32_t>(), sparse_table<std::uint16_t>(), dense_kernels<float>(),
          dense_kernels<double>(),       dense_kernels<Decimal>(),      hwy::TargetName(HWY_TARGET)};
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace::detail {

std::size_t available_tables(KernelTable* out, std::size_t capacity) {
  std::size_t count = 0;
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (count < capacity && runs_target(TARGET)) out[count++] = NAMESPACE::table();
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  if (count < capacity) out[count++] = HWY_STATIC_DISPATCH(table)();
  return count;
}

KernelTable best_table() {
  KernelTable best;
  static_cast<void>(available_tables(&best, 1));
  return best;
}

}  // namespace halfspace::detail
#endif  // HWY_ONCE
