// SPDX-License-Identifier: BSD-3-Clause
#include "solve/kernel/svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/semidefinite.hpp"
#include "data/kernel/data.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "solve/kernel/check.hpp"

namespace halfspace {
namespace {

// Class b (+1) against class a (-1): their rows, in the order of the data.
Problem pair_problem(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& rows_of,
                     std::uint32_t a, std::uint32_t b, double C, const std::vector<double>& weights) {
  Problem problem{.data = &data, .loss = Hinge{}, .offset = Offset::Free};
  problem.chosen.resize(rows_of[a].size() + rows_of[b].size());
  std::merge(rows_of[a].begin(), rows_of[a].end(), rows_of[b].begin(), rows_of[b].end(),
             problem.chosen.begin());
  for (const std::uint32_t i : problem.chosen) {
    const std::uint32_t label = data.labels()[i];
    problem.y.push_back(label == b ? 1 : -1);
    problem.cost.push_back(C * data.weight(i) * (weights.empty() ? 1.0 : weights[label]));
  }
  return problem;
}

void check_pairs_have_rows(const Dataset& data) {
  std::vector<bool> seen(data.classes().size(), false);
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) seen[data.labels()[i]] = true;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (!seen[k])
      throw InputError({.file = data.name()},
                       fmt::format("class {} has no rows", printable(data.classes()[k])),
                       "rows of every class");
  }
}

// The support vectors of all functions, each once, and the functions made of them.
KernelModel model_of(const Dataset& data, const KernelFunction& kernel, const KernelClasses& classes) {
  KernelModel model{
      .features = data.features(), .kernel = kernel, .pairs = classes.pairs && classes.tasks.size() > 1};
  std::vector<std::uint32_t> place(data.rows(), UINT32_MAX);
  for (const KernelTask& task : classes.tasks)
    for (const std::uint32_t i : task.machine.dual.rows) place[task.problem.row(i)] = 0;
  const auto access = RowAccess::of(data.matrix());
  std::vector<std::uint32_t> index(access->cols());
  std::vector<double> value(access->cols());
  const bool given = kernel.kind == KernelKind::Precomputed;
  const std::uint32_t numbered = data.features() == data.rows() + 1 ? 1 : 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    if (place[i] == UINT32_MAX) continue;
    place[i] = static_cast<std::uint32_t>(model.vectors());
    if (given) {
      model.index.push_back(static_cast<std::uint32_t>(i) + numbered);
      model.value.push_back(1);
    } else {
      const std::size_t count = access->copy_entries(i, index.data(), value.data());
      model.index.insert(model.index.end(), index.begin(),
                         index.begin() + static_cast<std::ptrdiff_t>(count));
      model.value.insert(model.value.end(), value.begin(),
                         value.begin() + static_cast<std::ptrdiff_t>(count));
    }
    model.start.push_back(model.index.size());
  }
  for (const KernelTask& task : classes.tasks) {
    const DualPoint& dual = task.machine.dual;
    for (std::size_t k = 0; k < dual.rows.size(); ++k) {
      model.vector.push_back(place[task.problem.row(dual.rows[k])]);
      model.coefficient.push_back(task.problem.y[dual.rows[k]] * dual.alpha[k]);
    }
    model.first.push_back(model.vector.size());
    model.offsets.push_back(task.machine.offset);
  }
  return model;
}

}  // namespace

KernelClasses kernel_classes(const Dataset& data, ManyClasses how, double C,
                             const std::vector<double>& weights) {
  KernelClasses out;
  const auto classes = static_cast<std::uint32_t>(data.classes().size());
  out.pairs = classes > 2 && how != ManyClasses::OneVsRest;
  if (classes > 2) check_pairs_have_rows(data);
  if (out.pairs) {
    std::vector<std::vector<std::uint32_t>> rows_of(classes);
    for (std::size_t i = 0; i < data.rows(); ++i)
      rows_of[data.labels()[i]].push_back(static_cast<std::uint32_t>(i));
    for (std::uint32_t a = 0; a < classes; ++a)
      for (std::uint32_t b = a + 1; b < classes; ++b)
        out.tasks.push_back({pair_problem(data, rows_of, a, b, C, weights), {}});
  } else {
    const std::uint32_t functions = classes == 2 ? 1 : classes;
    for (std::uint32_t k = 0; k < functions; ++k)
      out.tasks.push_back({make_problem(data, classes == 2 ? 1 : k, Hinge{}, Offset::Free, C, weights), {}});
  }
  return out;
}

void solve_tasks(KernelClasses& classes, const KernelGoal& goal, const Run& run, const MachineSolver& solve) {
  const std::size_t tasks = classes.tasks.size();
  if (tasks == 1) {
    KernelGoal alone = goal;
    alone.keep_scores = true;
    alone.near = run.near.get();
    alone.leave = run.leave.get();
    classes.tasks[0].machine = solve(classes.tasks[0].problem, alone, Clock(run));
    return;
  }
  const Clock clock(run);
  KernelData data(*classes.tasks[0].problem.data, goal.kernel, true, run.threads);
  if (classes.pairs) data.pack_all(run.threads);
  KernelGoal each = goal;
  each.data = &data;
  each.threads = run.threads.alone();
  each.cache_bytes = goal.cache_bytes / static_cast<std::uint64_t>(run.threads.count());
  // Every function is there, also when there is no time for it: it gives each row the same sign then.
  Threads(run.threads.count()).run(tasks, [&](std::size_t t) {
    KernelMachine& machine = classes.tasks[t].machine;
    try {
      machine = solve(classes.tasks[t].problem, each, clock);
    } catch (const Stopped& stopped) {
      machine.stop = stop_of(stopped);
      machine.proved = false;
    }
  });
  if (std::all_of(classes.tasks.begin(), classes.tasks.end(), [](const KernelTask& task) {
        return !task.machine.proved && task.machine.dual.rows.empty();
      }))
    throw Stopped(run.stop.cause());
}

