// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/walk_state.hpp"

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

constexpr double walk_version = 1;
constexpr std::size_t walk_head = 9;
constexpr double largest_count = 9007199254740992.0;  // whole numbers up to here are doubles

[[noreturn]] void refuse_walk() { throw UsageError("these numbers are no state of an online learner"); }

std::uint64_t count_in(double x) {
  if (!(x >= 0) || x > largest_count || x != std::floor(x)) refuse_walk();
  return static_cast<std::uint64_t>(x);
}

}  // namespace

std::vector<double> to_numbers(const WalkState& state) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  std::vector<double> out{walk_version,
                          number(state.features),
                          number(state.planes),
                          number(state.steps),
                          state.radius2,
                          state.scale,
                          state.scale_sum,
                          state.sums.empty() ? 0.0 : 1.0,
                          state.base.empty() ? 0.0 : 1.0};
  for (const std::uint64_t n : state.mistakes) out.push_back(number(n));
  for (const auto* part : {&state.theta0, &state.offset_sums, &state.v, &state.sums, &state.base})
    out.insert(out.end(), part->begin(), part->end());
  return out;
}

WalkState walk_state_from(std::span<const double> numbers) {
  if (numbers.size() < walk_head || numbers[0] != walk_version) refuse_walk();
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); })) refuse_walk();
  WalkState out;
  out.features = count_in(numbers[1]);
  out.planes = count_in(numbers[2]);
  out.steps = count_in(numbers[3]);
  out.radius2 = numbers[4];
  out.scale = numbers[5];
  out.scale_sum = numbers[6];
  const std::uint64_t weights_lists = 1 + count_in(numbers[7]) + count_in(numbers[8]);
  std::span<const double> rest = numbers.subspan(walk_head);
  // Compared with what is there before anything is multiplied.
  if (out.planes == 0 || out.scale == 0 || weights_lists > 3 || out.planes > rest.size() / 3 ||
      out.features > rest.size() / out.planes ||
      rest.size() != 3 * out.planes + weights_lists * out.features * out.planes)
    refuse_walk();
  const auto take = [&rest](std::uint64_t count) {
    const std::span<const double> part = rest.first(count);
    rest = rest.subspan(count);
    return std::vector<double>(part.begin(), part.end());
  };
  for (const double n : take(out.planes)) out.mistakes.push_back(count_in(n));
  out.theta0 = take(out.planes);
  out.offset_sums = take(out.planes);
  out.v = take(out.features * out.planes);
  if (numbers[7] == 1) out.sums = take(out.features * out.planes);
  if (numbers[8] == 1) out.base = take(out.features * out.planes);
  return out;
}

}  // namespace halfspace
