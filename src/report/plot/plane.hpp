// SPDX-License-Identifier: BSD-3-Clause
// What pictures of two columns share.
#pragma once

#include <cstdint>
#include <vector>

#include "halfspace/data/dataset.hpp"
#include "halfspace/report/plot.hpp"
#include "report/plot/svg.hpp"

namespace halfspace::report {

struct FlatRow {
  std::uint32_t row = 0;
  std::uint32_t label = 0;
  double x = 0, y = 0;
};
// The two columns, or those of data that have just two; throws UsageError.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> chosen_columns(const Dataset& data,
                                                                     const ColumnPair& columns);
// At most `most` rows that count, evenly taken.
[[nodiscard]] std::vector<FlatRow> flat_rows(const Dataset& data,
                                             std::pair<std::uint32_t, std::uint32_t> columns,
                                             std::size_t most);
// A box around the rows with some room; the same scale in both directions where the ranges allow it.
[[nodiscard]] Frame frame_around(const std::vector<FlatRow>& rows, Point corner, double width, double height,
                                 bool with_origin = false);

// The two columns alone: what the learners of these pictures walk on.
[[nodiscard]] Dataset two_columns(const Dataset& data, std::pair<std::uint32_t, std::uint32_t> pair,
                                  const Threads& threads);
// Throws unless the rows are labelled and of two classes.
void check_two_classes_drawn(const Dataset& data);
// The line a x + b y + c = 0 inside the frame, and the two sides of it in the colours of the classes.
void draw_line(Drawing& drawing, const Frame& frame, double a, double b, double c, Ink ink, double width,
               std::string_view dashes);
void draw_sides(Drawing& drawing, const Frame& frame, double a, double b, double c);

}  // namespace halfspace::report
