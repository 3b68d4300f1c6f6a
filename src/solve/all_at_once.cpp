// SPDX-License-Identifier: BSD-3-Clause
// Softmax: from options to the problem, its solver, and a certificate that was not its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "certify/softmax_gap.hpp"
#include "core/row_sums.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/core/error.hpp"
#include "solve/convex/constant_plane.hpp"
#include "solve/convex/plane_solver.hpp"
#include "solve/convex/softmax.hpp"
#include "solve/penalised_wish.hpp"
#include "solve/sparse/zero_plane.hpp"

namespace halfspace {
namespace {

// The planes of the neighbour, all classes at once; false: there are none of this shape.
bool start_planes(const Neighbour* near, const SoftmaxProblem& problem, std::size_t features,
                  LinearModel& model) {
  if (near == nullptr || near->planes.size() != problem.classes()) return false;
  model = {.features = features, .planes = problem.classes()};
  for (const Neighbour::Plane& plane : near->planes) {
    if (plane.theta.size() != features) return false;
    model.weights.insert(model.weights.end(), plane.theta.begin(), plane.theta.end());
    model.offsets.push_back(plane.theta0);
  }
  return true;
}

void leave_planes(const LinearModel& model, double C, Neighbour& out) {
  out = {C, {}, nullptr};
  for (std::size_t k = 0; k < model.planes; ++k)
    out.planes.push_back(
        {.theta = {model.plane(k).begin(), model.plane(k).end()}, .theta0 = model.offsets[k]});
}

}  // namespace

void leave_out_proof(Fit& fit) {
  fit.proof.certificates.clear();
  fit.model().dual.clear();
  fit.proof.objective.reset();
  fit.words.notes.emplace_back("stopped before the gap was computed: nothing is proved about this model");
}

Fit solve_all_at_once(const Dataset& data, const Wish& wish, const Run& run) {
  const bool sparse = is_sparse_penalty(wish.penalty);
  if (wish.debias) throw UsageError("--debias is for planes one by one", "--multiclass one-vs-rest");
  const std::string_view solver = sparse ? "prox-newton" : "newton";
  const bool chosen = wish.solver == SolverName::Auto || (wish.solver == SolverName::Team && !sparse);
  if (!chosen && OptionType<SolverName>::print(wish.solver) != solver)
    throw UsageError(fmt::format("softmax with penalty {} is solved by {}",
                                 OptionType<Penalty>::print(wish.penalty), solver),
                     "--multiclass one-vs-rest for the other solvers");
  const Clock clock(run);
  const auto rows = RowAccess::of(data.matrix());
  const SoftmaxProblem problem = make_softmax_problem(data, wish.offset, wish.C, wish.weights, wish.penalty);
  Fit fit{.answer = {.model = Model{}}};
  SoftmaxSolution solution;  // the best so far
  DualityGap gap;
  bool proved = false;
  // False: stopped before the gap was computed; the first planes are kept without a proof.
  const auto offer = [&](SoftmaxSolution next, bool first) {
    check_weights(next.model.weights);
    DualityGap its;
    try {
      its = softmax_gap(problem, next.model, closing_members(run));
    } catch (const Stopped& stopped) {
      next.stop = stop_of(stopped);
      if (!proved) solution = std::move(next);
      return false;
    }
    proved = true;
    if (first || its.relative() <= wish.gap || !(its.primal >= gap.primal)) {
      gap = its;
      solution.model = std::move(next.model);
    }
    solution.iterations = next.iterations;
    solution.stop = gap.relative() <= wish.gap ? Stop::Converged : next.stop;
    return true;
  };
  // As for single planes: small objectives are solved to a gap beside that of no weights.
  const Team patient = patient_members(run);
  double without_weights = 0;
  add_in_turn(patient, without_weights, [&](double& to) {
    for (const double cost : problem.cost) to += cost;
  });
  without_weights *= std::log(static_cast<double>(problem.classes()));
  double wanted = 0.99 * wish.gap * std::clamp(without_weights, 1e-6, 1.0);
  const bool warm = start_planes(run.near.get(), problem, rows->cols(), solution.model);
  for (int attempt = 0; attempt < 4; ++attempt, wanted *= 0.1) {
    const Goal goal{wanted, run.seed, team_of(run),
                    clock,  nullptr,  Journal(run.checkpoint.get(), fmt::format("softmax {}", attempt))};
    const SoftmaxSolution* start = attempt > 0 || warm ? &solution : nullptr;
    SoftmaxSolution next;
    const auto read = [&](StateReader& in) {
      in.part(next);
      const LinearModel& model = next.model;
      if (model.features != rows->cols() || model.planes != problem.classes() ||
          model.weights.size() != model.features * model.planes || model.offsets.size() != model.planes)
        in.refuse("planes of other data");
    };
    if (!goal.keep.done(read)) {
      next = sparse ? solve_sparse_softmax(problem, *rows, goal, start)
                    : solve_softmax(problem, *rows, goal, start);
      if (next.stop != Stop::Time && next.stop != Stop::Cancelled)
        goal.keep.finish([&](StateWriter& to) { to.part(next); });
    }
    if (!offer(std::move(next), attempt == 0)) break;
    if (gap.relative() <= wish.gap || solution.stop != Stop::Converged) break;
    if (attempt == 3) solution.stop = Stop::Limit;
  }
  // Planes that are worse than ones that do not look at the rows are not returned.
  ConstantPlanes constant = best_constants(problem, patient);
  if (proved && !(gap.primal <= constant.objective * (1 + 1e-9))) {
    SoftmaxSolution zero{.iterations = solution.iterations, .stop = solution.stop};
    zero.model = {.features = rows->cols(), .planes = problem.classes()};
    zero.model.weights.assign(problem.classes() * rows->cols(), 0.0);
    zero.model.offsets = std::move(constant.offsets);
    if (!offer(zero, false)) {  // known to be better, with no time to prove it
      solution = std::move(zero);
      proved = false;
    }
  }
  if (run.leave != nullptr) leave_planes(solution.model, wish.C, *run.leave);
  fit.answer.stop = solution.stop;
  fit.trace.iterations = solution.iterations;
  fit.proof.certificates.emplace_back(gap);
  fit.proof.objective = Objective{gap.primal, gap.dual};
  if (!proved) leave_out_proof(fit);
  fit.words.notes.push_back(softmax_formula(wish.penalty, wish.offset, wish.C));
  fit.words.notes.push_back(fmt::format("solved by {}", solver));
  if (sparse) {
    double factor = std::numeric_limits<double>::infinity();
    try {
      factor = zero_factor(problem, *rows, closing_team(run));
    } catch (const Stopped&) {  // not said
    }
    describe_zeros(solution.model, wish.C, factor, false, fit);
  }
  fit.model().form = std::move(solution.model);
  return fit;
}

}  // namespace halfspace
