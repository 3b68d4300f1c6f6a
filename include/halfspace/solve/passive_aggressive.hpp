// SPDX-License-Identifier: BSD-3-Clause
// Passive-aggressive learning (Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, JMLR 2006): the smallest step
// that brings the row to margin 1. With l = (1 - m)+: tau = l / |x|^2 (pa), min(C, l / |x|^2) (pa1),
// l / (|x|^2 + 1/(2C)) (pa2), and theta += tau y x.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/data/row_stream.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/online_options.hpp"

namespace halfspace {

enum class PassiveAggressiveVariant { Pa, Pa1, Pa2 };
namespace detail {
inline constexpr std::string_view passive_aggressive_words[] = {"pa", "pa1", "pa2"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<PassiveAggressiveVariant> =
    detail::passive_aggressive_words;

struct PassiveAggressive {
  static constexpr std::string_view name = "passive-aggressive";
  static constexpr std::string_view summary = "the smallest step that gives the row a margin of 1";
  static constexpr bool starts = true;

  PassiveAggressiveVariant variant = PassiveAggressiveVariant::Pa1;
  double C = 1;
  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  Offset offset = Offset::Lifted;
  bool average = false;

  static constexpr auto fields() {
    using P = PassiveAggressive;
    return std::array{
        field<&P::variant>("variant", "WHICH",
                           "pa: no limit; pa1: step at most C; pa2: steps damped by 1/(2C)"),
        field<&P::C>("C", "C", "how far one row may move the plane (pa1, pa2)", {1e-300, 1e300}),
        field<&P::passes>("passes", "T", detail::passes_help, {0, 1e9}),
        field<&P::max_passes>("max-passes", "N", detail::max_passes_help, {1, 1e9}),
        field<&P::order>("order", "ORDER", detail::order_help),
        field<&P::offset, LiftedOrNone>("offset", "OFFSET", detail::lifted_help),
        field<&P::average>("average", "", "keep the mean of the planes over all steps"),
    };
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const PassiveAggressive& options, const Run& run);
// The same between two classes, showing the updates.
[[nodiscard]] Fit trace(const Dataset& data, const PassiveAggressive& options, const Run& run,
                        const UpdateObserver& observer);

[[nodiscard]] Fit solve_stream(RowStream& stream, const PassiveAggressive& options, const Run& run);

}  // namespace halfspace
