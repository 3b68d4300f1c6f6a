// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/solve/fit.hpp"

#include <cassert>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

[[noreturn]] void refuse_model(const Fit::Answer& answer) {
  throw UsageError("there is no model: " + (answer.reason.empty() ? "nothing was trained" : answer.reason));
}

}  // namespace

Outcome outcome_of(Stop stop) {
  switch (stop) {
    case Stop::Converged:
    case Stop::Clean:
    case Stop::Passes: return Outcome::Yes;
    case Stop::Refused: return Outcome::No;
    case Stop::Limit:
    case Stop::Time:
    case Stop::Cancelled: break;
  }
  return Outcome::Limit;
}

const Model& Fit::model() const& {
  if (!answer.model) refuse_model(answer);
  return *answer.model;
}
Model& Fit::model() & {
  if (!answer.model) refuse_model(answer);
  return *answer.model;
}
Model Fit::model() && {
  if (!answer.model) refuse_model(answer);
  return *std::move(answer.model);
}

Fit Fit::without_model(Stop stop, std::string reason, std::shared_ptr<const SeparationProof> proof) {
  assert(outcome_of(stop) != Outcome::Yes && !reason.empty());
  Fit fit;
  fit.answer.stop = stop;
  fit.answer.reason = std::move(reason);
  fit.proof.separation = std::move(proof);
  return fit;
}

}  // namespace halfspace
