// SPDX-License-Identifier: BSD-3-Clause
// Points of two columns with the planes of a model.
#include "report/plot/plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"
#include "report/sections/sections.hpp"

namespace halfspace::report {

std::pair<std::uint32_t, std::uint32_t> chosen_columns(const Dataset& data, const ColumnPair& columns) {
  if (columns) {
    if (columns->first == columns->second)
      throw UsageError("--columns: the same column twice", "two different ones");
    return *columns;
  }
  if (data.features() != 2)
    throw UsageError(fmt::format("the data have {} columns, and a picture has two", data.features()),
                     "--columns A,B chooses them");
  return {0, 1};
}

std::vector<FlatRow> flat_rows(const Dataset& data, std::pair<std::uint32_t, std::uint32_t> columns,
                               std::size_t most) {
  std::vector<std::uint32_t> present;
  for (std::uint32_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) present.push_back(i);
  const std::size_t count = std::min(most, present.size());
  std::vector<FlatRow> out;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = present[k * present.size() / count];
    FlatRow row{i, data.labels()[i], 0, 0};
    for (const auto& [j, x] : entries_of(data, i)) {
      if (j == columns.first) row.x = x;
      if (j == columns.second) row.y = x;
    }
    out.push_back(row);
  }
  return out;
}

Frame frame_around(const std::vector<FlatRow>& rows, Point corner, double width, double height,
                   bool with_origin) {
  const double far = std::numeric_limits<double>::infinity();
  double x_low = with_origin ? 0 : far, x_high = with_origin ? 0 : -far, y_low = x_low, y_high = x_high;
  for (const FlatRow& row : rows) {
    x_low = std::min(x_low, row.x);
    x_high = std::max(x_high, row.x);
    y_low = std::min(y_low, row.y);
    y_high = std::max(y_high, row.y);
  }
  const auto widen = [](double& low, double& high) {
    const double range = high > low ? high - low : 1;
    low -= 0.1 * range;
    high += 0.1 * range;
  };
  widen(x_low, x_high);
  widen(y_low, y_high);
  // Right angles look right where the two columns are of one kind of size.
  const double x_scale = (x_high - x_low) / width, y_scale = (y_high - y_low) / height;
  if (x_scale < 3 * y_scale && y_scale < 3 * x_scale) {
    const double scale = std::max(x_scale, y_scale);
    const double x_more = (scale * width - (x_high - x_low)) / 2,
                 y_more = (scale * height - (y_high - y_low)) / 2;
    x_low -= x_more;
    x_high += x_more;
    y_low -= y_more;
    y_high += y_more;
  }
  return {corner, width, height, x_low, x_high, y_low, y_high};
}

