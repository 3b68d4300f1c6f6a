// SPDX-License-Identifier: BSD-3-Clause
// What a model is to be compared with: classifiers that learn next to nothing.
#pragma once

#include <string>
#include <vector>

#include "halfspace/model/errors.hpp"
#include "halfspace/solve/run.hpp"

namespace halfspace {

struct Baseline {
  std::string name;  // of the algorithm
  std::string what;  // "always benign", "petal length"
  ErrorCount count;
};
// The most frequent class among these very rows: no constant answer does better here. Nothing to train on is needed.
[[nodiscard]] Baseline majority_of(const Model& model, const Dataset& data);
// Majority, stump and look-up trained on other rows, read in the same way, and judged on `data`.
[[nodiscard]] std::vector<Baseline> baselines(const Model& model, const Dataset& training,
                                              const Dataset& data, const Run& run);

}  // namespace halfspace
