// SPDX-License-Identifier: BSD-3-Clause
// What the models of online learners claim: mistakes that bound every margin, planes that separate.
#pragma once

#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

[[nodiscard]] bool is_online(const Model& model);  // an algorithm whose certificates are checked here

// Requires is_online(model), a model without preparation and the rows as it sees them. `file` names the model.
void verify_online(const Model& model, const Dataset& rows, const std::string& file, const Threads& threads,
                   ModelCheck& out);

}  // namespace halfspace::detail
