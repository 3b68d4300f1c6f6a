// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "evaluate/warm_starts.hpp"
#include "halfspace/core/error.hpp"

namespace halfspace {
namespace {

// What one fold of one candidate came to.
struct FoldResult {
  bool done = false, limit = false;
  JudgedRows judged;
  std::optional<double> relative_gap;
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
  for (std::size_t k = 0; k < folds.size(); ++k) {
    if (k == 0) score.relative_gap = folds[k].relative_gap;
    if (!folds[k].relative_gap) score.relative_gap.reset();
    if (score.relative_gap) score.relative_gap = std::max(*score.relative_gap, *folds[k].relative_gap);
  }
  const auto count = static_cast<double>(folds.size());
  score.mean = std::accumulate(score.values.begin(), score.values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : score.values) squares += (value - score.mean) * (value - score.mean);
  score.standard_error = std::sqrt(squares / (count - 1) / count);
  score.finished = true;
}

// The rows of a fold as all candidates see them.
struct PreparedFold {
  FoldRows rows;
  Scaling scaling;  // that both were scaled by; kind None: as they are
};

// Scaling that is the same for all candidates is learned once a fold. Standard errors belong to columns as they are.
std::optional<ScaleKind> common_scale(const std::vector<Candidate>& candidates) {
  for (const Candidate& one : candidates) {
    if (one.preparation.map || one.preparation.scale != candidates.front().preparation.scale)
      return std::nullopt;
    for (const auto& [name, value] : one.options)
      if (name == "penalty" && value == "none") return std::nullopt;
  }
  if (candidates.empty()) return std::nullopt;
  return candidates.front().preparation.scale;
}

// Which (candidate, fold) comes next: group after group, fold after fold, but never before the one that it starts from.
class TaskOrder {
 public:
  TaskOrder(std::vector<std::size_t> parent, const std::vector<std::vector<std::size_t>>& groups,
            std::size_t folds)
      : parent_(std::move(parent)), folds_(folds), state_(parent_.size() * folds, State::Waiting) {
    for (const std::vector<std::size_t>& group : groups)
      for (std::size_t fold = 0; fold < folds; ++fold)
        for (const std::size_t candidate : group) order_.push_back(candidate * folds + fold);
  }

  // Waits while everything that is left starts from what others are at.
  std::size_t take() {
    std::unique_lock lock(guard_);
    while (true) {
      while (first_ < order_.size() && state_[order_[first_]] != State::Waiting) ++first_;
      for (std::size_t place = first_; place < order_.size(); ++place) {
        const std::size_t task = order_[place];
        if (state_[task] != State::Waiting || !ready(task)) continue;
        state_[task] = State::Taken;
        return task;
      }
      changed_.wait(lock);
    }
  }
  void done(std::size_t task) {
    const std::lock_guard lock(guard_);
    state_[task] = State::Done;
    changed_.notify_all();
  }

 private:
  enum class State : std::uint8_t { Waiting, Taken, Done };
  [[nodiscard]] bool ready(std::size_t task) const {
    const std::size_t parent = parent_[task / folds_];
    return parent == WarmStarts::none || state_[parent * folds_ + task % folds_] == State::Done;
  }

  std::vector<std::size_t> parent_;  // of every candidate, among these; none: starts from nothing here
  std::size_t folds_;
  std::vector<State> state_;
  std::vector<std::size_t> order_;
  std::size_t first_ = 0;
  std::mutex guard_;
  std::condition_variable changed_;
};

class Validation {
 public:
  Validation(const Dataset& data, const FoldPlan& plan, const std::vector<Candidate>& candidates,
             const Metric& metric, const Run& run, const FoldObserver& observe, WarmStarts& warm)
      : data_(data),
        plan_(plan),
        candidates_(candidates),
        metric_(metric),
        run_(run),
        observe_(observe),
        warm_(warm),
        scale_(common_scale(candidates)),
        folds_(plan.held_out.size()),
        results_(candidates.size() * folds_),
        left_(candidates.size(), folds_),
        models_(candidates.size()),
        scores_(candidates.size()),
        prepared_(folds_),
        tasks_left_(folds_, candidates.size()) {
    const std::size_t planes = data.classes().size() == 2 ? 1 : data.classes().size();
    first_ = warm_.add(candidates, folds_, 24 * planes * data.features() + 40 * planes * data.rows());
  }

  std::vector<CandidateScore> scores() {
    // A candidate after the other, so that as many as possible are finished when the time is up.
    const Threads team(run_.threads.count());
    TaskOrder order(parents(), groups(), folds_);
    team.run(results_.size(), [&](std::size_t) {
      const std::size_t task = order.take();
      const struct Done {
        TaskOrder& order;
        std::size_t task;
        ~Done() { order.done(task); }
      } done{order, task};
      one(task / folds_, task % folds_);
    });
    warm_.rest();
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (left_[c] > 0) summarise(scores_[c], folds_of(c));
    }
    return std::move(scores_);
  }

 private:
  [[nodiscard]] std::span<const FoldResult> folds_of(std::size_t candidate) const {
    return std::span<const FoldResult>(results_).subspan(candidate * folds_, folds_);
  }

