// SPDX-License-Identifier: BSD-3-Clause
#include "solve/row_sample.hpp"

#include <algorithm>

#include "halfspace/core/random.hpp"

namespace halfspace {

std::vector<std::uint32_t> present_rows(const Problem& problem) {
  std::vector<std::uint32_t> out;
  out.reserve(problem.rows());
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) out.push_back(static_cast<std::uint32_t>(i));
  return out;
}

std::vector<std::uint32_t> spread_sample(std::span<const std::uint32_t> rows, std::size_t wanted) {
  if (wanted >= rows.size()) return {rows.begin(), rows.end()};
  // The draw is part of the method, not of the seed: the answer is the optimum whichever rows came first.
  Random random(1);
  std::vector<std::uint32_t> out(wanted);
  const double stretch = static_cast<double>(rows.size()) / static_cast<double>(wanted);
  for (std::size_t k = 0; k < wanted; ++k) {
    const double place = (static_cast<double>(k) + random.uniform()) * stretch;
    out[k] = rows[std::min(rows.size() - 1, static_cast<std::size_t>(place))];
  }
  return out;
}

}  // namespace halfspace
