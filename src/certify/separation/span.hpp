// SPDX-License-Identifier: BSD-3-Clause
// Proof that some rows span others: no linear program, one elimination modulo a prime.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "certify/separation/refusal.hpp"

namespace halfspace::detail {

// The rows marked in `fixed` span those marked in `claimed`, of which they are some: every claimed row lies on every plane
// of `null_space`, these planes are independent, and the rank of the fixed rows is what is left of the columns. Throws Refused.
// `seed`: chooses the second prime, should the first divide a minor of the rows.
void check_span(const ExactRows& rows, const NumberLimits& limits, std::span<const char> fixed,
                std::span<const char> claimed, const std::vector<ExactPlane>& null_space, Offset offset,
                std::size_t features, const std::string& seed);

}  // namespace halfspace::detail
