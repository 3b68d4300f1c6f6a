// SPDX-License-Identifier: BSD-3-Clause
// Errors along an option or a number of rows, over a logarithmic axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/report/plot.hpp"
#include "report/plot/svg.hpp"
#include "report/sections/stored.hpp"

namespace halfspace {
namespace {

// A frame whose first axis is log10 of the values.
struct LogFrame {
  report::Frame frame;
  bool logarithmic = true;

  [[nodiscard]] double place(double x) const { return logarithmic ? std::log10(x) : x; }
  [[nodiscard]] report::Point at(double x, double y) const { return frame.at(place(x), y); }

  void axes(report::Drawing& drawing, std::string_view x_label, std::string_view y_label) const {
    if (!logarithmic) return frame.axes(drawing, x_label, y_label);
    const double bottom = frame.corner.y + frame.height;
    const double decades = frame.x_high - frame.x_low;
    for (const double y : report::ticks(frame.y_low, frame.y_high, 5)) {
      const double py = frame.at(frame.x_low, y).y;
      drawing.line({frame.corner.x, py}, {frame.corner.x + frame.width, py}, report::Ink::Grid);
      drawing.text({frame.corner.x - 6, py + 4}, report::figure(y), "end", report::Ink::Faint, 11);
    }
    for (double e = std::floor(frame.x_low); e <= frame.x_high; ++e) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit != 1 && decades > 2.5) continue;
        const double x = digit * std::pow(10, e);
        if (std::log10(x) < frame.x_low - 1e-9 || std::log10(x) > frame.x_high + 1e-9) continue;
        const double px = at(x, 0).x;
        drawing.line({px, frame.corner.y}, {px, bottom}, report::Ink::Grid);
        drawing.text({px, bottom + 16}, report::figure(x), "middle", report::Ink::Faint, 11);
      }
    }
    drawing.line({frame.corner.x, bottom}, {frame.corner.x + frame.width, bottom}, report::Ink::Faint);
    drawing.line(frame.corner, {frame.corner.x, bottom}, report::Ink::Faint);
    drawing.text({frame.corner.x + frame.width / 2, bottom + 34}, x_label, "middle");
    if (!y_label.empty())
      drawing.text_upwards({frame.corner.x - 44, frame.corner.y + frame.height / 2}, y_label);
  }
};

LogFrame frame_for(std::vector<double> x, double y_high, report::Point corner, double width, double height) {
  std::sort(x.begin(), x.end());
  const bool logarithmic = x.front() > 0 && x.back() > x.front();
  LogFrame out{{corner, width, height, 0, 1, 0, y_high > 0 ? 1.08 * y_high : 1}, logarithmic};
  const double low = out.place(x.front()), high = out.place(x.back());
  const double room = high > low ? 0.04 * (high - low) : 0.5;
  out.frame.x_low = low - room;
  out.frame.x_high = high + room;
  return out;
}

void legend_entry(report::Drawing& drawing, report::Point at, std::string_view words, report::Ink ink,
                  std::size_t shape, std::string_view dashes) {
  drawing.line({at.x, at.y - 4}, {at.x + 24, at.y - 4}, ink, 2.5, dashes);
  drawing.mark({at.x + 12, at.y - 4}, shape, ink, 4);
  drawing.text({at.x + 31, at.y}, words);
}

// A curve through the points that have a value, with a mark at each.
template <class Points, class Value>
void draw_curve(report::Drawing& drawing, const LogFrame& frame, const Points& points, const Value& value,
                report::Ink ink, std::size_t shape, std::string_view dashes) {
  std::vector<report::Point> line;
  for (const auto& point : points)
    if (const std::optional<std::pair<double, double>> at = value(point))
      line.push_back(frame.at(at->first, at->second));
  if (line.size() > 1) drawing.path(line, ink, 2.5, dashes);
  for (const report::Point& p : line) drawing.mark(p, shape, ink, 4);
}

template <class Points, class Ends>
void draw_band(report::Drawing& drawing, const LogFrame& frame, const Points& points, const Ends& ends) {
  std::vector<report::Point> upper, lower;
  for (const auto& point : points) {
    const auto [x, low, high] = ends(point);
    if (!low || !high) continue;
    upper.push_back(frame.at(x, std::min(*high, frame.frame.y_high)));
    lower.push_back(frame.at(x, std::max(*low, 0.0)));
  }
  upper.insert(upper.end(), lower.rbegin(), lower.rend());
  drawing.area(upper, report::Ink::Class1, 0.16);
}

using MaybePoint = std::optional<std::pair<double, double>>;

}  // namespace

