// SPDX-License-Identifier: BSD-3-Clause

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/narrow/panel.cpp"
#include "solve/narrow/panel.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Whole vectors fill the lanes of a sum, whatever their width.
using PanelTag = hn::CappedTag<double, panel_lanes>;
using PanelVec = hn::Vec<PanelTag>;

// z = sum theta_c x_c, four vectors of rows at a time.
HWY_INLINE void panel_scores(Panel& p, const double* theta) {
  const PanelTag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scores = [&](std::size_t r, auto count) HWY_ATTR {
    constexpr std::size_t vectors = decltype(count)::value;
    PanelVec sum[vectors];
    for (auto& s : sum) s = hn::Zero(d);
    const double* x = p.x.data() + r;
    for (std::size_t c = 0; c < p.columns; ++c, x += p.stride) {
      const auto w = hn::Set(d, theta[c]);
      for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::MulAdd(w, hn::LoadU(d, x + v * lanes), sum[v]);
    }
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(sum[v], d, p.z.data() + r + v * lanes);
  };
  std::size_t r = 0;
  for (; r + 4 * lanes <= p.rows; r += 4 * lanes) scores(r, std::integral_constant<std::size_t, 4>());
  for (; r < p.rows; r += lanes) scores(r, std::integral_constant<std::size_t, 1>());
}

struct LossSums {
  PanelVec value, loss, gain;
};

HWY_INLINE void logistic_losses(Panel& p, std::size_t r, LossSums& sums) {
  const PanelTag d;
  const auto one = hn::Set(d, 1.0), y = hn::LoadU(d, p.y.data() + r), cost = hn::LoadU(d, p.cost.data() + r);
  const auto m = hn::Mul(y, hn::LoadU(d, p.z.data() + r));
  const auto e = hn::Exp(d, hn::Neg(hn::Min(hn::Abs(m), hn::Set(d, 700.0))));
  const auto near = hn::Div(one, hn::Add(one, e));
  const auto tail = hn::Mul(e, near);  // sigma(-|m|)
  const auto share = hn::IfThenElse(hn::Gt(m, hn::Zero(d)), tail, near);
  const auto value = hn::Add(hn::Log1p(d, e), hn::Max(hn::Neg(m), hn::Zero(d)));
  sums.value = hn::MulAdd(cost, value, sums.value);
  hn::StoreU(hn::Mul(hn::Mul(cost, share), y), d, p.u.data() + r);
  hn::StoreU(hn::Mul(cost, hn::Mul(tail, near)), d, p.h.data() + r);
}

HWY_INLINE void clipped_losses(Panel& p, const PanelLoss& loss, std::size_t r, LossSums& sums) {
  const PanelTag d;
  const auto zero = hn::Zero(d), y = hn::LoadU(d, p.y.data() + r), cost = hn::LoadU(d, p.cost.data() + r);
  const auto m = hn::Mul(y, hn::LoadU(d, p.z.data() + r));
  const auto miss = hn::Sub(hn::Set(d, loss.knee), m), limit = hn::Set(d, loss.limit);
  const auto raw = hn::Div(miss, hn::Set(d, loss.width));
  const auto share = hn::Min(hn::Max(raw, zero), limit);
  const auto bends = hn::And(hn::Gt(raw, zero), hn::Le(raw, limit));
  const auto half = hn::Mul(hn::Mul(hn::Set(d, loss.width / 2), share), share);
  sums.value = hn::MulAdd(cost, hn::Sub(hn::Mul(share, miss), half), sums.value);
  if (loss.hinge) {
    sums.loss = hn::MulAdd(cost, hn::Max(zero, hn::Sub(hn::Set(d, 1.0), m)), sums.loss);
    sums.gain = hn::MulAdd(cost, share, sums.gain);
  }
  hn::StoreU(hn::Mul(hn::Mul(cost, share), y), d, p.u.data() + r);
  hn::StoreU(hn::IfThenElseZero(bends, hn::Div(cost, hn::Set(d, loss.width))), d, p.h.data() + r);
}

