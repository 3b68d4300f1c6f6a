// SPDX-License-Identifier: BSD-3-Clause
// The smoothed hinge: 0 for m >= 1, (1 - m)^2 / 2 for 0 <= m <= 1, 1/2 - m below. The slope of the hinge without its
// jump, so that far rows weigh no more than with the hinge (Rennie, Srebro, Loss functions for preference levels, IJCAI
// workshop 2005; Shalev-Shwartz, Zhang, JMLR 14 (2013), with gamma = 1).
#pragma once

#include <string_view>

namespace halfspace {

struct SmoothHinge {
  static constexpr std::string_view name = "smooth-hinge";
  static constexpr std::string_view formula = "(1 - m)^2/2 from 0 to 1 and 1/2 - m below";
  static constexpr bool smooth = true;
  static constexpr double margin = 1;
  static constexpr double limit = 1;
  static constexpr double largest_curvature = 1;
  static constexpr double gain_curvature = 1;
  [[nodiscard]] static double value(double m) { return m >= 1 ? 0 : m > 0 ? (1 - m) * (1 - m) / 2 : 0.5 - m; }
  [[nodiscard]] static double slope(double m) { return m >= 1 ? 0 : m > 0 ? m - 1 : -1; }
  [[nodiscard]] static double curvature(double m) { return m >= 0 && m < 1 ? 1 : 0; }
  [[nodiscard]] static double gain(double a) { return a - a * a / 2; }
  [[nodiscard]] static double best_constant(double p, double n) { return p > n ? 1 - n / p : p / n - 1; }
};

}  // namespace halfspace
