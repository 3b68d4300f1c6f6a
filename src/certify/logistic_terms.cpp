// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/logistic_terms.cpp"
#include "certify/logistic_terms.hpp"

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void terms_of(D d, const double* m, double* loss, double* share) {
  const auto margin = hn::LoadU(d, m), one = hn::Set(d, 1.0), zero = hn::Zero(d);
  // Beyond 700 both terms are taken there: the loss is then too large, the share no less than it is, and both below 1e-304.
  const auto e = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(margin), hn::Set(d, 700.0))));
  const auto near = hn::Div(one, hn::Add(one, e));
  const auto value = hn::Add(hn::Log1p(d, e), hn::Max(hn::Neg(margin), zero));
  const auto infinite = hn::Set(d, 1.0 / 0.0);
  hn::StoreU(hn::IfThenElse(hn::IsNaN(margin), infinite, value), d, loss);
  hn::StoreU(hn::IfThenElse(hn::Gt(margin, zero), hn::Mul(e, near), near), d, share);
}

void logistic_terms_of(const double* m, std::size_t n, double* loss, double* share) noexcept {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) terms_of(d, m + k, loss + k, share + k);
  const hn::CappedTag<double, 1> single;
  for (; k < n; ++k) terms_of(single, m + k, loss + k, share + k);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

using LogisticTerms = void (*)(const double*, std::size_t, double*, double*) noexcept;
LogisticTerms choose_logistic_terms() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return &detail::NAMESPACE::logistic_terms_of;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return &detail::HWY_STATIC_DISPATCH(logistic_terms_of);
}

}  // namespace

void logistic_terms(const double* m, std::size_t n, double* loss, double* share) noexcept {
  static const LogisticTerms chosen = choose_logistic_terms();
  chosen(m, n, loss, share);
}

}  // namespace halfspace
#endif  // HWY_ONCE
