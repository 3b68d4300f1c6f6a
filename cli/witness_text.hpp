// SPDX-License-Identifier: BSD-3-Clause
// Proofs of separability in words.
#pragma once

#include <string>
#include <vector>

#include "halfspace/certify/separation.hpp"

namespace halfspace::cli {

// The weights of a witness divided by their sum: "1/4", or a decimal when the numbers are long.
[[nodiscard]] std::vector<std::string> shares(const Combination& witness);

// A few lines about the proof: the plane, or the rows of the first witness with their values so that a person
// can look them up.
[[nodiscard]] std::vector<std::string> proof_lines(const SeparationProof& proof, const Dataset& data);

}  // namespace halfspace::cli
