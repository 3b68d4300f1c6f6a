// SPDX-License-Identifier: BSD-3-Clause
// Pictures from plain data, for files of their own and for the page without scripts.
#pragma once

#include <string>
#include <vector>

namespace halfspace::report {

struct MarginBin {
  double low = 0, high = 0;
  std::vector<double> rows;  // by class
};
[[nodiscard]] std::string margins_picture(const std::vector<MarginBin>& bins,
                                          const std::vector<std::string>& classes, bool support_margin);

}  // namespace halfspace::report
