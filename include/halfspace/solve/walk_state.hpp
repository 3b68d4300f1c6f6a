// SPDX-License-Identifier: BSD-3-Clause
// Where an online learner stands between two rows: everything that its next step depends on. Who goes on from it with the
// same options takes the steps, and leaves the bits, of one walk over all rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace {

struct WalkState {
  std::uint64_t features = 0, planes = 0;
  std::uint64_t steps = 0;          // rows seen
  double radius2 = 0;               // the largest |x|^2 of them, with the lifted 1
  double scale = 1, scale_sum = 0;  // theta = scale v; sum of the scales over the steps
  std::vector<std::uint64_t> mistakes;
  std::vector<double> theta0, offset_sums;
  // Feature after feature, the planes of one beside each other. Sums and base only where a mean is kept.
  std::vector<double> v, sums, base;
  std::shared_ptr<const VotedModel> votes;  // voted perceptrons: the planes so far; not among the numbers
};

// All of it as numbers, for callers that keep it as bytes, and back. Throws UsageError for numbers that are no state.
[[nodiscard]] std::vector<double> to_numbers(const WalkState& state);
[[nodiscard]] WalkState walk_state_from(std::span<const double> numbers);

}  // namespace halfspace
