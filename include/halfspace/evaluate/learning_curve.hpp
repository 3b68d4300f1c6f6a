// SPDX-License-Identifier: BSD-3-Clause
// Error against the number of training rows: would more rows help, or another classifier?
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfspace/evaluate/cross_validation.hpp"

namespace halfspace {

struct LearningOptions {
  std::vector<std::uint64_t> sizes;  // ascending; empty: halves of the training rows
  double test_share = 0.25;
  std::int64_t repeats = 5;               // other rows to train on and to test on each time
  std::span<const std::uint32_t> groups;  // as in FoldOptions
  std::uint64_t seed = 1;
};

struct LearningPoint {
  std::uint64_t rows = 0;                     // trained on
  double training_error = 0, test_error = 0;  // means over the repeats
  // Of the test error: exact for one repeat of whole weights, otherwise by the corrected resampled t-test.
  std::optional<Interval> interval;
  std::uint64_t test_rows = 0;
  bool finished = false;
  std::string refusal;  // why so few rows do not do; empty: they do
};

// Rows are taken so that every class has its share, and smaller sizes are parts of larger ones. All trainings side by side
// on run.threads; once run.stop asks for it, the points that are not finished say so.
[[nodiscard]] std::vector<LearningPoint> learning_curve(const Dataset& data, const Candidate& candidate,
                                                        const LearningOptions& options, const Run& run,
                                                        const std::function<void(double done)>& observe = {});

}  // namespace halfspace
