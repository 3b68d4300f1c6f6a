// SPDX-License-Identifier: BSD-3-Clause
// Separation as a linear program, in the space of the weights: row i allows the half plane y theta . x > 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/solve/perceptron.hpp"
#include "report/plot/plane.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {
namespace {

constexpr std::size_t most_cone_rows = 400;

// What is left of a region where a x + b y >= 0.
std::vector<report::Point> allowed(const std::vector<report::Point>& region, double a, double b) {
  std::vector<report::Point> out;
  for (std::size_t k = 0; k < region.size(); ++k) {
    const report::Point& p = region[k];
    const report::Point& q = region[(k + 1) % region.size()];
    const double fp = a * p.x + b * p.y, fq = a * q.x + b * q.y;
    if (fp >= 0) out.push_back(p);
    if ((fp >= 0) != (fq >= 0)) {
      const double t = fp / (fp - fq);
      out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
    }
  }
  return out;
}

// Short strokes on the side of the row's line where theta gets it right.
void draw_teeth(report::Drawing& drawing, const report::Frame& frame, const report::FlatRow& row) {
  report::Point p, q;
  if (!frame.cut(row.x, row.y, 0, p, q)) return;
  const report::Point a = frame.at(p.x, p.y), b = frame.at(q.x, q.y);
  const double sign = row.label == 1 ? 1 : -1;
  const report::Point from = frame.at(0, 0), to = frame.at(sign * row.x, sign * row.y);
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0)) return;
  for (const double t : {0.06, 0.12, 0.88, 0.94}) {
    const report::Point at = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    drawing.line(at, {at.x + 9 * (to.x - from.x) / length, at.y + 9 * (to.y - from.y) / length},
                 report::class_ink(row.label), 2.5);
  }
}

}  // namespace

std::string plot_cone(const Dataset& data, const ColumnPair& columns, const Run& given) {
  report::check_two_classes_drawn(data);
  const Run run = begin_run(given);
  const auto pair = report::chosen_columns(data, columns);
  const Dataset flat = report::two_columns(data, pair, run.threads);
  const std::vector<report::FlatRow> rows = report::flat_rows(flat, {0, 1}, SIZE_MAX);
  std::vector<report::Point> walk = {{0, 0}};
  const UpdateObserver observer{1, 60, [&](const Update& update) {
                                  walk.push_back({update.theta[0], update.theta[1]});
                                }};
  Perceptron perceptron;
  perceptron.passes = {60, false};
  perceptron.offset = Offset::None;
  static_cast<void>(trace(flat, perceptron, run, observer));
  double reach = 0;
  for (const report::Point& p : walk) reach = std::max({reach, std::abs(p.x), std::abs(p.y)});
  reach = reach > 0 ? 1.25 * reach : 1;
  const report::Frame frame{{64, 52}, 420, 420, -reach, reach, -reach, reach};
  report::Drawing drawing(
      520, 532, "The cone of separating planes",
      fmt::format("The space of the weights of {} and {}: each line is a row, on whose "
                  "shaded side theta gets it right; the perceptron's walk from zero.",
                  printable(data.feature_name(pair.first)), printable(data.feature_name(pair.second))));
  frame.axes(drawing, "\xCE\xB8\xE2\x82\x81", "\xCE\xB8\xE2\x82\x82", 6, 6);
  drawing.clip(frame.corner, frame.width, frame.height);
  std::vector<report::Point> cone = {{-reach, -reach}, {reach, -reach}, {reach, reach}, {-reach, reach}};
  for (const report::FlatRow& row : rows) {
    const double y = row.label == 1 ? 1 : -1;
    cone = allowed(cone, y * row.x, y * row.y);
  }
  double area = 0;
  for (std::size_t k = 0; k < cone.size(); ++k) {
    const report::Point& p = cone[k];
    const report::Point& q = cone[(k + 1) % cone.size()];
    area += (p.x * q.y - q.x * p.y) / 2;
  }
  const bool any = area > 1e-9 * reach * reach;
  for (report::Point& p : cone) p = frame.at(p.x, p.y);
  if (any) drawing.area(cone, report::Ink::Class2, 0.35);
  for (std::size_t k = 0; k < std::min(rows.size(), most_cone_rows); ++k) {
    const report::FlatRow& row = rows[k];
    report::draw_line(drawing, frame, row.x, row.y, 0, report::class_ink(row.label), 1.2, "");
    draw_teeth(drawing, frame, row);
  }
  std::vector<report::Point> path;
  path.reserve(walk.size());
  for (const report::Point& p : walk) path.push_back(frame.at(p.x, p.y));
  drawing.path(path, report::Ink::Accent, 2);
  for (std::size_t k = 0; k < path.size(); ++k) {
    drawing.mark(path[k], 0, report::Ink::Accent, 3.5);
    if (path.size() <= 12)
      drawing.label({path[k].x + 7, path[k].y - 7}, fmt::format("{}", k), "start", report::Ink::Text, 13,
                    true);
  }
  drawing.end_clip();
  drawing.text({64, 20},
               any ? "shaded: every \xCE\xB8 that separates the classes"
                   : "no \xCE\xB8 is on the right side of all rows",
               "start", report::Ink::Text, 13);
  drawing.text({64, 37}, "numbered: the perceptron's walk; teeth: the side that a row allows", "start",
               report::Ink::Faint, 13);
  return drawing.svg();
}

}  // namespace halfspace