  [[nodiscard]] std::vector<std::size_t> parents() const {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const std::size_t parent = warm_.parent(first_ + c);
      out.push_back(parent == WarmStarts::none || parent < first_ ? WarmStarts::none : parent - first_);
    }
    return out;
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> out = warm_.groups(first_);
    for (std::vector<std::size_t>& group : out)
      for (std::size_t& candidate : group) candidate -= first_;
    return out;
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
    if (--tasks_left_[fold] == 0) prepared_[fold].rows = nullptr;
    ++done_;
    FoldsDone news{.done = done_, .candidate = candidate};
    if (--left_[candidate] == 0) {
      summarise(scores_[candidate], folds_of(candidate));
      news.score = &scores_[candidate];
      news.model = std::exchange(models_[candidate], nullptr);
    }
    if (observe_) observe_(news);
  }

  [[nodiscard]] PreparedFold prepare(std::size_t fold) const {
    PreparedFold out{fold_rows(data_, plan_.held_out[fold]), {}};
    if (!scale_ || *scale_ == ScaleKind::None) return out;
    const Threads alone(1, run_.stop);
    out.scaling = learn_scaling(out.rows.training, *scale_, alone);
    out.rows.training = apply_scaling(out.rows.training, out.scaling, alone);
    out.rows.judged = apply_scaling(out.rows.judged, out.scaling, alone);
    return out;
  }

  // Kept until the last candidate has had it, where all folds together take little memory.
  std::shared_ptr<const PreparedFold> rows_of(std::size_t fold) {
    constexpr std::uint64_t most_kept = std::uint64_t{512} << 20U;
    if (data_.storage_bytes() * folds_ > most_kept)
      return std::make_shared<const PreparedFold>(prepare(fold));
    KeptFold& kept = prepared_[fold];
    const std::lock_guard lock(kept.guard);
    if (kept.rows == nullptr) kept.rows = std::make_shared<const PreparedFold>(prepare(fold));
    return kept.rows;
  }

  // Null when it was stopped or refused.
  std::shared_ptr<const Model> judge(std::size_t candidate, std::size_t fold, FoldResult& result) {
    const std::vector<std::uint32_t>& held_out = plan_.held_out[fold];
    const std::shared_ptr<const PreparedFold> prepared = rows_of(fold);
    Run run;
    run.seed = run_.seed;
    run.stop = run_.stop;
    run.threads = Threads(candidates_.size() * folds_ > 1 ? 1 : run_.threads.count());
    run.figures = false;
    run.near = warm_.near(first_ + candidate, fold);
    warm_.started(first_ + candidate, fold);
    if (warm_.wanted(first_ + candidate)) run.leave = std::make_shared<Neighbour>();
    Candidate plain = candidates_[candidate];
    plain.preparation.describe = false;
    if (scale_) plain.preparation.scale = ScaleKind::None;
    Fit fit = train_candidate(plain, prepared->rows.training, run);
    if (run.leave != nullptr) warm_.leave(first_ + candidate, fold, run.leave);
    if (!fit.has_model()) {
      result.refusal = fit.answer.reason.empty() ? "no model" : fit.answer.reason;
      return nullptr;
    }
    if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled)
      throw Stopped(StopCause::Cancelled);
    result.limit = fit.outcome() == Outcome::Limit;
    if (fit.proof.objective) result.relative_gap = fit.proof.objective->relative_gap();
    result.judged = judge_rows(fit.model(), prepared->rows.judged, held_out, metric_, Threads(1, run_.stop));
    result.done = true;
    return fold == 0 ? raw_model(std::move(fit).model(), prepared->scaling) : nullptr;
  }

  // The model of scaled rows as one of rows as they are.
  static std::shared_ptr<const Model> raw_model(Model model, const Scaling& scaling) {
    if (scaling.kind == ScaleKind::Unit) model.unit_rows = true;
    if (scaling.kind == ScaleKind::Standard || scaling.kind == ScaleKind::MinMax) model.scaling = scaling;
    if (scaling.kind != ScaleKind::None)
      model.facts.emplace_back("scale", OptionType<ScaleKind>::print(scaling.kind));
    return std::make_shared<const Model>(std::move(model));
  }

  struct KeptFold {
    std::mutex guard;
    std::shared_ptr<const PreparedFold> rows;
  };

  const Dataset& data_;
  const FoldPlan& plan_;
  const std::vector<Candidate>& candidates_;
  const Metric& metric_;
  const Run& run_;
  const FoldObserver& observe_;
  WarmStarts& warm_;
  std::optional<ScaleKind> scale_;  // that the rows of a fold are scaled by once for all
  const std::size_t folds_;
  std::size_t first_ = 0;  // number of the first candidate among the warm starts
  std::mutex guard_;
  std::vector<FoldResult> results_;
  std::vector<std::size_t> left_;
  std::vector<std::shared_ptr<const Model>> models_;
  std::vector<CandidateScore> scores_;
  std::vector<KeptFold> prepared_;
  std::vector<std::size_t> tasks_left_;  // of every fold
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
                                           const Run& run, const FoldObserver& observe,
                                           const std::shared_ptr<WarmStarts>& warm) {
  for (const Candidate& candidate : candidates)
    (void)candidate.make();  // a wrong option is no refusal of the rows
  const std::shared_ptr<WarmStarts> starts = warm != nullptr ? warm : make_warm_starts();
  return Validation(data, plan, candidates, metric, run, observe, *starts).scores();
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
