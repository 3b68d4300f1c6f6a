// SPDX-License-Identifier: BSD-3-Clause
// Stochastic, batch and full (sub)gradient descent on  lambda/2 |theta|^2 + 1/n sum loss(m_i):
// theta <- theta - eta (lambda theta + mean over the batch of loss'(m) y x).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/data/row_stream.hpp"
#include "halfspace/objective/losses.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/online_options.hpp"

namespace halfspace {

// The rate of step k, counted from 0: 1/(k+1), ETA, or ETA0 / (1 + DECAY k). `updates`: only steps that moved theta count.
struct Rate {
  enum class Kind { Harmonic, Constant, Inverse } kind = Kind::Harmonic;
  double eta = 1;
  double decay = 1;
  bool updates = false;
  [[nodiscard]] double at(std::uint64_t k) const {
    const auto step = static_cast<double>(k);
    if (kind == Kind::Constant) return eta;
    return kind == Kind::Harmonic ? 1 / (step + 1) : eta / (1 + decay * step);
  }
};
template <>
struct OptionType<Rate> {
  static Rate parse(std::string_view name, std::string_view text, Range range);
  static std::string print(const Rate& rate);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

// Rows per step: a number, or all of them.
struct Batch {
  std::uint64_t rows = 1;  // 0: all
};
template <>
struct OptionType<Batch> {
  static Batch parse(std::string_view name, std::string_view text, Range range);
  static std::string print(const Batch& batch);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

enum class Keep { Best, Last, Average };
namespace detail {
inline constexpr std::string_view keep_words[] = {"best", "last", "average"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<Keep> = detail::keep_words;

struct Sgd {
  static constexpr std::string_view name = "sgd";
  static constexpr std::string_view summary = "(stochastic) gradient descent on any loss";
  static constexpr bool starts = true;

  Loss loss = Hinge{};
  double lambda = 0;
  double passes = 10;
  Batch batch;
  Rate rate;
  Keep keep = Keep::Best;
  Offset offset = Offset::Free;
  Order order = Order::Random;
  AtKink tie = AtKink::Skip;

  static constexpr auto fields() {
    using P = Sgd;
    return std::array{
        field<&P::loss>("loss", "LOSS", detail::loss_help<AnyAlternative>),
        field<&P::lambda>("lambda", "L", "weight of the penalty: L/2 |theta|^2 + mean loss", {0, 1e300}),
        field<&P::passes>("passes", "T", "passes over the rows, fractions allowed", {0, 1e9}),
        field<&P::batch>("batch", "B", "rows per step, or all", {1, 1e9}),
        field<&P::rate>(
            "rate", "RATE",
            "1/(k+1), constant:ETA or inverse:ETA0[,DECAY] = ETA0/(1 + DECAY k), k counting steps; "
            "1/(k+1):updates counts those that moved theta"),
        field<&P::keep>("keep", "WHICH",
                        "best: least objective at the end of a pass; last; average over the steps"),
        field<&P::offset>("offset", "OFFSET", "free: not penalised; lifted: a constant feature 1; none"),
        field<&P::order, SteppedOrders>("order", "ORDER", detail::stepped_order_help),
        field<&P::tie>("tie", "HOW", detail::at_kink_help),
    };
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Sgd& options, const Run& run);
// The same between two classes, showing the updates.
[[nodiscard]] Fit trace(const Dataset& data, const Sgd& options, const Run& run,
                        const UpdateObserver& observer);

[[nodiscard]] Fit solve_stream(RowStream& stream, const Sgd& options, const Run& run);

}  // namespace halfspace
