// SPDX-License-Identifier: BSD-3-Clause
// From options to problems, from problems to a solver, and from its answer to a certificate that was not its
// own.
#include "halfspace/solve/penalised.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "halfspace/certify/duality_gap.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "solve/kernel_svm.hpp"
#include "solve/solver.hpp"

namespace halfspace {
namespace {

// Semismooth and direct Newton steps factor a matrix of this many unknowns; above, the factor costs too much.
constexpr std::size_t few_features = 1500;

struct Wish {
  Loss loss;
  Offset offset;
  double C, gap;
  SolverName solver;
  std::vector<double> weights;
};

SolverName choose(const Wish& wish, const RowAccess& rows) {
  const bool hinge = std::holds_alternative<Hinge>(wish.loss);
  if (wish.solver != SolverName::Auto) {
    if (hinge && wish.solver == SolverName::Newton)
      throw UsageError(
          "--solver newton needs a smooth loss; for the hinge there are dual-descent and semismooth");
    if (!hinge && wish.solver == SolverName::Semismooth)
      throw UsageError("--solver semismooth is for the hinge; smooth losses have newton and dual-descent");
    return wish.solver;
  }
  const std::size_t d = rows.cols();
  const bool few = d <= few_features && rows.rows() * 4 >= d;
  if (hinge) return few ? SolverName::Semismooth : SolverName::DualDescent;
  return few ? SolverName::Newton : SolverName::DualDescent;
}

struct Answer {
  Solution solution;
  DualityGap gap;
  DualPoint dual;
  SolverName solver = SolverName::Auto;
};

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

Answer solve_binary(const Problem& problem, const RowAccess& rows, const Wish& wish, const Run& run,
                    const Clock& clock) {
  Answer best;
  best.solver = choose(wish, rows);
  double wanted = 0.9 * wish.gap;
  for (int attempt = 0; attempt < 4; ++attempt, wanted *= 0.1) {
    const Goal goal{wanted, run.seed, run.threads, clock};
    Solution solution = best.solver == SolverName::Newton       ? solve_newton(problem, rows, goal)
                        : best.solver == SolverName::Semismooth ? solve_semismooth(problem, rows, goal)
                                                                : solve_dual_descent(problem, rows, goal);
    DualPoint point = point_of(solution.alpha);
    // A smooth loss needs no point when the one that follows from the margins is good enough.
    const bool smooth = !std::holds_alternative<Hinge>(problem.loss);
    DualityGap gap;
    if (smooth) gap = duality_gap(problem, solution.theta, solution.theta0, std::nullopt, run.threads);
    if (!smooth || (gap.relative() > wish.gap && !point.rows.empty())) {
      gap = duality_gap(problem, solution.theta, solution.theta0, point, run.threads);
    } else {
      point = {};
    }
    if (attempt == 0 || gap.relative() < best.gap.relative()) {
      best.solution = std::move(solution);
      best.gap = gap;
      best.dual = std::move(point);
    }
    if (best.gap.relative() <= wish.gap) {
      best.solution.stop = Stop::Converged;
      break;
    }
    if (best.solution.stop != Stop::Converged) break;
    best.solution.stop = Stop::Limit;
  }
  return best;
}

std::string formula(const Wish& wish) {
  const std::string loss = std::visit([](auto l) { return std::string(l.name); }, wish.loss);
  const std::string offset = wish.offset == Offset::Lifted ? " + theta0^2/2" : "";
  return fmt::format("minimise |theta|^2/2{} + {} sum {}(m)", offset, wish.C, loss);
}

Fit solve_classes(const Dataset& data, const Wish& wish, const Run& run, bool keep_dual) {
  const Clock clock(run);
  const std::size_t classes = data.classes().size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  const auto rows = RowAccess::of(data.matrix());
  Fit fit;
  LinearModel linear{.features = data.features(), .planes = planes};
  Objective total;
  std::uint64_t support = 0;
  SolverName used = SolverName::Auto;
  bool any_dual = false;
  for (std::size_t k = 0; k < planes; ++k) {
    const auto positive = static_cast<std::uint32_t>(classes == 2 ? 1 : k);
    const Problem problem = make_problem(data, positive, wish.loss, wish.offset, wish.C, wish.weights);
    Answer answer = solve_binary(problem, *rows, wish, run, clock);
    used = answer.solver;
    for (const double w : answer.solution.theta) {
      if (!std::isfinite(w)) {
        throw InputError({.file = data.name()}, "values so large that the weights overflow",
                         "values below 1e150", "scale the data: --scale standard");
      }
    }
    linear.weights.insert(linear.weights.end(), answer.solution.theta.begin(), answer.solution.theta.end());
    linear.offsets.push_back(answer.solution.theta0);
    total.primal += answer.gap.primal;
    total.dual += answer.gap.dual;
    support += answer.dual.rows.size();
    fit.iterations += answer.solution.iterations;
    fit.certificates.emplace_back(answer.gap);
    if (answer.solution.stop != Stop::Converged) fit.stop = answer.solution.stop;
    any_dual = any_dual || !answer.dual.rows.empty();
    fit.model.dual.push_back(std::move(answer.dual));
    if (fit.stop == Stop::Cancelled || fit.stop == Stop::Time) {
      // The classes not reached keep the plane that says no.
      for (std::size_t rest = k + 1; rest < planes; ++rest) {
        linear.weights.insert(linear.weights.end(), data.features(), 0.0);
        linear.offsets.push_back(-1.0);
      }
      break;
    }
  }
  if (!keep_dual || !any_dual) fit.model.dual.clear();
  fit.objective = total;
  if (std::holds_alternative<Hinge>(wish.loss)) fit.support_vectors = support;
  fit.notes.push_back(formula(wish));
  fit.notes.push_back(fmt::format("solved by {}", OptionType<SolverName>::print(used)));
  fit.model.form = std::move(linear);
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Svm& options, const Run& run) {
  if (options.kernel.kind != KernelKind::Linear) return solve_kernel_svm(data, options, run);
  if (options.multiclass == ManyClasses::OneVsOne)
    throw UsageError("--multiclass one-vs-one needs --kernel; planes stand against the rest");
  const Loss loss = options.loss == SvmLoss::Hinge ? Loss(Hinge{}) : Loss(SquaredHinge{});
  const Wish wish{loss,        options.offset, options.C,
                  options.gap, options.solver, class_weights(data, options.class_weight)};
  return solve_classes(data, wish, run, !options.no_certificate);
}

Fit solve(const Dataset& data, const LogisticRegression& options, const Run& run) {
  const Wish wish{Logistic{},  options.offset, options.C,
                  options.gap, options.solver, class_weights(data, options.class_weight)};
  return solve_classes(data, wish, run, false);
}

}  // namespace halfspace
