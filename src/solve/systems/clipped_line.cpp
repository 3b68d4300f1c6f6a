// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/systems/clipped_line.cpp"
#include "solve/systems/clipped_line.hpp"

#include "core/simd/each_target.hpp"

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

using Full = hn::CappedTag<double, LaneSum::lanes>;

// lane sum = f(tag, at, lane sum) for all rows, vector after vector where a whole one begins in lane 0.
template <class F>
HWY_INLINE void for_lanes(std::size_t size, std::size_t place, double* lane, const F& f) {
  const Full full;
  const hn::CappedTag<double, 1> one;
  const std::size_t lanes = hn::Lanes(full);
  std::size_t k = 0;
  const auto single = [&](std::size_t at) HWY_ATTR {
    double* const to = lane + (place + at) % lanes;
    hn::StoreU(f(one, at, hn::LoadU(one, to)), one, to);
  };
  for (; k < size && (place + k) % lanes != 0; ++k) single(k);
  if (k + lanes <= size) {
    auto sum = hn::LoadU(full, lane);
    for (; k + lanes <= size; k += lanes) sum = f(full, k, sum);
    hn::StoreU(sum, full, lane);
  }
  for (; k < size; ++k) single(k);
}

void slope_sum(const ClippedRows& rows, const double* m, const double* dm, double t, std::size_t place,
               LaneSum& to) {
  for_lanes(rows.size, place, to.lane, [&](auto d, std::size_t k, auto sum) HWY_ATTR {
    const auto move = hn::LoadU(d, dm + k);
    const auto at = hn::MulAdd(hn::Set(d, t), move, hn::LoadU(d, m + k));
    const auto alpha = alpha_at(hn::LoadU(d, rows.anchor + k), hn::LoadU(d, rows.slope + k),
                                hn::LoadU(d, rows.cost + k), at);
    return hn::MulAdd(alpha, move, sum);
  });
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

void slack_sum(const ClippedRows& rows, const double* alpha, const double* m, std::size_t place,
               LaneSum& to) {
  for_lanes(rows.size, place, to.lane, [&](auto d, std::size_t k, auto sum) HWY_ATTR {
    const auto gap = hn::Sub(hn::Set(d, 1.0), hn::LoadU(d, m + k));
    const auto loss = hn::Mul(hn::LoadU(d, rows.cost + k), hn::Max(gap, hn::Zero(d)));
    return hn::Add(sum, hn::NegMulAdd(hn::LoadU(d, alpha + k), gap, loss));
  });
}

void balance_sum(const ClippedRows& rows, const double* m, const double* y, double move, std::size_t place,
                 ClippedBalance& to) {
  const auto alpha_of = [&](auto d, std::size_t k) HWY_ATTR {
    const auto at = hn::MulAdd(hn::Set(d, move), hn::LoadU(d, y + k), hn::LoadU(d, m + k));
    return alpha_at(hn::LoadU(d, rows.anchor + k), hn::LoadU(d, rows.slope + k), hn::LoadU(d, rows.cost + k),
                    at);
  };
  for_lanes(rows.size, place, to.balance.lane, [&](auto d, std::size_t k, auto sum) HWY_ATTR {
    return hn::MulAdd(alpha_of(d, k), hn::LoadU(d, y + k), sum);
  });
  for_lanes(rows.size, place, to.fall.lane, [&](auto d, std::size_t k, auto sum) HWY_ATTR {
    const auto alpha = alpha_of(d, k);
    const auto inside = hn::And(hn::Gt(alpha, hn::Zero(d)), hn::Lt(alpha, hn::LoadU(d, rows.cost + k)));
    return hn::Add(sum, hn::IfThenElseZero(inside, hn::LoadU(d, rows.slope + k)));
  });
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

struct Loops {
  void (*slope)(const ClippedRows&, const double*, const double*, double, std::size_t, LaneSum&);
  void (*move)(const ClippedRows&, double*, const double*, double, double*, double*);
  void (*slack)(const ClippedRows&, const double*, const double*, std::size_t, LaneSum&);
  void (*balance)(const ClippedRows&, const double*, const double*, double, std::size_t, ClippedBalance&);
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

void add_clipped_slope(const ClippedRows& rows, const double* m, const double* dm, double t,
                       std::size_t place, LaneSum& sum) noexcept {
  loops().slope(rows, m, dm, t, place, sum);
}
void clipped_move(const ClippedRows& rows, double* m, const double* dm, double t, double* alpha,
                  double* change) noexcept {
  loops().move(rows, m, dm, t, alpha, change);
}
void add_clipped_slack(const ClippedRows& rows, const double* alpha, const double* m, std::size_t place,
                       LaneSum& sum) noexcept {
  loops().slack(rows, alpha, m, place, sum);
}
void add_clipped_balance(const ClippedRows& rows, const double* m, const double* y, double move,
                         std::size_t place, ClippedBalance& sum) noexcept {
  loops().balance(rows, m, y, move, place, sum);
}

}  // namespace halfspace
#endif  // HWY_ONCE