std::string plot_path(std::string_view json, const Place& place) {
  const report::StoredPath path = report::read_path(json, place);
  std::vector<double> x;
  double most = 0, longest = 0;
  bool lengths = false, training = false;
  for (const report::StoredPoint& point : path.points) {
    x.push_back(point.value);
    most = std::max({most, point.training.value_or(0), point.high.value_or(0), point.judged.value_or(0)});
    longest = std::max(longest, point.norm.value_or(0));
    lengths = lengths || point.norm;
    training = training || point.training;
  }
  report::Drawing drawing(
      640, lengths ? 560 : 380, "Path",
      fmt::format("{} of {} along {}, judged on {}{}.", path.metric, path.algorithm, path.option,
                  path.judged_on, lengths ? "; below it the length of theta" : ""));
  const LogFrame upper = frame_for(x, most, {72, 46}, 540, lengths ? 240 : 270);
  upper.axes(drawing, lengths ? "" : path.option, path.metric);
  draw_band(drawing, upper, path.points,
            [](const report::StoredPoint& p) { return std::tuple(p.value, p.low, p.high); });
  if (training)
    draw_curve(
        drawing, upper, path.points,
        [](const report::StoredPoint& p) {
          return p.training ? MaybePoint({p.value, *p.training}) : std::nullopt;
        },
        report::Ink::Class0, 0, "");
  draw_curve(
      drawing, upper, path.points,
      [](const report::StoredPoint& p) {
        return p.judged ? MaybePoint({p.value, *p.judged}) : std::nullopt;
      },
      report::Ink::Class1, 1, training ? "7 4" : "");
  if (training) legend_entry(drawing, {72, 28}, "training rows", report::Ink::Class0, 0, "");
  legend_entry(drawing, {training ? 216.0 : 72.0, 28}, path.judged_on, report::Ink::Class1, 1,
               training ? "7 4" : "");
  if (path.chosen) {
    const double px = upper.at(*path.chosen, 0).x;
    drawing.line({px, upper.frame.corner.y}, {px, upper.frame.corner.y + upper.frame.height},
                 report::Ink::Accent, 1.5, "3 3");
    drawing.text({px, upper.frame.corner.y - 4}, fmt::format("chosen: {}", report::figure(*path.chosen)),
                 "middle", report::Ink::Text, 12, true);
  }
  if (lengths) {
    const LogFrame lower = frame_for(x, 1.15 * longest, {72, 340}, 540, 160);
    lower.axes(drawing, path.option, "|\xCE\xB8|");
    draw_curve(
        drawing, lower, path.points,
        [](const report::StoredPoint& p) {
          return p.norm ? MaybePoint({p.value, *p.norm}) : std::nullopt;
        },
        report::Ink::Class2, 2, "");
    for (const report::StoredPoint& p : path.points)
      if (p.support_vectors && p.norm) {
        const report::Point at = lower.at(p.value, *p.norm);
        drawing.label({at.x, at.y - 9}, report::figure(*p.support_vectors), "middle", report::Ink::Faint, 11);
      }
    drawing.text({612, 332}, "numbers: support vectors", "end", report::Ink::Faint, 11);
  }
  return drawing.svg();
}

std::string plot_curve(std::string_view json, const Place& place) {
  const report::StoredCurve found = report::read_curve(json, place);
  std::vector<double> x;
  double most = found.bayes_error.value_or(0);
  for (const report::StoredCurvePoint& point : found.points) {
    x.push_back(point.rows);
    most = std::max({most, point.training, point.test, std::min(point.high.value_or(0), 2 * point.test)});
  }
  report::Drawing drawing(
      640, 400, "Learning curve",
      fmt::format("Training and test error of {} over the number of training rows; the band is "
                  "the 95 % interval of the test error.",
                  found.algorithm));
  const LogFrame frame = frame_for(x, most, {72, 46}, 540, 290);
  frame.axes(drawing, "training rows", "error");
  draw_band(drawing, frame, found.points,
            [](const report::StoredCurvePoint& p) { return std::tuple(p.rows, p.low, p.high); });
  if (found.bayes_error) {
    const double py = frame.frame.at(frame.frame.x_low, *found.bayes_error).y;
    drawing.line({72, py}, {612, py}, report::Ink::Accent, 1.5, "2 4");
    drawing.line({330, 24}, {354, 24}, report::Ink::Accent, 1.5, "2 4");
    drawing.text({361, 28}, fmt::format("Bayes error {}", report::figure(*found.bayes_error)));
  }
  draw_curve(
      drawing, frame, found.points,
      [](const report::StoredCurvePoint& p) {
        return MaybePoint({p.rows, p.training});
      },
      report::Ink::Class0, 0, "");
  draw_curve(
      drawing, frame, found.points,
      [](const report::StoredCurvePoint& p) {
        return MaybePoint({p.rows, p.test});
      },
      report::Ink::Class1, 1, "7 4");
  legend_entry(drawing, {72, 28}, "training rows", report::Ink::Class0, 0, "");
  legend_entry(drawing, {216, 28}, "test rows", report::Ink::Class1, 1, "7 4");
  return drawing.svg();
}

}  // namespace halfspace
