// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/plane_rows.cpp"
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
#endif
// foreach_target.h comes first, by its own rule.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "solve/plane_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Four = hn::CappedTag<double, plane_group>;  // two lanes where vectors are short

// Groups of planes from `from`: all entries are read once for each.
template <std::size_t Vectors>
HWY_INLINE void dot_group(const Entries& row, const double* w, std::size_t stride, double* out) {
  const Four d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Four> sum[Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) sum[v] = hn::Zero(d);
  for (std::size_t e = 0; e < row.size; ++e) {
    const auto x = hn::Set(d, row.value[e]);
    const double* at = w + row.index[e] * stride;
    for (std::size_t v = 0; v < Vectors; ++v) sum[v] = hn::MulAdd(x, hn::LoadU(d, at + v * lanes), sum[v]);
  }
  for (std::size_t v = 0; v < Vectors; ++v) hn::StoreU(sum[v], d, out + v * lanes);
}

void dot_planes(const Entries& row, const double* w, std::size_t stride, double* out) {
  const std::size_t lanes = hn::Lanes(Four());
  std::size_t k = 0;
  for (; k + 4 * lanes <= stride; k += 4 * lanes) dot_group<4>(row, w + k, stride, out + k);
  for (; k + 2 * lanes <= stride; k += 2 * lanes) dot_group<2>(row, w + k, stride, out + k);
  for (; k < stride; k += lanes) dot_group<1>(row, w + k, stride, out + k);
}

void add_planes(const Entries& row, const double* a, double* w, std::size_t stride) {
  const Four d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t e = 0; e < row.size; ++e) {
    const auto x = hn::Set(d, row.value[e]);
    double* at = w + row.index[e] * stride;
    for (std::size_t k = 0; k < stride; k += lanes)
      hn::StoreU(hn::MulAdd(x, hn::LoadU(d, a + k), hn::LoadU(d, at + k)), d, at + k);
  }
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
#include "core/targets.hpp"

namespace halfspace {
namespace {

struct Loops {
  void (*dot)(const Entries&, const double*, std::size_t, double*);
  void (*add)(const Entries&, const double*, double*, std::size_t);
  void (*exp)(double*, std::size_t);
};
Loops choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET))       \
    return {&detail::NAMESPACE::dot_planes, &detail::NAMESPACE::add_planes, &detail::NAMESPACE::exponentials};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&detail::HWY_STATIC_DISPATCH(dot_planes), &detail::HWY_STATIC_DISPATCH(add_planes),
          &detail::HWY_STATIC_DISPATCH(exponentials)};
}
const Loops& loops() {
  static const Loops chosen = choose();
  return chosen;
}

}  // namespace

void planes_dot(const Entries& row, const double* w, std::size_t stride, double* out) noexcept {
  loops().dot(row, w, stride, out);
}
void planes_add(const Entries& row, const double* a, double* w, std::size_t stride) noexcept {
  loops().add(row, a, w, stride);
}
void exp_all(double* v, std::size_t size) noexcept { loops().exp(v, size); }

}  // namespace halfspace
#endif  // HWY_ONCE
