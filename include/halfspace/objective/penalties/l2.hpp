// SPDX-License-Identifier: BSD-3-Clause
// 1/2 |theta|^2 (Tikhonov; ridge regression). Its conjugate is 1/2 |s|^2.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace halfspace {

struct L2 {
  static constexpr std::string_view name = "l2";
  static constexpr double limit = std::numeric_limits<double>::infinity();
  [[nodiscard]] static std::string formula(const std::string& theta) { return "|" + theta + "|^2/2"; }
  [[nodiscard]] static std::string term(const std::string& w) { return w + "^2/2"; }
  [[nodiscard]] static double value(double w) { return w * w / 2; }
  [[nodiscard]] static double beyond(double s) { return s; }
  [[nodiscard]] static double conjugate(double length) { return length * length / 2; }
  [[nodiscard]] static double longest(double p) { return std::sqrt(2 * p); }
};

}  // namespace halfspace
