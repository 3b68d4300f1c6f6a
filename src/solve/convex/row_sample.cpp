// SPDX-License-Identifier: BSD-3-Clause
#include "solve/row_sample.hpp"

#include <algorithm>
#include <numeric>

#include "halfspace/core/random.hpp"

namespace halfspace {
namespace {

constexpr std::size_t handful = 50;  // rows: the share of a class is then right within a sixth or so

// One row from each of `wanted` stretches.
void draw(std::span<const std::uint32_t> rows, std::size_t wanted, RowSample& out) {
  wanted = std::min(wanted, rows.size());
  if (wanted == 0) return;
  const double stretch = static_cast<double>(rows.size()) / static_cast<double>(wanted);
  out.factor.insert(out.factor.end(), wanted, stretch);
  if (wanted == rows.size()) {
    out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    return;
  }
  // The draw is part of the method, not of the seed: the answer is the optimum whichever rows came first.
  Random random(1);
  for (std::size_t k = 0; k < wanted; ++k) {
    const double place = (static_cast<double>(k) + random.uniform()) * stretch;
    out.rows.push_back(rows[std::min(rows.size() - 1, static_cast<std::size_t>(place))]);
  }
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

RowSample spread_sample(std::span<const std::uint32_t> rows, std::size_t wanted, std::size_t labels,
                        const std::function<std::uint32_t(std::uint32_t)>& label) {
  RowSample out;
  std::vector<std::size_t> count(labels, 0);
  if (wanted < rows.size())
    for (const std::uint32_t i : rows) ++count[label(i)];
  const auto rare = [&](std::uint32_t c) {
    return count[c] > 0 && count[c] * wanted < handful * rows.size();
  };
  std::vector<std::vector<std::uint32_t>> apart(labels);
  std::vector<std::uint32_t> common;
  bool any = false;
  for (std::uint32_t c = 0; c < labels; ++c) any = any || rare(c);
  if (!any) {
    draw(rows, wanted, out);
    return out;
  }
  for (const std::uint32_t i : rows) (rare(label(i)) ? apart[label(i)] : common).push_back(i);
  draw(common, wanted, out);
  for (const auto& one : apart) draw(one, handful, out);
  sort_by_row(out);
  return out;
}

RowSample spread_sample(const Problem& problem, std::size_t wanted) {
  return spread_sample(present_rows(problem), wanted, 2,
                       [&](std::uint32_t i) { return problem.y[i] > 0 ? 1U : 0U; });
}

}  // namespace halfspace
