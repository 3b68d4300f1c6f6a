// SPDX-License-Identifier: BSD-3-Clause
// Which rows are held out when, for cross-validation. All folds share one copy of the rows: those held out get the weight
// 0, which means that they are not there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/data/split.hpp"

namespace halfspace {

struct FoldOptions {
  std::int64_t folds = 5;
  std::int64_t repeats = 1;  // each with other folds
  std::span<const std::uint32_t>
      groups;  // a number for every row: rows of one group stay together; empty: none
  std::uint64_t seed = 1;
  Deal deal = Deal::Place;
};

struct FoldPlan {
  std::vector<std::vector<std::uint32_t>>
      held_out;  // of every fold, repeat after repeat; row numbers ascending
  std::uint32_t folds = 0, repeats = 1;
  // What the corrected resampled t-test asks for.
  [[nodiscard]] double test_per_training() const { return 1.0 / (static_cast<double>(folds) - 1); }
};

// Stratified; rows of weight 0 are in no fold. Throws UsageError when a class is too small to be in every training part.
[[nodiscard]] FoldPlan plan_folds(const Dataset& data, const FoldOptions& options);

// The same rows without words of a table that fewer than two of them have: a table of these rows alone would not have them
// as features. A copy where there are such words.
[[nodiscard]] Dataset without_rare_words(const Dataset& data);

// The rows of a fold, with everything that is learned from rows learned from those that are trained on: what stands for
// missing numbers, and which words are features. Both share the storage of the data where nothing of that changes them.
struct FoldRows {
  Dataset training;  // rows held out have weight 0: they are not there
  Dataset judged;    // all rows with their own weights, as the training rows are seen
};
[[nodiscard]] FoldRows fold_rows(const Dataset& data, std::span<const std::uint32_t> held_out);
// The same for parts that share no row: `judged` has the rows of the test part, in their order.
[[nodiscard]] FoldRows split_rows(const Dataset& data, std::span<const std::uint32_t> train,
                                  std::span<const std::uint32_t> test);

}  // namespace halfspace
