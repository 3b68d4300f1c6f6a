// SPDX-License-Identifier: BSD-3-Clause
// Support vector machines with any inner product: from options to problems of two classes, to their solution
// by working sets, to a certificate that is not the solver's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "halfspace/certify/certificate.hpp"
#include "halfspace/objective/problem.hpp"
#include "halfspace/solve/penalised.hpp"
#include "solve/convex/clock.hpp"

namespace halfspace {

// One function between two classes.
struct KernelMachine {
  DualPoint dual;  // rows of the problem
  double offset = 0;
  DualityGap gap;
  double C = 0;    // nu-svm: the C that has the same solution
  double rho = 1;  // nu-svm: the margin for alpha <= 1
  std::uint64_t rounds = 0;
  Stop stop = Stop::Converged;
  bool indefinite = false;
  bool proved = true;  // false: stopped before the gap was computed; the point is the best so far
  std::vector<double>
      scores;  // of every row, if asked for; 0 where rounding may have turned the sign, and for absent rows
};

class KernelData;

// What solving a problem of two classes leaves for another one on the same rows with another C: the packed rows and the rows
// of the kernel matrix. Whoever comes next takes it whole.
class KernelRoom {
 public:
  struct Kept;
  explicit KernelRoom(std::unique_ptr<Kept> kept);
  ~KernelRoom();
  KernelRoom(const KernelRoom&) = delete;
  KernelRoom& operator=(const KernelRoom&) = delete;
  [[nodiscard]] std::unique_ptr<Kept> take() const;  // null: somebody has it

 private:
  mutable std::mutex guard_;
  mutable std::unique_ptr<Kept> kept_;
};

struct KernelGoal {
  KernelFunction kernel;
  double gap = 1e-3;
  std::uint64_t cache_bytes = 0;
  std::uint64_t seed = 1;
  Threads threads{1};
  bool keep_scores = false;
  const KernelData* data = nullptr;  // what problems on the same rows share; null: each finds it for itself
  const Neighbour* near = nullptr;   // of the same rows with another C; null: begin at zero
  Neighbour* leave = nullptr;        // where this one's end goes; null: nobody wants it
  double C = 0;                      // of these costs, where either is there
};

// Hinge loss, free offset; rows of cost 0 are absent.
[[nodiscard]] KernelMachine solve_machine(const Problem& problem, const KernelGoal& goal, const Clock& clock);
// The same with sum alpha_i = nu sum cost_i in place of C; costs are the weights of the rows.
[[nodiscard]] KernelMachine solve_nu_machine(const Problem& problem, double nu, const KernelGoal& goal,
                                             const Clock& clock);

// Machines for two or more classes, put together as one model.
struct KernelTask {
  Problem problem;
  KernelMachine machine;
};
struct KernelClasses {
  std::vector<KernelTask> tasks;
  bool pairs = false;
};
// The problems of two classes that many classes come to.
[[nodiscard]] KernelClasses kernel_classes(const Dataset& data, ManyClasses how, double C,
                                           const std::vector<double>& weights);
// Solves all of them: one after the other with all threads, or several at once with one thread each.
using MachineSolver = std::function<KernelMachine(const Problem&, const KernelGoal&, const Clock&)>;
void solve_tasks(KernelClasses& classes, const KernelGoal& goal, const Run& run, const MachineSolver& solve);
// Model, certificates, figures and notes.
[[nodiscard]] Fit kernel_fit(const Dataset& data, const KernelFunction& kernel, KernelClasses classes,
                             bool keep_dual);

[[nodiscard]] Fit solve_kernel_svm(const Dataset& data, const Svm& options, const Run& run);

}  // namespace halfspace