Dataset two_columns(const Dataset& data, std::pair<std::uint32_t, std::uint32_t> pair,
                    const Threads& threads) {
  MatrixBuilder builder;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    double x = 0, y = 0;
    for (const auto& [j, value] : entries_of(data, i)) {
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

void check_two_classes_drawn(const Dataset& data) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows");
  if (data.classes().size() != 2)
    throw UsageError(fmt::format("the picture is of two classes; the data have {}", data.classes().size()),
                     "--positive LABEL for one against the rest");
}

void draw_line(Drawing& drawing, const Frame& frame, double a, double b, double c, Ink ink, double width,
               std::string_view dashes) {
  Point p, q;
  if (frame.cut(a, b, -c, p, q)) drawing.line(frame.at(p.x, p.y), frame.at(q.x, q.y), ink, width, dashes);
}

void draw_sides(Drawing& drawing, const Frame& frame, double a, double b, double c) {
  for (const bool positive : {false, true}) {
    const double sign = positive ? 1 : -1;
    std::vector<Point> half = frame.half(sign * a, sign * b, -sign * c);
    for (Point& p : half) p = frame.at(p.x, p.y);
    drawing.area(half, class_ink(positive ? 1 : 0), 0.13);
  }
}

namespace {

// The planes over two columns, the others at their mean.
struct FlatPlane {
  double a = 0, b = 0, c = 0;  // score = a x + b y + c
};
std::vector<FlatPlane> flat_planes(const Planes& planes, const Dataset& data,
                                   std::pair<std::uint32_t, std::uint32_t> columns, const Threads& threads) {
  std::vector<double> mean;
  if (data.features() > 2) mean = column_statistics(data, threads).mean;
  std::vector<FlatPlane> out;
  for (std::size_t k = 0; k < planes.offsets.size(); ++k) {
    FlatPlane one{0, 0, planes.offsets[k]};
    for (std::uint32_t j = 0; j < planes.features; ++j) {
      const double w = planes.plane(k)[j];
      if (j == columns.first) {
        one.a = w;
      } else if (j == columns.second) {
        one.b = w;
      } else if (j < mean.size()) {
        one.c += w * mean[j];
      }
    }
    out.push_back(one);
  }
  return out;
}

// The corners of the part of a convex region where a x + b y + c > 0.
std::vector<Point> cut_off(const std::vector<Point>& region, double a, double b, double c) {
  std::vector<Point> out;
  for (std::size_t k = 0; k < region.size(); ++k) {
    const Point& p = region[k];
    const Point& q = region[(k + 1) % region.size()];
    const double fp = a * p.x + b * p.y + c, fq = a * q.x + b * q.y + c;
    if (fp >= 0) out.push_back(p);
    if ((fp >= 0) != (fq >= 0)) {
      const double t = fp / (fp - fq);
      out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
    }
  }
  return out;
}

// Where each class wins, in its colour.
void draw_regions(Drawing& drawing, const Frame& frame, const std::vector<FlatPlane>& planes) {
  const std::vector<Point> all = {{frame.x_low, frame.y_low},
                                  {frame.x_high, frame.y_low},
                                  {frame.x_high, frame.y_high},
                                  {frame.x_low, frame.y_high}};
  const auto draw = [&](std::vector<Point> region, std::size_t k) {
    for (Point& p : region) p = frame.at(p.x, p.y);
    drawing.area(region, class_ink(k), 0.14);
  };
  if (planes.size() == 1) {
    const FlatPlane& p = planes[0];
    draw(cut_off(all, p.a, p.b, p.c), 1);
    draw(cut_off(all, -p.a, -p.b, -p.c), 0);
    return;
  }
  for (std::size_t k = 0; k < planes.size(); ++k) {
    std::vector<Point> region = all;
    for (std::size_t other = 0; other < planes.size() && region.size() > 2; ++other) {
      if (other == k) continue;
      region = cut_off(region, planes[k].a - planes[other].a, planes[k].b - planes[other].b,
                       planes[k].c - planes[other].c);
    }
    draw(region, k);
  }
}

// theta as an arrow from the plane, where right angles look right.
void draw_normal(Drawing& drawing, const Frame& frame, const FlatPlane& plane) {
  const double length = std::hypot(plane.a, plane.b);
  const double x_scale = (frame.x_high - frame.x_low) / frame.width,
               y_scale = (frame.y_high - frame.y_low) / frame.height;
  Point p, q;
  if (!(length > 0) || std::abs(x_scale - y_scale) > 1e-6 * x_scale ||
      !frame.cut(plane.a, plane.b, -plane.c, p, q))
    return;
  const Point foot = frame.at(0.62 * p.x + 0.38 * q.x, 0.62 * p.y + 0.38 * q.y);
  const double ux = plane.a / length, uy = -plane.b / length;  // downwards is positive in a picture
  const Point tip{foot.x + 46 * ux, foot.y + 46 * uy};
  drawing.line(foot, tip, Ink::Accent, 2.5);
  drawing.area({tip,
                {tip.x - 10 * ux - 5 * uy, tip.y - 10 * uy + 5 * ux},
                {tip.x - 10 * ux + 5 * uy, tip.y - 10 * uy - 5 * ux}},
               Ink::Accent);
  drawing.text({tip.x + 8 * ux + 4, tip.y + 8 * uy + 4}, "\xCE\xB8", "start", Ink::Text, 14, true);
}

bool has_support_margin(const Model& model) {
  return model.planes() == 1 && (model.algorithm == "svm" || model.algorithm == "hard-margin" ||
                                 model.algorithm == "nu-svm" || model.algorithm == "pegasos");
}

void draw_legend(Drawing& drawing, const Model& model, double y) {
  double x = 64;
  for (std::size_t k = 0; k < std::min<std::size_t>(model.classes.size(), 6); ++k) {
    std::string name = name_of_class(model, k);
    if (name.size() > 20) name = name.substr(0, 17) + "...";
    drawing.mark({x + 5, y - 4}, k, class_ink(k), 5);
    drawing.text({x + 16, y}, name);
    x += 34 + 7.2 * static_cast<double>(name.size());
  }
}

}  // namespace
}  // namespace halfspace::report

