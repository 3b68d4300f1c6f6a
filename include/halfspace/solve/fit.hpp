// SPDX-License-Identifier: BSD-3-Clause
// A fit = a problem + a solver + a proof.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/certify/separation.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/run.hpp"

namespace halfspace {

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

// Yes: here is what was asked for. No: there is no such thing. Limit: a limit came first, and what is here is the best
// so far, or nothing.
enum class Outcome { Yes, No, Limit };
[[nodiscard]] Outcome outcome_of(Stop stop);

// What training comes to: the answer, what proves it, what happened on the way, and words for a person.
struct Fit {
  struct Answer {
    Stop stop = Stop::Converged;
    std::optional<Model> model;
    std::string reason;  // why there is no model; empty when there is one
    // Other models that the same walk has left, by name: perceptrons with online-to-batch all, on rows as they are.
    std::vector<std::pair<std::string, Model>> others;
  };
  struct Proof {
    std::vector<Certificate> certificates;  // one per plane of the model; empty: the algorithm has none
    std::optional<Objective> objective;
    // Of a no: that it is one. Else what is proved about the classes, where the algorithm asked: perceptrons that were
    // to end with a clean pass. Null: nothing is.
    std::shared_ptr<const SeparationProof> separation;
    std::vector<Estimate> estimates;  // unpenalised fits: every coefficient, the offset last
  };
  struct Trace {
    std::uint64_t iterations = 0;
    std::optional<std::uint64_t> mistakes;
    std::optional<std::uint64_t> support_vectors;
    // Online learners. Updates per row between two classes (for the perceptron theta = sum counts_i y_i x_i exactly,
    // and theta0 = sum counts_i y_i).
    std::vector<std::uint32_t> counts;
    std::vector<std::pair<std::string, double>> figures;  // by name
    std::vector<double> curve;  // the objective at the end of every pass where it was computed
    // Scores of the training rows, where training two classes has left them: every sign is that of the model's score.
    std::vector<double> scores;
    std::optional<ErrorCount> error;        // on the training rows; nothing: not counted
    std::shared_ptr<const WalkState> walk;  // streams: where the learner stands, for Run::resume
  };
  struct Words {
    std::vector<std::string> notes;    // what a person should be told
    std::vector<std::string> summary;  // what the result looks like, line by line
  };

  Answer answer;
  Proof proof;
  Trace trace;
  Words words;

  [[nodiscard]] Outcome outcome() const { return outcome_of(answer.stop); }
  [[nodiscard]] bool has_model() const { return answer.model.has_value(); }
  // UsageError with the reason when there is none.
  [[nodiscard]] const Model& model() const&;
  [[nodiscard]] Model& model() &;
  [[nodiscard]] Model model() &&;

  // A fit without a model: Stop::Refused where the answer is no, a limit where it is not known.
  [[nodiscard]] static Fit without_model(Stop stop, std::string reason,
                                         std::shared_ptr<const SeparationProof> proof = nullptr);
};

}  // namespace halfspace
