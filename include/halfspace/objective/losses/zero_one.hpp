// SPDX-License-Identifier: BSD-3-Clause
// [m <= 0], the error itself: not convex, so not of the list, but what every loss of it stands for.
#pragma once

#include <string_view>

namespace halfspace {

struct ZeroOne {
  static constexpr std::string_view name = "zero-one";
  [[nodiscard]] static double value(double m) { return m <= 0 ? 1 : 0; }
};

}  // namespace halfspace
