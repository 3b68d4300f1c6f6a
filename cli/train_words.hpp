// SPDX-License-Identifier: BSD-3-Clause
// What training came to, for a person, in at most eight lines. The rest is there with --verbose.
#pragma once

#include <string>
#include <vector>

#include "halfspace/solve/fit.hpp"
#include "output.hpp"
#include "row_facts.hpp"

namespace halfspace::cli {

struct Trained {
  const RowFacts& rows;
  const Fit& fit;
  std::string test;  // what is said of rows that were not trained on; empty: nothing
  std::string data_path, model_path, algorithm;
  double seconds = 0;  // of the solver
};
void print_short(const Trained& trained, const Output& output);

// Notes that say how the problem was solved: the short form has the formula in a line of its own, and leaves the others out.
[[nodiscard]] bool is_about_solving(const std::string& note);

}  // namespace halfspace::cli