// Slopes and curvatures of all rows; their sums of losses.
HWY_INLINE void panel_losses(Panel& p, const PanelLoss& loss, double* sums) {
  const PanelTag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t part = 0; part < panel_lanes; part += lanes) {
    LossSums at{hn::LoadU(d, sums + PanelSums::value + part), hn::LoadU(d, sums + PanelSums::loss + part),
                hn::LoadU(d, sums + PanelSums::gain + part)};
    for (std::size_t r = part; r < p.rows; r += panel_lanes)
      if (loss.logistic) {
        logistic_losses(p, r, at);
      } else {
        clipped_losses(p, loss, r, at);
      }
    hn::StoreU(at.value, d, sums + PanelSums::value + part);
    hn::StoreU(at.loss, d, sums + PanelSums::loss + part);
    hn::StoreU(at.gain, d, sums + PanelSums::gain + part);
  }
}

HWY_INLINE void panel_gradient(const Panel& p, double* to) {
  const PanelTag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < p.columns; c += panel_group) {
    const double* x = p.x.data() + c * p.stride;
    double* at = to + c * panel_lanes;
    for (std::size_t part = 0; part < panel_lanes; part += lanes) {
      PanelVec sum[panel_group];
      for (std::size_t k = 0; k < panel_group; ++k) sum[k] = hn::LoadU(d, at + k * panel_lanes + part);
      for (std::size_t r = part; r < p.rows; r += panel_lanes) {
        const auto u = hn::LoadU(d, p.u.data() + r);
        for (std::size_t k = 0; k < panel_group; ++k)
          sum[k] = hn::MulAdd(u, hn::LoadU(d, x + k * p.stride + r), sum[k]);
      }
      for (std::size_t k = 0; k < panel_group; ++k) hn::StoreU(sum[k], d, at + k * panel_lanes + part);
    }
  }
}

// Sums of h x_i x_j for four columns i and four columns j.
HWY_INLINE void panel_tile(const double* curvature, std::size_t rows, std::size_t stride, const double* xi,
                           const double* xj, double* to) {
  const PanelTag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t part = 0; part < panel_lanes; part += lanes) {
    double* at = to + part;
    PanelVec sum[panel_group][panel_group];
    for (std::size_t i = 0; i < panel_group; ++i)
      for (std::size_t j = 0; j < panel_group; ++j)
        sum[i][j] = hn::LoadU(d, at + (i * panel_group + j) * panel_lanes);
    for (std::size_t r = part; r < rows; r += panel_lanes) {
      const auto h = hn::LoadU(d, curvature + r);
      const auto a0 = hn::Mul(h, hn::LoadU(d, xi + r)), a1 = hn::Mul(h, hn::LoadU(d, xi + stride + r));
      const auto a2 = hn::Mul(h, hn::LoadU(d, xi + 2 * stride + r)),
                 a3 = hn::Mul(h, hn::LoadU(d, xi + 3 * stride + r));
      for (std::size_t j = 0; j < panel_group; ++j) {
        const auto b = hn::LoadU(d, xj + j * stride + r);
        sum[0][j] = hn::MulAdd(a0, b, sum[0][j]);
        sum[1][j] = hn::MulAdd(a1, b, sum[1][j]);
        sum[2][j] = hn::MulAdd(a2, b, sum[2][j]);
        sum[3][j] = hn::MulAdd(a3, b, sum[3][j]);
      }
    }
    for (std::size_t i = 0; i < panel_group; ++i)
      for (std::size_t j = 0; j < panel_group; ++j)
        hn::StoreU(sum[i][j], d, at + (i * panel_group + j) * panel_lanes);
  }
}

inline constexpr std::size_t panel_width = hn::MaxLanes(PanelTag());

