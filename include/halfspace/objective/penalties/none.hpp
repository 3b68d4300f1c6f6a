// SPDX-License-Identifier: BSD-3-Clause
// No penalty: maximum likelihood. Its conjugate is infinite except at 0, so that a plane has no duality gap unless its
// gradient is exactly 0.
#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace halfspace {

struct NoPenalty {
  static constexpr std::string_view name = "none";
  static constexpr double limit = 0;
  [[nodiscard]] static std::string formula(const std::string&) { return {}; }
  [[nodiscard]] static std::string term(const std::string&) { return {}; }
  [[nodiscard]] static double value(double) { return 0; }
  [[nodiscard]] static double beyond(double s) { return s; }
  [[nodiscard]] static double conjugate(double length) {
    return length > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  [[nodiscard]] static double longest(double) { return std::numeric_limits<double>::infinity(); }
};

}  // namespace halfspace
