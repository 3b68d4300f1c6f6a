// SPDX-License-Identifier: BSD-3-Clause
// Checks the gaps and margins that a kernel model claims. `out` has passed the checks that all models share.
#pragma once

#include "certify/claims/claim.hpp"
#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// svm and nu-svm: the gap of every function.
void verify_machines(const Model& model, const KernelModel& kernel, const Dataset& data,
                     const StatedOptions& options, const std::string& file, const Threads& threads,
                     ModelCheck& out);

// hard-margin: the bracket of the margin is recomputed from the model's own numbers.
void verify_kernel_margins(const Model& model, const KernelModel& kernel, const Dataset& data,
                           const StatedOptions& options, const std::string& file, const Threads& threads,
                           ModelCheck& out);

// Why function k is not the sum of the rows of the point with their values, each with the sign of its class; empty: it is.
[[nodiscard]] std::string not_made_of(const KernelModel& model, std::size_t k, const Dataset& data,
                                      std::uint32_t positive, const DualPoint& point);

}  // namespace halfspace::detail
