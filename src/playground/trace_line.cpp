// SPDX-License-Identifier: BSD-3-Clause
#include "playground/answers.hpp"

namespace halfspace::playground {

std::string trace_line(const Update& update) {
  const Json value = {{"k", update.number},
                      {"pass", update.pass},
                      {"row", update.row + 1},
                      {"y", update.y},
                      {"margin_before", update.margin_before},
                      {"margin_after", update.margin_after},
                      {"theta0", update.theta0},
                      {"norm", update.norm},
                      {"theta", std::vector<double>(update.theta.begin(), update.theta.end())}};
  return value.dump();
}

}  // namespace halfspace::playground
