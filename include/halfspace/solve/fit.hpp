// SPDX-License-Identifier: BSD-3-Clause
// A fit = a problem + a solver + a proof.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/core/parallel.hpp"
#include "halfspace/model/model.hpp"

namespace halfspace {

enum class Stop { Converged, Clean, Passes, Limit, Time, Cancelled };
[[nodiscard]] std::string_view stop_name(Stop stop);
// A limit was reached before the answer was: exit code 4.
[[nodiscard]] constexpr bool stopped_short(Stop stop) { return stop == Stop::Limit || stop == Stop::Time; }

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
};

// The run with its clock running: threads and `stop` know about the seconds and about what `observe` said, and calls of
// `observe` wait for each other. A run that has begun is left as it is, so that parts share one budget.
[[nodiscard]] Run begin_run(const Run& run);
// For what is left to do after a stop: proving the model that is there. Throws Stopped a fifth of a second later.
[[nodiscard]] Threads closing_team(const Run& run);

struct Objective {
  double primal = 0, dual = 0;
  [[nodiscard]] double gap() const { return primal - dual; }
  [[nodiscard]] double relative_gap() const { return halfspace::relative_gap(primal, dual); }
};

// One coefficient of an unpenalised fit with its standard error; no feature: the offset.
struct Estimate {
  std::optional<std::uint32_t> feature;
  double value = 0;
  double error = 0;
  [[nodiscard]] double z() const { return value / error; }
  [[nodiscard]] double lower() const { return value - 1.959963984540054 * error; }  // 95 % Wald interval
  [[nodiscard]] double upper() const { return value + 1.959963984540054 * error; }
};

struct Fit {
  Model model;
  std::vector<Certificate> certificates;  // one per plane of the model; empty: the algorithm has none
  Stop stop = Stop::Converged;
  std::uint64_t iterations = 0;
  std::optional<Objective> objective;
  std::optional<std::uint64_t> mistakes;
  std::optional<std::uint64_t> support_vectors;
  std::vector<std::string> notes;  // what a person should be told
  // The answer is no: what was asked for does not exist, this proves it, and the model must not be used.
  std::shared_ptr<const SeparationProof> no_plane;
  // What is proved about the classes, where the algorithm asked: perceptrons that were to end with a clean pass.
  std::shared_ptr<const SeparationProof> separation;
  // Online learners. Updates per row between two classes (for the perceptron theta = sum counts_i y_i x_i exactly,
  // and theta0 = sum counts_i y_i); named figures; the objective at the end of every pass where it was computed.
  std::vector<std::uint32_t> counts;
  std::vector<std::pair<std::string, double>> figures;
  std::vector<double> curve;
  std::vector<Estimate> estimates;  // unpenalised fits: every coefficient, the offset last
  // Scores of the training rows, where training two classes has left them: every sign is that of the model's score.
  std::vector<double> training_scores;
  std::vector<std::string> summary;  // what the result looks like, in lines for a person
  std::string refusal;  // not empty: there is no answer, and this is why; there is no model then
};

}  // namespace halfspace
