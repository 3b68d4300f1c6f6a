// SPDX-License-Identifier: BSD-3-Clause
// Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter, Mathematical Programming 2011): stochastic subgradient
// steps on  lambda/2 |theta|^2 + 1/n sum (1 - m_i)+ , with eta_t = 1/(lambda t) or 1/sqrt(t): theta <- (1 -
// eta lambda) theta + eta y x if m < 1, else theta <- (1 - eta lambda) theta.
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

enum class PegasosRate { Pegasos, Sqrt };
namespace detail {
inline constexpr std::string_view pegasos_rate_words[] = {"pegasos", "sqrt"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<PegasosRate> = detail::pegasos_rate_words;

struct Pegasos {
  static constexpr std::string_view name = "pegasos";
  static constexpr std::string_view summary = "stochastic subgradient steps for the support vector machine";
  static constexpr bool starts = true;

  double lambda = 1e-4;
  double passes = 10;
  std::int64_t batch = 1;
  PegasosRate rate = PegasosRate::Pegasos;
  Offset offset = Offset::None;
  Order order = Order::Shuffled;
  bool average = false;
  AtKink tie = AtKink::Skip;

  static constexpr auto fields() {
    using P = Pegasos;
    return std::array{
        field<&P::lambda>("lambda", "L", "weight of the penalty: L/2 |theta|^2 + mean hinge loss",
                          {1e-300, 1e300}),
        field<&P::passes>("passes", "T", "passes over the rows, fractions allowed", {0, 1e9}),
        field<&P::batch>("batch", "B", "rows per step", {1, 1e9}),
        field<&P::rate>("rate", "RATE", "pegasos: 1/(L t); sqrt: 1/sqrt(t)"),
        field<&P::offset, Only<Offset::Free, Offset::None>>(
            "offset", "OFFSET", "free: not penalised, with the same rate; none: planes through the origin"),
        field<&P::order, SteppedOrders>("order", "ORDER", detail::stepped_order_help),
        field<&P::average>("average", "", "keep the mean of the planes over all steps"),
        field<&P::tie>("tie", "HOW", detail::at_kink_help),
    };
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Pegasos& options, const Run& run);
// The same between two classes, showing the updates.
[[nodiscard]] Fit trace(const Dataset& data, const Pegasos& options, const Run& run,
                        const UpdateObserver& observer);

[[nodiscard]] Fit solve_stream(RowStream& stream, const Pegasos& options, const Run& run);

}  // namespace halfspace
