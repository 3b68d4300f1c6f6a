// SPDX-License-Identifier: BSD-3-Clause
// The dual of a kernel problem by working sets. Variables beta_i = y_i alpha_i between lower_i and upper_i;
// slopes F_i = target_i - sum_j beta_j K_ij. Moving beta_i up and beta_j down by the same amount gains while
// F_i > F_j, so the point is optimal when no variable that may rise has a larger slope than one that may
// fall.
//   svm     target_i = y_i; all variables are exchanged
//   nu-svm  target_i = 0; only variables of one class are exchanged, so the sums of both classes stay what
//   they were
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/kernel/rows.hpp"
#include "solve/convex/clock.hpp"
#include "solve/kernel/row_cache.hpp"

namespace halfspace {

struct SmoProblem {
  const KernelRows<float>* rows = nullptr;
  const KernelRows<double>* precise = nullptr;  // the same rows, where products in float are too coarse
  KernelFunction kernel;
  std::vector<std::int8_t> y;
  std::vector<double> target, lower, upper;
  bool by_class = false;  // nu-svm
  std::uint64_t cache_bytes = 0;
  std::uint64_t seed = 1;
  Threads threads{1};
};

// How far the point is from the optimum, by the solver's own reckoning.
struct SmoState {
  double offset = 0;
  double rho = 1;  // nu-svm: the margin, in units of which alpha and C are measured
  double primal = 0, gap = 0;
  double apart = 0;  // largest difference of slopes
  [[nodiscard]] double relative() const { return gap / (primal > 1 ? primal : 1); }
};

class KernelSmo {
 public:
  // `cache`: rows of values that another problem on these very rows has left, or an empty one.
  explicit KernelSmo(SmoProblem problem, KernelRowCache cache = {});

  // Starts from a feasible point; its slopes are computed.
  void start(std::vector<double> beta);
  // From a feasible point whose slopes are known.
  void start(std::vector<double> beta, const std::vector<double>& slopes) {
    beta_ = std::move(beta);
    set_slopes(slopes);
  }
  // The exact slopes of the present point, computed elsewhere.
  void set_slopes(const std::vector<double>& slopes);

  enum class End { Reached, Stalled, Stopped };
  // Until the relative gap is at most `gap`.
  End run(double gap, const Clock& clock, Stop& why);

  [[nodiscard]] const std::vector<double>& beta() const { return beta_; }
  [[nodiscard]] std::vector<double> slopes() const {
    return {slope_.begin(), slope_.begin() + static_cast<std::ptrdiff_t>(n_)};
  }
  [[nodiscard]] KernelRowCache release_cache() { return std::move(cache_); }
  [[nodiscard]] const SmoState& state() const { return state_; }
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  // A pair of rows was met that no positive semidefinite kernel allows.
  [[nodiscard]] bool indefinite() const { return least_curvature_ < -1e-4; }

 private:
  struct Candidate {
    double key;
    std::uint32_t rank, row;
  };

  void look();
  void choose_set();
  void add_sums(const std::vector<std::uint32_t>& rows, const std::vector<double>& weights);
  void block_values(const std::vector<std::uint32_t>& fresh, AlignedVector<float>& values);
  void fill_set(std::vector<Candidate>& up, std::vector<Candidate>& low);
  void compute_block();
  [[nodiscard]] const float* row_of(std::size_t i);  // whole_ only
  template <class T>
  double solve_set();
  void move_slopes(const std::vector<double>& before);

  SmoProblem p_;
  std::size_t n_;
  std::vector<double> beta_, slope_;
  std::vector<std::uint32_t> rank_;  // breaks ties without favour to the order of the file
  SmoState state_;
  double threshold_[2] = {0, 0};  // of the classes -1 and +1; the same for both unless by_class
  std::uint64_t iterations_ = 0;
  double least_curvature_ = 0;
  bool in_double_ = false;

  std::vector<std::uint32_t> set_;      // rows of the working set, class -1 first when by_class
  std::vector<std::uint64_t> entered_;  // when they came in
  std::vector<std::uint32_t> old_set_;
  std::vector<std::uint64_t> old_entered_;
  std::vector<std::uint32_t> place_;  // of a row in the set; UINT32_MAX: not in it
  AlignedVector<float> block_, old_block_;
  std::size_t block_stride_ = 0;

  std::size_t set_size_ = 0;
  bool whole_ = false;  // the set is all rows, and the cache has room for all of the kernel matrix
  KernelRowCache cache_;
};

}  // namespace halfspace
