// SPDX-License-Identifier: BSD-3-Clause
// The claims of a model held against rows as its form sees them, without asking where the rows come from.
#pragma once

#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/team.hpp"

namespace halfspace::detail {

// Requires a model without preparation that carries a certificate, and as many features and classes as it has.
// Several members: planes alone, each with its own rows; the dual points are those of all rows.
[[nodiscard]] ModelCheck verify_rows(const Model& model, const Dataset& rows, const Team& team);

}  // namespace halfspace::detail
