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
#include <charconv>
#include <cmath>

#include "halfspace/core/error.hpp"
#include "solve/kernel/check.hpp"
#include "solve/kernel/svm.hpp"

namespace halfspace {
namespace {

// Both classes must be able to carry half of nu.
double largest_nu(const Problem& problem) {
  double cost[2] = {0, 0};
  for (std::size_t i = 0; i < problem.rows(); ++i) cost[problem.y[i] > 0 ? 1 : 0] += problem.cost[i];
  return 2 * std::min(cost[0], cost[1]) / (cost[0] + cost[1]);
}

// What a function shows of nu, as shares of the rows (by weight).
struct Shares {
  double bounded = 0, vectors = 0;  // support vectors, and those at their bound
  double errors = 0;                // rows with a margin below that of the machine
};
// A solution is near the best one, not the best: rows that belong on the margin lie beside it by about this much.
constexpr double margin_slack = 1e-3;

Shares shares_of(const KernelTask& task, const std::vector<double>& values, std::size_t functions,
                 std::size_t k) {
  Shares out;
  double total = 0;
  for (std::size_t i = 0; i < task.problem.rows(); ++i) {
    const double cost = task.problem.cost[i];
    total += cost;
    if (task.problem.y[i] * values[task.problem.row(i) * functions + k] < 1 - margin_slack)
      out.errors += cost;
  }
  const DualPoint& dual = task.machine.dual;
  for (std::size_t t = 0; t < dual.rows.size(); ++t) {
    const double cost = task.problem.cost[dual.rows[t]];
    out.vectors += cost;
    if (dual.alpha[t] >= cost * task.machine.C * (1 - 1e-12)) out.bounded += cost;
  }
  return {out.bounded / total, out.vectors / total, out.errors / total};
}

bool at_most(double a, double b) { return a <= b + 1e-12; }

// The largest of each that any function shows, but for support vectors the smallest.
Shares worst_shares(const KernelClasses& solved, const std::vector<double>& values) {
  Shares out{0, 1, 0};
  for (std::size_t k = 0; k < solved.tasks.size(); ++k) {
    const Shares one = shares_of(solved.tasks[k], values, solved.tasks.size(), k);
    out.bounded = std::max(out.bounded, one.bounded);
    out.vectors = std::min(out.vectors, one.vectors);
    out.errors = std::max(out.errors, one.errors);
  }
  return out;
}

// Nothing is said that does not hold for the functions that are kept.
void tell_shares(Fit& fit, const Shares& shares, double nu, bool one, bool margins) {
  const std::string_view of = one ? "" : ", the worst function";
  if (at_most(shares.bounded, nu) && at_most(nu, shares.vectors)) {
    fit.words.summary.push_back(fmt::format(
        "support vectors at their bound {:.6g} <= nu {:.6g} <= support vectors {:.6g} (shares of the rows{})",
        shares.bounded, nu, shares.vectors, of));
  } else {
    fit.words.summary.push_back(
        fmt::format("nu {:.6g}; support vectors {:.6g}, at their bound {:.6g} (shares of the rows{})", nu,
                    shares.vectors, shares.bounded, of));
  }
  fit.trace.figures.emplace_back("support_vector_share", shares.vectors);
  fit.trace.figures.emplace_back("bounded_support_vector_share", shares.bounded);
  if (!margins) return;
  fit.words.summary.push_back(fmt::format(
      "margin errors {:.6g}{}{} (rows with a margin below rho by more than a thousandth{})", shares.errors,
      at_most(shares.errors, nu) ? fmt::format(" <= nu {:.6g}", nu) : "",
      at_most(shares.errors, nu) ? ""
                                 : fmt::format(", which is above nu {:.6g}: the solution is not reached", nu),
      of));
  fit.trace.figures.emplace_back("margin_error_share", shares.errors);
}

bool has_margin(const KernelTask& task) { return task.machine.rho > 0; }
bool is_reached(const KernelTask& task) { return task.machine.stop == Stop::Converged && has_margin(task); }

// The equivalent C, where there is one. A machine without a margin has none, and the gap of an svm says nothing about it:
// then there is no certificate either.
void tell_costs(Fit& fit, const KernelClasses& solved, const Shares& shares, double nu) {
  const bool margins = std::all_of(solved.tasks.begin(), solved.tasks.end(), has_margin);
  // A gap that is small beside 1 may be large beside an objective that nobody chose the scale of: nu has the last word.
  if (fit.answer.stop == Stop::Converged && margins && !at_most(shares.errors, nu))
    fit.answer.stop = Stop::Limit;
  const bool reached =
      std::all_of(solved.tasks.begin(), solved.tasks.end(), is_reached) && fit.answer.stop == Stop::Converged;
  const bool one = solved.tasks.size() == 1;
  if (margins) {
    std::string costs;
    for (const KernelTask& task : solved.tasks)
      costs += fmt::format("{}{}", costs.empty() ? "" : ",", task.machine.C);
    fit.model().facts.emplace_back("C", costs);
  } else {
    fit.proof.objective.reset();
    fit.proof.certificates.clear();
    fit.model().dual.clear();
  }
  const KernelMachine& only = solved.tasks[0].machine;
  if (reached && !fit.proof.objective) {
    fit.words.summary.emplace_back(
        "no C is named for which this is the svm: nothing is proved about this kernel");
  } else if (reached && one) {
    fit.words.summary.push_back(
        fmt::format("the same as svm with C = {:.8g}; margin rho = {:.8g}", only.C, only.rho));
    fit.trace.figures.emplace_back("C", only.C);
  } else if (reached) {
    const auto [least, most] =
        std::minmax_element(solved.tasks.begin(), solved.tasks.end(),
                            [](const auto& a, const auto& b) { return a.machine.C < b.machine.C; });
    fit.words.summary.push_back(
        fmt::format("the same as svm with a C of its own for each of the {} functions, {:.6g} to {:.6g}",
                    solved.tasks.size(), least->machine.C, most->machine.C));
  } else {
    fit.words.summary.push_back(
        margins ? fmt::format("nu {:.6g} was not reached: no C is known for which this is the svm", nu)
                : fmt::format(
                      "nu {:.6g} was not reached: no margin was found, and there is no C that stands for it",
                      nu));
    if (fit.answer.stop == Stop::Limit && !margins)
      fit.words.summary.emplace_back(
          "for a nu this small the classes may have no margin; a larger one gives a wider one");
  }
  if (one) fit.trace.figures.emplace_back("rho", only.rho);
}

// In six digits, never above the value.
std::string rounded_down(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded <= value ? text : fmt::format("{:.6g}", value * (1 - 1e-6));
}

}  // namespace

Fit solve(const Dataset& data, const NuSvm& options, const Run& given) {
  const Run run = begin_run(given);
  check_kernel(data, options.kernel.for_features(data.features()), largest_in_float);
  KernelClasses classes = kernel_classes(data, options.multiclass, 1.0, {});
  double largest = 1;
  for (const KernelTask& task : classes.tasks) largest = std::min(largest, largest_nu(task.problem));
  if (options.nu > largest) {
    throw UsageError(fmt::format("--nu {} is too large for the sizes of the classes: at most {} is feasible",
                                 options.nu, rounded_down(largest)));
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
  std::vector<double> values = fit.trace.scores;
  try {
    if (values.empty())
      values = function_values(std::get<KernelModel>(fit.model().form), false, data, closing_team(run));
  } catch (const Stopped& stopped) {  // no shares then, and no C that stands for nu
    fit.answer.stop = stop_of(stopped);
    fit.proof.certificates.clear();
    fit.model().dual.clear();
    fit.proof.objective.reset();
    fit.words.summary.emplace_back(
        "stopped before the shares were counted: nothing is proved about this model");
    return fit;
  }
  const Shares shares = worst_shares(solved, values);
  tell_costs(fit, solved, shares, options.nu);
  tell_shares(fit, shares, options.nu, solved.tasks.size() == 1,
              std::all_of(solved.tasks.begin(), solved.tasks.end(), has_margin));
  return fit;
}

}  // namespace halfspace
