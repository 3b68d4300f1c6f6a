// SPDX-License-Identifier: BSD-3-Clause
// Checks the gaps that planes of penalised problems claim: svm and logistic, one plane at a time or all classes at once.
#pragma once

#include "certify/claims/claim.hpp"
#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// `out` has passed the checks that all models share; `file` is where the model comes from.
void verify_planes(const Model& model, const LinearModel& linear, const Dataset& data,
                   const StatedOptions& options, const std::string& file, const Team& team, ModelCheck& out);

}  // namespace halfspace::detail