namespace halfspace {

std::uint32_t column_named(const Dataset& data, const std::string& name) {
  std::vector<std::string> names;
  for (std::uint32_t j = 0; j < data.features(); ++j) {
    if (data.feature_name(j) == name) return j;
    if (j < 1000) names.push_back(data.feature_name(j));
  }
  if (!name.empty() && name.size() < 10 && name.find_first_not_of("0123456789") == std::string::npos) {
    const std::int64_t number = OptionType<std::int64_t>::parse("columns", name, {});
    if (number >= 1 && static_cast<std::size_t>(number) <= data.features())
      return static_cast<std::uint32_t>(number - 1);
  }
  const std::string near = nearest_name(name, names);
  throw UsageError(
      fmt::format("no column '{}'", printable(name)),
      near.empty() ? "a name of the table, or a number from 1" : fmt::format("did you mean {}?", near));
}

std::string plot_plane(const Model& model, const Dataset& data, const ColumnPair& columns, const Run& given,
                       const Law* law) {
  const Run run = begin_run(given);
  const auto planes = report::planes_of(model);
  if (!planes)
    throw UsageError("the model is no plane over the columns of the data", "plot margins shows it");
  const auto pair = report::chosen_columns(data, columns);
  const report::Judged judged = report::judge(model, data, run.threads);
  const Dataset named = data.relabelled(judged.truth, [&] {
    std::vector<std::string> classes = model.classes;
    classes.push_back("other");
    return classes;
  }());
  const std::vector<report::FlatRow> rows = report::flat_rows(named, pair, report::most_points);
  const std::vector<report::FlatPlane> flat = report::flat_planes(*planes, data, pair, run.threads);
  const std::string x_name = report::name_of_feature(model, pair.first),
                    y_name = report::name_of_feature(model, pair.second);
  const bool sliced = data.features() > 2;
  report::Drawing drawing(
      640, 520, "Points and plane",
      fmt::format("Rows of {} over {} and {}, with the plane of the model and its half spaces{}.",
                  report::short_name(data.name()), x_name, y_name,
                  sliced ? "; other columns at their mean" : ""));
  const report::Frame frame = report::frame_around(rows, {64, 40}, 552, 400);
  frame.axes(drawing, x_name, y_name);
  drawing.clip(frame.corner, frame.width, frame.height);
  report::draw_regions(drawing, frame, flat);
  bool any_wrong = false;
  for (const report::FlatRow& row : rows) {
    const bool wrong = judged.known(row.row) && !(judged.margin(row.row) > 0);
    any_wrong = any_wrong || wrong;
    drawing.mark(frame.at(row.x, row.y), row.label, report::class_ink(row.label), 4.5, !wrong);
  }
  if (flat.size() == 1) {
    const auto level = [&](double at, double width, std::string_view dashes) {
      report::Point a, b;
      if (frame.cut(flat[0].a, flat[0].b, at - flat[0].c, a, b))
        drawing.line(frame.at(a.x, a.y), frame.at(b.x, b.y), report::Ink::Accent, width, dashes);
    };
    level(0, 2.5, "");
    if (!sliced) report::draw_normal(drawing, frame, flat[0]);
    if (report::has_support_margin(model)) {
      level(1, 1.5, "6 5");
      level(-1, 1.5, "6 5");
      for (const report::FlatRow& row : rows)
        if (row.label < 2 && judged.margin(row.row) < 1 + 1e-6)
          drawing.ring(frame.at(row.x, row.y), 8.5, report::Ink::Accent, 1.5);
    }
  }
  if (law != nullptr) {
    const auto best = best_plane(*law);
    if (!best || data.features() != 2 || best->weights.size() != 2)
      throw UsageError("--bayes: a law of two columns whose best classifier is a plane",
                       "halfspace generate gaussians, logistic or margin --features 2 --law FILE");
    report::draw_line(drawing, frame, best->weights[pair.first], best->weights[pair.second], best->offset,
                      report::Ink::Class2, 3, "9 5");
  }
  drawing.end_clip();
  report::draw_legend(drawing, model, 26);
  if (law != nullptr) {
    drawing.line({384, 22}, {414, 22}, report::Ink::Class2, 3, "9 5");
    drawing.text({616, 26}, fmt::format("Bayes classifier, error {}", report::figure(law->bayes_error)),
                 "end");
  } else if (any_wrong) {
    drawing.text({616, 26}, "hollow: on the wrong side", "end", report::Ink::Faint, 12);
  }
  if (sliced)
    drawing.text({616, 508},
                 fmt::format("the plane where the other {} columns are at their mean", data.features() - 2),
                 "end", report::Ink::Faint, 11);
  else if (rows.size() < data.rows())
    drawing.text({616, 508}, fmt::format("{} of {} rows", rows.size(), data.rows()), "end",
                 report::Ink::Faint, 11);
  return drawing.svg();
}

}  // namespace halfspace
