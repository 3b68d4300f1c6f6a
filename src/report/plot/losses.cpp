// SPDX-License-Identifier: BSD-3-Clause
// The losses that this program knows, over the margin m = y f(x).
#include <array>
#include <cmath>
#include <functional>

#include "halfspace/report/plot.hpp"
#include "report/plot/svg.hpp"

namespace halfspace {
namespace {

struct LossCurve {
  std::string_view name;
  report::Ink ink;
  std::string_view dashes;
  double (*value)(double);
};
constexpr double log_two = 0.69314718055994530942;
constexpr std::array<LossCurve, 5> loss_curves = {{
    {"zero-one", report::Ink::Text, "", [](double m) { return m > 0 ? 0.0 : 1.0; }},
    {"perceptron", report::Ink::Class2, "8 4", [](double m) { return m > 0 ? 0.0 : -m; }},
    {"hinge", report::Ink::Class0, "", [](double m) { return m < 1 ? 1 - m : 0.0; }},
    {"squared hinge", report::Ink::Class3, "2 3", [](double m) { return m < 1 ? (1 - m) * (1 - m) : 0.0; }},
    {"logistic / log 2", report::Ink::Class1, "12 3 2 3",
     [](double m) { return std::log1p(std::exp(-m)) / log_two; }},
}};

}  // namespace

std::string plot_losses() {
  report::Drawing drawing(
      640, 420, "Losses over the margin",
      "Zero-one, perceptron, hinge, squared hinge and logistic loss as functions of the margin "
      "y f(x). All but the perceptron's lie above the zero-one loss.");
  const report::Frame frame{{56, 20}, 420, 346, -2, 3, 0, 4};
  frame.axes(drawing, "margin y f(x)", "loss");
  drawing.clip(frame.corner, frame.width, frame.height);
  for (const LossCurve& curve : loss_curves) {
    std::vector<report::Point> points;
    for (int k = 0; k <= 250; ++k) {
      const double m = frame.x_low + (frame.x_high - frame.x_low) * k / 250;
      // The step of the zero-one loss is upright.
      if (!points.empty() && curve.value(m) == 0 && points.back().y < frame.at(0, 0.5).y &&
          curve.name == "zero-one")
        points.push_back(frame.at(m, 1));
      points.push_back(frame.at(m, curve.value(m)));
    }
    drawing.path(points, curve.ink, 2.5, curve.dashes);
  }
  drawing.end_clip();
  double y = 44;
  for (const LossCurve& curve : loss_curves) {
    drawing.path({{496, y - 4}, {530, y - 4}}, curve.ink, 2.5, curve.dashes);
    drawing.text({538, y}, curve.name);
    y += 24;
  }
  return drawing.svg();
}

}  // namespace halfspace
