// SPDX-License-Identifier: BSD-3-Clause
// The perceptron (Rosenblatt 1958), averaged and voted (Freund and Schapire 1999), one class against the
// rest for more than two classes.
//
// Update  on m = y (theta . x + theta0) <= 0: theta += y x, and theta0 += y when the offset is lifted.
// Cost    one product per row and pass, one sum per mistake; memory d doubles per class, twice that for the
//         mean, 12 bytes per mistake for the vote.
// Proof   theta = sum of counts_i y_i x_i, so |theta| / k bounds every plane's margin from above
//         (Cauchy-Schwarz); a clean pass makes theta a separator, and then k <= (R / margin)^2 (Novikoff
//         1962). Both are about the last plane of the walk, whichever model is kept; the counts are kept with it, so that
//         `verify` can sum them again.
#include "halfspace/solve/perceptron.hpp"

#include <fmt/format.h>

#include <cmath>

#include "halfspace/core/error.hpp"
#include "halfspace/model/errors.hpp"
#include "halfspace/objective/losses/perceptron.hpp"
#include "halfspace/solve/separability.hpp"
#include "solve/kernel/online.hpp"
#include "solve/online/fit.hpp"
#include "solve/online/votes.hpp"

namespace halfspace {
namespace {

// A vote takes 13 bytes of the model: a walk of more would be a model that nobody can store, or stop while it is stored.
constexpr std::uint64_t most_votes = std::uint64_t{1} << 21;

class PerceptronRule final : public StepRule {
 public:
  PerceptronRule() { idle_above = 0; }
  [[nodiscard]] Step step(const Seen& seen) const override {
    // A margin that overflowed to no number is a mistake too: such a pass is not clean.
    return {1, seen.margin > 0 ? 0.0 : 1.0};
  }
  [[nodiscard]] double loss(double margin) const override { return PerceptronLoss::value(margin); }
};

template <class Options>
OnlineSetup setup_of(const Options& options, const Run& run) {
  OnlineSetup setup;
  setup.start = run.start.get();
  setup.passes = options.passes;
  setup.max_passes = options.max_passes;
  setup.order = options.order;
  setup.offset = options.offset;
  return setup;
}

struct Variant {
  std::string_view name;
  std::variant<LinearModel, VotedModel> model;
};

// Every model that a walk can leave.
Variant variant_of(OnlineToBatch which, const Dataset& data, const OnlineWalk& walk, bool lifted,
                   const StartPlane* start) {
  const std::string_view name = detail::online_to_batch_words[static_cast<std::size_t>(which)];
  switch (which) {
    case OnlineToBatch::Last: return {name, linear_model(last_planes(walk))};
    case OnlineToBatch::LastHalf: return {name, linear_model(last_half_planes(data, walk, lifted))};
    case OnlineToBatch::Longest: return {name, linear_model(longest_planes(data, walk, lifted, start))};
    case OnlineToBatch::Vote: return {name, voted_model(data, walk, lifted, false)};
    case OnlineToBatch::Average:
    case OnlineToBatch::All: break;
  }
  return {name, linear_model(mean_planes(walk))};
}

void put(Model& model, std::variant<LinearModel, VotedModel> form) {
  std::visit([&](auto& f) { model.form = std::move(f); }, form);
}

// Share of the weight of the rows that a model gets wrong.
double error_of(const Model& model, const Dataset& data, const Threads& threads) {
  return count_errors(model, scores(model, data, threads), data, data.labels()).share();
}

void compare_variants(Fit& fit, const Dataset& data, const OnlineWalk& walk, bool lifted,
                      const Threads& threads) {
  std::string table = "training error of";
  for (const OnlineToBatch which : {OnlineToBatch::Last, OnlineToBatch::Average, OnlineToBatch::LastHalf,
                                    OnlineToBatch::Longest, OnlineToBatch::Vote}) {
    Variant variant = variant_of(which, data, walk, lifted, nullptr);
    Model model;
    model.classes = data.classes();
    put(model, std::move(variant.model));
    const double error = error_of(model, data, threads);
    fit.trace.figures.emplace_back(fmt::format("training_error_{}", variant.name), error);
    fit.answer.others.emplace_back(variant.name, std::move(model));
    table += fmt::format("{} {} {:.4g}", which == OnlineToBatch::Last ? "" : ",", variant.name, error);
  }
  fit.words.summary.push_back(table + "; the average is kept");
}

// Novikoff: after k mistakes from 0 the angle between theta and the widest plane has a cosine of at least sqrt(k)
// margin / R.
void add_cosine(Fit& fit, const Separability& answer, bool lifted) {
  const auto* linear = std::get_if<LinearModel>(&fit.model().form);
  if (linear == nullptr || !fit.trace.mistakes || *fit.trace.mistakes == 0) return;
  const WidestPlane& widest = answer.widest;
  double product = 0, own = 0, best = 0;
  for (const double w : linear->weights) own += w * w;
  for (std::size_t j = 0; j < widest.theta.size(); ++j) {
    product += widest.theta[j] * linear->weights[j];
    best += widest.theta[j] * widest.theta[j];
  }
  if (lifted) {
    product += widest.theta0 * linear->offsets[0];
    own += linear->offsets[0] * linear->offsets[0];
    best += widest.theta0 * widest.theta0;
  }
  fit.trace.figures.emplace_back("cosine", product / std::sqrt(own * best));
  fit.trace.figures.emplace_back("cosine_bound", std::sqrt(static_cast<double>(*fit.trace.mistakes)) *
                                                     answer.margin->lower / answer.margin->radius);
}

double length_of(const LinearModel& planes, std::size_t k, bool lifted) {
  double sum = lifted ? planes.offsets[k] * planes.offsets[k] : 0;
  for (const double w : planes.plane(k)) sum += w * w;
  return std::sqrt(sum);
}

// From another start than 0 the bound by |theta| / k does not hold. What was added to theta in k mistakes is a sum of k rows,
// so no plane has a margin above |theta - start| / k; and with a margin there are at most (R / margin)^2 + 2 |start| / margin
// mistakes, since k margin - |start| <= |theta| <= sqrt(|start|^2 + k R^2).
void tell_start(Fit& fit, const OnlineWalk& walk, const OnlineSetup& setup) {
  const bool lifted = setup.offset == Offset::Lifted;
  const LinearModel& start = setup.start->planes;
  if (walk.planes.size() != 1) {
    fit.words.summary.push_back(fmt::format("started from {}", setup.start->name));
    return;
  }
  const PlaneWalk& plane = walk.planes[0];
  LinearModel moved = start;
  for (std::size_t j = 0; j < moved.features; ++j) moved.weights[j] = plane.theta[j] - start.weights[j];
  moved.offsets[0] = plane.theta0 - start.offsets[0];
  const double from = length_of(start, 0, lifted), way = length_of(moved, 0, lifted);
  fit.words.summary.push_back(fmt::format("started from {}, {:.6g} from zero; moved by {:.6g} in {} mistakes",
                                          setup.start->name, from, way, plane.mistakes));
  fit.trace.figures.emplace_back("start_length", from);
  fit.trace.figures.emplace_back("moved", way);
  if (plane.mistakes == 0) return;
  const double most = way / static_cast<double>(plane.mistakes);
  fit.words.summary.push_back(fmt::format("no plane has a margin above {:.6g}", most));
  fit.trace.figures.emplace_back("margin_upper", most);
}

// A walk that was to end with a clean pass: what was possible stands beside what was done. The widest margin
// and its bound when the classes are separable, else the rows that prove that no plane would do.
void compare_with_best(Fit& fit, const Dataset& data, const OnlineSetup& setup, OnlineToBatch which,
                       const Run& run) {
  const bool lifted = setup.offset == Offset::Lifted;
  const bool finished = fit.answer.stop == Stop::Clean || fit.answer.stop == Stop::Limit;
  if (!setup.passes.until_clean || !finished || data.classes().size() != 2) return;
  const Separability answer =
      separability(data, {.offset = lifted ? Offset::Lifted : Offset::None, .margin = MarginWork::Auto}, run);
  if (!answer.decided) {
    fit.words.summary.emplace_back(
        answer.stopped != StopCause::None
            ? "whether a plane separates the classes is not proved either way: stopped"
            : "whether a plane separates the classes is not proved either way: too many columns");
    return;
  }
  fit.proof.separation = std::make_shared<SeparationProof>(answer.proof);
  const SeparationProof& proof = *fit.proof.separation;
  if (proof.verdict != Separation::Separable) {
    const std::vector<std::uint32_t>& rows = proof.witnesses.front().rows;
    std::string list;
    for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), 6); ++k)
      list += fmt::format("{}{}", k == 0 ? "" : ", ", rows[k] + 1);
    fit.words.summary.push_back(fmt::format("no plane separates the classes ({}): proved by {} row{}, {}{}",
                                            OptionType<Separation>::print(proof.verdict), rows.size(),
                                            rows.size() == 1 ? "" : "s", list,
                                            rows.size() > 6 ? ", ..." : ""));
    return;
  }
  fit.words.summary.emplace_back("a plane separates the classes: proved");
  if (answer.margin && setup.start != nullptr) {
    const double length = length_of(setup.start->planes, 0, lifted);
    fit.trace.figures.emplace_back("mistake_bound",
                                   answer.margin->mistakes + 2 * length / answer.margin->lower);
    return;
  }
  if (!answer.margin || fit.proof.certificates.empty()) return;
  fit.words.summary.push_back(fmt::format(
      "best margin between {:.6g} and {:.6g}: {} mistakes <= (R/margin)^2 = {:.6g}", answer.margin->lower,
      answer.margin->upper, fit.trace.mistakes.value_or(0), answer.margin->mistakes));
  fit.trace.figures.emplace_back("mistake_bound", answer.margin->mistakes);
  if (which == OnlineToBatch::Last && fit.answer.stop == Stop::Clean) add_cosine(fit, answer, lifted);
}

