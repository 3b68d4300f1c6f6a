// SPDX-License-Identifier: BSD-3-Clause
// An update of an online learner as a line of JSON: what `trace` writes, the playground saves and the report replays.
#pragma once

#include <optional>
#include <string>

#include "halfspace/solve/algorithm.hpp"

namespace halfspace {

struct TraceLine {
  bool theta = true;     // the weights too, before and after
  bool batched = false;  // the rows of the batch too
  // After the update, the cosine to a separating plane and the bound that Novikoff has for it.
  struct Cosine {
    double value = 0, bound = 0;
  };
  std::optional<Cosine> cosine;
};

// Does the algorithm look at several rows in an update?
[[nodiscard]] bool takes_batches(const Algorithm& algorithm);

// Without the end of the line.
[[nodiscard]] std::string trace_line(const Update& update, const TraceLine& how);

}  // namespace halfspace
