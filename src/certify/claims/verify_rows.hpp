// SPDX-License-Identifier: BSD-3-Clause
// The claims of a model held against rows as its form sees them, without asking where the rows come from.
#pragma once

#include "halfspace/certify/verify_model.hpp"

namespace halfspace::detail {

// Requires a model without preparation that carries a certificate, and as many features and classes as it has.
[[nodiscard]] ModelCheck verify_rows(const Model& model, const Dataset& rows, const Threads& threads);

}  // namespace halfspace::detail
