// SPDX-License-Identifier: BSD-3-Clause
// What a caller allows a training to take, and why it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/walk_state.hpp"

namespace halfspace {

// Why a run ended. Converged, Clean and Passes: with what was asked for. Refused: that does not exist. The others are
// limits that came first.
enum class Stop { Converged, Clean, Passes, Limit, Time, Cancelled, Refused };
[[nodiscard]] std::string_view stop_name(Stop stop);

struct Progress {
  double done = 0;               // share of the budget used, 0..1, NaN when unknown
  std::uint64_t iterations = 0;  // passes, epochs or Newton steps
  double relative_gap = std::numeric_limits<double>::quiet_NaN();
  std::string_view stage;
};

// Where an online learner starts in place of zero.
struct StartPlane {
  LinearModel planes;                // one for two classes, else one per class
  std::vector<std::string> classes;  // what the planes were made for; empty: any two classes
  std::string name;                  // what the trained model says of it
};

// What a caller allows: time, seed, threads, and a look at progress. A run that is stopped gives the best model so far,
// and says Time or Cancelled; with none so far it throws Stopped (core/stop.hpp).
struct Run {
  std::uint64_t seed = 1;
  Threads threads{1};
  double seconds = std::numeric_limits<double>::infinity();
  // Return false to stop. Called by whichever thread gets there, but never by two at once; not called again once it has
  // returned false. Between two calls may lie a while: `stop` ends that too.
  std::function<bool(const Progress&)> observe;
  StopHandle stop;     // StopHandle::make(), and cancel() from any thread or a signal handler
  bool begun = false;  // set by begin_run() alone
  std::shared_ptr<const StartPlane> start;  // null: zero; UsageError from algorithms that have no start
  // Planes of a problem nearby, such as the C before on a path: penalties that make weights 0 begin there. They change how
  // long it takes and not what is proved. Null: zero.
  std::shared_ptr<const LinearModel> nearby;
  // Streams: where an earlier one stopped, with the same options and classes; null: nowhere yet.
  std::shared_ptr<const WalkState> resume;
};

// The run with its clock running: threads and `stop` know about the seconds and about what `observe` said, and calls of
// `observe` wait for each other. A run that has begun is left as it is, so that parts share one budget.
[[nodiscard]] Run begin_run(const Run& run);
// For what is left to do after a stop: proving the model that is there. Throws Stopped a fifth of a second later.
[[nodiscard]] Threads closing_team(const Run& run);

}  // namespace halfspace
