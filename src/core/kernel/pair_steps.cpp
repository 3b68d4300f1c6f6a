// SPDX-License-Identifier: BSD-3-Clause
// A step is two passes over the variables: the first brings the slopes up to date and finds the variable to
// raise, the second finds the one to lower. A variable that may not be raised (lowered) carries minus (plus)
// infinity in up (low), so the passes have no branches.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernel/pair_steps.cpp"
#include "core/kernel/pair_steps.hpp"

#include <algorithm>
#include <limits>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const float* from) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
  }
}

template <class T>
struct Ends {
  T top;  // largest slope of a variable that may be raised
  std::size_t at;
  T bottom;  // least slope of one that may be lowered
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void best_lane(D d, hn::Vec<D> value, hn::Vec<D> place, T& best, std::size_t& at) {
  HWY_ALIGN T values[hn::MaxLanes(d)];
  HWY_ALIGN T places[hn::MaxLanes(d)];
  hn::Store(value, d, values);
  hn::Store(place, d, places);
  best = values[0];
  at = static_cast<std::size_t>(places[0]);
  for (std::size_t l = 1; l < hn::Lanes(d); ++l) {
    const auto place_l = static_cast<std::size_t>(places[l]);
    if (values[l] > best || (values[l] == best && place_l < at)) {
      best = values[l];
      at = place_l;
    }
  }
}

// slope -= delta (a - b) over [begin, end), and the ends of what comes out.
template <class T>
HWY_INLINE Ends<T> update(const PairProblem<T>& p, std::size_t begin, std::size_t end, T delta,
                          const float* a, const float* b) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto step = hn::Set(d, delta);
  auto top = hn::Set(d, -std::numeric_limits<T>::infinity());
  auto at = hn::Zero(d);
  auto bottom = hn::Set(d, std::numeric_limits<T>::infinity());
  auto place = hn::Add(hn::Iota(d, T{0}), hn::Set(d, static_cast<T>(begin)));
  const auto next = hn::Set(d, static_cast<T>(lanes));
  for (std::size_t i = begin; i < end; i += lanes, place = hn::Add(place, next)) {
    const auto change = hn::Sub(load_floats(d, a + i), load_floats(d, b + i));
    const auto slope = hn::NegMulAdd(step, change, hn::LoadU(d, p.slope + i));
    hn::StoreU(slope, d, p.slope + i);
    const auto up = hn::Add(slope, hn::LoadU(d, p.up + i));
    const auto better = hn::Gt(up, top);
    top = hn::IfThenElse(better, up, top);
    at = hn::IfThenElse(better, place, at);
    bottom = hn::Min(bottom, hn::Add(slope, hn::LoadU(d, p.low + i)));
  }
  Ends<T> out{};
  best_lane(d, top, at, out.top, out.at);
  out.bottom = hn::GetLane(hn::MinOfLanes(d, bottom));
  return out;
}

// The partner of variable i: the largest (F_i - F_j)^2 / (K_ii + K_jj - 2 K_ij) among those that may be
// lowered.
template <class T>
HWY_INLINE std::size_t partner(const PairProblem<T>& p, std::size_t begin, std::size_t end, std::size_t i,
                               const float* row, T top) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto own = hn::Set(d, static_cast<T>(p.diagonal[i]));
  const auto high = hn::Set(d, top);
  const auto least = hn::Set(d, T{1e-12});
  auto best = hn::Set(d, T{-1});
  auto at = hn::Set(d, static_cast<T>(i));
  auto place = hn::Add(hn::Iota(d, T{0}), hn::Set(d, static_cast<T>(begin)));
  const auto next = hn::Set(d, static_cast<T>(lanes));
  for (std::size_t j = begin; j < end; j += lanes, place = hn::Add(place, next)) {
    const auto apart = hn::Sub(high, hn::Add(hn::LoadU(d, p.slope + j), hn::LoadU(d, p.low + j)));
    const auto sum = hn::Add(own, load_floats(d, p.diagonal + j));
    const auto curvature = hn::Max(least, hn::NegMulAdd(hn::Set(d, T{2}), load_floats(d, row + j), sum));
    hn::Vec<Tag<T>> gain;
    const auto positive = hn::Max(apart, hn::Zero(d));
    if constexpr (sizeof(T) == sizeof(float)) {
      gain = hn::Mul(hn::Mul(positive, positive), hn::ApproximateReciprocal(curvature));
    } else {
      gain = hn::Div(hn::Mul(positive, positive), curvature);
    }
    const auto better = hn::Gt(gain, best);
    best = hn::IfThenElse(better, gain, best);
    at = hn::IfThenElse(better, place, at);
  }
  T value;
  std::size_t out;
  best_lane(d, best, at, value, out);
  return value > 0 ? out : i;
}

