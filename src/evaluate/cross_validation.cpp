// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// What one fold of one candidate came to.
struct FoldResult {
  bool done = false, limit = false;
  JudgedRows judged;
  std::string refusal;
};

void summarise(CandidateScore& score, std::span<const FoldResult> folds) {
  for (const FoldResult& fold : folds) {
    if (!fold.refusal.empty() && score.refusal.empty()) score.refusal = fold.refusal;
  }
  if (!score.refusal.empty()) return;
  if (!std::all_of(folds.begin(), folds.end(), [](const FoldResult& fold) { return fold.done; })) return;
  for (const FoldResult& fold : folds) {
    score.values.push_back(fold.judged.value);
    score.errors.add(fold.judged.errors);
    score.limits += fold.limit ? 1 : 0;
  }
  const auto count = static_cast<double>(folds.size());
  score.mean = std::accumulate(score.values.begin(), score.values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : score.values) squares += (value - score.mean) * (value - score.mean);
  score.standard_error = std::sqrt(squares / (count - 1) / count);
  score.finished = true;
}

class Validation {
 public:
  Validation(const Dataset& data, const FoldPlan& plan, const std::vector<Candidate>& candidates,
             const Metric& metric, const Run& run, const FoldObserver& observe)
      : data_(data),
        plan_(plan),
        candidates_(candidates),
        metric_(metric),
        run_(run),
        observe_(observe),
        folds_(plan.held_out.size()),
        results_(candidates.size() * folds_),
        left_(candidates.size(), folds_),
        models_(candidates.size()),
        scores_(candidates.size()) {}

  std::vector<CandidateScore> scores() {
    // A candidate after the other, so that as many as possible are finished when the time is up.
    const Threads team(run_.threads.count());
    team.run(results_.size(), [&](std::size_t task) { one(task / folds_, task % folds_); });
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (left_[c] > 0) summarise(scores_[c], folds_of(c));
    }
    return std::move(scores_);
  }

 private:
  [[nodiscard]] std::span<const FoldResult> folds_of(std::size_t candidate) const {
    return std::span<const FoldResult>(results_).subspan(candidate * folds_, folds_);
  }

  void one(std::size_t candidate, std::size_t fold) {
    if (run_.stop.asked()) return;
    FoldResult result;
    std::shared_ptr<const Model> model;
    try {
      model = judge(candidate, fold, result);
    } catch (const Stopped&) {
      return;
    } catch (const UsageError& error) {
      result.refusal = error.what();
    }
    const std::lock_guard lock(guard_);
    results_[candidate * folds_ + fold] = std::move(result);
    if (fold == 0) models_[candidate] = std::move(model);
    ++done_;
    FoldsDone news{.done = done_, .candidate = candidate};
    if (--left_[candidate] == 0) {
      summarise(scores_[candidate], folds_of(candidate));
      news.score = &scores_[candidate];
      news.model = std::exchange(models_[candidate], nullptr);
    }
    if (observe_) observe_(news);
  }

  // Null when it was stopped or refused.
  std::shared_ptr<const Model> judge(std::size_t candidate, std::size_t fold, FoldResult& result) const {
    const std::vector<std::uint32_t>& held_out = plan_.held_out[fold];
    Run run;
    run.seed = run_.seed;
    run.stop = run_.stop;
    run.threads = Threads(candidates_.size() * folds_ > 1 ? 1 : run_.threads.count());
    Candidate plain = candidates_[candidate];
    plain.preparation.describe = false;
    Fit fit = train_candidate(plain, without_rows(data_, held_out), run);
    if (!fit.has_model()) {
      result.refusal = fit.answer.reason.empty() ? "no model" : fit.answer.reason;
      return nullptr;
    }
    if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled)
      throw Stopped(StopCause::Cancelled);
    result.limit = fit.outcome() == Outcome::Limit;
    result.judged = judge_rows(fit.model(), data_, held_out, metric_, Threads(1, run_.stop));
    result.done = true;
    return fold == 0 ? std::make_shared<const Model>(std::move(fit).model()) : nullptr;
  }

  const Dataset& data_;
  const FoldPlan& plan_;
  const std::vector<Candidate>& candidates_;
  const Metric& metric_;
  const Run& run_;
  const FoldObserver& observe_;
  const std::size_t folds_;
  std::mutex guard_;
  std::vector<FoldResult> results_;
  std::vector<std::size_t> left_;
  std::vector<std::shared_ptr<const Model>> models_;
  std::vector<CandidateScore> scores_;
  std::uint64_t done_ = 0;
};

}  // namespace

Algorithm Candidate::make() const {
  Algorithm made = Algorithm::by_name(algorithm);
  for (const auto& [name, value] : options) made.set(name, value);
  return made;
}

Fit train_candidate(const Candidate& candidate, const Dataset& data, const Run& run) {
  return train(data, candidate.preparation, candidate.make(), run);
}

std::vector<CandidateScore> cross_validate(const Dataset& data, const FoldPlan& plan,
                                           const std::vector<Candidate>& candidates, const Metric& metric,
                                           const Run& run, const FoldObserver& observe) {
  for (const Candidate& candidate : candidates)
    (void)candidate.make();  // a wrong option is no refusal of the rows
  return Validation(data, plan, candidates, metric, run, observe).scores();
}

ResampledTest fold_estimate(std::span<const double> values, const FoldPlan& plan, const Metric& metric) {
  ResampledTest out = corrected_resampled_test(values, plan.test_per_training());
  const bool share = metric.kind != MetricKind::LogLoss && metric.kind != MetricKind::Cost;
  out.interval.low = std::max(0.0, out.interval.low);
  if (share) out.interval.high = std::min(1.0, out.interval.high);
  return out;
}

ResampledTest fold_difference(const CandidateScore& first, const CandidateScore& second,
                              const FoldPlan& plan) {
  std::vector<double> differences(first.values.size());
  for (std::size_t k = 0; k < differences.size(); ++k) differences[k] = first.values[k] - second.values[k];
  return corrected_resampled_test(differences, plan.test_per_training());
}

}  // namespace halfspace
