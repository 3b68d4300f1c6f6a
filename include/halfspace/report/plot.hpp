// SPDX-License-Identifier: BSD-3-Clause
// Single pictures as plain SVG, for a lecture or a paper. Each has a title and a description, and is legible in light and
// dark surroundings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "halfspace/data/dataset.hpp"
#include "halfspace/model/model.hpp"
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
[[nodiscard]] std::string plot_plane(const Model& model, const Dataset& data, const ColumnPair& columns,
                                     const Run& run = {});
// The perceptron's first updates on two columns, a panel each: the row that was wrong, the plane before and after.
struct StepsOptions {
  std::uint64_t steps = 6;  // at most so many panels
  bool offset = true;       // a constant feature 1, as --offset lifted
};
[[nodiscard]] std::string plot_steps(const Dataset& data, const ColumnPair& columns,
                                     const StepsOptions& options = {}, const Run& run = {});
// Two classes; throws UsageError for more.
[[nodiscard]] std::string plot_roc(const Model& model, const Dataset& data, const Run& run = {});
[[nodiscard]] std::string plot_margins(const Model& model, const Dataset& data, const Run& run = {});

}  // namespace halfspace
