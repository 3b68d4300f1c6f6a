// SPDX-License-Identifier: BSD-3-Clause
// Checks the margins that a hard-margin plane claims.
#pragma once

#include "certify/claims/claim.hpp"
#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// Hard margin: the plane and the hull points of the dual are a certificate of separability with bounds of the
// margin; primal and dual value are 1 / (2 margin^2). Exact but for the last digits of the claim.
void verify_margins(const Model& model, const LinearModel& linear, const Dataset& data,
                    const StatedOptions& options, const std::string& file, const Threads& threads,
                    ModelCheck& out);

}  // namespace halfspace::detail
