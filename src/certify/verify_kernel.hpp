// SPDX-License-Identifier: BSD-3-Clause
// Checks the gaps that a kernel model claims.
#pragma once

#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// What a model claims for one function; NaN where it claims nothing.
struct GapClaim {
  double primal = 0, dual = 0;
};
// `out` has passed the checks that all models share. C: one per function.
void verify_kernel(const Model& model, const KernelModel& kernel, const Dataset& data,
                   const std::vector<double>& C, const std::vector<double>& class_weights,
                   const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out);

// The same for hard margins: the bracket of the margin is recomputed from the model's own numbers.
void verify_kernel_margins(const Model& model, const KernelModel& kernel, const Dataset& data,
                           const std::vector<GapClaim>& claims, const Threads& threads, ModelCheck& out);

}  // namespace halfspace::detail
