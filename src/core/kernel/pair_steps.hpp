// SPDX-License-Identifier: BSD-3-Clause
// Sequential minimal optimisation on a small problem: maximise
// F . beta - 1/2 beta' K beta by moving two variables at a time against each other, the first the one that
// gains most per unit, the second the one that gains most with it (Fan, Chen, Lin: "Working set selection
// using second order information for training support vector machines", JMLR 2005).
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfspace::detail {

inline constexpr std::size_t pair_padding = 16;  // sizes and the split are multiples of this

// T: the precision of the slopes F. Entries that only pad have lower = upper = 0.
template <class T>
struct PairProblem {
  std::size_t size = 0;
  std::size_t split = 0;          // variables before and from here on are not exchanged; size: all are
  const float* kernel = nullptr;  // row after row
  std::size_t stride = 0;
  // In place of `kernel`: rows that are computed when a step first needs them.
  const float* (*row)(void* keeper, std::size_t i) = nullptr;
  void* keeper = nullptr;
  const float* diagonal = nullptr;
  T* slope = nullptr;  // F, kept up to date
  T* up = nullptr;     // working memory
  T* low = nullptr;
  double* beta = nullptr;
  const double* lower = nullptr;
  const double* upper = nullptr;
  double stop = 0;  // when no pair is further apart than this
  std::uint64_t most = 0;
};
struct PairResult {
  std::uint64_t steps = 0;
  double apart = 0;      // largest difference of slopes that is left
  double curvature = 0;  // the least that was met, relative to the two diagonal values
};

PairResult pair_steps(const PairProblem<float>& problem);
PairResult pair_steps(const PairProblem<double>& problem);

// f[i] -= sum over k of weight[k] rows[k][i] for i in [begin, end).
void subtract_rows(const float* const* rows, const double* weight, std::size_t count, std::size_t begin,
                   std::size_t end, double* f);

}  // namespace halfspace::detail
