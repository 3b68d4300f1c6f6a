// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/clipped_line.cpp"
#include "solve/clipped_line.hpp"

#include "core/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE V alpha_at(V anchor, V slope, V cost, V m) {
  const hn::DFromV<V> d;
  const V raw = hn::MulAdd(slope, hn::Sub(hn::Set(d, 1.0), m), anchor);
  return hn::Min(hn::Max(raw, hn::Zero(d)), cost);
}
// Whole vectors by f(tag of a full vector, at), the rest one by one with f(tag of one lane, at).
template <class F>
HWY_INLINE void for_vectors(std::size_t size, const F& f) {
  const hn::ScalableTag<double> d;
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= size; k += hn::Lanes(d)) f(d, k);
  for (; k < size; ++k) f(hn::CappedTag<double, 1>(), k);
}

double slope_sum(const ClippedRows& rows, const double* m, const double* dm, double t) {
  const hn::ScalableTag<double> full;
  auto sum = hn::Zero(full);
  double rest = 0;
  for_vectors(rows.size, [&](auto d, std::size_t k) HWY_ATTR {
    const auto move = hn::LoadU(d, dm + k);
    const auto at = hn::MulAdd(hn::Set(d, t), move, hn::LoadU(d, m + k));
    const auto alpha = alpha_at(hn::LoadU(d, rows.anchor + k), hn::LoadU(d, rows.slope + k),
                                hn::LoadU(d, rows.cost + k), at);
    if constexpr (hn::MaxLanes(d) == hn::MaxLanes(full)) {
      sum = hn::MulAdd(alpha, move, sum);
    } else {
      rest += hn::GetLane(hn::Mul(alpha, move));
    }
  });
  return hn::GetLane(hn::SumOfLanes(full, sum)) + rest;
}

void move_rows(const ClippedRows& rows, double* m, const double* dm, double t, double* alpha,
               double* change) {
  for_vectors(rows.size, [&](auto d, std::size_t k) HWY_ATTR {
    auto at = hn::LoadU(d, m + k);
    if (dm != nullptr) {
      at = hn::MulAdd(hn::Set(d, t), hn::LoadU(d, dm + k), at);
      hn::StoreU(at, d, m + k);
    }
    const auto next = alpha_at(hn::LoadU(d, rows.anchor + k), hn::LoadU(d, rows.slope + k),
                               hn::LoadU(d, rows.cost + k), at);
    hn::StoreU(hn::Sub(next, hn::LoadU(d, alpha + k)), d, change + k);
    hn::StoreU(next, d, alpha + k);
  });
}

double slack_sum(const double* cost, const double* alpha, const double* m, std::size_t size) {
  const hn::ScalableTag<double> full;
  auto sum = hn::Zero(full);
  double rest = 0;
  for_vectors(size, [&](auto d, std::size_t k) HWY_ATTR {
    const auto gap = hn::Sub(hn::Set(d, 1.0), hn::LoadU(d, m + k));
    const auto loss = hn::Mul(hn::LoadU(d, cost + k), hn::Max(gap, hn::Zero(d)));
    const auto term = hn::NegMulAdd(hn::LoadU(d, alpha + k), gap, loss);
    if constexpr (hn::MaxLanes(d) == hn::MaxLanes(full)) {
      sum = hn::Add(sum, term);
    } else {
      rest += hn::GetLane(term);
    }
  });
  return hn::GetLane(hn::SumOfLanes(full, sum)) + rest;
}

ClippedBalance balance_sum(const ClippedRows& rows, const double* m, const double* y, double move) {
  const hn::ScalableTag<double> full;
  auto balance = hn::Zero(full);
  auto fall = hn::Zero(full);
  ClippedBalance rest;
  for_vectors(rows.size, [&](auto d, std::size_t k) HWY_ATTR {
    const auto sign = hn::LoadU(d, y + k);
    const auto slope = hn::LoadU(d, rows.slope + k);
    const auto cost = hn::LoadU(d, rows.cost + k);
    const auto at = hn::MulAdd(hn::Set(d, move), sign, hn::LoadU(d, m + k));
    const auto alpha = alpha_at(hn::LoadU(d, rows.anchor + k), slope, cost, at);
    const auto inside = hn::And(hn::Gt(alpha, hn::Zero(d)), hn::Lt(alpha, cost));
    if constexpr (hn::MaxLanes(d) == hn::MaxLanes(full)) {
      balance = hn::MulAdd(alpha, sign, balance);
      fall = hn::Add(fall, hn::IfThenElseZero(inside, slope));
    } else {
      rest.balance += hn::GetLane(hn::Mul(alpha, sign));
      rest.fall += hn::GetLane(hn::IfThenElseZero(inside, slope));
    }
  });
  rest.balance += hn::GetLane(hn::SumOfLanes(full, balance));
  rest.fall += hn::GetLane(hn::SumOfLanes(full, fall));
  return rest;
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/targets.hpp"

namespace halfspace {
namespace {

struct Loops {
  double (*slope)(const ClippedRows&, const double*, const double*, double);
  void (*move)(const ClippedRows&, double*, const double*, double, double*, double*);
  double (*slack)(const double*, const double*, const double*, std::size_t);
  ClippedBalance (*balance)(const ClippedRows&, const double*, const double*, double);
};
Loops choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE)                                                                 \
  if (detail::runs_target(TARGET))                                                                       \
    return {&detail::NAMESPACE::slope_sum, &detail::NAMESPACE::move_rows, &detail::NAMESPACE::slack_sum, \
            &detail::NAMESPACE::balance_sum};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&detail::HWY_STATIC_DISPATCH(slope_sum), &detail::HWY_STATIC_DISPATCH(move_rows),
          &detail::HWY_STATIC_DISPATCH(slack_sum), &detail::HWY_STATIC_DISPATCH(balance_sum)};
}
const Loops& loops() {
  static const Loops chosen = choose();
  return chosen;
}

}  // namespace

double clipped_slope(const ClippedRows& rows, const double* m, const double* dm, double t) noexcept {
  return loops().slope(rows, m, dm, t);
}
void clipped_move(const ClippedRows& rows, double* m, const double* dm, double t, double* alpha,
                  double* change) noexcept {
  loops().move(rows, m, dm, t, alpha, change);
}
double clipped_slack(const double* cost, const double* alpha, const double* m, std::size_t size) noexcept {
  return loops().slack(cost, alpha, m, size);
}
ClippedBalance clipped_balance(const ClippedRows& rows, const double* m, const double* y,
                               double move) noexcept {
  return loops().balance(rows, m, y, move);
}

}  // namespace halfspace
#endif  // HWY_ONCE
