// SPDX-License-Identifier: BSD-3-Clause
// max(0, 1 - m), the loss of the support vector machine (Cortes, Vapnik, Machine Learning 20, 1995).
#pragma once

#include <string_view>

namespace halfspace {

struct Hinge {
  static constexpr std::string_view name = "hinge";
  static constexpr std::string_view formula = "max(0, 1 - m)";
  static constexpr bool smooth = false;
  static constexpr double margin = 1;
  static constexpr double limit = 1;
  static constexpr double largest_curvature = 0;
  static constexpr double gain_curvature = 0;
  [[nodiscard]] static double value(double m) { return m < 1 ? 1 - m : 0; }
  [[nodiscard]] static double slope(double m) { return m < 1 ? -1 : 0; }
  [[nodiscard]] static double curvature(double) { return 0; }
  [[nodiscard]] static double gain(double a) { return a; }
  [[nodiscard]] static double best_constant(double p, double n) { return p > n ? 1.0 : p < n ? -1.0 : 0.0; }
};

}  // namespace halfspace
