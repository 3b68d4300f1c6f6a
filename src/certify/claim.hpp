// SPDX-License-Identifier: BSD-3-Clause
// What a model says of itself, as its file has it: options and facts by name, and the numbers of its certificates.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/model/model.hpp"

namespace halfspace::detail {

[[nodiscard]] std::string text_of(const Facts& facts, std::string_view key);  // empty when there is none

// What a model claims for one plane or function; NaN where it claims nothing.
struct GapClaim {
  double primal = std::nan("");
  double dual = std::nan("");
};
[[nodiscard]] std::vector<GapClaim> gap_claims(const Model& model);

}  // namespace halfspace::detail
