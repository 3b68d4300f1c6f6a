// SPDX-License-Identifier: BSD-3-Clause
// max(0, 1 - m)^2, the squared hinge (the L2-loss of LIBLINEAR).
#pragma once

#include <limits>
#include <string_view>

namespace halfspace {

struct SquaredHinge {
  static constexpr std::string_view name = "squared-hinge";
  static constexpr std::string_view formula = "max(0, 1 - m)^2";
  static constexpr bool smooth = true;
  static constexpr double margin = 1;
  static constexpr double limit = std::numeric_limits<double>::infinity();
  static constexpr double largest_curvature = 2;
  static constexpr double gain_curvature = 0.5;
  [[nodiscard]] static double value(double m) { return m < 1 ? (1 - m) * (1 - m) : 0; }
  [[nodiscard]] static double slope(double m) { return m < 1 ? -2 * (1 - m) : 0; }
  [[nodiscard]] static double curvature(double m) { return m < 1 ? 2 : 0; }
  [[nodiscard]] static double gain(double a) { return a - a * a / 4; }
  [[nodiscard]] static double best_constant(double p, double n) { return (p - n) / (p + n); }
};

}  // namespace halfspace
