// SPDX-License-Identifier: BSD-3-Clause
// What the online learners have in common: how often and in which order they see the rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "halfspace/core/options.hpp"
#include "halfspace/objective/offset.hpp"

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

// Worst: every step looks at all rows and takes the one with the least m = y f(x), which is the one furthest on the wrong
// side of the plane, so a step is a pass. Content: shuffled once, from an order that follows from what stands in the rows, so
// that neither their places nor rows of weight 0 change the walk; every pass is in this order.
enum class Order { Cyclic, Shuffled, Random, Worst, Content };
namespace detail {
inline constexpr std::string_view order_words[] = {"cyclic", "shuffled", "random", "worst", "content"};
inline constexpr std::string_view passes_help = "passes over the rows, fractions allowed, or until-clean";
inline constexpr std::string_view max_passes_help = "with --passes until-clean: give up after N passes";
inline constexpr std::string_view order_help =
    "which row comes next; shuffled: a new order every pass; random: drawn with replacement; worst: the row "
    "furthest on the wrong side (least y f), found by a pass of its own; content: shuffled once, the same "
    "wherever the rows stand";
inline constexpr std::string_view stepped_order_help =
    "which row comes next; shuffled: a new order every pass; random: drawn with replacement; content: "
    "shuffled once, the same wherever the rows stand";
inline constexpr std::string_view lifted_help =
    "lifted: a constant feature 1; none: planes through the origin";
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<Order> = detail::order_words;
// Planes of the perceptron family treat the offset as the weight of a constant feature, if they have one.
using LiftedOrNone = Only<Offset::Lifted, Offset::None>;

// What a row does whose margin is just where the loss begins (m = 1 for the hinge), where any slope between none and the full
// one is a subgradient: nothing, or a step.
enum class AtKink { Skip, Update };
namespace detail {
inline constexpr std::string_view at_kink_words[] = {"skip", "update"};
inline constexpr std::string_view at_kink_help =
    "a margin of exactly 1 (hinge): skip: a step when m < 1; update: when m <= 1";
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<AtKink> = detail::at_kink_words;

// The orders in which one row comes after the other.
using SteppedOrders = Only<Order::Cyclic, Order::Shuffled, Order::Random, Order::Content>;

// What a row of a step did: theta += amount y x.
struct MovingRow {
  std::uint32_t row = 0;  // from 0
  int y = 0;
  double margin_before = 0, margin_after = 0;
  double loss = 0;  // before the step: max(0, -m) for the perceptron, max(0, 1 - m) for the hinge, ...
  double amount = 0;
};

// One update of a plane between two classes, as it happens: theta <- keep theta + sum of amount y x over the rows of the
// step. A step that only shrinks theta is an update too.
struct Update {
  std::uint64_t number = 0;  // updates so far, this one included
  std::uint64_t pass = 0;    // from 1
  std::uint32_t row = 0;     // from 0; the first of a batch
  int y = 0;
  double margin_before = 0, margin_after = 0;
  double theta0 = 0;
  double norm = 0;                // |theta|, without theta0
  std::span<const double> theta;  // after the update; empty with kernels

  std::uint64_t step = 0;  // steps so far, also those that changed nothing
  double rate = 1;         // eta
  double keep = 1;         // what theta was multiplied by
  std::span<const double> theta_before;
  double theta0_before = 0;
  std::span<const MovingRow> rows;  // all rows of the step that have a loss or moved theta; at least one
  std::span<const double> mean;     // of theta over all steps so far; empty where none is kept
  double mean0 = 0;
  std::uint64_t votes = 0;  // voted perceptrons: steps that the plane lived, this one counted
  double alpha = 0;         // perceptrons: how often this row was mistaken so far
  bool averaged = false, voted = false, counted = false;  // which of the last four are there
};

// Who wants to see updates: every `every`-th, at most `most` of them.
struct UpdateObserver {
  std::uint64_t every = 1;
  std::uint64_t most = UINT64_MAX;
  std::function<void(const Update&)> see;
};

}  // namespace halfspace
