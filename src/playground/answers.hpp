// SPDX-License-Identifier: BSD-3-Clause
// What the playground can say, one function for each question.
#pragma once

#include <optional>
#include <string>

#include "halfspace/solve/separability.hpp"
#include "playground/request.hpp"
#include "report/least_errors.hpp"

namespace halfspace::playground {

// Can a plane separate the points? Asked of the library's exact arithmetic.
struct Decision {
  Offset offset = Offset::Free;
  Separability found;
  std::optional<report::LeastErrors> least;  // where no plane separates the points
};
[[nodiscard]] Decision decide(const Dataset& data, Offset offset, const Run& run);
[[nodiscard]] Json verdict_json(const Decision& decision, const Points& points);
// The offset rule of an algorithm; Free for those without one.
[[nodiscard]] Offset offset_of(const Algorithm& algorithm);

// An algorithm at work: its updates one by one where it has them, its model, dual values, proof, and its weight space.
[[nodiscard]] Json walk_json(const Plan& plan, const Dataset& data, const Points& points,
                             const Decision& decision, const View& view, const Run& run);
// The same updates as the lines of `halfspace trace`.
[[nodiscard]] std::string trace_lines(const Plan& plan, const Dataset& data, const Run& run);
// The command that does the same with the points in a file.
[[nodiscard]] std::string command_of(const Plan& plan, std::string_view verb);

// The half planes of the rows in the space of (theta1, theta2), at one theta0: the part of the square of this half width in
// which all rows are on their side, as the corners of a polygon; no corner: there is none.
struct Corner {
  double x = 0, y = 0;
};
[[nodiscard]] std::vector<Corner> solution_region(const Points& points, double theta0, double half_width);

// What becomes of the classifier along C, nu or lambda.
[[nodiscard]] Json path_json(const Plan& plan, const Dataset& data, const Run& run);

// Points of a kind: blobs, xor, nearly, outlier, ring.
[[nodiscard]] Points make_points(const std::string& kind, std::size_t rows, std::uint64_t seed);
[[nodiscard]] Json points_json(const Points& points);

// Two columns of a table as points, and what else there is to pick.
[[nodiscard]] Json pick_columns(const Dataset& data, const Fields& request);
[[nodiscard]] Dataset pasted_table(const std::string& text);

}  // namespace halfspace::playground
