// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a classifier along one option: C, nu, lambda or any number.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/data/split.hpp"
#include "halfspace/evaluate/tuning.hpp"

namespace halfspace {

struct PathPoint {
  double value = 0;                    // of the option
  std::optional<double> norm, margin;  // |theta| and 1 / |theta| among the rows as they are trained on
  std::optional<std::uint64_t> support_vectors;
  std::optional<std::uint64_t> nonzero;  // weights that are not 0
  std::optional<double> zero_up_to;      // penalties that make weights 0: up to this C all of them are
  ErrorCount training, validation;
  std::optional<double> relative_gap;  // certified; nothing: the algorithm has none
  std::vector<double> theta;           // planes, one after the other
  std::vector<double> theta0;
  Stop stop = Stop::Converged;
  bool finished = false;
  std::string refusal;
};

// Trained on split.train, judged on split.test as well; both may be scaled (by the figures of split.train). The space has
// one axis. Values ascend, and each starts where the one before has ended; the result does not depend on run.threads.
[[nodiscard]] std::vector<PathPoint> path_points(const Dataset& data, const Split& split,
                                                 const SearchSpace& space, const Run& run,
                                                 const std::function<void(double done)>& observe = {});

}  // namespace halfspace
