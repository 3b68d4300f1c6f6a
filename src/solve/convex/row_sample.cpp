// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/row_sample.hpp"

#include <algorithm>
#include <numeric>

#include "core/row_sums.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace {
namespace {

constexpr std::size_t handful = 50;  // rows: the share of a class is then right within a sixth or so

// One row from each of `wanted` stretches of the list of all members.
void draw(const Team& team, std::span<const std::uint32_t> rows, std::size_t wanted, RowSample& out) {
  const Stretch list = team.stretch(rows.size());
  wanted = std::min(wanted, list.total);
  if (wanted == 0) return;
  const double stretch = static_cast<double>(list.total) / static_cast<double>(wanted);
  if (wanted == list.total) {
    out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    out.factor.resize(out.rows.size(), stretch);
    return;
  }
  // The draw is part of the method, not of the seed: the answer is the optimum whichever rows came first.
  Random random(1);
  for (std::size_t k = 0; k < wanted; ++k) {
    const double place = (static_cast<double>(k) + random.uniform()) * stretch;
    const std::size_t at = std::min(list.total - 1, static_cast<std::size_t>(place));
    if (at >= list.first && at < list.first + list.size) out.rows.push_back(rows[at - list.first]);
  }
  out.factor.resize(out.rows.size(), stretch);
}

void sort_by_row(RowSample& sample) {
  std::vector<std::size_t> order(sample.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return sample.rows[a] < sample.rows[b]; });
  RowSample sorted;
  for (const std::size_t k : order) {
    sorted.rows.push_back(sample.rows[k]);
    sorted.factor.push_back(sample.factor[k]);
  }
  sample = std::move(sorted);
}

}  // namespace

std::vector<std::uint32_t> present_rows(const Problem& problem) {
  std::vector<std::uint32_t> out;
  out.reserve(problem.rows());
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) out.push_back(static_cast<std::uint32_t>(i));
  return out;
}

RowSample spread_sample(const Team& team, std::span<const std::uint32_t> rows, std::size_t wanted,
                        std::size_t labels, const std::function<std::uint32_t(std::uint32_t)>& label) {
  RowSample out;
  const std::size_t all = team.total(rows.size());
  std::vector<double> count(labels, 0);  // whole numbers
  if (wanted < all)
    add_in_turn(team, count, [&](std::vector<double>& to) {
      for (const std::uint32_t i : rows) ++to[label(i)];
    });
  const auto rare = [&](std::uint32_t c) {
    return count[c] > 0 &&
           count[c] * static_cast<double>(wanted) < static_cast<double>(handful) * static_cast<double>(all);
  };
  std::vector<std::vector<std::uint32_t>> apart(labels);
  std::vector<std::uint32_t> common;
  bool any = false;
  for (std::uint32_t c = 0; c < labels; ++c) any = any || rare(c);
  if (!any) {
    draw(team, rows, wanted, out);
    return out;
  }
  for (const std::uint32_t i : rows) (rare(label(i)) ? apart[label(i)] : common).push_back(i);
  draw(team, common, wanted, out);
  for (const auto& one : apart) draw(team, one, handful, out);
  sort_by_row(out);
  return out;
}

RowSample spread_sample(const Team& team, const Problem& problem, std::size_t wanted) {
  return spread_sample(team, present_rows(problem), wanted, 2,
                       [&](std::uint32_t i) { return problem.y[i] > 0 ? 1U : 0U; });
}

}  // namespace halfspace
