// SPDX-License-Identifier: BSD-3-Clause
// Standard deviations of the columns from one visit of the rows.
#pragma once

#include <optional>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace::detail {

// Nothing: rows have weights, or squares leave the range of double; other ways take more visits.
[[nodiscard]] std::optional<std::vector<double>> deviations_in_one_pass(const Dataset& data,
                                                                        const Team& team);

}  // namespace halfspace::detail
