// SPDX-License-Identifier: BSD-3-Clause
// Problem  minimise 1/2 |theta|^2 - nu n rho + sum xi_i with m_i >= rho - xi_i; its dual: minimise 1/2 |sum
//          alpha_i y_i phi(x_i)|^2 with 0 <= alpha_i <= 1, sum alpha_i y_i = 0, sum alpha_i = nu n.
// Method   working sets that exchange within a class (kernel_smo.cpp), so both sums stay what they are. The
//          solution divided by rho is that of the svm with C = 1/rho (Crisp and Burges 1999; Chang and Lin
//          2001).
// Proof    the duality gap of that svm, and the two inequalities.
#include "halfspace/solve/nu_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "solve/kernel_check.hpp"
#include "solve/kernel_svm.hpp"

namespace halfspace {
namespace {

// Both classes must be able to carry half of nu.
double largest_nu(const Problem& problem) {
  double cost[2] = {0, 0};
  for (std::size_t i = 0; i < problem.rows(); ++i) cost[problem.y[i] > 0 ? 1 : 0] += problem.cost[i];
  return 2 * std::min(cost[0], cost[1]) / (cost[0] + cost[1]);
}

struct Shares {
  double errors = 0, vectors = 0;
};
// A margin error is a row at its bound with a margin below rho.
Shares shares_of(const KernelTask& task, const std::vector<double>& values, std::size_t functions,
                 std::size_t k) {
  double total = 0, errors = 0, vectors = 0;
  for (const double c : task.problem.cost) total += c;
  const DualPoint& dual = task.machine.dual;
  for (std::size_t t = 0; t < dual.rows.size(); ++t) {
    const std::uint32_t i = dual.rows[t];
    vectors += task.problem.cost[i];
    const bool bound = dual.alpha[t] >= task.problem.cost[i] * task.machine.C * (1 - 1e-12);
    if (bound && task.problem.y[i] * values[task.problem.row(i) * functions + k] < 1) errors += task.problem.cost[i];
  }
  return {errors / total, vectors / total};
}

}  // namespace

Fit solve(const Dataset& data, const NuSvm& options, const Run& given) {
  const Run run = begin_run(given);
  check_kernel(data, options.kernel.for_features(data.features()), largest_in_float);
  KernelClasses classes = kernel_classes(data, options.multiclass, 1.0, {});
  double largest = 1;
  for (const KernelTask& task : classes.tasks) largest = std::min(largest, largest_nu(task.problem));
  if (options.nu > largest) {
    throw UsageError(
        fmt::format("--nu {} is too large for the sizes of the classes: at most {:.6g} is feasible",
                    options.nu, std::floor(largest * 1e6) / 1e6));
  }
  KernelGoal goal;
  goal.kernel = options.kernel.for_features(data.features());
  goal.gap = options.gap;
  goal.cache_bytes = static_cast<std::uint64_t>(options.cache * 1048576.0);
  goal.seed = run.seed;
  goal.threads = run.threads;
  solve_tasks(classes, goal, run, [&](const Problem& problem, const KernelGoal& each, const Clock& clock) {
    return solve_nu_machine(problem, options.nu, each, clock);
  });
  const KernelClasses solved = classes;
  Fit fit = kernel_fit(data, goal.kernel, std::move(classes), !options.no_certificate);
  std::vector<double> values = fit.training_scores;
  try {
    if (values.empty())
      values = function_values(std::get<KernelModel>(fit.model.form), false, data, closing_team(run));
  } catch (const Stopped& stopped) {  // no shares then, and no C that stands for nu
    fit.stop = stop_of(stopped);
    fit.certificates.clear();
    fit.model.dual.clear();
    fit.objective.reset();
    fit.notes.emplace_back("stopped before the shares were counted: nothing is proved about this model");
    return fit;
  }
  std::string costs;
  double most_errors = 0, fewest_vectors = 1;
  for (std::size_t k = 0; k < solved.tasks.size(); ++k) {
    const KernelMachine& machine = solved.tasks[k].machine;
    costs += fmt::format("{}{}", k == 0 ? "" : ",", machine.C);
    const Shares shares = shares_of(solved.tasks[k], values, solved.tasks.size(), k);
    most_errors = std::max(most_errors, shares.errors);
    fewest_vectors = std::min(fewest_vectors, shares.vectors);
  }
  fit.model.facts.emplace_back("C", costs);
  const KernelMachine& only = solved.tasks[0].machine;
  if (solved.tasks.size() == 1) {
    fit.notes.push_back(
        fmt::format("the same as svm with C = {:.8g}; margin rho = {:.8g}", only.C, only.rho));
    fit.figures.emplace_back("C", only.C);
    fit.figures.emplace_back("rho", only.rho);
  }
  if (fit.stop == Stop::Limit)
    fit.notes.emplace_back("for a nu this small the classes may have no margin: C grows without end");
  const bool hold = most_errors <= options.nu && options.nu <= fewest_vectors;
  fit.notes.push_back(
      fmt::format("margin errors {:.6g} <= nu {:.6g} <= support vectors {:.6g} (shares of the rows{}){}",
                  most_errors, options.nu, fewest_vectors,
                  solved.tasks.size() > 1 ? ", the worst function" : "", hold ? "" : ": NOT so"));
  fit.figures.emplace_back("margin_error_share", most_errors);
  fit.figures.emplace_back("support_vector_share", fewest_vectors);
  return fit;
}

}  // namespace halfspace
