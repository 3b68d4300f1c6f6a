// SPDX-License-Identifier: BSD-3-Clause
// The perceptron: on a mistake, m = y (theta . x + theta0) <= 0, theta += y x (and theta0 += y). The averaged
// and the voted perceptron walk the same way and keep all planes on it: as their mean, or each with its vote.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "halfspace/core/kernel_function.hpp"
#include "halfspace/core/options.hpp"
#include "halfspace/data/row_stream.hpp"
#include "halfspace/objective/offset.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/online_options.hpp"

namespace halfspace {

// Which model a walk leaves: its last plane, the mean of all planes, the mean or the vote over the second
// half of the steps, the plane that survived longest, the vote; All: the mean, with the errors of the others
// told.
enum class OnlineToBatch { Last, Average, LastHalf, Longest, Vote, All };
namespace detail {
inline constexpr std::string_view budget_help =
    "with --kernel: a plane is made of at most B rows, one drawn at random leaves for a new one; 0: no limit";
inline constexpr std::string_view online_to_batch_words[] = {"last",    "average", "last-half",
                                                             "longest", "vote",    "all"};
}  // namespace detail
template <>
inline constexpr std::span<const std::string_view> enum_words<OnlineToBatch> = detail::online_to_batch_words;

struct Perceptron {
  static constexpr std::string_view name = "perceptron";
  static constexpr std::string_view summary = "Rosenblatt's perceptron: add y x on every mistake";
  static constexpr bool starts = true;

  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  Offset offset = Offset::Lifted;
  KernelFunction kernel;
  std::int64_t budget = 0;
  OnlineToBatch online_to_batch = OnlineToBatch::Last;

  static constexpr auto fields() {
    using P = Perceptron;
    return std::array{
        field<&P::passes>("passes", "T", detail::passes_help, {0, 1e9}),
        field<&P::max_passes>("max-passes", "N", detail::max_passes_help, {1, 1e9}),
        field<&P::order>("order", "ORDER", detail::order_help),
        field<&P::offset, LiftedOrNone>("offset", "OFFSET", detail::lifted_help),
        field<&P::kernel>("kernel", "KERNEL", detail::kernel_help),
        field<&P::budget>("budget", "B", detail::budget_help, {0, 4294967295.0}),
        field<&P::online_to_batch>("online-to-batch", "WHICH",
                                   "the plane to keep; all: the average, with the errors of every variant"),
    };
  }
};

struct AveragedPerceptron {
  static constexpr std::string_view name = "averaged-perceptron";
  static constexpr std::string_view summary = "the mean of the perceptron's plane over all steps";
  static constexpr bool starts = true;

  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  Offset offset = Offset::Lifted;
  KernelFunction kernel;
  std::int64_t budget = 0;

  static constexpr auto fields() {
    using P = AveragedPerceptron;
    return std::array{field<&P::passes>("passes", "T", detail::passes_help, {0, 1e9}),
                      field<&P::max_passes>("max-passes", "N", detail::max_passes_help, {1, 1e9}),
                      field<&P::order>("order", "ORDER", detail::order_help),
                      field<&P::offset, LiftedOrNone>("offset", "OFFSET", detail::lifted_help),
                      field<&P::kernel>("kernel", "KERNEL", detail::kernel_help),
                      field<&P::budget>("budget", "B", detail::budget_help, {0, 4294967295.0})};
  }
};

struct VotedPerceptron {
  static constexpr std::string_view name = "voted-perceptron";
  static constexpr std::string_view summary =
      "every plane of the perceptron's walk, voting with the number of rows it survived";

  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  Offset offset = Offset::Lifted;
  KernelFunction kernel;
  std::int64_t budget = 0;
  bool last_half = false;

  static constexpr auto fields() {
    using P = VotedPerceptron;
    return std::array{
        field<&P::passes>("passes", "T", detail::passes_help, {0, 1e9}),
        field<&P::max_passes>("max-passes", "N", detail::max_passes_help, {1, 1e9}),
        field<&P::order>("order", "ORDER", detail::order_help),
        field<&P::offset, LiftedOrNone>("offset", "OFFSET", detail::lifted_help),
        field<&P::kernel>("kernel", "KERNEL", detail::kernel_help),
        field<&P::budget>("budget", "B", detail::budget_help, {0, 4294967295.0}),
        field<&P::last_half>("last-half", "", "only the planes of the second half of the steps vote")};
  }
};

[[nodiscard]] Fit solve(const Dataset& data, const Perceptron& options, const Run& run);
[[nodiscard]] Fit solve(const Dataset& data, const AveragedPerceptron& options, const Run& run);
[[nodiscard]] Fit solve(const Dataset& data, const VotedPerceptron& options, const Run& run);

// Walks as the perceptron does between two classes and shows the updates. Throws UsageError for more classes.
[[nodiscard]] Fit trace(const Dataset& data, const Perceptron& options, const Run& run,
                        const UpdateObserver& observer);
[[nodiscard]] Fit trace(const Dataset& data, const AveragedPerceptron& options, const Run& run,
                        const UpdateObserver& observer);
[[nodiscard]] Fit trace(const Dataset& data, const VotedPerceptron& options, const Run& run,
                        const UpdateObserver& observer);

// One pass over rows that come once, in constant memory. Throws UsageError for other passes and orders, and
// for the models that need the rows again.
[[nodiscard]] Fit solve_stream(RowStream& stream, const Perceptron& options, const Run& run);
[[nodiscard]] Fit solve_stream(RowStream& stream, const AveragedPerceptron& options, const Run& run);
[[nodiscard]] Fit solve_stream(RowStream& stream, const VotedPerceptron& options, const Run& run);

}  // namespace halfspace