Fit walk_and_keep(const Dataset& data, OnlineSetup setup, OnlineToBatch which, const Run& run) {
  const bool lifted = setup.offset == Offset::Lifted;
  const bool all = which == OnlineToBatch::All;
  if (setup.start != nullptr && (all || which == OnlineToBatch::Vote))
    throw UsageError("--from: a vote is kept as the rows that were mistaken, so it starts at zero",
                     "--online-to-batch last, average, last-half or longest");
  setup.count = can_count(data);
  setup.average = which == OnlineToBatch::Average || all;
  setup.record = all || which == OnlineToBatch::LastHalf || which == OnlineToBatch::Longest ||
                 which == OnlineToBatch::Vote;
  setup.most_recorded = most_votes;
  setup.pocket = setup.passes.until_clean && (which == OnlineToBatch::Last || all);
  OnlineWalk walk = walk_online(data, PerceptronRule(), setup, run);
  Fit fit = online_fit(walk, setup);
  put(fit.model(), variant_of(which, data, walk, lifted, setup.start).model);
  const Threads closing = closing_team(run);
  try {
    if (all) compare_variants(fit, data, walk, lifted, closing);
    if (setup.start == nullptr) {
      if (setup.count) add_mistake_bounds(fit, data, walk, lifted, {}, closing);
    } else {
      if (which == OnlineToBatch::Last) fit.proof.certificates = separators(data, walk, lifted, closing);
      tell_start(fit, walk, setup);
    }
    compare_with_best(fit, data, setup, which, run);
  } catch (const Stopped&) {
    fit.words.notes.emplace_back(no_time_for_bounds);
  }
  return fit;
}

