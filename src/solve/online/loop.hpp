// SPDX-License-Identifier: BSD-3-Clause
// The one online loop. A learner is a StepRule: what a row with margin m does to theta,
//   theta <- keep theta + tau y x.
// The loop brings the rows in order, takes the steps for one plane or for all classes' planes at once
// (weights feature by feature, all margins of a row while it is in the cache), and keeps the books: mistakes,
// counts, the mean of theta over all steps, the best theta seen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/data/row_stream.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/fit.hpp"
#include "halfspace/solve/online_options.hpp"

namespace halfspace {

struct Seen {
  double margin = 0;
  double x_norm2 = 0;         // with the lifted 1; only when the rule asks for it
  std::uint64_t t = 1;        // number of the step, from 1
  std::uint64_t updates = 0;  // steps before this one that moved the plane
};
struct Step {
  double keep = 1;  // the same for all rows of a step: a function of t alone
  double tau = 0;
  double rate = 1;  // eta, for those who watch
};

class StepRule {
 public:
  virtual ~StepRule() = default;
  StepRule() = default;
  StepRule(const StepRule&) = delete;
  StepRule& operator=(const StepRule&) = delete;

  [[nodiscard]] virtual Step step(const Seen& seen) const = 0;
  [[nodiscard]] virtual double loss(double margin) const = 0;  // what the steps go down
  // theta = scale(t) v after step t, for rules that know it in closed form; 0: the product of the keeps.
  [[nodiscard]] virtual double scale(std::uint64_t) const { return 0; }

  double idle_above = std::numeric_limits<double>::infinity();  // a margin above it changes nothing
  bool needs_norm = false;
};

// One change of a plane: at which step, by which row. Enough to walk the way again.
struct Mistake {
  std::uint64_t step = 0;  // from 1
  std::uint32_t row = 0;
  bool positive = false;
};

struct PlaneWalk;
struct OnlineSetup {
  Passes passes;
  std::int64_t max_passes = 1000;
  Order order = Order::Cyclic;
  std::vector<std::uint32_t>
      rows;  // those that are walked over, where a pass does not begin with all as they lie
  Offset offset = Offset::Lifted;
  std::uint64_t batch = 1;  // rows per step; 0: all
  bool average = false;
  bool count = false;                        // updates per row, two classes only
  bool record = false;                       // the list of updates
  std::uint64_t most_recorded = UINT64_MAX;  // of all planes together; more end the walk at a limit
  bool pocket = false;                       // the theta with the fewest errors
  // Keeps the theta with the least value at the end of a pass: of the margins of all rows and |theta|^2
  // (theta0 counted in when it is penalised).
  std::function<double(std::span<const double> margins, double theta_norm2)> objective;
  const UpdateObserver* observer = nullptr;
  const StartPlane* start = nullptr;  // where the planes start; null: at zero
  // Streams: called after the steps on a block, with its rows and what was recorded on them, which is gone then.
  std::function<void(const RowAccess& rows, std::size_t count, std::vector<PlaneWalk>& walk)> after_block;
};

struct PlaneWalk {
  std::vector<double> theta;
  double theta0 = 0;
  std::vector<double> mean;
  double mean0 = 0;
  std::uint64_t mistakes = 0;        // m <= 0
  std::uint64_t first_mistakes = 0;  // of the first pass
  std::uint64_t steps = 0;           // until its first clean pass
  bool clean = false;                // the last pass changed nothing
  std::vector<std::uint32_t> counts;
  std::vector<Mistake> record;
  std::vector<double> best;  // pocket or objective; empty: none was kept
  double best0 = 0;
  double best_value = std::numeric_limits<double>::infinity();  // errors or objective
  std::vector<double> curve;                                    // objective at the end of each pass
};

struct OnlineWalk {
  std::vector<PlaneWalk> planes;
  Stop stop = Stop::Passes;
  double passes = 0;
  std::uint64_t visits = 0;  // rows per pass, a row of weight k counted k times
};

// For OnlineSetup::rows: by what stands in them with the order `content`, none otherwise.
[[nodiscard]] std::vector<std::uint32_t> rows_for(Order order, const Dataset& data, const Threads& threads);
// f(row, place) for `rows` in their order; for all as they lie where there are none.
template <class F>
void for_walked(const Dataset& data, std::span<const std::uint32_t> rows, const F& f) {
  const std::size_t count = rows.empty() ? data.rows() : rows.size();
  for (std::size_t place = 0; place < count; ++place)
    f(rows.empty() ? static_cast<std::uint32_t>(place) : rows[place], place);
}

// The rows in the order of a pass (counted from 0), a row of weight k standing k times. One of another weight w was visited
// floor(p w + phase) times after p passes, so as often as its weight says in the long run, and about as often in each pass.
[[nodiscard]] std::vector<std::uint32_t> visits_of_pass(const Dataset& data,
                                                        std::span<const std::uint32_t> rows,
                                                        std::uint64_t pass);
[[nodiscard]] std::uint64_t visits_in_passes(const Dataset& data, std::span<const std::uint32_t> rows,
                                             double passes);
[[nodiscard]] bool has_whole_weights(const Dataset& data);

// Planes for these classes, and no offset where there is none. Throws UsageError.
void check_start(const OnlineSetup& setup, const std::vector<std::string>& classes);

[[nodiscard]] OnlineWalk walk_online(const Dataset& data, const StepRule& rule, const OnlineSetup& setup,
                                     const Run& run);

// One pass over rows as they come, in memory that does not grow with their number. `radius2` gets the largest
// |x|^2 (with the lifted 1), `rows` their number. One row a step.
struct StreamedWalk {
  OnlineWalk walk;
  double radius2 = 0;
  std::uint64_t rows = 0;
  std::size_t features = 0;
  std::shared_ptr<const WalkState> state;  // where it stands after the last row
};
[[nodiscard]] StreamedWalk walk_stream(RowStream& stream, const StepRule& rule, const OnlineSetup& setup,
                                       const Run& run);

}  // namespace halfspace
