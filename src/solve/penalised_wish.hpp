// SPDX-License-Identifier: BSD-3-Clause
// What the options of svm and logistic come to, and who solves it: planes one by one (penalised.cpp), or all classes at once.
#pragma once

#include <vector>

#include "halfspace/solve/penalised.hpp"

namespace halfspace {

struct Wish {
  Loss loss;
  Penalty penalty;
  Offset offset;
  double C, gap;
  SolverName solver;
  std::vector<double> weights;
  bool debias = false;
};

// No gap of all planes together without those of each.
void leave_out_proof(Fit& fit);

// Softmax.
[[nodiscard]] Fit solve_all_at_once(const Dataset& data, const Wish& wish, const Run& run);

}  // namespace halfspace
