// SPDX-License-Identifier: BSD-3-Clause
// The one list of algorithms. Flags, help, JSON keys, docs and contract tests follow from it.
#pragma once

#include <concepts>
#include <functional>
#include <tuple>

#include "halfspace/solve/baselines.hpp"
#include "halfspace/solve/fewest_errors.hpp"
#include "halfspace/solve/hard_margin.hpp"
#include "halfspace/solve/memory.hpp"
#include "halfspace/solve/nu_svm.hpp"
#include "halfspace/solve/passive_aggressive.hpp"
#include "halfspace/solve/pegasos.hpp"
#include "halfspace/solve/penalised.hpp"
#include "halfspace/solve/perceptron.hpp"
#include "halfspace/solve/sgd.hpp"

namespace halfspace {

template <class A>
concept AlgorithmOptions = requires(const Dataset& data, const A& options, const Run& run) {
  { A::name } -> std::convertible_to<std::string_view>;
  { A::summary } -> std::convertible_to<std::string_view>;
  A::fields();
  { solve(data, options, run) } -> std::same_as<Fit>;
};

using Algorithms =
    std::tuple<Perceptron, AveragedPerceptron, VotedPerceptron, PassiveAggressive, Pegasos, Sgd, Svm, NuSvm,
               LogisticRegression, HardMargin, FewestErrors, Majority, Stump, Lookup>;

// Every option of an algorithm with its value as text.
template <AlgorithmOptions A>
[[nodiscard]] Facts option_values(const A& options) {
  Facts out;
  for (const auto& f : A::fields()) out.emplace_back(f.name, f.get(options));
  return out;
}

namespace detail {
void check_trainable(const Dataset& data, const Run& run = {});  // labels, features, two classes; InputError
void refuse_members(const Run& run, std::string_view algorithm,
                    bool by_rows);  // UsageError when there are several
void complete(Fit& fit, const Dataset& data, std::string_view algorithm, Facts options, const Run& run);
void refuse_start(const Run& run, std::string_view algorithm);  // UsageError when there is one
void refuse_checkpoint(const Run& run, std::string_view what);  // UsageError when there is one
// For rows that do not stay in memory (ReadOptions::spill): UsageError from an algorithm that does not take them, and where
// `need`, what it keeps in memory, is more than the limit.
[[noreturn]] void refuse_spilled(std::string_view algorithm);
void check_memory(const MemoryShape& shape, std::uint64_t need, std::uint64_t limit);
void check_memory(const Dataset& data, std::uint64_t need);
[[nodiscard]] Fit one_vs_rest(const Dataset& data, const std::function<Fit(const Dataset&)>& solve_two);
}  // namespace detail

// `static constexpr bool two_classes = true`: the algorithm knows two classes only, and sees each against the rest.
template <class A>
concept ForTwoClasses = requires {
  requires A::two_classes;
};

// `static constexpr bool starts = true`: an online learner whose state is a plane, which may start at another than zero.
template <class A>
concept Starts = requires {
  requires A::starts;
};

// `static constexpr bool by_sums = true`: it reaches rows through sums over all of them, so that other members may have some.
template <class A>
concept BySums = requires {
  requires A::by_sums;
};
// What an algorithm keeps in memory beside rows that lie in files: an estimate from above.
template <AlgorithmOptions A>
[[nodiscard]] std::uint64_t memory_need(const A& options, const MemoryShape& shape) {
  if constexpr (requires { memory_of(options, shape); }) {
    return memory_of(options, shape);
  } else if constexpr (Starts<A>) {
    return memory_of_walk(shape);
  } else {
    detail::refuse_spilled(A::name);
  }
}

namespace detail {
template <AlgorithmOptions A>
void check_start(const Run& run) {
  if constexpr (!Starts<A>) refuse_start(run, A::name);
}
}  // namespace detail

// Trains any algorithm of the list on the rows as they are: checks options and data, solves, and gives the model its names.
// train/train.hpp has the whole way from raw rows, with the training errors counted.
template <AlgorithmOptions A>
[[nodiscard]] Fit train(const Dataset& data, const A& options, const Run& given = {}) {
  check_options(options);
  detail::check_start<A>(given);
  if constexpr (!BySums<A>) detail::refuse_members(given, A::name, Starts<A>);
  if constexpr (!BySums<A>) detail::refuse_checkpoint(given, A::name);
  const Run run = begin_run(given);
  detail::check_trainable(data, run);
  if (data.spill() != nullptr)
    detail::check_memory(data, memory_need(options, memory_shape(data, run.threads.count())));
  const auto solve_all = [&](const Dataset& rows) { return solve(rows, options, run); };
  Fit fit =
      ForTwoClasses<A> && data.classes().size() > 2 ? detail::one_vs_rest(data, solve_all) : solve_all(data);
  detail::complete(fit, data, A::name, option_values(options), run);
  return fit;
}

}  // namespace halfspace
