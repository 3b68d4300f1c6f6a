// SPDX-License-Identifier: BSD-3-Clause
// One penalised problem of two classes, solved and certified: which solver, what comes when it stops short, and what
// is returned at worst.
//
// Solver     few features: Newton steps, for the hinge semismooth ones; otherwise dual descent.
// Fallback   `auto`: a solver that stops at its limit is followed by the other one that can do the problem, from
//            where the first one stopped if it can use that.
// Answer     the plane with the smallest objective and the dual point with the largest one of all that were seen,
//            never worse than the best constant.
#pragma once

#include <cstdint>
#include <optional>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/model/model.hpp"
#include "halfspace/solve/penalised.hpp"
#include "solve/convex/solver.hpp"

namespace halfspace {

// The solver that `auto` stands for, by the shape of all rows. One that was asked for and does not handle the problem is
// refused, with those that do (UsageError); so are those that go from row to row where there are several members, or where
// the rows lie in files.
[[nodiscard]] SolverName choose_solver(SolverName wanted, const Loss& loss, const Penalty& penalty,
                                       const RowAccess& rows, const Team& team, bool in_files);

struct PlaneAnswer {
  Solution solution;  // its alpha has been used up
  DualityGap gap;
  bool proved = true;                     // false: stopped before the gap was computed
  DualPoint dual;                         // empty: the point that follows from the margins
  DualPoint spare;                        // then the one that the solver had, if it had one
  SolverName solver = SolverName::Auto;   // whose plane it is
  SolverName stopped = SolverName::Auto;  // what stopped at its limit before another one went on; Auto: none

  template <class Archive>
  void state(Archive& a) {
    a.part(solution);
    a(gap, proved, dual.rows, dual.alpha, spare.rows, spare.alpha, solver, stopped);
  }
};

// `gap`: relative. `before`: an answer to the same problem that is to be improved, or null. `near`: where a problem like it
// ended (start_near), which is used up, or null. `keep`: where its solvers leave what they have done.
[[nodiscard]] PlaneAnswer solve_plane(const Problem& problem, const RowAccess& rows, SolverName wanted,
                                      double gap, const Run& run, const Clock& clock,
                                      const CurvatureMatrix* first, const PlaneAnswer* before = nullptr,
                                      Solution* near = nullptr, const Journal& keep = {});

// std::range_error: a weight is not finite.
void check_weights(const std::vector<double>& weights);

}  // namespace halfspace
