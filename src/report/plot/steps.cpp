// SPDX-License-Identifier: BSD-3-Clause
// The first updates of a perceptron as a strip of small pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/solve/perceptron.hpp"
#include "report/plot/plane.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {
namespace {

constexpr double panel_width = 236, panel_height = 200, panel_gap = 24;
constexpr std::size_t panels_a_row = 3;

struct SeenUpdate {
  std::uint64_t number = 0, pass = 0;
  std::uint32_t row = 0;
  int y = 0;
  double before = 0;
  double a = 0, b = 0, c = 0;
};

// The two columns alone: what the perceptron of the picture walks on.
Dataset two_columns(const Dataset& data, std::pair<std::uint32_t, std::uint32_t> pair,
                    const Threads& threads) {
  MatrixBuilder builder;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double x = 0, y = 0;
    for (const auto& [j, value] : report::entries_of(data, i)) {
      if (j == pair.first) x = value;
      if (j == pair.second) y = value;
    }
    if (x != 0) builder.add(0, x);
    if (y != 0) builder.add(1, y);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(2, threads);
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.labels.assign(data.labels().begin(), data.labels().end());
  parts.classes = data.classes();
  parts.weights.assign(data.weights().begin(), data.weights().end());
  parts.name = data.name();
  return Dataset::make(std::move(parts));
}

void draw_plane(report::Drawing& drawing, const report::Frame& frame, double a, double b, double c,
                report::Ink ink, double width, std::string_view dashes) {
  report::Point p, q;
  if (frame.cut(a, b, -c, p, q)) drawing.line(frame.at(p.x, p.y), frame.at(q.x, q.y), ink, width, dashes);
}

void draw_step(report::Drawing& drawing, const report::Frame& frame, const std::vector<report::FlatRow>& rows,
               const SeenUpdate* before, const SeenUpdate& now) {
  frame.axes(drawing, "", "", 4, 4);
  drawing.clip(frame.corner, frame.width, frame.height);
  for (const bool positive : {false, true}) {
    const double sign = positive ? 1 : -1;
    std::vector<report::Point> half = frame.half(sign * now.a, sign * now.b, -sign * now.c);
    for (report::Point& p : half) p = frame.at(p.x, p.y);
    drawing.area(half, report::class_ink(positive ? 1 : 0), 0.13);
  }
  for (const report::FlatRow& row : rows)
    drawing.mark(frame.at(row.x, row.y), row.label, report::class_ink(row.label), 4.5);
  if (before != nullptr)
    draw_plane(drawing, frame, before->a, before->b, before->c, report::Ink::Faint, 1.5, "5 4");
  draw_plane(drawing, frame, now.a, now.b, now.c, report::Ink::Accent, 2.5, "");
  for (const report::FlatRow& row : rows)
    if (row.row == now.row) drawing.ring(frame.at(row.x, row.y), 9.5, report::Ink::Accent, 2);
  drawing.end_clip();
}

}  // namespace

std::string plot_steps(const Dataset& data, const ColumnPair& columns, const StepsOptions& options,
                       const Run& run) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows");
  if (data.classes().size() != 2)
    throw UsageError(
        fmt::format("the steps are between two classes; the data have {}", data.classes().size()),
        "--positive LABEL for one against the rest");
  const auto pair = report::chosen_columns(data, columns);
  const Dataset flat = two_columns(data, pair, run.threads);
  std::vector<SeenUpdate> seen;
  const UpdateObserver observer{
      1, options.steps, [&](const Update& update) {
        seen.push_back({update.number, update.pass, update.row, update.y, update.margin_before,
                        update.theta[0], update.theta[1], update.theta0});
      }};
  Perceptron perceptron;
  perceptron.passes.until_clean = true;
  perceptron.max_passes = 100;
  if (!options.offset) perceptron.offset = Offset::None;
  const Fit fit = trace(flat, perceptron, run, observer);
  const std::uint64_t updates = fit.trace.mistakes.value_or(seen.size());
  const std::size_t across = std::min(std::max<std::size_t>(seen.size(), 1), panels_a_row);
  const std::size_t down = std::max<std::size_t>((seen.size() + panels_a_row - 1) / panels_a_row, 1);
  const double width = 40 + static_cast<double>(across) * (panel_width + panel_gap + 26);
  const double height = 70 + static_cast<double>(down) * (panel_height + 78);
  report::Drawing drawing(
      width, height, "Steps of the perceptron",
      fmt::format("The first {} of {} updates on {} and {}. In every panel the row that was wrong is "
                  "circled; dashed: the plane before, solid: after.",
                  seen.size(), updates, printable(data.feature_name(pair.first)),
                  printable(data.feature_name(pair.second))));
  double legend = 40;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = printable(data.classes()[k], 24);
    drawing.mark({legend + 5, 22}, k, report::class_ink(k), 5);
    drawing.text({legend + 16, 26}, name);
    legend += 34 + 7.2 * static_cast<double>(name.size());
  }
  drawing.text({legend, 26}, fmt::format("{} of {} updates", seen.size(), updates), "start",
               report::Ink::Faint);
  const std::vector<report::FlatRow> rows = report::flat_rows(flat, {0, 1}, 1U << 20U);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const double x = 44 + static_cast<double>(k % panels_a_row) * (panel_width + panel_gap + 26);
    const std::size_t line = k / panels_a_row;
    const double y = 74 + static_cast<double>(line) * (panel_height + 78);
    const report::Frame frame = report::frame_around(rows, {x, y}, panel_width, panel_height, true);
    const SeenUpdate& now = seen[k];
    drawing.text({x, y - 22},
                 fmt::format("{}: row {}, margin {}", now.number, now.row + 1, report::figure(now.before)),
                 "start", report::Ink::Text, 12, true);
    drawing.text({x, y - 7},
                 options.offset
                     ? fmt::format("\xCE\xB8 = ({}, {}), \xCE\xB8\xE2\x82\x80 = {}", report::figure(now.a),
                                   report::figure(now.b), report::figure(now.c))
                     : fmt::format("\xCE\xB8 = ({}, {})", report::figure(now.a), report::figure(now.b)),
                 "start", report::Ink::Faint, 12);
    draw_step(drawing, frame, rows, k > 0 ? &seen[k - 1] : nullptr, now);
  }
  if (seen.empty()) drawing.text({40, 70}, "No update: the first plane makes no mistake.");
  return drawing.svg();
}

}  // namespace halfspace