template <class T>
HWY_INLINE void mark(const PairProblem<T>& p, std::size_t i) {
  p.up[i] = p.beta[i] < p.upper[i] ? T{0} : -std::numeric_limits<T>::infinity();
  p.low[i] = p.beta[i] > p.lower[i] ? T{0} : std::numeric_limits<T>::infinity();
}

template <class T>
HWY_INLINE const float* row_of(const PairProblem<T>& p, std::size_t i) {
  return p.row != nullptr ? p.row(p.keeper, i) : p.kernel + i * p.stride;
}

template <class T>
PairResult steps(const PairProblem<T>& p) {
  PairResult out;
  for (std::size_t i = 0; i < p.size; ++i) mark(p, i);
  T delta = 0;
  const float* a = p.diagonal;  // no step yet: nothing changes
  const float* b = p.diagonal;
  for (;; ++out.steps) {
    Ends<T> ends = update(p, 0, p.split, delta, a, b);
    std::size_t begin = 0, end = p.split;
    if (p.split < p.size) {
      const Ends<T> second = update(p, p.split, p.size, delta, a, b);
      if (second.top - second.bottom > ends.top - ends.bottom || p.split == 0) {
        ends = second;
        begin = p.split;
        end = p.size;
      }
    }
    out.apart = static_cast<double>(ends.top) - static_cast<double>(ends.bottom);
    if (!(out.apart > p.stop) || out.steps >= p.most) return out;
    const std::size_t i = ends.at;
    a = row_of(p, i);
    const std::size_t j = partner(p, begin, end, i, a, ends.top);
    if (j == i) return out;
    const double sum = static_cast<double>(p.diagonal[i]) + static_cast<double>(p.diagonal[j]);
    const double curvature = sum - 2 * static_cast<double>(a[j]);
    if (sum > 0) out.curvature = std::min(out.curvature, curvature / sum);
    const double slope = static_cast<double>(p.slope[i]) - static_cast<double>(p.slope[j]);
    const double wish = slope / std::max(curvature, 1e-12);
    const double room_i = p.upper[i] - p.beta[i];
    const double room_j = p.beta[j] - p.lower[j];
    const double step = std::min({wish, room_i, room_j});
    p.beta[i] = step == room_i ? p.upper[i] : p.beta[i] + step;
    p.beta[j] = step == room_j ? p.lower[j] : p.beta[j] - step;
    mark(p, i);
    mark(p, j);
    delta = static_cast<T>(step);
    if (delta == 0) return out;
    b = row_of(p, j);
  }
}

PairResult steps_float(const PairProblem<float>& p) { return steps(p); }
PairResult steps_double(const PairProblem<double>& p) { return steps(p); }

void subtract(const float* const* rows, const double* weight, std::size_t count, std::size_t begin,
              std::size_t end, double* f) {
  const Tag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k < count; k += 4) {
    const std::size_t rest = std::min<std::size_t>(4, count - k);
    const float* row[4];
    double w[4];
    for (std::size_t r = 0; r < 4; ++r) {
      row[r] = rows[k + std::min(r, rest - 1)];
      w[r] = r < rest ? weight[k + r] : 0.0;
    }
    std::size_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      auto sum = hn::LoadU(d, f + i);
      for (std::size_t r = 0; r < 4; ++r)
        sum = hn::NegMulAdd(hn::Set(d, w[r]), load_floats(d, row[r] + i), sum);
      hn::StoreU(sum, d, f + i);
    }
    for (; i < end; ++i)
      for (std::size_t r = 0; r < 4; ++r) f[i] -= w[r] * static_cast<double>(row[r][i]);
  }
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace::detail {
namespace {

struct PairTable {
  decltype(&HWY_STATIC_DISPATCH(steps_float)) in_float;
  decltype(&HWY_STATIC_DISPATCH(steps_double)) in_double;
  decltype(&HWY_STATIC_DISPATCH(subtract)) subtract;
};
PairTable choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (runs_target(TARGET)) return {&NAMESPACE::steps_float, &NAMESPACE::steps_double, &NAMESPACE::subtract};
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return {&HWY_STATIC_DISPATCH(steps_float), &HWY_STATIC_DISPATCH(steps_double),
          &HWY_STATIC_DISPATCH(subtract)};
}
const PairTable& best() {
  static const PairTable chosen = choose();
  return chosen;
}

}  // namespace

PairResult pair_steps(const PairProblem<float>& problem) { return best().in_float(problem); }
PairResult pair_steps(const PairProblem<double>& problem) { return best().in_double(problem); }
void subtract_rows(const float* const* rows, const double* weight, std::size_t count, std::size_t begin,
                   std::size_t end, double* f) {
  best().subtract(rows, weight, count, begin, end, f);
}

}  // namespace halfspace::detail
#endif  // HWY_ONCE
