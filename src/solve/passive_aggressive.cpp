// SPDX-License-Identifier: BSD-3-Clause
// Passive-aggressive learning (Crammer and others, JMLR 2006).
//
// Update  l = (1 - m)+ > 0: theta += tau y x with tau = l/|x|^2, min(C, l/|x|^2) or l/(|x|^2 + 1/(2C)); the
//         lifted offset counts into |x|^2.
// Cost    as the perceptron, plus |x|^2 of the rows that move the plane.
// Proof   when a pass moves nothing every row has a margin of 1: a separator.
#include "halfspace/solve/passive_aggressive.hpp"

#include "halfspace/objective/losses/hinge.hpp"
#include "solve/online/fit.hpp"

namespace halfspace {
namespace {

class PassiveAggressiveRule final : public StepRule {
 public:
  PassiveAggressiveRule(PassiveAggressiveVariant variant, double C) : variant_(variant), C_(C) {
    // Rounding may leave a row that was just brought to 1 a little below it: that is no reason to move again.
    idle_above = 1 - 1e-12;
    needs_norm = true;
  }
  [[nodiscard]] Step step(const Seen& seen) const override {
    const double tau = length(1 - seen.margin, seen.x_norm2);
    return {1, tau, tau};
  }
  [[nodiscard]] double loss(double margin) const override { return Hinge::value(margin); }

 private:
  [[nodiscard]] double length(double loss, double norm2) const {
    switch (variant_) {
      case PassiveAggressiveVariant::Pa: return norm2 > 0 ? loss / norm2 : 0.0;
      case PassiveAggressiveVariant::Pa1: return loss < C_ * norm2 ? loss / norm2 : C_;
      case PassiveAggressiveVariant::Pa2: break;
    }
    return loss / (norm2 + 1 / (2 * C_));
  }

  PassiveAggressiveVariant variant_;
  double C_;
};

OnlineSetup setup_of(const PassiveAggressive& options, const Run& run) {
  OnlineSetup setup;
  setup.start = run.start.get();
  setup.passes = options.passes;
  setup.max_passes = options.max_passes;
  setup.order = options.order;
  setup.offset = options.offset;
  setup.average = options.average;
  return setup;
}

Fit walk_or_watch(const Dataset& data, const PassiveAggressive& options, const Run& given,
                  const UpdateObserver* observer) {
  const Run run = begin_run(given);
  OnlineSetup setup = setup_of(options, run);
  setup.rows = rows_for(setup.order, data, run.threads);
  setup.observer = observer;
  setup.pocket = options.passes.until_clean && !options.average;
  OnlineWalk walk = walk_online(data, PassiveAggressiveRule(options.variant, options.C), setup, run);
  Fit fit = online_fit(walk, setup);
  fit.model().form = linear_model(options.average ? mean_planes(walk) : last_planes(walk));
  try {
    if (!options.average)
      fit.proof.certificates = separators(data, walk, setup.offset == Offset::Lifted, closing_team(run));
  } catch (const Stopped&) {
    fit.words.notes.emplace_back(
        "stopped before the planes were checked: nothing is proved about this model");
  }
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const PassiveAggressive& options, const Run& run) {
  return walk_or_watch(data, options, run, nullptr);
}
Fit trace(const Dataset& data, const PassiveAggressive& options, const Run& run,
          const UpdateObserver& observer) {
  check_watchable(data);
  return walk_or_watch(data, options, run, &observer);
}

Fit solve_stream(RowStream& stream, const PassiveAggressive& options, const Run& run) {
  check_streamable(options.order == Order::Cyclic, options.passes);
  const OnlineSetup setup = setup_of(options, run);
  StreamedWalk streamed = walk_stream(stream, PassiveAggressiveRule(options.variant, options.C), setup, run);
  return streamed_fit(streamed, setup, false);
}

}  // namespace halfspace