// A vector of columns from each of as many rows becomes a vector of rows for each column.
HWY_INLINE void turn(PanelVec* v) {
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(v);
#else
  const PanelTag d;
  if constexpr (panel_width >= 2) {
    for (std::size_t k = 0; k + 1 < panel_width; k += 2) {
      const auto even = hn::InterleaveLower(d, v[k], v[k + 1]);
      v[k + 1] = hn::InterleaveUpper(d, v[k], v[k + 1]);
      v[k] = even;
    }
  }
  // From here on, pairs of numbers.
  const auto halves = [&](std::size_t a, std::size_t b) HWY_ATTR {
    const auto lower = hn::ConcatLowerLower(d, v[b], v[a]);
    v[b] = hn::ConcatUpperUpper(d, v[b], v[a]);
    v[a] = lower;
  };
  if constexpr (panel_width == 4) {
    halves(0, 2);
    halves(1, 3);
  }
#if HWY_TARGET <= HWY_AVX3
  const auto pairs = [&](std::size_t a, std::size_t b) HWY_ATTR {
    const auto even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[b]), v[a]);
    v[b] = hn::OddEvenBlocks(v[b], hn::SwapAdjacentBlocks(v[a]));
    v[a] = even;
  };
  if constexpr (panel_width == 8) {
    for (std::size_t parity = 0; parity < 2; ++parity) {
      pairs(parity, parity + 2);
      pairs(parity + 4, parity + 6);
      halves(parity, parity + 4);
      halves(parity + 2, parity + 6);
    }
  }
#endif
#endif
}

template <class T>
void spread(const T* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
            std::size_t stride) noexcept {
  const PanelTag d;
  const hn::Rebind<T, PanelTag> dt;
  const hn::Rebind<std::int32_t, PanelTag> d32;
  const auto factor = hn::Set(d, unit);
  for (std::size_t part = 0; part < panel_lanes; part += hn::Lanes(d)) {
    if (panel_width > 1 && columns >= panel_width) {
      for (std::size_t next = 0; next < columns; next += panel_width) {
        const std::size_t c = std::min(next, columns - panel_width);  // the last ones may be met twice
        PanelVec v[panel_width];
        for (std::size_t k = 0; k < panel_width; ++k) {
          const T* const row = from + offset[part + k] + c;
          if constexpr (sizeof(T) == 8) {
            v[k] = hn::LoadU(dt, row);
          } else {
            v[k] = hn::Mul(hn::PromoteTo(d, hn::LoadU(dt, row)), factor);
          }
        }
        turn(v);
        for (std::size_t k = 0; k < panel_width; ++k) hn::StoreU(v[k], d, to + (c + k) * stride + part);
      }
      continue;
    }
    const auto places = hn::LoadU(d32, offset + part);
    for (std::size_t c = 0; c < columns; ++c) {
      double* const at = to + c * stride + part;
      if constexpr (sizeof(T) == 8) {
        hn::StoreU(hn::GatherIndex(dt, from + c, hn::PromoteTo(hn::RebindToSigned<PanelTag>(), places)), d,
                   at);
      } else {
        hn::StoreU(hn::Mul(hn::PromoteTo(d, hn::GatherIndex(dt, from + c, places)), factor), d, at);
      }
    }
  }
}

