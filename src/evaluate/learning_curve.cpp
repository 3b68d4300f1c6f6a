// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/evaluate/learning_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/split.hpp"

namespace halfspace {
namespace {

// The rows in an order in which every beginning has the classes in their shares.
std::vector<std::uint32_t> stratified_order(const Dataset& data, std::span<const std::uint32_t> rows,
                                            std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> of_class(data.classes().size());
  for (const std::uint32_t row : rows) of_class[data.labels()[row]].push_back(row);
  std::vector<std::pair<double, std::uint32_t>> order;
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    Random(seed, 1000 + c).shuffle(of_class[c]);
    const auto count = static_cast<double>(of_class[c].size());
    for (std::size_t k = 0; k < of_class[c].size(); ++k)
      order.emplace_back((static_cast<double>(k) + 0.5) / count, of_class[c][k]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> out;
  out.reserve(order.size());
  for (const auto& [place, row] : order) out.push_back(row);
  return out;
}

std::vector<std::uint64_t> usual_sizes(std::uint64_t most, std::size_t classes) {
  constexpr std::size_t points = 8;
  const std::uint64_t least = std::max<std::uint64_t>(10, 4 * classes);
  std::vector<std::uint64_t> out;
  for (std::uint64_t size = most; size >= std::min(least, most) && size > 0 && out.size() < points; size /= 2)
    out.push_back(size);
  std::reverse(out.begin(), out.end());
  return out;
}

struct LearningRun {
  bool done = false;
  ErrorCount training, test;
  std::string refusal;
};

// False: it was stopped.
bool learn_once(const Dataset& data, const Candidate& candidate, const Split& split, std::uint64_t size,
                const Run& run, LearningRun& result) {
  std::vector<std::uint32_t> rows(split.train.begin(),
                                  split.train.begin() + static_cast<std::ptrdiff_t>(size));
  std::sort(rows.begin(), rows.end());
  const Metric metric;
  try {
    Run own;
    own.seed = run.seed;
    own.stop = run.stop;
    const FoldRows parts = split_rows(data, rows, split.test);
    const Fit fit = train_candidate(candidate, parts.training, own);
    if (fit.answer.stop == Stop::Time || fit.answer.stop == Stop::Cancelled) return false;
    if (fit.has_model()) {
      const auto errors = [&](const Dataset& of) {
        std::vector<std::uint32_t> all(of.rows());
        std::iota(all.begin(), all.end(), 0U);
        return judge_rows(fit.model(), of, all, metric, Threads(1, run.stop)).errors;
      };
      result.training = errors(parts.training);
      result.test = errors(parts.judged);
      result.done = true;
    } else {
      result.refusal = fit.answer.reason;
    }
  } catch (const Stopped&) {
    return false;
  } catch (const InputError& error) {  // one class only
    result.refusal = error.message();
  } catch (const UsageError& error) {
    result.refusal = error.what();
  }
  return true;
}

bool whole_weights(const Dataset& data) {
  const auto weights = data.weights();
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w); });
}

LearningPoint learning_point(std::uint64_t rows, std::span<const LearningRun> runs, double test_per_training,
                             bool whole) {
  LearningPoint point{.rows = rows};
  std::vector<double> errors;
  for (const LearningRun& run : runs) {
    if (!run.refusal.empty()) point.refusal = run.refusal;
    if (!run.done) return point;
    errors.push_back(run.test.share());
    point.training_error += run.training.share() / static_cast<double>(runs.size());
    point.test_error += run.test.share() / static_cast<double>(runs.size());
    point.test_rows = run.test.rows;
  }
  point.finished = true;
  if (runs.size() > 1) {
    const ResampledTest test = corrected_resampled_test(errors, test_per_training);
    point.interval = Interval{std::max(0.0, test.interval.low), std::min(1.0, test.interval.high)};
  } else if (whole) {
    point.interval = error_interval(static_cast<std::uint64_t>(runs.front().test.wrong_weight),
                                    static_cast<std::uint64_t>(runs.front().test.weight));
  }
  return point;
}

}  // namespace

std::vector<LearningPoint> learning_curve(const Dataset& data, const Candidate& candidate,
                                          const LearningOptions& options, const Run& run,
                                          const std::function<void(double done)>& observe) {
  if (!data.labelled()) throw InputError({.file = data.name()}, "no labels", "labelled rows");
  if (data.classes().size() == 1 && data.rows() > 0)
    throw InputError({.file = data.name()},
                     fmt::format("only one class ({}) in {} rows", printable(data.classes()[0]), data.rows()),
                     "training needs at least two");
  (void)candidate.make();
  const auto repeats = static_cast<std::size_t>(options.repeats);
  std::vector<Split> splits;
  std::uint64_t most = UINT64_MAX;
  for (std::size_t r = 0; r < repeats; ++r) {
    const std::uint64_t seed = options.seed + (std::uint64_t{r} << 40U);
    splits.push_back(options.groups.empty() ? stratified_split(data, options.test_share, seed)
                                            : grouped_split(data, options.groups, options.test_share, seed));
    splits.back().train = stratified_order(data, splits.back().train, seed);
    most = std::min<std::uint64_t>(most, splits.back().train.size());
  }
  const std::vector<std::uint64_t> sizes =
      options.sizes.empty() ? usual_sizes(most, data.classes().size()) : options.sizes;
  for (const std::uint64_t size : sizes) {
    if (size > most)
      throw UsageError(fmt::format("{} rows to train on; {} are left beside the test rows", size, most),
                       fmt::format("--sizes up to {}, or a smaller --test", most));
  }
  std::vector<LearningRun> runs(sizes.size() * repeats);
  std::mutex guard;
  std::size_t done = 0;
  // The longest first, so that the threads end together.
  Threads(run.threads.count()).run(runs.size(), [&](std::size_t task) {
    const std::size_t s = sizes.size() - 1 - task / repeats, r = task % repeats;
    LearningRun& result = runs[s * repeats + r];
    if (run.stop.asked()) return;
    if (!learn_once(data, candidate, splits[r], sizes[s], run, result)) return;
    const std::lock_guard lock(guard);
    ++done;
    if (observe) observe(static_cast<double>(done) / static_cast<double>(runs.size()));
  });
  std::vector<LearningPoint> points;
  const bool whole = whole_weights(data);
  // How much repeats have in common is a matter of the splits, not of how many of their rows are trained on.
  const double test_per_training =
      static_cast<double>(splits.front().test.size()) / static_cast<double>(splits.front().train.size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    points.push_back(learning_point(sizes[s],
                                    std::span<const LearningRun>(runs).subspan(s * repeats, repeats),
                                    test_per_training, whole));
  }
  return points;
}

}  // namespace halfspace
