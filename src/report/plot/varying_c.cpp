// SPDX-License-Identifier: BSD-3-Clause
// One machine for each C: small C, wide margin and many rows within it; large C, few errors and a narrow one.
#include <fmt/format.h>

#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/penalised.hpp"
#include "report/plot/plane.hpp"
#include "report/sections/sections.hpp"

namespace halfspace {
namespace {

constexpr double varying_width = 236, varying_height = 210, varying_step = 282;
constexpr std::size_t varying_across = 3;

struct MachineFigures {
  double a = 0, b = 0, c = 0;
  std::size_t support = 0, errors = 0;
  double slack = 0;
};

MachineFigures machine_figures(const Fit& fit, const std::vector<report::FlatRow>& rows) {
  const auto& linear = std::get<LinearModel>(fit.model().form);
  MachineFigures out{linear.weights.at(0), linear.weights.at(1), linear.offsets.at(0)};
  for (const report::FlatRow& row : rows) {
    const double margin = (row.label == 1 ? 1 : -1) * (out.a * row.x + out.b * row.y + out.c);
    if (margin < 1 + 1e-4) ++out.support;
    if (!(margin > 0)) ++out.errors;
    out.slack += std::max(0.0, 1 - margin);
  }
  return out;
}

void draw_machine(report::Drawing& drawing, const report::Frame& frame,
                  const std::vector<report::FlatRow>& rows, const MachineFigures& m) {
  frame.axes(drawing, "", "", 4, 4);
  drawing.clip(frame.corner, frame.width, frame.height);
  report::draw_sides(drawing, frame, m.a, m.b, m.c);
  for (const report::FlatRow& row : rows) {
    const report::Point at = frame.at(row.x, row.y);
    drawing.mark(at, row.label, report::class_ink(row.label), 3.5);
    const double margin = (row.label == 1 ? 1 : -1) * (m.a * row.x + m.b * row.y + m.c);
    if (margin < 1 + 1e-4) drawing.ring(at, 6.5, report::Ink::Accent, 1.2);
  }
  report::draw_line(drawing, frame, m.a, m.b, m.c, report::Ink::Accent, 2.5, "");
  report::draw_line(drawing, frame, m.a, m.b, m.c - 1, report::Ink::Accent, 1.5, "6 5");
  report::draw_line(drawing, frame, m.a, m.b, m.c + 1, report::Ink::Accent, 1.5, "6 5");
  drawing.end_clip();
}

}  // namespace

std::string plot_varying_c(const Dataset& data, const ColumnPair& columns, const std::vector<double>& values,
                           const Run& given) {
  report::check_two_classes_drawn(data);
  if (values.empty()) throw UsageError("no value of C", "--C 0.01,1,100");
  const Run run = begin_run(given);
  const auto pair = report::chosen_columns(data, columns);
  const Dataset flat = report::two_columns(data, pair, run.threads);
  const std::vector<report::FlatRow> rows = report::flat_rows(flat, {0, 1}, report::most_points);
  const auto count = static_cast<double>(values.size());
  const double across = std::min<double>(varying_across, count), down = std::ceil(count / varying_across);
  report::Drawing drawing(
      30 + across * varying_step, 50 + down * (varying_height + 74), "Varying C",
      fmt::format("A support vector machine on {} and {} for {} values of C: solid the plane, "
                  "dashed the margin, circled the support vectors.",
                  printable(data.feature_name(pair.first)), printable(data.feature_name(pair.second)),
                  values.size()));
  double x = 40;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = printable(data.classes()[k], 24);
    drawing.mark({x + 5, 22}, k, report::class_ink(k), 5);
    drawing.text({x + 16, 26}, name);
    x += 34 + 7.2 * static_cast<double>(name.size());
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    Svm machine;
    machine.C = values[k];
    const Fit fit = solve(flat, machine, run);
    const MachineFigures found = machine_figures(fit, rows);
    const report::Point corner{
        44 + static_cast<double>(k % varying_across) * varying_step,
        76 + std::floor(static_cast<double>(k) / varying_across) * (varying_height + 74)};
    drawing.text({corner.x, corner.y - 23},
                 fmt::format("C = {}: |\xCE\xB8| = {}, margin {}", report::figure(values[k]),
                             report::figure(std::hypot(found.a, found.b)),
                             report::figure(1 / std::hypot(found.a, found.b))),
                 "start", report::Ink::Text, 12, true);
    drawing.text({corner.x, corner.y - 8},
                 fmt::format("{} support vectors, {} errors, sum of \xCE\xBE {}", found.support, found.errors,
                             report::figure(found.slack)),
                 "start", report::Ink::Faint, 11);
    draw_machine(drawing, report::frame_around(rows, corner, varying_width, varying_height), rows, found);
  }
  return drawing.svg();
}

}  // namespace halfspace
