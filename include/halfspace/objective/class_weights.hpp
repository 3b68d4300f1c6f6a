// SPDX-License-Identifier: BSD-3-Clause
// Weights of classes as people give them: "balanced", or LABEL:W,LABEL:W,...
#pragma once

#include <string>
#include <vector>

#include "halfspace/core/team.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

// One weight per class of the data, by the rows of all members; empty text: all 1. Throws UsageError.
[[nodiscard]] std::vector<double> class_weights(const Dataset& data, const std::string& text,
                                                const Team& team = Threads(1));

}  // namespace halfspace
