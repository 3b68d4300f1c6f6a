// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/storage/value_loops.cpp"
#include "data/storage/value_loops.hpp"

#include "core/simd/each_target.hpp"
#include "data/storage/decimal.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool hold_all(const double* x, std::size_t n, int decimals) noexcept {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const double power = power10[static_cast<std::size_t>(decimals)];
  const auto powers = hn::Set(d, power), limit = hn::Set(d, digits_limit);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    const auto value = hn::LoadU(d, x + k);
    const auto digits = hn::Round(hn::Mul(value, powers));
    const auto held = hn::And(hn::Le(hn::Abs(digits), limit), hn::Eq(hn::Div(digits, powers), value));
    if (!hn::AllTrue(d, held)) return false;
  }
  std::int32_t unused = 0;
  for (; k < n; ++k)
    if (!as_decimal(x[k], decimals, unused)) return false;
  return true;
}

void digits(const double* x, std::size_t n, int decimals, std::int32_t* out) noexcept {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto powers = hn::Set(d, power10[static_cast<std::size_t>(decimals)]);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    hn::StoreU(hn::DemoteTo(di, hn::Round(hn::Mul(hn::LoadU(d, x + k), powers))), di, out + k);
  for (; k < n; ++k) {
    out[k] = 0;
    as_decimal(x[k], decimals, out[k]);
  }
}

std::size_t count(const double* x, std::size_t n) noexcept {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::size_t found = 0, k = 0;
  for (; k + lanes <= n; k += lanes) found += hn::CountTrue(d, hn::Ne(hn::LoadU(d, x + k), zero));
  for (; k < n; ++k) found += x[k] != 0 ? 1 : 0;
  return found;
}

std::size_t take(const double* x, std::size_t n, std::uint32_t first, double* values,
                 std::uint32_t* places) noexcept {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::uint64_t, decltype(d)> du;
  const hn::Rebind<std::uint32_t, decltype(d)> dp;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::size_t found = 0, k = 0;
  for (; k + lanes <= n; k += lanes) {
    const auto value = hn::LoadU(d, x + k);
    const auto there = hn::Ne(value, zero);
    if (hn::AllFalse(d, there)) continue;
    const auto place = hn::Iota(du, first + k);
    const auto kept = hn::Compress(place, hn::RebindMask(du, there));
    hn::StoreU(hn::TruncateTo(dp, kept), dp, places + found);
    hn::StoreU(hn::Compress(value, there), d, values + found);
    found += hn::CountTrue(d, there);
  }
  for (; k < n; ++k) {
    values[found] = x[k];
    places[found] = first + static_cast<std::uint32_t>(k);
    found += x[k] != 0 ? 1 : 0;
  }
  return found;
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

struct ValueLoops {
  decltype(&decimals_hold_all) hold_all;
  decltype(&digits_of) digits;
  decltype(&count_nonzeros) count;
  decltype(&take_nonzeros) take;
};
ValueLoops choose_value_loops() {
#define HALFSPACE_USE(TARGET, NAMESPACE)                                                         \
  if (detail::runs_target(TARGET))                                                               \
    return {&detail::NAMESPACE::hold_all, &detail::NAMESPACE::digits, &detail::NAMESPACE::count, \
            &detail::NAMESPACE::take};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&detail::HWY_STATIC_DISPATCH(hold_all), &detail::HWY_STATIC_DISPATCH(digits),
          &detail::HWY_STATIC_DISPATCH(count), &detail::HWY_STATIC_DISPATCH(take)};
}
const ValueLoops& value_loops() {
  static const ValueLoops chosen = choose_value_loops();
  return chosen;
}

}  // namespace

bool decimals_hold_all(const double* x, std::size_t n, int decimals) noexcept {
  return value_loops().hold_all(x, n, decimals);
}
void digits_of(const double* x, std::size_t n, int decimals, std::int32_t* digits) noexcept {
  value_loops().digits(x, n, decimals, digits);
}
std::size_t count_nonzeros(const double* x, std::size_t n) noexcept { return value_loops().count(x, n); }
std::size_t take_nonzeros(const double* x, std::size_t n, std::uint32_t first, double* values,
                          std::uint32_t* places) noexcept {
  return value_loops().take(x, n, first, values, places);
}

}  // namespace halfspace
#endif  // HWY_ONCE
