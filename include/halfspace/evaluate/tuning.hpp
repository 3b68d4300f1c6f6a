// SPDX-License-Identifier: BSD-3-Clause
// The choice of options by cross-validation: coarse values first, then finer ones around the best of every algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfspace/evaluate/cross_validation.hpp"
#include "halfspace/evaluate/grid.hpp"

namespace halfspace {

// An algorithm with the values to try.
struct SearchSpace {
  Candidate fixed;
  std::vector<Axis> axes;  // empty: one point
  // The kernel of features that are made of the rows is part of the preparation, not of the algorithm.
  [[nodiscard]] Candidate at(const std::vector<double>& values) const;
};

// Options as a caller gives them: one with several values (or a range) is searched, the others are fixed, and those that the
// algorithm does not have are left out. `usual`: with none to search, the one that decides how complex the classifier gets
// is, unless it is given. UsageError for values that the algorithm does not take, the ends of ranges among them.
[[nodiscard]] SearchSpace search_space(const std::string& algorithm, const Preparation& preparation,
                                       const std::vector<std::pair<std::string, std::string>>& given,
                                       bool usual, double per_decade);
// "A,B": algorithms by their names, each there is and once. UsageError names `option`.
[[nodiscard]] std::vector<std::string> algorithm_names(std::string_view text,
                                                       std::string_view option = "--algorithm");
// One space for each of them; an option goes to every algorithm that has it, and UsageError says when none has.
[[nodiscard]] std::vector<SearchSpace> search_spaces(
    const std::vector<std::string>& algorithms, const Preparation& preparation,
    const std::vector<std::pair<std::string, std::string>>& given, bool usual, double per_decade);

// Best: the smallest mean. One standard error: the plainest classifier whose mean is within one standard error of the best
// (Breiman, Friedman, Olshen, Stone: "Classification and regression trees", 1984, section 3.4.3).
enum class ChoiceRule { Best, OneStandardError };
namespace detail {
inline constexpr std::string_view rule_words[] = {"best", "one-standard-error"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<ChoiceRule> = detail::rule_words;

struct TuneOptions {
  FoldOptions folds;
  Metric metric;
  ChoiceRule rule = ChoiceRule::Best;
  int refinements = 2;  // each halves the step
};

struct TriedPoint {
  std::size_t space = 0;
  std::vector<double> values;  // one per axis of its space
  CandidateScore score;
};

struct Tuning {
  std::vector<TriedPoint> table;  // by space, values ascending
  FoldPlan plan;
  std::optional<std::size_t> chosen;  // of the table; nothing: no point was finished
  std::vector<std::size_t> leaders;   // of the table: the choice within every space that has one, best first
  bool stopped = false;               // not everything that was planned was tried
  // Of the best point: trained without the rows of the first fold, and which point that is.
  std::shared_ptr<const Model> first_fold;
  std::size_t first_fold_point = 0;
};

// `observe` is told the share of the folds that are done and the number of points that are finished.
using TuneObserver = std::function<void(double done, std::uint64_t points)>;

// Throws UsageError with the first reason when every point is refused.
[[nodiscard]] Tuning tune(const Dataset& data, const std::vector<SearchSpace>& spaces,
                          const TuneOptions& options, const Run& run, const TuneObserver& observe = {});

// What to expect of the whole procedure, choice included: in every outer fold everything is chosen anew from its training
// rows, and judged on rows that had no part in it. The estimate of the chosen point alone is too good, because it was
// chosen for it. Nothing when it was stopped.
struct NestedEstimate {
  ResampledTest estimate;
  ErrorCount errors;
  std::vector<std::string> chosen;  // in every outer fold, in words
};
[[nodiscard]] std::optional<NestedEstimate> nested_estimate(const Dataset& data,
                                                            const std::vector<SearchSpace>& spaces,
                                                            const TuneOptions& options, const Run& run,
                                                            const TuneObserver& observe = {});

// The chosen point trained on all rows, with the table among the facts of its model. When the search was stopped and
// there is no time for that, the model of the first fold in its place, without a proof.
struct TunedFit {
  Fit fit;
  std::size_t point = 0;    // of the table
  bool first_fold = false;  // trained without the rows of the first fold
};
[[nodiscard]] TunedFit fit_chosen(const Dataset& data, const std::vector<SearchSpace>& spaces,
                                  const Tuning& tuning, const TuneOptions& options, const Run& run);

// "logistic, C 10"; the name is left out where there is one space only.
[[nodiscard]] std::string point_words(const std::vector<SearchSpace>& spaces, const TriedPoint& point);
// The table as JSON text in one line, for the facts of the model.
[[nodiscard]] std::string tuning_record(const Tuning& tuning, const std::vector<SearchSpace>& spaces,
                                        const TuneOptions& options);

}  // namespace halfspace