Fit kernel_fit(const Dataset& data, const KernelFunction& kernel, KernelClasses classes, bool keep_dual) {
  Fit fit{.answer = {.model = Model{}}};
  Objective total;
  bool proved = true;
  // A certificate needs a proof that the kernel is a product of vectors, not the absence of a counterexample.
  const std::string unproved = detail::why_not_semidefinite(kernel, data);
  bool indefinite = !unproved.empty() && kernel.kind != KernelKind::Precomputed;
  std::uint64_t bounded = 0;
  for (const KernelTask& task : classes.tasks) {
    const KernelMachine& machine = task.machine;
    total.primal += machine.gap.primal;
    total.dual += machine.gap.dual;
    fit.trace.iterations += machine.rounds;
    if (machine.stop != Stop::Converged) fit.answer.stop = machine.stop;
    indefinite = indefinite || machine.indefinite;
    proved = proved && machine.proved;
  }
  if (classes.tasks.size() == 1) {
    // Rows of weight 0 are absent; any other row without a score leaves the question to the model.
    std::vector<double>& scores = classes.tasks[0].machine.scores;
    bool all = !scores.empty();
    for (std::size_t i = 0; all && i < data.rows(); ++i) all = data.weight(i) <= 0 || scores[i] != 0;
    if (all) fit.trace.scores = std::move(scores);
  }
  KernelModel model = model_of(data, kernel, classes);
  fit.trace.support_vectors = model.vectors();
  fit.trace.figures.emplace_back("support_vectors", static_cast<double>(model.vectors()));
  for (KernelTask& task : classes.tasks) {
    for (std::size_t k = 0; k < task.machine.dual.rows.size(); ++k)
      bounded += task.machine.dual.alpha[k] >= task.problem.cost[task.machine.dual.rows[k]] * task.machine.C
                     ? 1U
                     : 0U;
  }
  fit.words.summary.push_back(fmt::format("kernel {}, {} support vectors",
                                          OptionType<KernelFunction>::print(kernel), model.vectors()));
  if (classes.tasks.size() == 1) {
    fit.words.summary.back() += fmt::format(", {} at their bound", bounded);
    fit.trace.figures.emplace_back("bounded_support_vectors", static_cast<double>(bounded));
  }
  if (!proved) {
    fit.words.summary.emplace_back("stopped before the gap was computed: nothing is proved about this model");
  } else if (indefinite) {
    fit.words.summary.push_back(
        fmt::format("the kernel matrix is not positive semidefinite: this is a point that no pair of rows "
                    "improves (to {:.2g} of the "
                    "objective), which need not be the best one; there is no certificate",
                    total.relative_gap()));
  } else if (!unproved.empty()) {
    fit.words.summary.push_back(
        fmt::format("{}: there is no certificate; if it is positive semidefinite, the objective is at most "
                    "{:.2g} above the optimum",
                    unproved, total.gap()));
  } else {
    fit.proof.objective = total;
    if (keep_dual)
      for (const KernelTask& task : classes.tasks) fit.proof.certificates.emplace_back(task.machine.gap);
  }
  if (keep_dual && !indefinite && unproved.empty() && proved) {
    for (KernelTask& task : classes.tasks) {
      for (std::uint32_t& i : task.machine.dual.rows) i = static_cast<std::uint32_t>(task.problem.row(i));
      fit.model().dual.push_back(std::move(task.machine.dual));
    }
  }
  fit.model().form = std::move(model);
  return fit;
}

Fit solve_kernel_svm(const Dataset& data, const Svm& options, const Run& given) {
  const Run run = begin_run(given);
  if (!std::holds_alternative<Hinge>(options.loss))
    throw UsageError(
        fmt::format("kernel machines have no {} loss: --kernel needs --loss hinge", name_of(options.loss)),
        "--features nystrom:M with --kernel has planes, with any loss");
  if (options.offset != Offset::Free) throw UsageError("--kernel needs --offset free");
  if (options.solver != SolverName::Auto)
    throw UsageError("--solver is for planes; kernels are solved by working sets");
  check_kernel(data, options.kernel.for_features(data.features()), largest_in_float);
  KernelClasses classes =
      kernel_classes(data, options.multiclass, options.C, class_weights(data, options.class_weight));
  KernelGoal goal;
  goal.kernel = options.kernel.for_features(data.features());
  goal.gap = options.gap.or_else(1e-3);
  goal.cache_bytes = static_cast<std::uint64_t>(options.cache * 1048576.0);
  goal.seed = run.seed;
  goal.threads = run.threads;
  goal.C = options.C;
  solve_tasks(classes, goal, run, solve_machine);
  Fit fit = kernel_fit(data, goal.kernel, std::move(classes), !options.no_certificate);
  fit.words.notes.insert(fit.words.notes.begin(), formula(options.loss, L2{}, options.offset, options.C));
  return fit;
}

}  // namespace halfspace
