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
#include "halfspace/core/team.hpp"
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

// Where training on the same rows ended, with another weight C of the losses and all else equal: a start for the next one.
// What it says is nobody's proof; an answer that starts here is certified like any other.
struct Neighbour {
  struct Plane {
    std::vector<double> theta;
    double theta0 = 0;
    std::vector<std::uint32_t> rows;  // with a dual value, ascending; none: the plane alone
    std::vector<double> alpha;
    std::vector<double> slopes;  // kernel machines: of every variable, whose signed values are `alpha`
    std::vector<double> scores;  // of every row, without theta0; empty: not known
    // Where this one began, and where that had: at most two, the last first.
    struct Earlier {
      std::vector<double> theta, scores;
    };
    std::vector<std::shared_ptr<const Earlier>> earlier;
  };
  double C = 0;
  std::vector<Plane> planes;           // or functions of a kernel machine, without theta
  std::shared_ptr<const void> kernel;  // products of rows that kernel machines share
  std::string fingerprint{};  // of the rows, so that each fit need not hash them anew; empty: not known
};

class Checkpoint;

// What a caller allows: time, seed, threads, and a look at progress. A run that is stopped gives the best model so far,
// and says Time or Cancelled; with none so far it throws Stopped (core/stop.hpp).
struct Run {
  std::uint64_t seed = 1;
  Threads threads{1};
  // Other members with other rows of the same data, all of which make the same call (train/train.hpp); null: all rows are
  // here. Not owned.
  Members* members = nullptr;
  double seconds = std::numeric_limits<double>::infinity();
  // Return false to stop. Called by whichever thread gets there, but never by two at once; not called again once it has
  // returned false. Between two calls may lie a while: `stop` ends that too.
  std::function<bool(const Progress&)> observe;
  StopHandle stop;      // StopHandle::make(), and cancel() from any thread or a signal handler
  bool begun = false;   // set by begin_run() alone
  bool figures = true;  // false: nobody reads norm, margin and slacks, which may cost a pass over the rows
  std::shared_ptr<const StartPlane> start;  // null: zero; UsageError from algorithms that have no start
  // Streams: where an earlier one stopped, with the same options and classes; null: nowhere yet.
  std::shared_ptr<const WalkState> resume;
  std::shared_ptr<Checkpoint> checkpoint;  // where what is done is kept (solve/checkpoint.hpp); null: nowhere
  std::shared_ptr<const Neighbour> near;   // where to begin, for who can use it; null: nowhere
  std::shared_ptr<Neighbour> leave;        // where the neighbour for the next one goes; null: nobody wants it
};

// The run with its clock running: threads and `stop` know about the seconds and about what `observe` said, and calls of
// `observe` wait for each other. A run that has begun is left as it is, so that parts share one budget.
[[nodiscard]] Run begin_run(const Run& run);
// Who adds up sums over the rows of a run that has begun.
[[nodiscard]] Team team_of(const Run& run);
// For what is left to do after a stop: proving the model that is there. Throws Stopped a fifth of a second later.
[[nodiscard]] Threads closing_team(const Run& run);
[[nodiscard]] Team closing_members(const Run& run);
// The same without any limit, for a few sums that belong to an answer.
[[nodiscard]] Team patient_members(const Run& run);

}  // namespace halfspace
