// SPDX-License-Identifier: BSD-3-Clause
// Plain SVG: a drawing with axes. Colours stand in a style sheet with a light and a dark half, so that a picture is legible
// in either; viewers that know no style sheets take the light ones, which are attributes too.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halfspace::report {

[[nodiscard]] std::string escaped(
    std::string_view text);                  // for XML and HTML; what is not UTF-8 becomes U+FFFD
[[nodiscard]] std::string figure(double x);  // as short as a person writes it

// About `count` round numbers from low to high.
[[nodiscard]] std::vector<double> ticks(double low, double high, int count);

struct Point {
  double x = 0, y = 0;
};

// Colours by what they stand for; class k of the data is Class0, Class1, ...
enum class Ink { Text, Faint, Grid, Class0, Class1, Class2, Class3, Class4, Class5, Accent, Shade0, Shade1 };
[[nodiscard]] Ink class_ink(std::size_t k);

class Drawing {
 public:
  Drawing(double width, double height, std::string_view title, std::string_view description);

  void line(Point a, Point b, Ink ink, double width = 1, std::string_view dashes = {});
  void path(const std::vector<Point>& points, Ink ink, double width = 1.5, std::string_view dashes = {});
  void area(const std::vector<Point>& corners, Ink ink, double opacity = 1);
  void box(Point corner, double width, double height, Ink ink, double opacity = 1);
  // One shape per class: disc, square, triangle, diamond, cross, plus; hollow or full.
  void mark(Point at, std::size_t shape, Ink ink, double size = 4, bool full = true);
  void ring(Point at, double radius, Ink ink, double width = 1.5);
  // Anchor: start, middle, end.
  void text(Point at, std::string_view words, std::string_view anchor = "start", Ink ink = Ink::Text,
            double size = 12, bool bold = false);
  // With a rim in the colour of the ground, so that it can be read over lines.
  void label(Point at, std::string_view words, std::string_view anchor = "start", Ink ink = Ink::Text,
             double size = 12, bool bold = false);
  void text_upwards(Point at, std::string_view words);
  // What follows is drawn inside this box only, until end_clip().
  void clip(Point corner, double width, double height);
  void end_clip();

  [[nodiscard]] std::string svg() const;

 private:
  std::string head_, body_;
  int clips_ = 0;
};

// A box of a drawing in which numbers have a place.
struct Frame {
  Point corner;
  double width = 0, height = 0;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;

  [[nodiscard]] Point at(double x, double y) const {
    return {corner.x + (x - x_low) / (x_high - x_low) * width,
            corner.y + height - (y - y_low) / (y_high - y_low) * height};
  }
  void axes(Drawing& drawing, std::string_view x_label, std::string_view y_label, int x_ticks = 6,
            int y_ticks = 5) const;
  // The part of the line n.x = c inside the frame; false when there is none.
  [[nodiscard]] bool cut(double nx, double ny, double c, Point& a, Point& b) const;
  // The corners of {n.x > c} inside the frame, in numbers of the data.
  [[nodiscard]] std::vector<Point> half(double nx, double ny, double c) const;
};

}  // namespace halfspace::report
