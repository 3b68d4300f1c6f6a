// SPDX-License-Identifier: BSD-3-Clause
// |theta|_1, the sum of the sizes of the weights (Tibshirani, J. R. Statist. Soc. B 58, 1996): most weights of the best
// plane are exactly 0. Its conjugate is 0 where no |s_j| is above 1, and infinite elsewhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace halfspace {

struct L1 {
  static constexpr std::string_view name = "l1";
  static constexpr double limit = 1;
  [[nodiscard]] static std::string formula(const std::string& theta) { return "|" + theta + "|_1"; }
  [[nodiscard]] static std::string term(const std::string& w) { return "|" + w + "|"; }
  [[nodiscard]] static double value(double w) { return std::abs(w); }
  [[nodiscard]] static double beyond(double s) { return std::copysign(std::max(std::abs(s) - 1, 0.0), s); }
  [[nodiscard]] static double conjugate(double length) {
    return length > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  [[nodiscard]] static double longest(double p) { return p; }
};

}  // namespace halfspace
