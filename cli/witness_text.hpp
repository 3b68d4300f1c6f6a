// SPDX-License-Identifier: BSD-3-Clause
// Proofs of separability in words.
#pragma once

#include <string>
#include <vector>

#include "halfspace/certify/separation.hpp"

namespace halfspace::cli {

// "1/4", or "about 0.0123" when the exact share is long.
[[nodiscard]] std::string share_text(const Share& share);

// "rows on the plane: 1, 2, 5 and 20 more"; rows count from 0 here.
[[nodiscard]] std::string rows_text(const std::vector<std::uint32_t>& rows);

// A few lines about the proof: the plane, or the rows of the first witness with their values so that a person
// can look them up.
[[nodiscard]] std::vector<std::string> proof_lines(const SeparationProof& proof, const Dataset& data);

}  // namespace halfspace::cli