template <class Options>
bool uses_kernel(const Options& options, const Run& run) {
  if (options.kernel.kind != KernelKind::Linear && run.start != nullptr)
    throw UsageError("--from is for planes; leave --kernel out");
  if (options.kernel.kind == KernelKind::Linear && options.budget > 0)
    throw UsageError("--budget needs --kernel: a plane takes the same memory whatever it is made of");
  return options.kernel.kind != KernelKind::Linear;
}
template <class Options>
void refuse_kernel(const Options& options, const Run& run, std::string_view what) {
  if (uses_kernel(options, run)) throw UsageError(fmt::format("{} is for planes; leave --kernel out", what));
}

// Every walk, watched or not.
template <class Options>
Fit walk_or_watch(const Dataset& data, const Options& options, OnlineToBatch which, const Run& given,
                  const UpdateObserver* observer) {
  const Run run = begin_run(given);
  OnlineSetup setup = setup_of(options, run);
  setup.rows = rows_for(setup.order, data, run.threads);
  setup.observer = observer;
  if (uses_kernel(options, run)) {
    if (observer != nullptr && options.budget > 0)
      throw UsageError("trace shows planes that only grow; leave --budget out");
    return solve_kernel_perceptron(data, setup, which, false, options.kernel, options.budget, run);
  }
  return walk_and_keep(data, setup, which, run);
}

