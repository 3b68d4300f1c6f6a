// SPDX-License-Identifier: BSD-3-Clause
// What was made, held against the model.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/model/export.hpp"

namespace halfspace::travel {

// What an export says of rows. Classes have the numbers of the model's.
struct Answers {
  std::vector<double> scores, probabilities;  // row after row; no probabilities: it has none
  std::vector<std::uint32_t> labels;
  double size = 0;  // of what was added up for a score
};

// Throws InputError where they differ by more than rounding. Rows whose scores leave the range of numbers are left out.
[[nodiscard]] ExportCheck compare(const Model& model, const Answers& theirs, const Dataset& data,
                                  Target target, const Threads& threads);

}  // namespace halfspace::travel
