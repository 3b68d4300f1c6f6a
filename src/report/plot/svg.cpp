// SPDX-License-Identifier: BSD-3-Clause
#include "report/plot/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace halfspace::report {
namespace {

// Okabe and Ito's colours, which differ for every kind of colour vision; lighter ones on a dark ground.
struct InkColour {
  std::string_view name, light, dark;
};
constexpr std::array<InkColour, 12> inks = {{{"text", "#1b1f24", "#e8eaed"},
                                             {"faint", "#5c6370", "#a3abb8"},
                                             {"grid", "#e3e6ea", "#343a44"},
                                             {"c0", "#0072b2", "#56b4e9"},
                                             {"c1", "#d55e00", "#ff9a4d"},
                                             {"c2", "#009e73", "#3ddbb0"},
                                             {"c3", "#b0528a", "#e29bc6"},
                                             {"c4", "#8a6d00", "#f0d24a"},
                                             {"c5", "#5c6370", "#b8c0cc"},
                                             {"accent", "#1b1f24", "#ffffff"},
                                             {"s0", "#dcebf5", "#14303f"},
                                             {"s1", "#fbe6d6", "#402614"}}};
const InkColour& colour(Ink ink) { return inks[static_cast<std::size_t>(ink)]; }

std::string style_sheet() {
  std::string out =
      "<style>text{font-family:system-ui,'Segoe UI','Liberation Sans',Arial,sans-serif}@media "
      "(prefers-color-scheme:dark){.hs-ground{fill:#16181d}.hs-rim{stroke:#16181d}";
  for (const InkColour& ink : inks)
    out += fmt::format(".hs-f-{0}{{fill:{1}}}.hs-s-{0}{{stroke:{1}}}", ink.name, ink.dark);
  return out + "}</style>";
}

std::string fill(Ink ink) {
  return fmt::format("class=\"hs-f-{}\" fill=\"{}\"", colour(ink).name, colour(ink).light);
}
std::string stroke(Ink ink) {
  return fmt::format("class=\"hs-s-{}\" stroke=\"{}\"", colour(ink).name, colour(ink).light);
}
std::string corners_text(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) out += fmt::format("{}{:.2f},{:.2f}", out.empty() ? "" : " ", p.x, p.y);
  return out;
}
std::string dash_attribute(std::string_view dashes) {
  return dashes.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

// Bytes of the character that begins at `at`; 0 when they are no UTF-8 or no character of XML.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return static_cast<unsigned char>(k < text.size() ? text[k] : '\0');
  };
  const unsigned char first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(at + k) & 0xC0U) != 0x80U) return 0;
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xED && byte(at + 1) >= 0xA0) return 0;  // surrogates
  if (first == 0xEF && byte(at + 1) == 0xBF && byte(at + 2) >= 0xBE) return 0;
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) >= 0x90) return 0;
  return length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
      continue;
    }
    switch (text[at]) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string figure(double x) {
  if (x == 0) return "0";
  std::string out = fmt::format("{:.4g}", x);
  if (out.starts_with('-')) out.replace(0, 1, "\xE2\x88\x92");
  return out;
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(1, count);
  if (!(rough > 0) || !std::isfinite(rough)) return {low};
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  const double step = power * (ratio < 1.5 ? 1 : ratio < 3 ? 2 : ratio < 7 ? 5 : 10);
  std::vector<double> out;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push_back(k * step);
  return out;
}

Ink class_ink(std::size_t k) { return static_cast<Ink>(static_cast<std::size_t>(Ink::Class0) + k % 6); }

Drawing::Drawing(double width, double height, std::string_view title, std::string_view description) {
  head_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" "
      "role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n{4}\n"
      "<rect class=\"hs-ground\" width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n",
      width, height, escaped(title), escaped(description), style_sheet());
}

void Drawing::line(Point a, Point b, Ink ink, double width, std::string_view dashes) {
  body_ += fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {} stroke-width=\"{:g}\"{}/>\n", a.x,
      a.y, b.x, b.y, stroke(ink), width, dash_attribute(dashes));
}

void Drawing::path(const std::vector<Point>& points, Ink ink, double width, std::string_view dashes) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{:g}\" stroke-linejoin=\"round\"{}/>\n",
      corners_text(points), stroke(ink), width, dash_attribute(dashes));
}

void Drawing::area(const std::vector<Point>& corners, Ink ink, double opacity) {
  if (corners.size() < 3) return;
  body_ += fmt::format("<polygon points=\"{}\" {} fill-opacity=\"{:g}\"/>\n", corners_text(corners),
                       fill(ink), opacity);
}

void Drawing::box(Point corner, double width, double height, Ink ink, double opacity) {
  body_ += fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {} fill-opacity=\"{:g}\"/>\n",
      corner.x, corner.y, std::max(0.0, width), std::max(0.0, height), fill(ink), opacity);
}

