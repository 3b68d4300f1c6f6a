// SPDX-License-Identifier: BSD-3-Clause
// The perceptron: on a mistake, m = y (theta . x + theta0) <= 0, theta += y x (and theta0 += y).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

// How often the rows are gone through: a number, also a fraction, or until a pass is without mistakes.
struct Passes {
  double count = 10;
  bool until_clean = false;
};
template <>
struct OptionType<Passes> {
  static Passes parse(std::string_view name, std::string_view text, Range range);
  static std::string print(const Passes& passes);
  static std::string choices() { return {}; }
  static constexpr bool number = false;
};

enum class Order { Cyclic, Shuffled };
enum class LiftedOffset { Lifted, None };
namespace detail {
inline constexpr std::string_view order_words[] = {"cyclic", "shuffled"};
inline constexpr std::string_view lifted_offset_words[] = {"lifted", "none"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<Order> = detail::order_words;
template <>
inline constexpr std::span<const std::string_view> enum_words<LiftedOffset> = detail::lifted_offset_words;

struct Perceptron {
  static constexpr std::string_view name = "perceptron";
  static constexpr std::string_view summary = "Rosenblatt's perceptron: add y x on every mistake";

  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  LiftedOffset offset = LiftedOffset::Lifted;

  static constexpr auto fields() {
    return std::array{
        field<&Perceptron::passes>("passes", "T", "passes over the rows, fractions allowed, or until-clean",
                                   {0, 1e9}),
        field<&Perceptron::max_passes>("max-passes", "N", "with --passes until-clean: give up after N passes",
                                       {1, 1e9}),
        field<&Perceptron::order>("order", "ORDER", "which row comes next; shuffled: a new order every pass"),
        field<&Perceptron::offset>("offset", "OFFSET",
                                   "lifted: a constant feature 1; none: planes through the origin"),
    };
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Perceptron& options, const Run& run);

}  // namespace halfspace
