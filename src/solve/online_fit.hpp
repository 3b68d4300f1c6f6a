// SPDX-License-Identifier: BSD-3-Clause
// From the walk of an online learner to a fit: models, certificates, notes.
#pragma once

#include "solve/online.hpp"

namespace halfspace {

// The planes given, one per plane of the walk, as a model, with stop, passes, mistakes, counts and
// progressive error.
struct ChosenPlane {
  std::vector<double> theta;
  double theta0 = 0;
};
[[nodiscard]] std::vector<ChosenPlane> last_planes(
    const OnlineWalk& walk);  // the best seen where one was kept
[[nodiscard]] std::vector<ChosenPlane> mean_planes(const OnlineWalk& walk);
// From walks with a record: the mean over the second half of the steps; the plane that lived longest.
[[nodiscard]] std::vector<ChosenPlane> last_half_planes(const Dataset& data, const OnlineWalk& walk,
                                                        bool lifted);
[[nodiscard]] std::vector<ChosenPlane> longest_planes(const Dataset& data, const OnlineWalk& walk,
                                                      bool lifted);
[[nodiscard]] VotedModel voted_model(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                     bool last_half);

[[nodiscard]] LinearModel linear_model(std::vector<ChosenPlane> planes);
[[nodiscard]] Fit online_fit(OnlineWalk& walk, const OnlineSetup& setup);

// Bounds by lengths say nothing when squares leave the range of doubles (values beyond 1e-140 or 1e150).
[[nodiscard]] inline bool squares_are_exact(double radius2) { return radius2 > 1e-280 && radius2 < 1e300; }
// k mistakes, radius, |theta| / k, and the least margin when the last pass was clean.
[[nodiscard]] std::vector<Certificate> mistake_bounds(const Dataset& data, const OnlineWalk& walk,
                                                      bool lifted, const Threads& threads);
// The planes of clean walks with their margins; nothing for the others.
[[nodiscard]] std::vector<Certificate> separators(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                                  const Threads& threads);

// What a stream can leave: the last plane or the mean, with what is told about it; no margins, the rows are
// gone.
[[nodiscard]] Fit streamed_fit(StreamedWalk& streamed, const OnlineSetup& setup, bool bounded);
// A stream has one order and one pass. Throws UsageError.
void check_streamable(bool cyclic, const Passes& passes);

}  // namespace halfspace