void Drawing::mark(Point at, std::size_t shape, Ink ink, double size, bool full) {
  const std::string paint = full ? fill(ink) + " fill-opacity=\"0.85\""
                                 : fmt::format("fill=\"none\" {} stroke-width=\"1.5\"", stroke(ink));
  const double s = size;
  switch (shape % 6) {
    case 0:
      body_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" {}/>\n", at.x, at.y, s, paint);
      break;
    case 1:
      body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:g}\" height=\"{:g}\" {}/>\n",
                           at.x - s * 0.9, at.y - s * 0.9, 1.8 * s, 1.8 * s, paint);
      break;
    case 2:
      body_ += fmt::format(
          "<polygon points=\"{}\" {}/>\n",
          corners_text(
              {{at.x, at.y - 1.2 * s}, {at.x + 1.1 * s, at.y + 0.9 * s}, {at.x - 1.1 * s, at.y + 0.9 * s}}),
          paint);
      break;
    case 3:
      body_ += fmt::format("<polygon points=\"{}\" {}/>\n",
                           corners_text({{at.x, at.y - 1.3 * s},
                                         {at.x + 1.3 * s, at.y},
                                         {at.x, at.y + 1.3 * s},
                                         {at.x - 1.3 * s, at.y}}),
                           paint);
      break;
    case 4:
      line({at.x - s, at.y - s}, {at.x + s, at.y + s}, ink, 2);
      line({at.x - s, at.y + s}, {at.x + s, at.y - s}, ink, 2);
      break;
    default:
      line({at.x - 1.2 * s, at.y}, {at.x + 1.2 * s, at.y}, ink, 2);
      line({at.x, at.y - 1.2 * s}, {at.x, at.y + 1.2 * s}, ink, 2);
  }
}

void Drawing::ring(Point at, double radius, Ink ink, double width) {
  body_ +=
      fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"none\" {} stroke-width=\"{:g}\"/>\n",
                  at.x, at.y, radius, stroke(ink), width);
}

void Drawing::text(Point at, std::string_view words, std::string_view anchor, Ink ink, double size,
                   bool bold) {
  body_ +=
      fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" font-size=\"{:g}\"{} {}>{}</text>\n",
                  at.x, at.y, anchor, size, bold ? " font-weight=\"600\"" : "", fill(ink), escaped(words));
}

void Drawing::label(Point at, std::string_view words, std::string_view anchor, Ink ink, double size,
                    bool bold) {
  body_ += fmt::format(
      "<g class=\"hs-rim\" stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
      "paint-order=\"stroke\">");
  text(at, words, anchor, ink, size, bold);
  body_.pop_back();
  body_ += "</g>\n";
}

void Drawing::text_upwards(Point at, std::string_view words) {
  body_ += fmt::format(
      "<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"12\" "
      "{}>{}</text>\n",
      at.x, at.y, fill(Ink::Text), escaped(words));
}

void Drawing::clip(Point corner, double width, double height) {
  ++clips_;
  body_ += fmt::format(
      "<svg x=\"{0:.2f}\" y=\"{1:.2f}\" width=\"{2:.2f}\" height=\"{3:.2f}\" viewBox=\"{0:.2f} {1:.2f} "
      "{2:.2f} {3:.2f}\">\n",
      corner.x, corner.y, width, height);
}

void Drawing::end_clip() {
  if (clips_ == 0) return;
  --clips_;
  body_ += "</svg>\n";
}

std::string Drawing::svg() const { return head_ + body_ + "</svg>\n"; }

void Frame::axes(Drawing& drawing, std::string_view x_label, std::string_view y_label, int x_ticks,
                 int y_ticks) const {
  const double bottom = corner.y + height, right = corner.x + width;
  for (const double x : ticks(x_low, x_high, x_ticks)) {
    const double px = at(x, y_low).x;
    drawing.line({px, corner.y}, {px, bottom}, Ink::Grid);
    drawing.text({px, bottom + 16}, figure(x), "middle", Ink::Faint, 11);
  }
  if (y_ticks > 0) {
    for (const double y : ticks(y_low, y_high, y_ticks)) {
      const double py = at(x_low, y).y;
      drawing.line({corner.x, py}, {right, py}, Ink::Grid);
      drawing.text({corner.x - 6, py + 4}, figure(y), "end", Ink::Faint, 11);
    }
  }
  drawing.line({corner.x, bottom}, {right, bottom}, Ink::Faint);
  drawing.line({corner.x, corner.y}, {corner.x, bottom}, Ink::Faint);
  drawing.text({corner.x + width / 2, bottom + 34}, x_label, "middle");
  if (!y_label.empty()) drawing.text_upwards({corner.x - 42, corner.y + height / 2}, y_label);
}

bool Frame::cut(double nx, double ny, double c, Point& a, Point& b) const {
  std::vector<Point> ends;
  const auto add = [&](double x, double y) {
    const double ex = 1e-9 * (x_high - x_low), ey = 1e-9 * (y_high - y_low);
    if (x >= x_low - ex && x <= x_high + ex && y >= y_low - ey && y <= y_high + ey) ends.push_back({x, y});
  };
  if (ny != 0) {
    add(x_low, (c - nx * x_low) / ny);
    add(x_high, (c - nx * x_high) / ny);
  }
  if (nx != 0) {
    add((c - ny * y_low) / nx, y_low);
    add((c - ny * y_high) / nx, y_high);
  }
  double longest = -1;
  for (const Point& p : ends) {
    for (const Point& q : ends) {
      const double length = std::hypot((p.x - q.x) / (x_high - x_low), (p.y - q.y) / (y_high - y_low));
      if (length <= longest) continue;
      longest = length;
      a = p;
      b = q;
    }
  }
  return longest > 0;
}

std::vector<Point> Frame::half(double nx, double ny, double c) const {
  const std::array<Point, 4> corners = {{{x_low, y_low}, {x_high, y_low}, {x_high, y_high}, {x_low, y_high}}};
  std::vector<Point> out;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Point& p = corners[k];
    const Point& q = corners[(k + 1) % corners.size()];
    const double fp = nx * p.x + ny * p.y - c, fq = nx * q.x + ny * q.y - c;
    if (fp > 0) out.push_back(p);
    if ((fp > 0) != (fq > 0)) {
      const double t = fp / (fp - fq);
      out.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
    }
  }
  return out;
}

}  // namespace halfspace::report
