// SPDX-License-Identifier: BSD-3-Clause
// Losses as pure functions of the signed margin m = y f(x). For each: value, slope (a subgradient in m),
// curvature (a generalised second derivative), and the dual part gain(a) = -conjugate(-a), so that for every
// m and every a in [0, limit]: value(m) >= gain(a) - a m, with equality when a = -slope(m) (Fenchel-Young).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <variant>

namespace halfspace {

struct Hinge {
  static constexpr std::string_view name = "hinge";
  static constexpr bool smooth = false;
  static constexpr double limit = 1;  // largest dual value a
  [[nodiscard]] static double value(double m) { return m < 1 ? 1 - m : 0; }
  [[nodiscard]] static double slope(double m) { return m < 1 ? -1 : 0; }
  [[nodiscard]] static double curvature(double) { return 0; }
  [[nodiscard]] static double gain(double a) { return a; }
};

struct SquaredHinge {
  static constexpr std::string_view name = "squared-hinge";
  static constexpr bool smooth = true;
  static constexpr double limit = std::numeric_limits<double>::infinity();
  [[nodiscard]] static double value(double m) { return m < 1 ? (1 - m) * (1 - m) : 0; }
  [[nodiscard]] static double slope(double m) { return m < 1 ? -2 * (1 - m) : 0; }
  [[nodiscard]] static double curvature(double m) { return m < 1 ? 2 : 0; }
  [[nodiscard]] static double gain(double a) { return a - a * a / 4; }
};

struct Logistic {
  static constexpr std::string_view name = "logistic";
  static constexpr bool smooth = true;
  static constexpr double limit = 1;
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
};

// The perceptron's own loss; no margin is asked for, so it has no use in a penalised problem.
struct PerceptronLoss {
  static constexpr std::string_view name = "perceptron";
  static constexpr bool smooth = false;
  static constexpr double limit = 1;
  [[nodiscard]] static double value(double m) { return m < 0 ? -m : 0; }
  [[nodiscard]] static double slope(double m) { return m <= 0 ? -1 : 0; }
  [[nodiscard]] static double curvature(double) { return 0; }
  [[nodiscard]] static double gain(double) { return 0; }
};

struct ZeroOne {
  static constexpr std::string_view name = "zero-one";
  [[nodiscard]] static double value(double m) { return m <= 0 ? 1 : 0; }
};

using Losses = std::tuple<Hinge, SquaredHinge, Logistic, PerceptronLoss>;
using Loss = std::variant<Hinge, SquaredHinge, Logistic>;  // what a penalised problem can have

}  // namespace halfspace
