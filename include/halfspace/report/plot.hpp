// SPDX-License-Identifier: BSD-3-Clause
// Single pictures as plain SVG, for a lecture or a paper. Each has a title and a description, and is legible in light and
// dark surroundings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/data/dataset.hpp"
#include "halfspace/data/law.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/run.hpp"

namespace halfspace {

// Two columns of the data, from 0. None given: the data must have just two.
using ColumnPair = std::optional<std::pair<std::uint32_t, std::uint32_t>>;
// The column of this name, or of this number from 1; throws UsageError.
[[nodiscard]] std::uint32_t column_named(const Dataset& data, const std::string& name);

// Zero-one, perceptron, hinge, squared hinge and logistic loss over the margin.
[[nodiscard]] std::string plot_losses();
// Points, half spaces, the plane and, for margin machines, the lines of margin 1 with the rows within circled. Other columns
// than the two are held at their mean, which the picture says. Two classes or more; throws UsageError for models that
// are not planes over the columns, and InputError for rows without labels.
// With the law of the rows (two columns, see best_plane()) the Bayes classifier is drawn beside it.
[[nodiscard]] std::string plot_plane(const Model& model, const Dataset& data, const ColumnPair& columns,
                                     const Run& run = {}, const Law* law = nullptr);
// The first updates of an online learner on two columns, a panel each: the row of the update, the plane before and after, the
// running mean of averaged learners, the votes of voted ones.
struct StepsOptions {
  std::uint64_t steps = 6;               // at most so many panels
  bool offset = true;                    // of the perceptron: a constant feature 1, as --offset lifted
  const Algorithm* algorithm = nullptr;  // null: the perceptron, until a pass is clean
};
[[nodiscard]] std::string plot_steps(const Dataset& data, const ColumnPair& columns,
                                     const StepsOptions& options = {}, const Run& run = {});
// A support vector machine on two columns for each C, a panel each: plane, margin, support vectors.
[[nodiscard]] std::string plot_varying_c(const Dataset& data, const ColumnPair& columns,
                                         const std::vector<double>& values, const Run& run = {});
// The space of the weights (planes through the origin of two columns): every row allows one side of a line, and the planes that
// separate the classes are the cone that all rows allow; with the perceptron's walk into it.
[[nodiscard]] std::string plot_cone(const Dataset& data, const ColumnPair& columns, const Run& run = {});
// Errors over the values of an option, from what `halfspace path --json` or `halfspace tune --json` prints, and over the number
// of rows, from `halfspace curve --json`. Throw InputError for other text.
[[nodiscard]] std::string plot_path(std::string_view json, const Place& place = {});
[[nodiscard]] std::string plot_curve(std::string_view json, const Place& place = {});
// Two classes; throws UsageError for more.
[[nodiscard]] std::string plot_roc(const Model& model, const Dataset& data, const Run& run = {});
[[nodiscard]] std::string plot_margins(const Model& model, const Dataset& data, const Run& run = {});

}  // namespace halfspace
