// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/systems/plane_rows.cpp"
#include "solve/systems/plane_rows.hpp"

#include <type_traits>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Whole vectors fill a group of planes, whatever their width.
template <class T>
using Lane = hn::CappedTag<T, plane_group>;

// `Vectors` vectors of planes: all entries are read once for them.
template <std::size_t Vectors, class T>
HWY_INLINE void dot_group(const Entries& row, const T* w, std::size_t stride, T* out) {
  const Lane<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Lane<T>> sum[Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) sum[v] = hn::Zero(d);
  const Entries entries = row;
  for (std::size_t e = 0; e < entries.size; ++e) {
    const auto x = hn::Set(d, static_cast<T>(entries.value[e]));
    const T* at = w + entries.index[e] * stride;
    for (std::size_t v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(x, hn::LoadU(d, at + v * lanes), sum[v]);
  }
  for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sum[v], d, out + v * lanes);
}

// The same for sums: a stays in registers.
template <std::size_t Vectors, class T>
HWY_INLINE void add_group(const Entries& row, const T* a, T* w, std::size_t stride) {
  const Lane<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Lane<T>> factor[Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) factor[v] = hn::LoadU(d, a + v * lanes);
  const Entries entries = row;  // a copy that no store can change
  for (std::size_t e = 0; e < entries.size; ++e) {
    const auto x = hn::Set(d, static_cast<T>(entries.value[e]));
    T* at = w + entries.index[e] * stride;
    for (std::size_t v = 0; v < Vectors; ++v)
      hn::StoreU(hn::MulAdd(x, factor[v], hn::LoadU(d, at + v * lanes)), d, at + v * lanes);
  }
}

// f(number of vectors, first plane) for groups of at most eight vectors that cover all planes, as few as can
// be.
template <class T, class F>
HWY_INLINE void for_groups(std::size_t stride, const F& f) {
  const std::size_t lanes = hn::Lanes(Lane<T>());
  std::size_t k = 0;
  for (; k + 8 * lanes <= stride; k += 8 * lanes) f(std::integral_constant<std::size_t, 8>(), k);
  switch ((stride - k) / lanes) {
    case 7: return f(std::integral_constant<std::size_t, 7>(), k);
    case 6: return f(std::integral_constant<std::size_t, 6>(), k);
    case 5: return f(std::integral_constant<std::size_t, 5>(), k);
    case 4: return f(std::integral_constant<std::size_t, 4>(), k);
    case 3: return f(std::integral_constant<std::size_t, 3>(), k);
    case 2: return f(std::integral_constant<std::size_t, 2>(), k);
    case 1: return f(std::integral_constant<std::size_t, 1>(), k);
    default: return;
  }
}

template <class T>
void dot_planes(const Entries& row, const T* w, std::size_t stride, T* out) {
  for_groups<T>(stride, [&](auto vectors, std::size_t k) HWY_ATTR {
    dot_group<decltype(vectors)::value, T>(row, w + k, stride, out + k);
  });
}
template <class T>
void add_planes(const Entries& row, const T* a, T* w, std::size_t stride) {
  for_groups<T>(stride, [&](auto vectors, std::size_t k)
                            HWY_ATTR { add_group<decltype(vectors)::value, T>(row, a + k, w + k, stride); });
}

void exponentials(double* v, std::size_t size) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, -740.0);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(hn::Exp(d, hn::Max(hn::LoadU(d, v + i), least)), d, v + i);
  if (i == size) return;
  double rest[hn::MaxLanes(d)] = {};
  for (std::size_t k = i; k < size; ++k) rest[k - i] = v[k];
  hn::StoreU(hn::Exp(d, hn::Max(hn::LoadU(d, rest), least)), d, rest);
  for (std::size_t k = i; k < size; ++k) v[k] = rest[k - i];
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

template <class T>
struct PlaneLoops {
  void (*dot)(const Entries&, const T*, std::size_t, T*);
  void (*add)(const Entries&, const T*, T*, std::size_t);
};
struct Loops {
  PlaneLoops<double> in_double;
  PlaneLoops<float> in_float;
  void (*exp)(double*, std::size_t);
};
Loops choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE)                                                      \
  if (detail::runs_target(TARGET))                                                            \
    return {{&detail::NAMESPACE::dot_planes<double>, &detail::NAMESPACE::add_planes<double>}, \
            {&detail::NAMESPACE::dot_planes<float>, &detail::NAMESPACE::add_planes<float>},   \
            &detail::NAMESPACE::exponentials};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {{&detail::HWY_STATIC_DISPATCH(dot_planes) < double >,
           &detail::HWY_STATIC_DISPATCH(add_planes) < double > },
          {&detail::HWY_STATIC_DISPATCH(dot_planes) < float >,
           &detail::HWY_STATIC_DISPATCH(add_planes) < float > },
          &detail::HWY_STATIC_DISPATCH(exponentials)};
}
const Loops& loops() {
  static const Loops chosen = choose();
  return chosen;
}

}  // namespace

void planes_dot(const Entries& row, const double* w, std::size_t stride, double* out) noexcept {
  loops().in_double.dot(row, w, stride, out);
}
void planes_dot(const Entries& row, const float* w, std::size_t stride, float* out) noexcept {
  loops().in_float.dot(row, w, stride, out);
}
void planes_add(const Entries& row, const double* a, double* w, std::size_t stride) noexcept {
  loops().in_double.add(row, a, w, stride);
}
void planes_add(const Entries& row, const float* a, float* w, std::size_t stride) noexcept {
  loops().in_float.add(row, a, w, stride);
}
void exp_all(double* v, std::size_t size) noexcept { loops().exp(v, size); }

}  // namespace halfspace
#endif  // HWY_ONCE
