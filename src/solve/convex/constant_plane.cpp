// SPDX-License-Identifier: BSD-3-Clause
// Two classes  P l(b) + N l(-b), plus b^2/2 for a lifted offset. Free: as the loss says. Lifted: between 0 and that,
//              where the slope is 0.
// Softmax      free: b_k = log n_k. Lifted: b_k = n_k - n p_k, by Newton's steps; the matrix I + n (diag p - p p')
//              is a diagonal less a product, so that a step costs as much as there are classes.
#include "solve/convex/constant_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/row_sums.hpp"

namespace halfspace {
namespace {

// Softmax of b in place, and log sum exp b.
double to_shares(std::vector<double>& b) {
  const double top = *std::max_element(b.begin(), b.end());
  double sum = 0;
  for (double& v : b) sum += v = std::exp(v - top);
  for (double& v : b) v /= sum;
  return top + std::log(sum);
}

double softmax_objective(const std::vector<double>& weight, const std::vector<double>& b, bool lifted) {
  std::vector<double> p = b;
  const double all = to_shares(p);
  double out = 0;
  for (std::size_t k = 0; k < b.size(); ++k)
    out += weight[k] * (all - b[k]) + (lifted ? b[k] * b[k] / 2 : 0.0);
  return out;
}

// From b = 0; a step is halved until the objective falls.
std::vector<double> lifted_offsets(const std::vector<double>& weight) {
  const std::size_t classes = weight.size();
  const double n = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<double> b(classes, 0.0), p, next(classes), step(classes);
  double value = softmax_objective(weight, b, true);
  for (int iteration = 0; iteration < 100; ++iteration) {
    p = b;
    to_shares(p);
    // (D - n p p') step = -g with D = 1 + n p (Sherman and Morrison).
    double pg = 0, pp = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double d = 1 + n * p[k];
      step[k] = (weight[k] - n * p[k] - b[k]) / d;
      pg += p[k] * step[k];
      pp += p[k] * p[k] / d;
    }
    for (std::size_t k = 0; k < classes; ++k) step[k] += n * p[k] / (1 + n * p[k]) * pg / (1 - n * pp);
    double t = 1, moved = value;
    for (; t > 1e-12; t /= 2) {
      for (std::size_t k = 0; k < classes; ++k) next[k] = b[k] + t * step[k];
      moved = softmax_objective(weight, next, true);
      if (moved < value) break;
    }
    if (!(moved < value)) break;
    b = next;
    value = moved;
  }
  return b;
}

}  // namespace

ConstantPlane best_constant(const Loss& loss, Offset offset, double positive, double negative) {
  return std::visit(
      [&](auto l) {
        ConstantPlane out;
        const bool both = positive > 0 && negative > 0;
        if (offset != Offset::None && both) out.theta0 = l.best_constant(positive, negative);
        if (offset == Offset::Lifted) {
          double low = std::min(0.0, out.theta0), high = std::max(0.0, out.theta0);
          for (int halving = 0; halving < 200 && low < high; ++halving) {
            const double b = low / 2 + high / 2;
            if (b <= low || b >= high) break;
            (b + positive * l.slope(b) - negative * l.slope(-b) > 0 ? high : low) = b;
          }
          out.theta0 = low / 2 + high / 2;
        }
        const double b = out.theta0;
        out.objective =
            positive * l.value(b) + negative * l.value(-b) + (offset == Offset::Lifted ? b * b / 2 : 0.0);
        return out;
      },
      loss);
}

ConstantPlane best_constant(const Problem& problem, const Team& team) {
  std::array<double, 2> cost = {0, 0};
  add_in_turn(team, cost, [&](std::array<double, 2>& to) {
    for (std::size_t i = 0; i < problem.rows(); ++i) to[problem.y[i] > 0 ? 1 : 0] += problem.cost[i];
  });
  // A lifted offset of another penalty is left at 0, which is a constant as well.
  const bool other = problem.offset == Offset::Lifted && !std::holds_alternative<L2>(problem.penalty);
  return best_constant(problem.loss, other ? Offset::None : problem.offset, cost[1], cost[0]);
}

ConstantPlanes best_constants(const SoftmaxProblem& problem, const Team& team) {
  std::vector<double> weight(problem.classes(), 0.0);
  add_in_turn(team, weight, [&](std::vector<double>& to) {
    for (std::size_t i = 0; i < problem.rows(); ++i) to[problem.data->labels()[i]] += problem.cost[i];
  });
  ConstantPlanes out;
  out.offsets.assign(weight.size(), 0.0);
  const bool other = !std::holds_alternative<L2>(problem.penalty);
  if (problem.offset == Offset::Lifted && !other) out.offsets = lifted_offsets(weight);
  if (problem.offset == Offset::Free) {
    const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
    for (std::size_t k = 0; k < weight.size(); ++k)
      out.offsets[k] = weight[k] > 0 ? std::log(weight[k] / all) : -745.0;
  }
  out.objective = softmax_objective(weight, out.offsets, problem.offset == Offset::Lifted);
  return out;
}

}  // namespace halfspace
