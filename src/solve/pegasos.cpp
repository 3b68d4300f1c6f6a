// SPDX-License-Identifier: BSD-3-Clause
// Pegasos (Shalev-Shwartz, Singer, Srebro, Cotter 2011).
//
// Problem  lambda/2 |theta|^2 + 1/n sum (1 - m_i)+; times n C, with C = 1/(n lambda): 1/2 |theta|^2 + C sum
//          (1 - m_i)+.
// Update   eta = 1/(lambda t): theta <- (1 - 1/t) theta + eta/B sum of y x over the batch rows with m < 1,
//          kept as theta = V/(lambda t) with V a sum of rows: no step divides by the zero that 1 - 1/t is
//          at t = 1. eta = 1/sqrt(t): the same with that rate. A free offset moves by eta y and is never
//          shrunk.
// Cost     a product per row, a sum per row with m < 1.
// Proof    after t steps in which row i had m < 1 c_i times, theta = sum alpha_i y_i x_i with alpha_i =
//          c_i/(lambda B t). In whole passes that see every row once c_i is at most their number, so 0 <=
//          alpha_i <= C: a point of the dual, whose value is below the best objective. Nothing of the kind
//          holds for draws with replacement.
#include "halfspace/solve/pegasos.hpp"

#include <fmt/format.h>

#include <cmath>

#include "certify/duality_gap.hpp"
#include "halfspace/core/error.hpp"
#include "solve/online/fit.hpp"

namespace halfspace {
namespace {

class PegasosRule final : public StepRule {
 public:
  explicit PegasosRule(const Pegasos& options)
      : lambda_(options.lambda), rate_(options.rate), tie_(options.tie) {}
  [[nodiscard]] Step step(const Seen& seen) const override {
    const double rate = eta(seen.t);
    const auto t = static_cast<double>(seen.t);
    const bool steps = seen.margin < 1 || (tie_ == AtKink::Update && seen.margin == 1);
    return {rate_ == PegasosRate::Pegasos ? 1 - 1 / t : 1 - rate * lambda_, steps ? rate : 0.0, rate};
  }
  [[nodiscard]] double loss(double margin) const override { return Hinge::value(margin); }
  [[nodiscard]] double scale(std::uint64_t t) const override {
    return rate_ == PegasosRate::Pegasos ? eta(t) : 0.0;
  }

 private:
  [[nodiscard]] double eta(std::uint64_t t) const {
    const auto step = static_cast<double>(t);
    return rate_ == PegasosRate::Pegasos ? 1 / (lambda_ * step) : 1 / std::sqrt(step);
  }
  double lambda_;
  PegasosRate rate_;
  AtKink tie_;
};

OnlineSetup setup_of(const Pegasos& options, const Run& run) {
  if (run.start != nullptr && options.rate == PegasosRate::Pegasos)
    throw UsageError(
        "--from: with the rate 1/(lambda t) the first step forgets where it started (1 - 1/t = 0)",
        "--rate sqrt");
  OnlineSetup setup;
  setup.start = run.start.get();
  setup.passes = {options.passes, false};
  setup.order = options.order;
  setup.offset = options.offset;
  setup.batch = static_cast<std::uint64_t>(options.batch);
  setup.average = options.average;
  return setup;
}

void certify(Fit& fit, const Dataset& data, const Pegasos& options, const OnlineWalk& walk, const Run& run) {
  const double C = 1 / (options.lambda * static_cast<double>(walk.visits));
  const auto& model = std::get<LinearModel>(fit.model().form);
  const Problem problem = make_problem(data, 1, Hinge{}, options.offset, C);
  DualPoint dual;
  const double unit =
      1 / (options.lambda * static_cast<double>(options.batch) * static_cast<double>(walk.planes[0].steps));
  for (std::size_t i = 0; i < fit.trace.counts.size(); ++i) {
    if (fit.trace.counts[i] == 0) continue;
    dual.rows.push_back(static_cast<std::uint32_t>(i));
    // Never above its limit by a rounding.
    dual.alpha.push_back(std::min(unit * static_cast<double>(fit.trace.counts[i]), problem.cost[i]));
  }
  const DualityGap gap = duality_gap(problem, model.plane(0), model.offsets[0], dual, closing_team(run));
  fit.proof.objective = Objective{gap.primal, gap.dual};
  fit.words.notes.push_back(
      fmt::format("objective: 1/2 |theta|^2 + C sum (1 - m)+ with C = 1/(n lambda) = {:.6g}; the dual point "
                  "has alpha_i = "
                  "c_i / (lambda B t), c_i being how often row i had a margin below 1",
                  C));
}

Fit walk_or_watch(const Dataset& data, const Pegasos& options, const Run& given,
                  const UpdateObserver* observer) {
  const Run run = begin_run(given);
  OnlineSetup setup = setup_of(options, run);
  setup.rows = rows_for(setup.order, data, run.threads);
  setup.observer = observer;
  setup.count = data.classes().size() == 2;
  OnlineWalk walk = walk_online(data, PegasosRule(options), setup, run);
  Fit fit = online_fit(walk, setup);
  fit.model().form = linear_model(options.average ? mean_planes(walk) : last_planes(walk));
  const bool whole = walk.passes >= 1 && walk.passes == std::floor(walk.passes);
  if (setup.count && options.order != Order::Random && options.rate == PegasosRate::Pegasos && whole) {
    try {
      certify(fit, data, options, walk, run);
    } catch (const Stopped&) {
      fit.words.notes.emplace_back("stopped before the gap was computed");
    }
  }
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Pegasos& options, const Run& run) {
  return walk_or_watch(data, options, run, nullptr);
}
Fit trace(const Dataset& data, const Pegasos& options, const Run& run, const UpdateObserver& observer) {
  check_watchable(data);
  return walk_or_watch(data, options, run, &observer);
}

Fit solve_stream(RowStream& stream, const Pegasos& options, const Run& run) {
  check_streamable(options.order == Order::Cyclic, {options.passes, false});
  if (options.batch != 1) throw UsageError("--stream: one row a step", "--batch 1");
  const OnlineSetup setup = setup_of(options, run);
  StreamedWalk streamed = walk_stream(stream, PegasosRule(options), setup, run);
  return streamed_fit(streamed, setup, false);
}

}  // namespace halfspace
