// SPDX-License-Identifier: BSD-3-Clause
// Several ways of training, each judged on rows that it was not trained on. Everything that is learned from rows (scaling,
// features, planes) is learned from the training rows of the fold alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halfspace/evaluate/comparison.hpp"
#include "halfspace/evaluate/folds.hpp"
#include "halfspace/evaluate/metric.hpp"
#include "halfspace/train/train.hpp"

namespace halfspace {

// One way of training: an algorithm, those of its options that are not the usual ones, and what is done to rows before.
struct Candidate {
  std::string algorithm;
  Facts options;
  Preparation preparation;

  [[nodiscard]] Algorithm make() const;  // UsageError for options that the algorithm does not take
};
[[nodiscard]] Fit train_candidate(const Candidate& candidate, const Dataset& data, const Run& run);

struct CandidateScore {
  std::vector<double> values;  // the metric on every fold, in the order of the plan
  ErrorCount errors;           // over all folds
  double mean = 0, standard_error = 0;
  std::optional<double> relative_gap;  // the largest of the folds; nothing where a fit has no certified gap
  std::uint64_t limits = 0;            // folds whose training stopped at a limit of its own
  bool finished = false;  // false: stopped before all folds were done; the figures above are then empty
  std::string refusal;    // why this cannot be trained on such rows; empty: it can
};

// Called by one thread at a time. The model is that of the first fold of a candidate whose folds are all done.
struct FoldsDone {
  std::uint64_t done = 0;       // folds of candidates
  std::uint64_t candidate = 0;  // the one that a fold was finished of
  const CandidateScore* score = nullptr;
  std::shared_ptr<const Model> model;
};
using FoldObserver = std::function<void(const FoldsDone&)>;

// Where fits on the folds of one plan have ended, for those that come later with another C and all else equal: they start
// from the nearest one. A search keeps it from round to round.
class WarmStarts;
[[nodiscard]] std::shared_ptr<WarmStarts> make_warm_starts();

// All folds of all candidates, as many side by side as run.threads has threads; the result does not depend on how many.
// Once run.stop asks for it no fold is begun, and what is not finished says so. A candidate that the rows do not allow (a
// nu that is too large, classes that no plane separates) is refused with its reason and does not stop the others.
[[nodiscard]] std::vector<CandidateScore> cross_validate(const Dataset& data, const FoldPlan& plan,
                                                         const std::vector<Candidate>& candidates,
                                                         const Metric& metric, const Run& run,
                                                         const FoldObserver& observe = {},
                                                         const std::shared_ptr<WarmStarts>& warm = nullptr);

// The mean over folds with an interval that counts that their training rows overlap (corrected_resampled_test), within
// what the metric can be.
[[nodiscard]] ResampledTest fold_estimate(std::span<const double> values, const FoldPlan& plan,
                                          const Metric& metric);
[[nodiscard]] ResampledTest fold_difference(const CandidateScore& first, const CandidateScore& second,
                                            const FoldPlan& plan);

}  // namespace halfspace
