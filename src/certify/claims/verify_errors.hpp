// SPDX-License-Identifier: BSD-3-Clause
// Checks the bounds on errors that a plane of fewest errors claims.
#pragma once

#include "certify/claims/claim.hpp"
#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// Every plane: its errors are counted again in whole numbers, and the proof that no plane has fewer is gone through.
void verify_errors(const Model& model, const LinearModel& linear, const Dataset& data,
                   const StatedOptions& options, const std::string& file, const Threads& threads,
                   ModelCheck& out);

}  // namespace halfspace::detail
