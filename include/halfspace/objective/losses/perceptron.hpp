// SPDX-License-Identifier: BSD-3-Clause
// max(0, -m), the perceptron's own loss. It asks for no margin: the zero plane has none of it, so that a penalised
// problem has no use for it.
#pragma once

#include <string_view>

namespace halfspace {

struct PerceptronLoss {
  static constexpr std::string_view name = "perceptron";
  static constexpr std::string_view formula = "max(0, -m)";
  static constexpr bool smooth = false;
  static constexpr double margin = 0;
  static constexpr double limit = 1;
  static constexpr double largest_curvature = 0;
  [[nodiscard]] static double value(double m) { return m < 0 ? -m : 0; }
  [[nodiscard]] static double slope(double m) { return m <= 0 ? -1 : 0; }
  [[nodiscard]] static double curvature(double) { return 0; }
  [[nodiscard]] static double gain(double) { return 0; }
  [[nodiscard]] static double best_constant(double, double) { return 0; }
};

}  // namespace halfspace
