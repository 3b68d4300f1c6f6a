// SPDX-License-Identifier: BSD-3-Clause
// minimise 1/2 |theta|^2  s.t.  y_i (theta . x_i + theta0) >= 1.  Margin 1 / |theta|; its dual is the
// distance of the hulls: with the weights of their closest points, scaled to alpha, the dual value is 1 / (2
// upper^2), where `upper` bounds the margin of every plane. Both bounds are proved in exact arithmetic
// (certify/separation.hpp); separability is decided first.
#include "halfspace/solve/hard_margin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/separability.hpp"
#include "solve/convex/clock.hpp"
#include "solve/kernel/hard_margin.hpp"

namespace halfspace {
namespace {

struct Plane {
  std::vector<double> theta;
  double theta0 = 0;
  DualPoint dual;
};

// Scaled so that the smallest margin is 1 by the lower bound.
Plane plane_of(const Separability& answer) {
  Plane out{answer.widest.theta, answer.widest.theta0, {}};
  const double rest = answer.proof.offset == Offset::Lifted ? out.theta0 * out.theta0 : 0;
  const double length =
      std::sqrt(std::inner_product(out.theta.begin(), out.theta.end(), out.theta.begin(), rest));
  const double factor = 1 / (length * answer.margin->lower);
  for (double& w : out.theta) w *= factor;
  out.theta0 *= factor;
  return out;
}

DualPoint dual_of(const Separability& answer, const Dataset& data) {
  const SeparationProof& proof = answer.proof;
  const bool free = proof.offset == Offset::Free;
  const auto side = [&](std::uint32_t row) {
    return free && data.classes()[data.labels()[row]] == proof.positive.front() ? 1 : 0;
  };
  double total[2] = {0, 0};
  for (const auto& [row, weight] : answer.widest.hull) total[side(row)] += weight;
  // With the weights of each class (free) or all of them summing to 1, this factor makes the dual value
  // largest.
  const double factor = (free ? 0.5 : 1) / (answer.margin->upper * answer.margin->upper);
  DualPoint out;
  for (const auto& [row, weight] : answer.widest.hull) {
    out.rows.push_back(row);
    out.alpha.push_back(factor * weight / total[side(row)]);
  }
  return out;
}

}  // namespace

Fit solve(const Dataset& data, const HardMargin& options, const Run& given) {
  const Run run = begin_run(given);
  if (options.kernel.kind != KernelKind::Linear) return solve_kernel_hard_margin(data, options, run);
  const std::size_t classes = data.classes().size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  Fit fit{.answer = {.model = Model{}}};
  LinearModel linear{.features = data.features(), .planes = planes};
  Objective total;
  std::uint64_t support = 0;
  bool proved = true;
  for (std::size_t k = 0; k < planes; ++k) {
    const std::string& label = data.classes()[classes == 2 ? 1 : k];
    std::vector<std::string> rest = data.classes();
    rest.erase(std::find(rest.begin(), rest.end(), label));
    const Separability answer =
        separability(data, {label}, rest,
                     {.offset = options.offset, .margin = MarginWork::Full, .margin_gap = options.gap}, run);
    if (answer.stopped != StopCause::None) fit.answer.stop = stop_of(answer.stopped);
    const bool open =
        !answer.decided || (answer.proof.verdict == Separation::Separable && !answer.margin.has_value());
    if (open && answer.stopped != StopCause::None) {
      if (answer.plane.empty()) throw Stopped(answer.stopped);
      linear.weights.insert(linear.weights.end(), answer.plane.begin(), answer.plane.end());
      linear.offsets.push_back(answer.plane0);
      proved = false;
      continue;
    }
    if (!answer.decided) {
      return Fit::without_model(
          Stop::Limit,
          fmt::format("separability of {} was not decided: {} rows and {} columns are left, too many",
                      printable(label), answer.core_rows, answer.core_columns));
    }
    if (answer.proof.verdict != Separation::Separable) {
      return Fit::without_model(Stop::Refused,
                                fmt::format("{} and the rest are {} (decided exactly)", printable(label),
                                            OptionType<Separation>::print(answer.proof.verdict)),
                                std::make_shared<SeparationProof>(answer.proof));
    }
    if (!answer.margin) {
      // The plane is proved in whole numbers; its length is not one that double holds.
      throw InputError(
          {.file = data.name()},
          fmt::format("{} is separable, but values are so large or small that the margin has no number",
                      printable(label)),
          "values between 1e-150 and 1e150",
          "scale the data: --scale standard; the plane itself: halfspace separable");
    }
    const MarginBounds& margin = *answer.margin;
    fit.trace.iterations += answer.newton_steps;
    Plane plane = plane_of(answer);
    linear.weights.insert(linear.weights.end(), plane.theta.begin(), plane.theta.end());
    linear.offsets.push_back(plane.theta0);
    const DualityGap gap{0.5 / (margin.lower * margin.lower), 0.5 / (margin.upper * margin.upper)};
    fit.proof.certificates.emplace_back(gap);
    total.primal += gap.primal;
    total.dual += gap.dual;
    fit.model().dual.push_back(dual_of(answer, data));
    support += fit.model().dual.back().rows.size();
    if (margin.upper / margin.lower - 1 > options.gap && fit.answer.stop == Stop::Converged)
      fit.answer.stop = Stop::Limit;
    if (planes == 1) {
      fit.trace.figures = {{"margin_lower", margin.lower},
                           {"margin_upper", margin.upper},
                           {"radius", margin.radius},
                           {"mistake_bound", margin.mistakes}};
    }
    fit.words.summary.push_back(fmt::format("{}: margin {:.9g}, no plane has more than {:.9g}",
                                            printable(label), margin.lower, margin.upper));
  }
  fit.proof.objective = total;
  fit.trace.support_vectors = support;
  if (!proved) {
    fit.proof.certificates.clear();
    fit.model().dual.clear();
    fit.proof.objective.reset();
    fit.trace.support_vectors.reset();
    fit.words.notes.emplace_back("stopped before the margin was proved: nothing is proved about this model");
  }
  fit.words.notes.emplace_back("minimise |theta|^2/2 with m >= 1 for every row");
  fit.model().form = std::move(linear);
  return fit;
}

}  // namespace halfspace