Fit vote(const Dataset& data, const VotedPerceptron& options, const Run& given,
         const UpdateObserver* observer) {
  const Run run = begin_run(given);
  OnlineSetup setup = setup_of(options, run);
  setup.rows = rows_for(setup.order, data, run.threads);
  setup.observer = observer;
  if (uses_kernel(options, run))
    return solve_kernel_perceptron(data, setup, OnlineToBatch::Vote, options.last_half, options.kernel,
                                   options.budget, run);
  const bool lifted = setup.offset == Offset::Lifted;
  setup.record = true;
  setup.most_recorded = most_votes;
  setup.count = can_count(data);
  OnlineWalk walk = walk_online(data, PerceptronRule(), setup, run);
  Fit fit = online_fit(walk, setup);
  VotedModel model = voted_model(data, walk, lifted, options.last_half);
  fit.trace.support_vectors = model.constant.size();
  fit.model().form = std::move(model);
  if (fit.answer.stop == Stop::Limit && walk.stop == Stop::Limit && !options.passes.until_clean)
    fit.words.notes.push_back(
        fmt::format("a voted model keeps at most {} votes: the walk ended there", most_votes));
  try {
    if (setup.count) add_mistake_bounds(fit, data, walk, lifted, {}, closing_team(run));
  } catch (const Stopped&) {
    fit.words.notes.emplace_back(no_time_for_bounds);
  }
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Perceptron& options, const Run& run) {
  return walk_or_watch(data, options, options.online_to_batch, run, nullptr);
}
Fit solve(const Dataset& data, const AveragedPerceptron& options, const Run& run) {
  return walk_or_watch(data, options, OnlineToBatch::Average, run, nullptr);
}
Fit solve(const Dataset& data, const VotedPerceptron& options, const Run& run) {
  return vote(data, options, run, nullptr);
}

Fit trace(const Dataset& data, const Perceptron& options, const Run& run, const UpdateObserver& observer) {
  check_watchable(data);
  return walk_or_watch(data, options, options.online_to_batch, run, &observer);
}
Fit trace(const Dataset& data, const AveragedPerceptron& options, const Run& run,
          const UpdateObserver& observer) {
  check_watchable(data);
  return walk_or_watch(data, options, OnlineToBatch::Average, run, &observer);
}

// The votes of a plane are known when it is replaced, so that every update is shown one later.
Fit trace(const Dataset& data, const VotedPerceptron& options, const Run& run,
          const UpdateObserver& observer) {
  check_watchable(data);
  if (options.last_half) throw UsageError("trace shows all votes of the walk; leave --last-half out");
  if (options.budget > 0) throw UsageError("trace shows planes that only grow; leave --budget out");
  LateVotes late(observer);
  const UpdateObserver inner{1, UINT64_MAX, [&](const Update& update) { late.see(update); }};
  Fit fit = vote(data, options, run, &inner);
  const auto& model = std::get<VotedModel>(fit.model().form);
  if (!model.survived.empty()) late.finish(model.survived.back());
  return fit;
}

namespace {

Fit keep_streamed(RowStream& stream, OnlineSetup setup, bool average, const Run& run) {
  check_streamable(setup.order == Order::Cyclic, setup.passes);
  setup.average = average;
  StreamedWalk streamed = walk_stream(stream, PerceptronRule(), setup, run);
  return streamed_fit(streamed, setup, true);
}

}  // namespace

Fit solve_stream(RowStream& stream, const Perceptron& options, const Run& run) {
  refuse_kernel(options, run, "--stream");
  const bool average = options.online_to_batch == OnlineToBatch::Average;
  if (!average && options.online_to_batch != OnlineToBatch::Last) {
    throw UsageError("--stream: only the last plane and the average can be kept without the rows");
  }
  return keep_streamed(stream, setup_of(options, run), average, run);
}

Fit solve_stream(RowStream& stream, const AveragedPerceptron& options, const Run& run) {
  refuse_kernel(options, run, "--stream");
  return keep_streamed(stream, setup_of(options, run), true, run);
}

Fit solve_stream(RowStream& stream, const VotedPerceptron& options, const Run& run) {
  refuse_kernel(options, run, "--stream");
  if (options.last_half)
    throw UsageError("--stream: which half of the steps is the last is not known before they end",
                     "leave --last-half out");
  if (run.start != nullptr)
    throw UsageError("--from: a vote is kept as the rows that were mistaken, so it starts at zero");
  OnlineSetup setup = setup_of(options, run);
  check_streamable(setup.order == Order::Cyclic, setup.passes);
  setup.record = true;
  VoteKeeper keeper(run.resume.get(), setup.offset == Offset::Lifted, most_votes);
  setup.after_block = [&](const RowAccess& rows, std::size_t count, std::vector<PlaneWalk>& walk) {
    keeper.take(rows, count, walk);
  };
  StreamedWalk streamed = walk_stream(stream, PerceptronRule(), setup, run);
  Fit fit = streamed_fit(streamed, setup, run.resume == nullptr);
  fit.model().form = keeper.finish(streamed.features, streamed.walk.planes.size(), streamed.state->steps);
  return fit;
}

}  // namespace halfspace
