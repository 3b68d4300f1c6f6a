// SPDX-License-Identifier: BSD-3-Clause
#include "solve/systems/curved_rows.hpp"

#include <algorithm>
#include <numeric>

#include "core/row_sums.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace {
namespace {

// The curvature below which all rows together have `light` of it, judged by some of the rows; 0 where a draw
// would leave out too few rows. `most` is to be about the curvature of the penalty: a column whose rows are all left out
// has, with the chance that this happens, not much more than that.
double thin_floor(const Team& team, std::span<const double> h, double most) {
  constexpr double light = 0.03, worth = 0.6;
  std::vector<double> some;
  const Stretch all = team.stretch(h.size());
  const std::size_t stride = std::max<std::size_t>(1, all.total / 2000);
  for (std::size_t k = all.first_of(stride); k < h.size(); k += stride) some.push_back(h[k]);
  some = team.join(std::move(some));
  std::sort(some.begin(), some.end());
  const double total = std::accumulate(some.begin(), some.end(), 0.0);
  double sum = 0;
  for (std::size_t k = 0; k < some.size(); ++k) {
    if (sum + some[k] <= light * total) {
      sum += some[k];
      continue;
    }
    const double floor = std::min(some[k], most);
    double left = 0;
    for (const double v : some) left += std::min(1.0, v / floor);
    return left <= worth * static_cast<double>(some.size()) ? floor : 0.0;
  }
  return 0;
}

}  // namespace

CurvedRows curved_rows(const Team& team, std::span<const double> h, double thin, std::uint64_t step) {
  CurvedRows out;
  const double floor = thin > 0 ? thin_floor(team, h, thin) : 0.0;
  Random drawn(1, step);
  add_in_turn(team, drawn, [&](Random& random) {
    for (std::size_t k = 0; k < h.size(); ++k) {
      if (!(h[k] > 0) || (h[k] < floor && random.uniform() * floor >= h[k])) continue;
      out.place.push_back(static_cast<std::uint32_t>(k));
      out.weight.push_back(std::max(h[k], floor));
    }
  });
  return out;
}

}  // namespace halfspace
