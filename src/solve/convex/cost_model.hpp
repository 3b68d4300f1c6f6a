// SPDX-License-Identifier: BSD-3-Clause
// What is decided by the shape of a problem before or while it is solved: which solver is tried first, what it does with
// matrices, where another one takes over. All in one place; bench/solvers says what it is worth: how far `--solver auto` is from
// the best solver on every shape. Nothing here looks at the number of threads, on which no bit of an answer depends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace::cost_model {

// A matrix of all columns is made and factored. At C = 1 and gap 1e-3, whole runs by the processor on bench/shapes: with 3 to 300
// columns dual descent takes 1.1 to 15 times as long as the solvers with a matrix (at C = 100 2 to more than 40 times), with 5000
// and more columns those with a matrix take 1.1 to 3 times as long as dual descent (the hinge: not done in 40 times). With fewer
// than a quarter as many rows as columns the matrix is all penalty.
inline constexpr std::size_t few_columns = 1500;
[[nodiscard]] bool wants_factor(std::size_t rows, std::size_t columns);
// Above, the failure of no other solver is worth a factor.
inline constexpr std::size_t most_factored_columns = 4000;

// Newton steps on the squared hinge beside a start nearby, up to this sum of the eigenvalues of its part of H: where the penalty
// weighs so much, conjugate gradients are few (bench/NOTES.md, tune).
inline constexpr double light_curvature = 300;

// H itself, corrected by the rows that enter and leave, rather than conjugate gradients with a sample of it, for losses of
// parabolas: with few columns, or with a mean eigenvalue so large that a sample is too rough.
inline constexpr std::size_t always_corrected_columns = 400;
inline constexpr double rough_curvature = 5e4;
// The same from the first step on that took this many products.
inline constexpr int products_worth_matrix = 30;

// Panels of columns, a pass of which is rows * (columns + 1)^2 / 2 multiplications in vectors and needs no storage for a row
// (solve/narrow/): up to 64 columns, where the matrix of a panel stays in the nearest cache; from 480 rows for an unknown on, so
// that a sixteenth of them is a sample; and with rows so full that multiplying with zeros costs less than finding entries (a
// multiplication with a zero is 0.35 of an entry that has to be found).
inline constexpr std::size_t most_narrow_columns = 64;
[[nodiscard]] bool enough_for_panels(std::size_t rows, std::size_t columns);
[[nodiscard]] bool full_enough_for_panels(std::size_t rows, std::size_t columns, std::uint64_t entries);

// So many more passes of dual descent cost about as much as the steps that come instead: over the free rows at once, or of Newton
// for the logistic loss.
[[nodiscard]] double patience_of_passes(bool logistic);

}  // namespace halfspace::cost_model
