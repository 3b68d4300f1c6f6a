// SPDX-License-Identifier: BSD-3-Clause
// What the solvers of penalised problems have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "data/storage/row_access.hpp"
#include "halfspace/core/team.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/fit.hpp"
#include "solve/convex/clock.hpp"
#include "solve/convex/solver_state.hpp"

namespace halfspace {

class CurvatureMatrix;

// What a solver is asked for: a relative gap by its own reckoning, within limits.
struct Goal {
  double gap = 1e-4;
  std::uint64_t seed = 1;
  Team team;  // the rows of a problem are those of this member
  const Clock& clock;
  const CurvatureMatrix* first =
      nullptr;        // of the zero plane, made once for problems that differ in their labels alone
  Journal keep = {};  // where the solver leaves its state now and then

  // True: go on. False: stop now, `why` says why; all members say the same.
  [[nodiscard]] bool go_on(const Progress& progress, Stop& why) const {
    const StopCause cause = team.agree(clock.cause(progress));
    if (cause != StopCause::None) why = stop_of(cause);
    return cause == StopCause::None;
  }
};

struct Solution {
  std::vector<double> theta;
  double theta0 = 0;
  std::vector<double> alpha;  // dual value of every row; empty: the certificate takes it from the margins
  std::uint64_t iterations = 0;
  Stop stop = Stop::Converged;
  // theta . x of every row, or of those with a cost, up to rounding; empty: not known. Where the next one starts, no proof.
  std::vector<double> scores;

  template <class Archive>
  void state(Archive& a) {
    a(theta, theta0, alpha, iterations, stop);
  }
};

// solve() with its answer kept, or the answer that was kept before. One that a limit of time has cut short is not.
template <class Solve>
[[nodiscard]] Solution keep_solution(const Journal& keep, const RowAccess& rows, const Solve& solve) {
  Solution out;
  const auto read = [&](StateReader& in) {
    in.part(out);
    if (out.theta.size() != rows.cols() || (!out.alpha.empty() && out.alpha.size() != rows.rows()))
      in.refuse("a plane of other data");
  };
  if (keep.done(read)) return out;
  out = solve();
  if (out.stop != Stop::Time && out.stop != Stop::Cancelled)
    keep.finish([&](StateWriter& to) { to.part(out); });
  return out;
}

// Which problems a solver can do. It is asked before it is run: choose_solver() takes no other, and refuses one that was
// asked for by name.
[[nodiscard]] bool newton_handles(const Loss& loss, const Penalty& penalty);
[[nodiscard]] bool dual_descent_handles(const Loss& loss, const Penalty& penalty);
[[nodiscard]] bool semismooth_handles(const Loss& loss, const Penalty& penalty);
[[nodiscard]] bool prox_newton_handles(const Loss& loss, const Penalty& penalty);

// `start`: what to start from, or null: a plane, and for dual descent a dual point if there is one.

// Smooth losses: damped Newton steps, by Cholesky or by preconditioned conjugate gradients.
[[nodiscard]] Solution solve_newton(const Problem& problem, const RowAccess& rows, const Goal& goal,
                                    Solution* start = nullptr);
// The sum of the eigenvalues of H less the penalty's, with every row where its loss bends most (from some of the rows).
[[nodiscard]] double curvature_sum(const Problem& problem, const RowAccess& rows, const Team& team);
// What solve_newton makes of H at the zero plane; null where it does without.
[[nodiscard]] std::unique_ptr<CurvatureMatrix> first_factor(const Problem& problem, const RowAccess& rows,
                                                            const Team& team);
// Losses with a quadratic gain, and the logistic loss: coordinate steps in the dual.
[[nodiscard]] Solution solve_dual_descent(const Problem& problem, const RowAccess& rows, const Goal& goal,
                                          Solution* start = nullptr);
// Hinge with few features: augmented Lagrangian with semismooth Newton steps. Starts from a plane with its dual point.
[[nodiscard]] Solution solve_semismooth(const Problem& problem, const RowAccess& rows, const Goal& goal,
                                        const Solution* start = nullptr);
// Smooth losses with a penalty that makes weights 0: proximal Newton steps on a working set (solve/sparse/).
[[nodiscard]] Solution solve_prox_newton(const Problem& problem, const RowAccess& rows, const Goal& goal,
                                         Solution* start = nullptr);

}  // namespace halfspace
