// SPDX-License-Identifier: BSD-3-Clause
// The exponentials of the logistic loss are computed four or eight at a time; there is one per row and call.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/systems/line_losses.cpp"
#include <cstddef>
#include <cstdint>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// For margins m: e = exp(-|m|), log1p(e); the loss is log1p(e) + max(-m, 0) and the rest follows from e.
void logistic_parts(const double* m, std::size_t n, double* e, double* log_part) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto size = hn::Abs(hn::LoadU(d, m + i));
    const auto small = hn::Exp(d, hn::Neg(hn::Min(size, hn::Set(d, 745.0))));
    hn::StoreU(small, d, e + i);
    if (log_part != nullptr) hn::StoreU(hn::Log1p(d, small), d, log_part + i);
  }
  if (i == n) return;
  double rest[hn::MaxLanes(d)] = {};
  double out[hn::MaxLanes(d)];
  for (std::size_t k = i; k < n; ++k) rest[k - i] = m[k];
  const auto size = hn::Abs(hn::LoadU(d, rest));
  const auto small = hn::Exp(d, hn::Neg(hn::Min(size, hn::Set(d, 745.0))));
  hn::StoreU(small, d, out);
  for (std::size_t k = i; k < n; ++k) e[k] = out[k - i];
  if (log_part == nullptr) return;
  hn::StoreU(hn::Log1p(d, small), d, out);
  for (std::size_t k = i; k < n; ++k) log_part[k] = out[k - i];
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>

#include "core/row_sums.hpp"
#include "core/simd/targets.hpp"
#include "solve/systems/line_losses.hpp"

namespace halfspace {
namespace {

using Parts = void (*)(const double*, std::size_t, double*, double*);
Parts choose() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return &detail::NAMESPACE::logistic_parts;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return &detail::HWY_STATIC_DISPATCH(logistic_parts);
}
Parts logistic_parts() {
  static const Parts chosen = choose();
  return chosen;
}

// f(i, loss, slope, curvature) for the rows of one block, with margins in m.
template <class F>
void for_losses(const Logistic&, const double* m, std::size_t n, F&& f) {
  std::array<double, row_block> e;
  std::array<double, row_block> log_part;
  logistic_parts()(m, n, e.data(), log_part.data());
  for (std::size_t k = 0; k < n; ++k) {
    const double one = 1 / (1 + e[k]);
    const double tail = e[k] * one;  // sigma(-|m|)
    const double slope = m[k] > 0 ? -tail : -one;
    f(k, log_part[k] + std::max(-m[k], 0.0), slope, tail * one);
  }
}
template <class L, class F>
void for_losses(const L& loss, const double* m, std::size_t n, F&& f) {
  for (std::size_t k = 0; k < n; ++k) f(k, loss.value(m[k]), loss.slope(m[k]), loss.curvature(m[k]));
}

}  // namespace

LineSums line_sums(const Problem& problem, const double* z, const double* dz, double t, const Team& team,
                   const Stretch& list) {
  return std::visit(
      [&](const auto& loss) {
        return sum_rows(team, list, LineSums{}, [&](std::size_t begin, std::size_t end, LineSums& total) {
          std::array<double, row_block> m;
          for (std::size_t i = begin; i < end; ++i)
            m[i - begin] = problem.y[i] * (dz != nullptr ? z[i] + t * dz[i] : z[i] + t);
          LineSums sums = total;
          for_losses(loss, m.data(), end - begin,
                     [&](std::size_t k, double value, double slope, double curvature) {
                       const std::size_t i = begin + k;
                       const double direction = dz != nullptr ? dz[i] : 1.0;
                       sums.value += problem.cost[i] * value;
                       sums.slope += problem.cost[i] * slope * problem.y[i] * direction;
                       sums.curvature += problem.cost[i] * curvature * direction * direction;
                     });
          total = sums;
        });
      },
      problem.loss);
}

double loss_slopes(const Problem& problem, const double* z, double* u, double* h, const Team& team,
                   const Stretch& list) {
  return std::visit(
      [&](const auto& loss) {
        return sum_rows(team, list, 0.0, [&](std::size_t begin, std::size_t end, double& total) {
          std::array<double, row_block> m;
          for (std::size_t i = begin; i < end; ++i) m[i - begin] = problem.y[i] * z[i];
          double sum = total;
          for_losses(loss, m.data(), end - begin,
                     [&](std::size_t k, double value, double slope, double curvature) {
                       const std::size_t i = begin + k;
                       sum += problem.cost[i] * value;
                       u[i] = problem.cost[i] * slope * problem.y[i];
                       h[i] = problem.cost[i] * curvature;
                     });
          total = sum;
        });
      },
      problem.loss);
}

}  // namespace halfspace
#endif  // HWY_ONCE
