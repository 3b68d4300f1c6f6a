// SPDX-License-Identifier: BSD-3-Clause
// The first updates of an online learner as a strip of small pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithm.hpp"
#include "halfspace/solve/perceptron.hpp"
#include "report/plot/plane.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {
namespace {

constexpr double panel_width = 236, panel_height = 200, panel_gap = 24;
constexpr std::size_t panels_a_row = 3;

struct SeenUpdate {
  std::uint64_t number = 0, pass = 0;
  std::vector<std::uint32_t> rows;  // those that moved the plane: one, or more of a batch
  int y = 0;
  double before = 0;
  double a = 0, b = 0, c = 0;
  double rate = 1, keep = 1;
  bool averaged = false, voted = false;
  double mean_a = 0, mean_b = 0, mean_c = 0;
  std::uint64_t votes = 0;
};

SeenUpdate seen_update(const Update& update) {
  SeenUpdate out{update.number,   update.pass,     {update.row},  update.y,    update.margin_before,
                 update.theta[0], update.theta[1], update.theta0, update.rate, update.keep};
  out.voted = update.voted;
  out.votes = update.votes;
  for (const MovingRow& row : update.rows) out.rows.push_back(row.row);
  std::sort(out.rows.begin(), out.rows.end());  // a batch that is drawn by chance may have a row twice
  out.rows.erase(std::unique(out.rows.begin(), out.rows.end()), out.rows.end());
  out.averaged = update.averaged;
  if (!update.averaged) return out;
  out.mean_a = update.mean[0];
  out.mean_b = update.mean[1];
  out.mean_c = update.mean0;
  return out;
}

std::string step_title(const SeenUpdate& now) {
  if (now.rows.size() > 1) return fmt::format("{}: {} rows together", now.number, now.rows.size());
  return fmt::format("{}: row {}, margin {}", now.number, now.rows.front() + 1, report::figure(now.before));
}

// What stands above a panel, below its title.
std::string step_words(const SeenUpdate& now, bool plain) {
  std::string out = fmt::format("\xCE\xB8 = ({}, {})", report::figure(now.a), report::figure(now.b));
  if (now.c != 0 || plain) out += fmt::format(", \xCE\xB8\xE2\x82\x80 = {}", report::figure(now.c));
  if (now.rate != 1 || now.keep != 1) out += fmt::format(", \xCE\xB7 = {}", report::figure(now.rate));
  if (now.voted) out += fmt::format(", {} vote{}", now.votes, now.votes == 1 ? "" : "s");
  return out;
}

// The learner of the picture: the one given, or a perceptron until a pass is clean.
Fit walk_for_picture(const Dataset& flat, const StepsOptions& options, const Run& run,
                     const UpdateObserver& observer) {
  if (options.algorithm != nullptr) return options.algorithm->trace(flat, run, observer);
  Perceptron perceptron;
  perceptron.passes.until_clean = true;
  perceptron.max_passes = 100;
  if (!options.offset) perceptron.offset = Offset::None;
  return trace(flat, perceptron, run, observer);
}

void draw_step(report::Drawing& drawing, const report::Frame& frame, const std::vector<report::FlatRow>& rows,
               const SeenUpdate* before, const SeenUpdate& now) {
  frame.axes(drawing, "", "", 4, 4);
  drawing.clip(frame.corner, frame.width, frame.height);
  report::draw_sides(drawing, frame, now.a, now.b, now.c);
  for (const report::FlatRow& row : rows)
    drawing.mark(frame.at(row.x, row.y), row.label, report::class_ink(row.label), 4.5);
  if (before != nullptr)
    report::draw_line(drawing, frame, before->a, before->b, before->c, report::Ink::Faint, 1.5, "5 4");
  report::draw_line(drawing, frame, now.a, now.b, now.c, report::Ink::Accent, 2.5, "");
  if (now.averaged)
    report::draw_line(drawing, frame, now.mean_a, now.mean_b, now.mean_c, report::Ink::Class2, 2.5, "2 4");
  for (const report::FlatRow& row : rows)
    if (std::find(now.rows.begin(), now.rows.end(), row.row) != now.rows.end())
      drawing.ring(frame.at(row.x, row.y), 9.5, report::Ink::Accent, 2);
  drawing.end_clip();
}

}  // namespace

std::string plot_steps(const Dataset& data, const ColumnPair& columns, const StepsOptions& options,
                       const Run& run) {
  report::check_two_classes_drawn(data);
  const auto pair = report::chosen_columns(data, columns);
  const Dataset flat = report::two_columns(data, pair, run.threads);
  std::vector<SeenUpdate> seen;
  std::uint64_t updates = 0;
  bool planes = true;
  const UpdateObserver observer{1, UINT64_MAX, [&](const Update& update) {
                                  updates = update.number;
                                  planes = planes && update.theta.size() == 2;
                                  if (planes && seen.size() < options.steps)
                                    seen.push_back(seen_update(update));
                                }};
  static_cast<void>(walk_for_picture(flat, options, run, observer));
  if (!planes) throw UsageError("a kernel's plane is not one of these columns; leave --kernel out");
  const std::size_t across = std::min(std::max<std::size_t>(seen.size(), 1), panels_a_row);
  const std::size_t down = std::max<std::size_t>((seen.size() + panels_a_row - 1) / panels_a_row, 1);
  const double width = 40 + static_cast<double>(across) * (panel_width + panel_gap + 26);
  const double height = 70 + static_cast<double>(down) * (panel_height + 78);
  report::Drawing drawing(
      width, height,
      fmt::format("Steps of {}", options.algorithm == nullptr ? "the perceptron" : options.algorithm->name()),
      fmt::format("The first {} of {} updates on {} and {}. In every panel the row of the update is "
                  "circled, or all rows of a batch that moved the plane; dashed: the plane before, solid: "
                  "after; dotted: the mean so far, where one is kept.",
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
    drawing.text({x, y - 22}, step_title(now), "start", report::Ink::Text, 12, true);
    drawing.text({x, y - 7}, step_words(now, options.offset && options.algorithm == nullptr), "start",
                 report::Ink::Faint, 12);
    draw_step(drawing, frame, rows, k > 0 ? &seen[k - 1] : nullptr, now);
  }
  if (seen.empty()) drawing.text({40, 70}, "No update: the first plane makes no mistake.");
  return drawing.svg();
}

}  // namespace halfspace
