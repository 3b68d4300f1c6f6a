// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/deal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/exact/local_search.hpp"

namespace halfspace::exact {
namespace {

constexpr std::size_t least_share = 4;      // the smaller side has a quarter of the rows at least
constexpr std::uint64_t search_rounds = 2;  // for the planes of a half

}  // namespace

Deal::Deal(const detail::ErrorRows& rows, const Space& space, const std::vector<double>& plane, bool offset,
           std::uint64_t seed, StopHandle stop)
    : space_(space), seed_(seed), stop_(std::move(stop)) {
  struct Place {
    int side;
    double margin;
    std::uint32_t row;
  };
  std::vector<Place> order;
  if (offset) columns_ = rows.columns - 1;
  for (std::uint32_t i = 0; i < space.rows; ++i) {
    double margin = 0;
    for (std::size_t k = 0; k < space.dimension; ++k) margin += space.row(i)[k] * plane[k];
    const int sign =
        offset && rows.row(i)[rows.columns - 1] < 0 ? -1 : 1;  // rows carry the sign of their class
    order.push_back({(sign < 0 ? 2 : 0) + (margin > 0 ? 1 : 0), margin, i});
    for (std::size_t c = 0; c < columns_; ++c) value_.push_back(sign * rows.row(i)[c].get_d());
  }
  std::sort(order.begin(), order.end(), [](const Place& a, const Place& b) {
    if (a.side != b.side) return a.side < b.side;
    return a.margin != b.margin ? a.margin < b.margin : a.row < b.row;
  });
  for (const Place& place : order) all_.push_back(place.row);
}

// Nothing where the smaller side would be too small.
std::pair<Deal::Rows, Deal::Rows> Deal::by_column(const Rows& rows, std::size_t column) const {
  const auto value = [&](std::uint32_t i) { return value_[i * columns_ + column]; };
  std::vector<double> sorted;
  for (const std::uint32_t i : rows) sorted.push_back(value(i));
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0;
  double frequent = 0;
  for (std::size_t k = 0; k < sorted.size();) {
    std::size_t end = k;
    while (end < sorted.size() && sorted[end] == sorted[k]) ++end;
    if (end - k > most) {
      most = end - k;
      frequent = sorted[k];
    }
    k = end;
  }
  std::pair<Rows, Rows> out;
  if (std::min(most, rows.size() - most) * least_share < rows.size()) return out;
  for (const std::uint32_t i : rows) (value(i) == frequent ? out.first : out.second).push_back(i);
  return out;
}

// What can be proved of a part grows more slowly than its errors.
double Deal::promise(const Rows& rows) const {
  Space part;
  part.rows = rows.size();
  part.dimension = space_.dimension;
  for (const std::uint32_t i : rows) {
    part.a.insert(part.a.end(), space_.row(i), space_.row(i) + space_.dimension);
    part.weight.push_back(space_.weight[i]);
  }
  LocalSearch search(part, seed_, stop_, [&](std::span<const double> theta) {
    double errors = 0;
    for (std::size_t i = 0; i < part.rows; ++i) {
      const double margin = std::inner_product(theta.begin(), theta.end(), part.row(i), 0.0);
      if (margin <= 0) errors += part.weight[i];
    }
    return static_cast<std::int64_t>(errors);
  });
  search.run(search_rounds);
  return std::sqrt(std::max(search.best(), 0.0));
}

std::pair<Deal::Rows, Deal::Rows> Deal::halves(const Rows& rows) const {
  std::pair<Rows, Rows> best;
  for (std::size_t k = 0; k < rows.size(); ++k) (k % 2 == 0 ? best.first : best.second).push_back(rows[k]);
  double most = -1;
  for (std::size_t c = 0; c < columns_; ++c) {
    std::pair<Rows, Rows> next = by_column(rows, c);
    if (next.first.empty()) continue;
    if (most < 0) most = promise(best.first) + promise(best.second);
    const double here = promise(next.first) + promise(next.second);
    if (here < most) continue;
    most = here;
    best = std::move(next);
  }
  return best;
}

}  // namespace halfspace::exact
