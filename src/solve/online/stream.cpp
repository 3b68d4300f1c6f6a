// SPDX-License-Identifier: BSD-3-Clause
// The online loop on rows that come once. Every row takes the same step as in one cyclic pass over rows in
// memory.
#include <fmt/format.h>

#include <cmath>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "solve/convex/clock.hpp"
#include "solve/online/fit.hpp"
#include "solve/online/walker.hpp"

namespace halfspace {

StreamedWalk walk_stream(RowStream& stream, const StepRule& rule, const OnlineSetup& setup, const Run& run) {
  StreamedWalk out;
  out.walk.stop = Stop::Passes;
  const Clock clock(run);
  StreamBlock block;
  std::unique_ptr<OnlineWalker> walker;
  std::vector<std::uint32_t> visits;
  while (clock.go_on(
      {std::numeric_limits<double>::quiet_NaN(), 0, std::numeric_limits<double>::quiet_NaN(), "rows"},
      out.walk.stop)) {
    if (!stream.next(block)) break;
    if (!walker) {
      const std::size_t classes = stream.classes().size();
      check_start(setup, stream.classes());
      walker = std::make_unique<OnlineWalker>(rule, setup, classes, 0, classes == 2 ? 1 : classes,
                                              block.features, 0);
      if (run.resume != nullptr) {
        walker->resume(*run.resume);
        out.radius2 = run.resume->radius2;
        out.rows = run.resume->steps;
      }
    }
    walker->planes().grow(block.features);
    const std::unique_ptr<RowAccess> rows = RowAccess::by_row(block.matrix);
    const std::size_t n = block.labels.size();
    for (auto i = static_cast<std::uint32_t>(visits.size()); i < n; ++i) visits.push_back(i);
    const std::span<const std::uint32_t> order =
        block.visits.empty() ? std::span<const std::uint32_t>(visits).first(n) : block.visits;
    walker->steps(*rows, block.labels, order);
    if (setup.after_block) setup.after_block(*rows, n, walker->walk);
    for (std::size_t i = 0; i < n; ++i)
      out.radius2 = std::max(out.radius2, rows->norm2(i) + (setup.offset == Offset::Lifted ? 1.0 : 0.0));
    out.rows += order.size();
    out.features = walker->planes().cols();
  }
  if (!walker) throw Stopped(out.walk.stop == Stop::Time ? StopCause::Time : StopCause::Cancelled);
  if (!std::isfinite(out.radius2)) {
    throw InputError({.file = stream.name()}, "values so large that products of rows overflow",
                     "values up to 1e150");
  }
  OnlinePlanes& planes = walker->planes();
  for (std::size_t k = 0; k < planes.count(); ++k) {
    PlaneWalk& plane = walker->walk[k];
    plane.theta = planes.theta(k);
    plane.theta0 = planes.theta0(k);
    plane.steps = planes.steps();
    plane.first_mistakes = plane.mistakes;
    if (setup.average) {
      plane.mean = planes.mean(k);
      plane.mean0 = planes.mean0(k);
    }
    for (const double w : setup.average ? plane.mean : plane.theta) {
      if (!std::isfinite(w)) {
        throw InputError({.file = stream.name()}, "values so large that the weights overflow",
                         "values below 1e150");
      }
    }
  }
  auto state = std::make_shared<WalkState>();
  planes.put_state(*state);
  state->radius2 = out.radius2;
  for (const PlaneWalk& plane : walker->walk) state->mistakes.push_back(plane.mistakes);
  out.state = std::move(state);
  out.walk.planes = std::move(walker->walk);
  out.walk.passes = 1;
  out.walk.visits = out.rows;
  return out;
}

Fit streamed_fit(StreamedWalk& streamed, const OnlineSetup& setup, bool bounded) {
  Fit fit = online_fit(streamed.walk, setup);
  fit.trace.walk = streamed.state;
  fit.trace.figures.emplace_back("rows", static_cast<double>(streamed.rows));
  fit.model().form = linear_model(setup.average ? mean_planes(streamed.walk) : last_planes(streamed.walk));
  if (!bounded || setup.start != nullptr) return fit;
  const bool lifted = setup.offset == Offset::Lifted;
  for (const PlaneWalk& plane : streamed.walk.planes) {
    const double length = std::sqrt(norm2(plane.theta.data(), plane.theta.size()) +
                                    (lifted ? plane.theta0 * plane.theta0 : 0.0));
    if (plane.mistakes == 0 || !(length < 1e150)) continue;
    fit.words.summary.push_back(fmt::format(
        "no plane has a margin above {:.6g} after {} mistakes (radius {:.6g}); the rows are gone, so the "
        "model "
        "carries no certificate of it",
        length / static_cast<double>(plane.mistakes), plane.mistakes, std::sqrt(streamed.radius2)));
  }
  return fit;
}

void check_streamable(bool cyclic, const Passes& passes) {
  if (!cyclic) throw UsageError("--stream: the rows come in one order only", "--order cyclic");
  if (passes.until_clean || passes.count != 1) {
    throw UsageError("--stream: the rows come once", "--passes 1, or read the rows without --stream");
  }
}

}  // namespace halfspace
