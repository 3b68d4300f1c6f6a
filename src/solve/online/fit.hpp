// SPDX-License-Identifier: BSD-3-Clause
// From the walk of an online learner to a fit: models, certificates, notes.
#pragma once

#include "solve/online/loop.hpp"

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
                                                      bool lifted, const StartPlane* start);
[[nodiscard]] VotedModel voted_model(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                     bool last_half);

[[nodiscard]] LinearModel linear_model(std::vector<ChosenPlane> planes);
[[nodiscard]] Fit online_fit(OnlineWalk& walk, const OnlineSetup& setup);

// What is said when these were not reached.
inline constexpr const char* no_time_for_bounds =
    "stopped before the bounds were computed: nothing is proved about this model";

// Rows times planes up to which every plane counts its mistakes by row: 400 MB. Beyond it there are no bounds.
inline constexpr double most_counts = 1e8;
[[nodiscard]] inline bool can_count(const Dataset& data) {
  const std::size_t classes = data.classes().size();
  return static_cast<double>(data.rows()) * static_cast<double>(classes == 2 ? 1 : classes) <= most_counts;
}
// What the mistakes prove, and the mistakes by row that prove it, kept with the model. Nothing when they were not counted
// or squares leave the range of doubles.
void add_mistake_bounds(Fit& fit, const Dataset& data, const OnlineWalk& walk, bool lifted,
                        const KernelFunction& kernel, const Threads& threads);
// The planes of clean walks with their margins; nothing for the others.
[[nodiscard]] std::vector<Certificate> separators(const Dataset& data, const OnlineWalk& walk, bool lifted,
                                                  const Threads& threads);

// A trace follows one plane. Throws UsageError for more than two classes.
void check_watchable(const Dataset& data);

// Shows each update of a voted perceptron when its votes are known.
class LateVotes {
 public:
  explicit LateVotes(const UpdateObserver& observer) : observer_(observer) {}
  void see(const Update& update);
  void finish(std::uint64_t votes);  // those of the last plane

 private:
  void show(std::uint64_t votes);

  const UpdateObserver& observer_;
  std::uint64_t seen_ = 0, shown_ = 0;
  bool waiting_ = false;
  Update update_;
  std::vector<double> theta_, theta_before_;
  std::vector<MovingRow> rows_;
};

// What a stream can leave: the last plane or the mean, and no certificate. What is proved by the mistakes is told: who has
// neither the rows nor their counts could not check it.
[[nodiscard]] Fit streamed_fit(StreamedWalk& streamed, const OnlineSetup& setup, bool bounded);
// A stream has one order and one pass. Throws UsageError.
void check_streamable(bool cyclic, const Passes& passes);

}  // namespace halfspace
