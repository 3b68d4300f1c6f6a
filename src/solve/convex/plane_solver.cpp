// SPDX-License-Identifier: BSD-3-Clause
#include "solve/convex/plane_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "certify/duality_gap.hpp"
#include "core/row_sums.hpp"
#include "halfspace/core/error.hpp"
#include "solve/convex/constant_plane.hpp"
#include "solve/convex/cost_model.hpp"

namespace halfspace {
namespace {

DualPoint point_of(const std::vector<double>& alpha) {
  DualPoint out;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (alpha[i] > 0) {
      out.rows.push_back(static_cast<std::uint32_t>(i));
      out.alpha.push_back(alpha[i]);
    }
  }
  return out;
}

struct Solver {
  SolverName name;
  bool (*handles)(const Loss&, const Penalty&);
  bool by_sums;  // it reaches rows through sums over all of them alone, so that several members can run it
};
constexpr Solver solvers_of_planes[] = {{SolverName::DualDescent, dual_descent_handles, false},
                                        {SolverName::Semismooth, semismooth_handles, true},
                                        {SolverName::Newton, newton_handles, true},
                                        {SolverName::ProxNewton, prox_newton_handles, false}};

std::vector<SolverName> able_solvers(const Loss& loss, const Penalty& penalty, bool by_sums) {
  std::vector<SolverName> out;
  for (const Solver& solver : solvers_of_planes)
    if (solver.handles(loss, penalty) && (solver.by_sums || !by_sums)) out.push_back(solver.name);
  return out;
}
bool among(const std::vector<SolverName>& all, SolverName one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

[[noreturn]] void refuse_solver(SolverName wanted, const Loss& loss, const Penalty& penalty,
                                const std::vector<SolverName>& able) {
  std::vector<std::string> names;
  names.reserve(able.size());
  for (const SolverName one : able) names.push_back(OptionType<SolverName>::print(one));
  const std::string problem =
      fmt::format("{} loss with penalty {}", name_of(loss), OptionType<Penalty>::print(penalty));
  if (names.empty())
    throw UsageError(fmt::format("no solver handles {}", problem),
                     is_sparse_penalty(penalty) ? "--loss squared-hinge or --loss smooth-hinge" : "");
  throw UsageError(
      fmt::format("--solver {} does not handle {}", OptionType<SolverName>::print(wanted), problem),
      fmt::format("--solver {}", fmt::join(names, " or ")));
}

// Who reaches rows by sums over all of them alone, and what he can do instead.
struct BySums {
  bool in_files;  // rows that do not stay in memory; otherwise several members
  [[nodiscard]] const char* cannot() const {
    return in_files ? "which rows that lie in files (--memory) are too slow for"
                    : "which several members cannot do";
  }
  [[nodiscard]] const char* otherwise() const { return in_files ? "no --memory" : "one process"; }
};

[[noreturn]] void refuse_by_sums(SolverName wanted, const Loss& loss, const Penalty& penalty,
                                 const std::vector<SolverName>& able, const BySums& who) {
  const std::string problem =
      fmt::format("{} loss with penalty {}", name_of(loss), OptionType<Penalty>::print(penalty));
  if (able.empty())
    throw UsageError(
        fmt::format("{} is solved from row to row or column to column, {}", problem, who.cannot()),
        fmt::format("{}, or --penalty l2", who.otherwise()));
  throw UsageError(fmt::format("--solver {} goes from row to row, {}", OptionType<SolverName>::print(wanted),
                               who.cannot()),
                   fmt::format("--solver {}", OptionType<SolverName>::print(able.back())));
}

// Auto, or its word for a team: no solver is named.
bool is_open(SolverName wanted) { return wanted == SolverName::Auto || wanted == SolverName::Team; }

// What `auto` stands for where sums are all there is, and `team` everywhere.
SolverName choose_by_sums(SolverName wanted, SolverName alone, const Loss& loss, const Penalty& penalty,
                          std::size_t features, const BySums& who) {
  const std::vector<SolverName> able = able_solvers(loss, penalty, true);
  if (able.empty() || (!is_open(wanted) && !among(able, wanted)))
    refuse_by_sums(wanted, loss, penalty, able, who);
  const SolverName out = among(able, alone) ? alone : able.back();
  if (is_open(wanted) && out == SolverName::Semismooth && features > cost_model::most_factored_columns)
    throw UsageError(
        fmt::format("the {} loss with {} features is solved by dual descent, which goes from row to row, {} "
                    "(up to {} features there is another solver)",
                    name_of(loss), features, who.cannot(), cost_model::most_factored_columns),
        fmt::format("--loss squared-hinge or --loss smooth-hinge, or {}", who.otherwise()));
  return out;
}

// Solvers in the order in which they are tried.
std::vector<SolverName> ladder(SolverName wanted, const Problem& problem, const RowAccess& rows,
                               const Team& team, bool near) {
  if (!problem.usable.empty()) return {SolverName::ProxNewton};  // the one that leaves columns out
  const bool in_files = problem.data->spill() != nullptr;
  SolverName first = choose_solver(wanted, problem.loss, problem.penalty, rows, team, in_files);
  // Next to the optimum a few Newton steps are done before dual descent has its first passes behind it; those of a squared
  // hinge where the penalty weighs so much that conjugate gradients are few.
  const bool logistic = std::holds_alternative<Logistic>(problem.loss);
  const bool squared = std::holds_alternative<SquaredHinge>(problem.loss);
  if (near && (logistic || squared) && wanted == SolverName::Auto &&
      newton_handles(problem.loss, problem.penalty) &&
      (logistic || curvature_sum(problem, rows, team) <= cost_model::light_curvature))
    first = SolverName::Newton;
  std::vector<SolverName> out{first};
  if (!is_open(wanted)) return out;
  const bool by_sums = in_files || !team.alone() || wanted == SolverName::Team;
  for (const SolverName next : able_solvers(problem.loss, problem.penalty, by_sums))
    if (next != first && (next != SolverName::Semismooth || rows.cols() <= cost_model::most_factored_columns))
      out.push_back(next);
  return out;
}

Solution run_solver(SolverName solver, const Problem& problem, const RowAccess& rows, const Goal& goal,
                    Solution* start, bool near) {
  if (solver == SolverName::Newton) return solve_newton(problem, rows, goal, start);
  if (solver == SolverName::ProxNewton) return solve_prox_newton(problem, rows, goal, start);
  // Where it has stopped short itself, it had better begin anew.
  if (solver == SolverName::Semismooth) return solve_semismooth(problem, rows, goal, near ? start : nullptr);
  return solve_dual_descent(problem, rows, goal, start);
}

class Search {
 public:
  Search(const Problem& problem, double gap, const Run& run) : p_(problem), gap_(gap), run_(run) {}

  PlaneAnswer best;
  bool found = false;

  [[nodiscard]] bool reached() const { return found && best.proved && best.gap.relative() <= gap_; }

  // Certifies what a solver has to offer and keeps what is better than before.
  void offer(Solution solution, SolverName from) {
    check_weights(solution.theta);
    const Team team = closing_members(run_);
    const bool smooth = is_smooth(p_.loss);
    DualPoint point = point_of(solution.alpha);
    solution.alpha = {};
    // A smooth loss needs no point when the one that follows from the margins is good enough.
    DualityGap own;
    if (smooth) own = duality_gap(p_, solution.theta, solution.theta0, std::nullopt, team);
    const bool has_point = team.any(!point.rows.empty());
    if (smooth && (own.relative() <= gap_ || !has_point)) {
      spare_ = std::exchange(point, {});
    } else {
      own = duality_gap(p_, solution.theta, solution.theta0, point, team);
    }
    const bool better = !found || !(own.primal >= best.gap.primal) || own.relative() <= gap_;
    if (!better && !has_point) {
      best.solution.iterations = std::max(best.solution.iterations, solution.iterations);
      return;
    }
    PlaneAnswer last = std::exchange(best, PlaneAnswer{});
    const std::uint64_t iterations = std::max(last.solution.iterations, solution.iterations);
    if (better) {
      best = {std::move(solution), own, true, std::move(point), {}, from, last.stopped};
      best.spare = std::move(spare_);
      std::swap(last.dual, point);
    } else {
      best = std::move(last);
    }
    best.solution.iterations = iterations;
    // The plane of one with the point of the other.
    if (found && best.gap.relative() > gap_ && team.any(!point.rows.empty())) {
      const DualityGap both = duality_gap(p_, best.solution.theta, best.solution.theta0, point, team);
      if (both.dual > best.gap.dual) {
        best.gap = both;
        best.dual = std::move(point);
      }
    }
    found = true;
  }

  // A model that is worse than one that does not look at the rows is not returned.
  void hold_constant() {
    const ConstantPlane constant = best_constant(p_, patient_members(run_));
    if (!best.proved || (found && best.gap.primal <= constant.objective * (1 + 1e-9))) return;
    Solution zero{std::vector<double>(p_.features(), 0.0),
                  constant.theta0,
                  {},
                  best.solution.iterations,
                  best.solution.stop,
                  {}};
    if (!is_sparse_penalty(p_.penalty)) zero.alpha = p_.cost;
    try {
      offer(zero, best.solver);
    } catch (const Stopped&) {  // known to be better, with no time to prove it
      best.solution = std::move(zero);
      best.dual = {};
      best.proved = false;
    }
  }

 private:
  const Problem& p_;
  double gap_;
  const Run& run_;
  DualPoint spare_;  // of the last one that was offered
};

// The claim measures gaps of objectives below 1 against 1. With little weight on the losses the plane without weights would
// do for that, though it says nothing: solvers aim at the gap beside the objective of that plane.
double small_objective(const Problem& problem, const Team& team) {
  double zero = 0;
  add_in_turn(team, zero, [&](double& to) {
    for (const double cost : problem.cost) to += cost;
  });
  zero *= std::visit([](auto loss) { return loss.value(0); }, problem.loss);
  return std::clamp(zero, 1e-6, 1.0);
}

}  // namespace

SolverName choose_solver(SolverName wanted, const Loss& loss, const Penalty& penalty, const RowAccess& rows,
                         const Team& team, bool in_files) {
  const std::vector<SolverName> able = able_solvers(loss, penalty, false);
  if (able.empty() || (!is_open(wanted) && !among(able, wanted))) refuse_solver(wanted, loss, penalty, able);
  const std::size_t d = rows.cols();
  // Few features: the last of the able ones, which factors a matrix. Many: dual descent comes first, where it can.
  const SolverName best = cost_model::wants_factor(team.total(rows.rows()), d) ? able.back() : able.front();
  const SolverName chosen = is_open(wanted) ? best : wanted;
  if (team.alone() && !in_files && wanted != SolverName::Team) return chosen;
  return choose_by_sums(wanted, chosen, loss, penalty, d, {team.alone() && in_files});
}

void check_weights(const std::vector<double>& weights) {
  for (const double w : weights)
    if (!std::isfinite(w)) throw std::range_error("a weight is not finite");
}

PlaneAnswer solve_plane(const Problem& problem, const RowAccess& rows, SolverName wanted, double gap,
                        const Run& run, const Clock& clock, const CurvatureMatrix* first,
                        const PlaneAnswer* before, Solution* near, const Journal& keep) {
  Search search(problem, gap, run);
  if (before != nullptr) {
    search.best = *before;
    search.found = true;
  }
  Stop stop = Stop::Limit;
  SolverName last = SolverName::Auto;
  const Team patient = patient_members(run);
  const std::vector<SolverName> solvers = ladder(wanted, problem, rows, patient, near != nullptr);
  const double small = small_objective(problem, patient);
  int call = 0;
  for (const SolverName solver : solvers) {
    if (search.found && last != SolverName::Auto) search.best.stopped = last;
    last = solver;
    double goal_gap = 0.99 * gap * small;
    for (int attempt = 0; attempt < 4; ++attempt, goal_gap *= 0.1) {
      const Goal goal{
          goal_gap,     run.seed,
          team_of(run), clock,
          first,        keep.below(fmt::format("{}-{}", call++, OptionType<SolverName>::print(solver)))};
      Solution start;
      const bool begins = search.found || near != nullptr, from_near = near != nullptr;
      if (near != nullptr) start = std::move(*std::exchange(near, nullptr));
      if (search.found) {
        start = search.best.solution;
        start.scores.clear();  // what they have lost to rounding may be why this goes on
        start.alpha.assign(search.best.dual.rows.empty() ? 0 : problem.rows(), 0.0);
        for (std::size_t k = 0; k < search.best.dual.rows.size(); ++k)
          start.alpha[search.best.dual.rows[k]] = search.best.dual.alpha[k];
      }
      Solution solution;
      try {
        solution = keep_solution(goal.keep, rows, [&] {
          return run_solver(solver, problem, rows, goal, begins ? &start : nullptr, from_near);
        });
        stop = solution.stop;
        search.offer(solution, solver);
      } catch (const Stopped& stopped) {
        stop = stop_of(stopped);
        if (!search.found && solution.theta.empty()) throw;
        if (!search.found) {  // a plane without its proof
          search.best.solution = std::move(solution);
          search.best.solver = solver;
          search.best.proved = false;
        }
      } catch (const std::range_error&) {
        // Numbers beyond double for this solver; the other one may do without its matrix.
        if (solver == solvers.back() && !search.found) throw;
        stop = Stop::Limit;
      }
      if (search.reached() || stop != Stop::Converged) break;
      stop = Stop::Limit;
    }
    if (search.reached() || stop == Stop::Time || stop == Stop::Cancelled) break;
  }
  search.hold_constant();
  if (search.best.proved && !std::isfinite(search.best.gap.gap()))
    throw std::range_error("nothing can be proved: sums over the rows leave the range of double");
  search.best.solution.stop = search.reached() ? Stop::Converged : stop;
  return std::move(search.best);
}

}  // namespace halfspace
