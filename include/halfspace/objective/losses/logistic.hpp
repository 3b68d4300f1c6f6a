// SPDX-License-Identifier: BSD-3-Clause
// log(1 + exp(-m)): minus the logarithm of the probability that logistic regression gives to the row's own class.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

namespace halfspace {

struct Logistic {
  static constexpr std::string_view name = "logistic";
  static constexpr std::string_view formula = "log(1 + exp(-m))";
  static constexpr bool smooth = true;
  static constexpr double margin = std::numeric_limits<double>::infinity();
  static constexpr double limit = 1;
  static constexpr double largest_curvature = 0.25;
  [[nodiscard]] static double value(double m) {
    return m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
  }
  // -1 / (1 + e^m), without overflow on either side.
  [[nodiscard]] static double slope(double m) {
    if (m > 0) {
      const double e = std::exp(-m);
      return -e / (1 + e);
    }
    return -1 / (1 + std::exp(m));
  }
  [[nodiscard]] static double curvature(double m) {
    const double e = std::exp(-std::abs(m));
    return e / ((1 + e) * (1 + e));
  }
  // Entropy: -a log a - (1 - a) log(1 - a).
  [[nodiscard]] static double gain(double a) {
    const auto part = [](double p) { return p > 0 ? -p * std::log(p) : 0.0; };
    return part(a) + (a < 1 ? -(1 - a) * std::log1p(-a) : 0.0);
  }
  [[nodiscard]] static double best_constant(double p, double n) { return std::log(p) - std::log(n); }
};

}  // namespace halfspace
