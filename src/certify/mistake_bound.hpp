// SPDX-License-Identifier: BSD-3-Clause
// What the mistakes of a perceptron prove, and the margin of a plane that separates. With theta = sum c_i y_i x_i
// and k = sum c_i, every unit vector u has k min y_i u . x_i <= u . theta <= |theta|: no margin is above |theta| / k.
// If theta puts every row on its side, the best margin is at least min y_i theta . x_i / |theta|. Rounding is counted
// against the claim on both sides, and what is not a number proves nothing.
#pragma once

#include <optional>
#include <span>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/kernel_function.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct BoundedWalk {
  std::uint32_t positive = 1;  // the class with y = +1
  bool lifted = true;          // rows have one more entry, 1
  KernelFunction kernel;       // of which x . z stands; positive semidefinite
  bool separates = false;      // ask for the margin of theta too
  double radius2 = 0;          // what radius2_above() gave, for several planes of the same rows; 0: not known
};

// `counts`: how often each row was a mistake; rows of weight 0 are absent and have none. Nothing when squares leave the
// range of doubles (values beyond 1e-140 or 1e150). margin_lower is 0 when it was not asked for or is not shown.
[[nodiscard]] std::optional<MistakeBound> mistake_bound(const Dataset& data, const DualPoint& counts,
                                                        const BoundedWalk& walk, const Threads& threads);

// At least the square of the longest row, with the 1 when it is lifted.
[[nodiscard]] double radius2_above(const Dataset& data, bool lifted, const Threads& threads);

// How far a plane is from theta, as a share of the length of theta; linear kernels only.
[[nodiscard]] double distance_from_sum(const Dataset& data, const DualPoint& counts, const BoundedWalk& walk,
                                       std::span<const double> weights, double offset);

// The least y f(x) over the rows that count, divided by the length of the normal (with the offset when it is lifted): at
// least this. 0 when a row is not shown to be on its side.
[[nodiscard]] double separator_margin(const Dataset& data, std::uint32_t positive,
                                      std::span<const double> theta, double theta0, bool lifted,
                                      const Threads& threads);

}  // namespace halfspace
