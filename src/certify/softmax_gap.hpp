// SPDX-License-Identifier: BSD-3-Clause
// How far the planes of a softmax model are at most from the best ones. Computed from the data and the planes
// alone; rounding is counted against the claim on both sides.
#pragma once

#include "halfspace/certify/certificate.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/objective/softmax_problem.hpp"

namespace halfspace {

// The dual point is that of the probabilities, for which the gap is half the squared length of the gradient;
// with free offsets they are first brought to the shares of the classes.
[[nodiscard]] DualityGap softmax_gap(const SoftmaxProblem& problem, const LinearModel& model,
                                     const Team& team);

}  // namespace halfspace
