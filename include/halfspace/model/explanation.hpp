// SPDX-License-Identifier: BSD-3-Clause
// Why a row got its label: what every feature adds to the score, how far the row is from the plane, and the smallest
// changes that would turn the label.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

struct Contribution {
  std::uint32_t feature = 0;
  double value = 0;  // of the row as the plane sees it
  double weight = 0;
  double product = 0;  // of the two
};

// A value that moves. A category changes as a whole: one of its features becomes 0, another 1.
struct MovedFeature {
  std::uint32_t feature = 0;
  double from = 0, to = 0;
};
// A change of the row as it was read after which the model gives another label: this was tried.
struct LabelChange {
  std::vector<MovedFeature> moved;
  // Its length where every column is measured in standard deviations; nothing for a category.
  std::optional<double> deviations;
  std::uint32_t label = 0;
};

struct Explanation {
  std::uint32_t given = 0;  // class of the label; `abstained` for none
  std::size_t plane = 0;    // that is explained: the only one, or that of the class
  // In the order in which they are added, features without a part in it left out: starting from 0 their products add up, then
  // are divided by `divisor` (the length of the row, where rows are divided by it; else 1), then the offset is added. The
  // result is `score` to the last bit.
  std::vector<Contribution> contributions;
  double divisor = 1;
  double offset = 0;
  double score = 0;
  // Of the row, as the plane sees it, from where the label turns: the plane; with more classes where the second score
  // meets the first. Nothing when the weights are all zero.
  std::optional<double> distance;
  std::optional<std::uint32_t> rival;  // more than two classes: the class of the second score
  std::vector<MovedFeature>
      nearest;  // the nearest point there, where it differs from the row; largest moves first
  std::vector<LabelChange> changes;  // smallest first: numbers, then categories
};

// Row from 0. `fixed`: features that may not change. Throws UsageError for models without planes among their rows.
[[nodiscard]] Explanation explain(const Model& model, const Dataset& data, std::size_t row,
                                  std::span<const std::uint32_t> fixed, const Threads& threads);

// The features that a name means: a column of the table, a feature by its name ("color=red", "x3") or its number from 1.
// Throws UsageError with the nearest name.
[[nodiscard]] std::vector<std::uint32_t> features_named(const Model& model, const std::string& name);

}  // namespace halfspace
