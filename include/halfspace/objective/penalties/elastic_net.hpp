// SPDX-License-Identifier: BSD-3-Clause
// r |theta|_1 + (1 - r) |theta|^2 / 2 with 0 < r < 1 (Zou, Hastie, J. R. Statist. Soc. B 67, 2005): weights of 0 as with L1,
// and columns that say the same share their weight. Its conjugate is |beyond(s)|^2 / (2 (1 - r)).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace halfspace {

struct ElasticNet {
  static constexpr std::string_view name = "elastic-net";
  static constexpr double limit = std::numeric_limits<double>::infinity();
  double ratio = 0.5;  // r
  [[nodiscard]] std::string formula(const std::string& theta) const;
  [[nodiscard]] std::string term(const std::string& w) const;
  [[nodiscard]] double value(double w) const { return ratio * std::abs(w) + (1 - ratio) / 2 * w * w; }
  [[nodiscard]] double beyond(double s) const { return std::copysign(std::max(std::abs(s) - ratio, 0.0), s); }
  [[nodiscard]] double conjugate(double length) const { return length / (1 - ratio) * length / 2; }
  // From |theta|_2 <= |theta|_1 and from the square.
  [[nodiscard]] double longest(double p) const { return std::min(p / ratio, std::sqrt(2 * p / (1 - ratio))); }
};

}  // namespace halfspace
