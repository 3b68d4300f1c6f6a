// SPDX-License-Identifier: BSD-3-Clause
// Up to which C a penalty keeps every weight at 0, and what a fit says of weights that are 0.
#pragma once

#include "data/storage/row_access.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/objective/softmax_problem.hpp"
#include "halfspace/solve/fit.hpp"

namespace halfspace {

// The largest factor on all costs with which every weight, a lifted offset among them, of a best plane is 0. Infinity: any.
[[nodiscard]] double zero_factor(const Problem& problem, const RowAccess& rows, const Team& team);
[[nodiscard]] double zero_factor(const SoftmaxProblem& problem, const RowAccess& rows, const Team& team);

// How many weights are not 0, and up to which C (C of this fit times `factor`) there is none: figures and words.
void describe_zeros(const LinearModel& model, double C, double factor, bool debiased, Fit& fit);

}  // namespace halfspace
