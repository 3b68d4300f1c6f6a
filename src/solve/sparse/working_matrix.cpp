// SPDX-License-Identifier: BSD-3-Clause
#include "solve/sparse/working_matrix.hpp"

#include <algorithm>
#include <utility>

#include "solve/convex/row_sample.hpp"
#include "solve/systems/normal_matrix.hpp"

namespace halfspace {
namespace {

// Rows of a sample, before it turns out to be too small.
double least_sample(const ChosenColumns& columns, double rows) {
  return std::max(15 * static_cast<double>(columns.size() + 1), rows / 20);
}

// What the matrix of all rows costs, in scattered updates.
double forming(const ChosenColumns& columns) {
  const double blocked = blocked_cost(columns.ids().size(), columns.size() + 1) / scattered_cost(false);
  return columns.rows().sparse() ? std::min(columns.squares(), blocked) : blocked;
}

struct CurvedRows {
  std::vector<std::uint32_t> ids;
  std::vector<double> h;
};
CurvedRows curved_rows(const ChosenColumns& columns, const std::vector<double>& h, double sample) {
  double sum = 0, count = 0;
  for (const double one : h) {
    sum += one;
    count += one > 0 ? 1 : 0;
  }
  constexpr double worth = 50;  // passes over the entries that the whole matrix has to take
  const double wanted = sample * least_sample(columns, count);
  const bool all = wanted * 2 >= count || forming(columns) < worth * columns.entries();
  double low = 0, high = all ? 0 : sum / wanted;
  for (int halving = 0; halving < 20 && !all; ++halving) {
    const double middle = (low + high) / 2;
    double taken = 0;
    for (const double one : h) taken += std::min(1.0, one / middle);
    (taken > wanted ? low : high) = middle;
  }
  CurvedRows out;
  double passed = 0.5;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (h[i] == 0) continue;
    passed += all ? 1.0 : std::min(1.0, h[i] / high);
    if (passed < 1) continue;
    passed -= 1;
    out.ids.push_back(columns.ids()[i]);
    out.h.push_back(std::max(h[i], high));
  }
  return out;
}

}  // namespace

SparseLevel sparse_level(const Team& team, const Problem& from, std::size_t wanted) {
  SparseLevel out;
  out.problem.data = from.data;
  out.problem.loss = from.loss;
  out.problem.penalty = from.penalty;
  out.problem.offset = from.offset;
  out.problem.usable = from.usable;
  RowSample sample = spread_sample(team, from, wanted);
  out.ids = std::move(sample.rows);
  out.list = team.stretch(out.ids.size());
  for (std::size_t k = 0; k < out.ids.size(); ++k) {
    out.problem.y.push_back(from.y[out.ids[k]]);
    out.problem.cost.push_back(from.cost[out.ids[k]] * sample.factor[k]);
  }
  return out;
}

bool wants_matrix(const ChosenColumns& columns) {
  constexpr double sweeps = 40;
  const auto k = static_cast<double>(columns.size() + 1), rows = static_cast<double>(columns.ids().size());
  const double share = std::min(1.0, least_sample(columns, rows) / std::max(rows, 1.0));
  return columns.size() <= most_matrix &&
         share * forming(columns) + sweeps * k * k / 4 < sweeps * 2 * columns.entries();
}

std::vector<double> curvature_of(const ChosenColumns& columns, const std::vector<double>& h, bool with_offset,
                                 double sample, bool precise, const Team& team) {
  const CurvedRows rows = curved_rows(columns, h, sample);
  NormalMatrix lower(columns.rows(), with_offset, precise, team);
  lower.add(rows.ids, rows.h);
  const std::size_t size = lower.size();
  std::vector<double> out(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) out[i * size + j] = out[j * size + i] = lower.lower()[i * size + j];
  return out;
}

}  // namespace halfspace
