// SPDX-License-Identifier: BSD-3-Clause
// The zero plane with its best offset has a dual point that is the same share of every cost at any C. Its weights are best
// as long as no |sum alpha y x| is above the bound of the penalty, and these sums grow with C.
#include "solve/sparse/zero_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solve/convex/constant_plane.hpp"

namespace halfspace {
namespace {

double factor_of(const std::vector<double>& sums, const Penalty& penalty) {
  double most = 0;
  for (const double s : sums) most = std::max(most, std::abs(s));
  return most > 0 ? parts_of(penalty).sizes / most : std::numeric_limits<double>::infinity();
}

}  // namespace

double zero_factor(const Problem& problem, const RowAccess& rows, const Team& team) {
  const bool free = problem.offset == Offset::Free;
  const double b = free ? best_constant(problem).theta0 : 0.0;
  std::vector<double> a(problem.rows());
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = problem.cost[i] > 0
               ? -problem.cost[i] * problem.y[i] *
                     std::visit([&](auto loss) { return loss.slope(problem.y[i] * b); }, problem.loss)
               : 0.0;
  std::vector<double> sums(rows.cols(), 0.0);
  add_row_sum(rows, a.data(), sums.data(), team);
  if (problem.offset == Offset::Lifted) sums.push_back(std::accumulate(a.begin(), a.end(), 0.0));
  return factor_of(sums, problem.penalty);
}

double zero_factor(const SoftmaxProblem& problem, const RowAccess& rows, const Team& team) {
  const std::size_t classes = problem.classes();
  const auto labels = problem.data->labels();
  std::vector<double> share(classes, 0.0);
  for (std::size_t i = 0; i < problem.rows(); ++i) share[labels[i]] += problem.cost[i];
  const double all = std::accumulate(share.begin(), share.end(), 0.0);
  for (double& s : share) s = problem.offset == Offset::Free ? s / all : 1 / static_cast<double>(classes);
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> a(problem.rows()), sums;
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = problem.cost[i] * ((labels[i] == k ? 1.0 : 0.0) - share[k]);
    sums.assign(rows.cols(), 0.0);
    add_row_sum(rows, a.data(), sums.data(), team);
    if (problem.offset == Offset::Lifted) sums.push_back(std::accumulate(a.begin(), a.end(), 0.0));
    least = std::min(least, factor_of(sums, problem.penalty));
  }
  return least;
}

void describe_zeros(const LinearModel& model, double C, double factor, bool debiased, Fit& fit) {
  const auto count = static_cast<std::uint64_t>(
      std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; }));
  fit.trace.figures.emplace_back("nonzero_weights", static_cast<double>(count));
  std::string text = fmt::format("{} of {} weights are not 0", count, model.weights.size());
  if (std::isfinite(factor)) {
    fit.trace.figures.emplace_back("zero_up_to_C", C * factor);
    text += fmt::format("; all are 0 up to C = {:.6g}", C * factor);
  }
  fit.words.summary.push_back(std::move(text));
  if (debiased)
    fit.words.notes.emplace_back(
        "debiased: the features that were chosen have been fitted once more with the penalty l2; what is "
        "proved is "
        "about planes with these features alone");
}

}  // namespace halfspace
