// SPDX-License-Identifier: BSD-3-Clause
// Problem  minimise 1/2 |theta|^2 with y_i (theta . phi(x_i) + b) >= 1, that is, the nearest points of the
//          hulls of the classes. They are the nu-svm whose weights sum to 1 in each class, nu = 2 / rows:
//          no bound is reached before the sum is. Its C is the objective, so a relative gap g bounds all
//          slacks by about g.
// Method   kernel_machine.cpp, to finer gaps until the margin is bracketed as wanted; nearest_points.cpp
//          makes what it finds precise.
// Proof    certify/kernel_margin.hpp: a margin that the function has, and one that no function exceeds.
//          Rows that are equal and have different labels are looked for first: no kernel separates them.
//          Otherwise floating point cannot prove that no function exists, only that none has more than some
//          margin; nothing else is claimed.
#include "solve/kernel/hard_margin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "certify/kernel_margin.hpp"
#include "certify/semidefinite.hpp"
#include "data/storage/equal_rows.hpp"
#include "halfspace/core/error.hpp"
#include "solve/kernel/check.hpp"
#include "solve/kernel/nearest_points.hpp"
#include "solve/kernel/svm.hpp"

namespace halfspace {
namespace {

constexpr double coarsest_gap = 1e-2;
constexpr double finest_gap = 1e-13;
constexpr double no_margin = 1e-7;  // of the largest length: a bracket this low is not refined

void check(const Dataset& data, const HardMargin& options) {
  if (options.offset != Offset::Free) throw UsageError("--kernel needs --offset free");
  if (options.kernel.kind != KernelKind::Precomputed && !options.kernel.semidefinite()) {
    throw UsageError(fmt::format("{} is not positive semidefinite: it has no space to measure a margin in",
                                 OptionType<KernelFunction>::print(options.kernel)),
                     "linear, rbf, or poly with a constant of 0 or more");
  }
  check_kernel(data, options.kernel.for_features(data.features()), largest_in_float);
}

// Two equal rows on different sides.
std::optional<std::pair<std::uint32_t, std::uint32_t>> contradiction(const Problem& problem) {
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  const EqualRows equal = find_equal_rows(*RowAccess::of(problem.data->matrix()), present);
  for (std::size_t k = 0; k < present.size(); ++k) {
    const std::uint32_t first = present[equal.first[equal.group[k]]];
    if (problem.y[first] != problem.y[present[k]]) return std::pair(first, present[k]);
  }
  return {};
}

struct Bracket {
  KernelMachine machine;
  KernelMargin margin;
  double proved = std::numeric_limits<double>::infinity();  // the least upper bound that any point gave
  [[nodiscard]] double width() const {
    return margin.lower > 0 ? margin.upper / margin.lower - 1 : std::numeric_limits<double>::infinity();
  }
};

// Rounds of active sets in double from the best point so far, while the clock allows.
void refine(const Problem& problem, double gap, const KernelGoal& goal, const Clock& clock, Bracket& best) {
  constexpr int most_rounds = 40;
  DualPoint point = best.machine.dual;
  Stop why = Stop::Converged;
  for (int round = 0; round < most_rounds && best.width() > gap; ++round) {
    if (!clock.go_on({std::nan(""), static_cast<std::uint64_t>(round), best.width(), "nearest points"}, why))
      return;
    DualPoint next = refine_nearest(problem, goal.kernel, point, goal.threads);
    if (next.rows == point.rows && next.alpha == point.alpha) return;
    point = std::move(next);
    const KernelMargin margin = kernel_margin(problem, goal.kernel, point, {}, goal.threads);
    best.proved = std::min(best.proved, margin.upper);
    const double width =
        margin.lower > 0 ? margin.upper / margin.lower - 1 : std::numeric_limits<double>::infinity();
    if (!(width < best.width())) continue;
    best.machine.dual = point;
    best.margin = margin;
  }
}

void narrow(const Problem& problem, double gap, KernelGoal goal, const Clock& clock, Bracket& best,
            std::uint64_t& rounds) {
  double rows = 0;
  for (const double cost : problem.cost) rows += cost;
  int tries = 0;
  for (goal.gap = std::max(coarsest_gap, gap / 4);;) {
    Bracket found;
    found.machine = solve_nu_machine(problem, 2 / rows, goal, clock);
    found.margin = kernel_margin(problem, goal.kernel, found.machine.dual, {}, clock.closing());
    rounds += found.machine.rounds;
    const bool stopped = found.machine.stop == Stop::Time || found.machine.stop == Stop::Cancelled;
    const double before = best.margin.lower > 0 ? best.width() : best.proved;
    found.proved = std::min(best.proved, found.margin.upper);
    best.proved = found.proved;
    const bool better =
        best.machine.dual.rows.empty() || found.width() < best.width() || best.margin.lower == 0;
    if (better) best = std::move(found);
    if (goal.gap < coarsest_gap && goal.kernel.kind != KernelKind::Precomputed)
      refine(problem, gap, goal, clock, best);
    if (best.width() <= gap) {
      best.machine.stop = Stop::Converged;
      break;
    }
    if (stopped) break;
    const bool flat = best.proved <= no_margin * best.margin.radius;
    // A finer gap that brought little: the solver's own precision is reached.
    const double after = best.margin.lower > 0 ? best.width() : best.proved;
    const bool stuck = tries++ > 0 && !(after < before / 2);
    if (goal.gap <= finest_gap || stuck || (flat && best.margin.lower == 0)) {
      best.machine.stop = Stop::Limit;
      break;
    }
    // The gap of a small objective is measured absolutely: 1 / (2 margin^2).
    const double small =
        best.margin.lower > 0 ? std::min(1.0, 0.5 / (best.margin.lower * best.margin.lower)) : 1.0;
    goal.gap = std::min(goal.gap / 30, std::max(finest_gap, std::max(gap / 4, goal.gap / 100) * small));
  }
}

// The best bracket when it is stopped; throws Stopped when there is none.
Bracket widest(const Problem& problem, double gap, const KernelGoal& goal, const Clock& clock) {
  Bracket best;
  std::uint64_t rounds = 0;
  try {
    narrow(problem, gap, goal, clock, best, rounds);
  } catch (const Stopped& stopped) {
    if (best.machine.dual.rows.empty()) throw;
    best.machine.stop = stop_of(stopped);
  }
  best.machine.rounds = rounds;
  return best;
}

// Scaled so that the least y f(x) is 1; the bracket is that of the numbers as they are stored.
void scale(const Problem& problem, const KernelGoal& goal, const Clock& clock, Bracket& bracket) {
  const double factor = 1 / bracket.margin.least;
  for (double& alpha : bracket.machine.dual.alpha) alpha *= factor;
  bracket.machine.offset = bracket.margin.offset * factor;
  bracket.machine.proved = false;
  try {
    bracket.margin =
        kernel_margin(problem, goal.kernel, bracket.machine.dual, bracket.machine.offset, clock.closing());
  } catch (
      const Stopped& stopped) {  // the bracket of the numbers before scaling is not theirs to the last digit
    bracket.machine.stop = stop_of(stopped);
    return;
  }
  bracket.machine.offset = bracket.margin.offset;
  bracket.machine.proved = true;
}

std::string refusal_of(const std::string& name, const Bracket& bracket) {
  return fmt::format(
      "no function of this kernel was found that separates {} from the rest; proved: none has a margin above "
      "{:.3g}, "
      "{:.2g} of the largest length {:.6g} (whether one with less exists is not decided)",
      name, bracket.proved, bracket.proved / bracket.margin.radius, bracket.margin.radius);
}

}  // namespace

Fit solve_kernel_hard_margin(const Dataset& data, const HardMargin& options, const Run& given) {
  const Run run = begin_run(given);
  check(data, options);
  KernelClasses classes = kernel_classes(data, ManyClasses::OneVsRest, 1.0, {});
  KernelGoal goal;
  goal.kernel = options.kernel.for_features(data.features());
  goal.cache_bytes = static_cast<std::uint64_t>(options.cache * 1048576.0);
  goal.seed = run.seed;
  goal.threads = run.threads;
  const Clock clock(run);
  const std::string unproved = detail::why_not_semidefinite(goal.kernel, data);
  std::vector<std::string> margins;
  double lower = std::numeric_limits<double>::infinity(), upper = lower, radius = 0;
  for (std::size_t k = 0; k < classes.tasks.size(); ++k) {
    Problem& problem = classes.tasks[k].problem;
    for (double& cost : problem.cost) cost = cost > 0 ? 1 : 0;  // weights do not move a margin
    const std::string name = printable(data.classes()[classes.tasks.size() == 1 ? 1 : k]);
    if (goal.kernel.kind != KernelKind::Precomputed) {
      if (const auto pair = contradiction(problem)) {
        return Fit::without_model(
            Stop::Refused,
            fmt::format("rows {} and {} are equal and have different labels: no function of any kernel "
                        "separates {} from the rest",
                        pair->first + 1, pair->second + 1, name));
      }
    }
    Bracket bracket = widest(problem, options.gap, goal, clock);
    const bool stopped = bracket.machine.stop == Stop::Time || bracket.machine.stop == Stop::Cancelled;
    if (bracket.margin.lower == 0) {
      if (!stopped) return Fit::without_model(Stop::Refused, refusal_of(name, bracket));
      return Fit::without_model(bracket.machine.stop,
                                refusal_of(name, bracket) + "; the search was stopped by its limit");
    }
    scale(problem, goal, clock, bracket);
    const KernelMargin& margin = bracket.margin;
    if (!(margin.lower > 0)) return Fit::without_model(Stop::Refused, refusal_of(name, bracket));
    bracket.machine.gap = {0.5 / (margin.lower * margin.lower), 0.5 / (margin.upper * margin.upper)};
    bracket.machine.C = std::numeric_limits<double>::infinity();
    margins.push_back(fmt::format("{}{}: margin {:.9g}, no function has more than {:.9g}",
                                  unproved.empty() ? "" : "if the kernel matrix is positive semidefinite, ",
                                  name, margin.lower, margin.upper));
    lower = std::min(lower, margin.lower);
    upper = std::min(upper, margin.upper);
    radius = margin.radius;
    classes.tasks[k].machine = std::move(bracket.machine);
  }
  const bool one = classes.tasks.size() == 1;
  Fit fit = kernel_fit(data, goal.kernel, std::move(classes), true);
  fit.words.summary.insert(fit.words.summary.begin(), margins.begin(), margins.end());
  fit.words.notes.emplace_back("minimise |theta|^2/2 with m >= 1 for every row");
  if (one) {
    fit.trace.figures.emplace_back("margin_lower", lower);
    fit.trace.figures.emplace_back("margin_upper", upper);
    fit.trace.figures.emplace_back("radius", radius);
  }
  return fit;
}

}  // namespace halfspace