// Moves the rows that have curvature together, each within its lane, so that the sums have the same bits; returns how many
// places they take, 0: too many to be worth it.
std::size_t gather_bent(Panel& p) {
  std::array<std::size_t, panel_lanes> count{};
  const double* const h = p.h.data();
  for (std::size_t r = 0; r < p.rows; ++r) {
    const std::size_t lane = r % panel_lanes;
    p.bent[count[lane] * panel_lanes + lane] = static_cast<std::uint16_t>(r);
    count[lane] += h[r] != 0 ? 1 : 0;
  }
  const std::size_t most = *std::max_element(count.begin(), count.end());
  if (p.columns < 8 || 2 * most * panel_lanes > p.rows) return 0;
  const std::size_t places = std::max<std::size_t>(1, most) * panel_lanes;
  // A place that is left over takes any row with no curvature.
  for (std::size_t k = 0; k < places; ++k) {
    const bool taken = k / panel_lanes < count[k % panel_lanes];
    if (!taken) p.bent[k] = static_cast<std::uint16_t>(k % panel_lanes);
    p.bent_h[k] = taken ? h[p.bent[k]] : 0;
  }
  for (std::size_t c = 0; c < p.columns; ++c) {
    const double* const from = p.x.data() + c * p.stride;
    double* const to = p.bent_x.data() + c * p.stride;
    for (std::size_t k = 0; k < places; ++k) to[k] = from[p.bent[k]];
  }
  return places;
}

void add_panel(Panel& p, const double* theta, const PanelLoss& loss, bool with_curvature,
               double* sums) noexcept {
  panel_scores(p, theta);
  panel_losses(p, loss, sums);
  panel_gradient(p, sums + PanelSums::gradient);
  if (!with_curvature) return;
  const std::size_t bent = gather_bent(p);
  const double* const x = bent > 0 ? p.bent_x.data() : p.x.data();
  const double* const h = bent > 0 ? p.bent_h.data() : p.h.data();
  const std::size_t rows = bent > 0 ? bent : p.rows;
  double* tile = sums + PanelSums(p.columns).tiles();
  for (std::size_t i = 0; i < p.columns; i += panel_group)
    for (std::size_t j = 0; j <= i; j += panel_group, tile += panel_group * panel_group * panel_lanes)
      panel_tile(h, rows, p.stride, x + i * p.stride, x + j * p.stride, tile);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

template <class T>
using Spread = void (*)(const T*, const std::int32_t*, std::size_t, double, double*, std::size_t) noexcept;
template <class T>
Spread<T> choose_spread() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return &detail::NAMESPACE::spread<T>;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return &detail::HWY_STATIC_DISPATCH(spread<T>);
}
template <class T>
void spread_by_best(const T* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
                    std::size_t stride) noexcept {
  static const Spread<T> chosen = choose_spread<T>();
  chosen(from, offset, columns, unit, to, stride);
}

using AddPanel = void (*)(Panel&, const double*, const PanelLoss&, bool, double*) noexcept;
AddPanel choose_add_panel() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return &detail::NAMESPACE::add_panel;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return &detail::HWY_STATIC_DISPATCH(add_panel);
}

}  // namespace

// The stride is not a power of two, for columns would then share their places in the cache.
Panel::Panel(std::size_t data_columns)
    : columns((data_columns + panel_group) / panel_group * panel_group),
      most(columns <= 16 ? 256 : 128),
      stride(most + panel_lanes) {
  x.assign(columns * stride, 0.0);
  bent_x.assign(columns * stride, 0.0);
  for (auto* v : {&y, &cost, &z, &u, &h, &bent_h}) v->assign(most, 0.0);
  bent.assign(most + panel_lanes, 0);
}

void add_panel(Panel& panel, const double* theta, const PanelLoss& loss, bool with_curvature,
               double* sums) noexcept {
  static const AddPanel chosen = choose_add_panel();
  chosen(panel, theta, loss, with_curvature, sums);
}

void spread_rows(const float* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
                 std::size_t stride) noexcept {
  spread_by_best(from, offset, columns, unit, to, stride);
}
void spread_rows(const double* from, const std::int32_t* offset, std::size_t columns, double unit, double* to,
                 std::size_t stride) noexcept {
  spread_by_best(from, offset, columns, unit, to, stride);
}
void spread_rows(const std::int32_t* from, const std::int32_t* offset, std::size_t columns, double unit,
                 double* to, std::size_t stride) noexcept {
  spread_by_best(from, offset, columns, unit, to, stride);
}

}  // namespace halfspace
#endif  // HWY_ONCE
