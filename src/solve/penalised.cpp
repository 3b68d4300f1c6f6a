// SPDX-License-Identifier: BSD-3-Clause
// From options to problems, from problems to a solver, and from its answer to a certificate that was not its
// own.
#include "halfspace/solve/penalised.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "halfspace/certify/duality_gap.hpp"
#include "halfspace/certify/softmax_gap.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/kernels.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "solve/curvature_matrix.hpp"
#include "solve/kernel_svm.hpp"
#include "solve/softmax.hpp"
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

// What the rows look like from the plane.
struct Margins {
  double norm = 0, slack = 0, largest_slack = 0;
  std::uint64_t inside = 0;  // m < 1
};

struct Answer {
  Solution solution;
  Margins margins;
  DualityGap gap;
  bool proved = true;  // false: stopped before the gap was computed
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

// The gap of a solution; its point is given up where the one that follows from the margins is good enough.
DualityGap gap_of(const Problem& problem, const Solution& solution, double wanted, DualPoint& point,
                  const Threads& threads) {
  const bool smooth = !std::holds_alternative<Hinge>(problem.loss);
  DualityGap gap;
  if (smooth) gap = duality_gap(problem, solution.theta, solution.theta0, std::nullopt, threads);
  if (!smooth || (gap.relative() > wanted && !point.rows.empty()))
    return duality_gap(problem, solution.theta, solution.theta0, point, threads);
  point = {};
  return gap;
}

Answer solve_binary(const Problem& problem, const RowAccess& rows, const Wish& wish, const Run& run,
                    const Clock& clock, const CurvatureMatrix* first) {
  Answer best;
  best.solver = choose(wish, rows);
  double wanted = 0.99 * wish.gap;
  for (int attempt = 0; attempt < 4; ++attempt, wanted *= 0.1) {
    const Goal goal{wanted, run.seed, run.threads, clock, first};
    Solution solution = best.solver == SolverName::Newton       ? solve_newton(problem, rows, goal)
                        : best.solver == SolverName::Semismooth ? solve_semismooth(problem, rows, goal)
                                                                : solve_dual_descent(problem, rows, goal);
    DualPoint point = point_of(solution.alpha);
    DualityGap gap;
    try {
      gap = gap_of(problem, solution, wish.gap, point, closing_team(run));
    } catch (const Stopped& stopped) {
      if (attempt > 0) {  // an earlier answer has its proof
        best.solution.stop = stop_of(stopped);
        break;
      }
      best.solution = std::move(solution);
      best.solution.stop = stop_of(stopped);
      best.proved = false;
      return best;
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

void describe_margins(const Problem& problem, Answer& answer, const Threads& threads) {
  const auto rows = RowAccess::of(problem.data->matrix());
  std::vector<double> z(rows->rows());
  row_products(*rows, answer.solution.theta.data(), z.data(), threads);
  Margins& m = answer.margins;
  m.norm = std::sqrt(norm2(answer.solution.theta.data(), answer.solution.theta.size()));
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (problem.cost[i] == 0) continue;
    const double slack = 1 - problem.y[i] * (z[i] + answer.solution.theta0);
    if (!(slack > 0)) continue;
    ++m.inside;
    m.slack += slack;
    m.largest_slack = std::max(m.largest_slack, slack);
  }
}

[[noreturn]] void refuse_large_values(const Dataset& data) {
  throw InputError({.file = data.name()}, "values (or a C) so large that products of them overflow",
                   "values below 1e15", "scale the data: --scale standard");
}

void check_finite(const Dataset& data, const std::vector<double>& weights) {
  for (const double w : weights)
    if (!std::isfinite(w)) refuse_large_values(data);
}

// f(), with the error of matrices that overflow said in terms of the data.
template <class F>
auto within_range(const Dataset& data, const F& f) {
  try {
    return f();
  } catch (const std::range_error&) {
    refuse_large_values(data);
  }
}

// Null also when there is no time for it.
std::unique_ptr<CurvatureMatrix> first_factor_in_time(const Dataset& data, const Wish& wish, const RowAccess& rows,
                                                      const Threads& threads) {
  try {
    return first_factor(make_problem(data, 0, wish.loss, wish.offset, wish.C, wish.weights), rows, threads);
  } catch (const Stopped&) {
    return nullptr;
  }
}

// One problem per plane. Classes against the rest are solved side by side, each by one thread: nothing they
// compute depends on the others.
std::vector<Answer> solve_planes(const Dataset& data, const Wish& wish, const Run& run) {
  const std::size_t classes = data.classes().size();
  const std::size_t planes = classes == 2 ? 1 : classes;
  const auto rows = RowAccess::of(data.matrix());
  std::vector<Answer> answers(planes);
  Run inner = run;
  if (planes > 1) inner.threads = run.threads.alone();
  const Clock clock(inner);
  std::unique_ptr<CurvatureMatrix> first;
  if (planes > 1 && choose(wish, *rows) == SolverName::Newton)
    first = first_factor_in_time(data, wish, *rows, run.threads);
  // Every class gets its plane, also when there is no time left: the solvers stop by themselves.
  const Threads side_by_side(planes > 1 ? run.threads.count() : 1);
  side_by_side.run(planes, [&](std::size_t k) {
    const auto positive = static_cast<std::uint32_t>(planes == 1 ? 1 : k);
    const Problem problem = make_problem(data, positive, wish.loss, wish.offset, wish.C, wish.weights);
    answers[k] = solve_binary(problem, *rows, wish, inner, clock, first.get());
    check_finite(data, answers[k].solution.theta);
    if (planes == 1) describe_margins(problem, answers[k], Threads(inner.threads.count()));
  });
  return answers;
}

// No gap of all planes together without those of each.
void leave_out_proof(Fit& fit) {
  fit.certificates.clear();
  fit.model.dual.clear();
  fit.objective.reset();
  fit.notes.emplace_back("stopped before the gap was computed: nothing is proved about this model");
}

Fit solve_classes(const Dataset& data, const Wish& wish, const Run& run, bool keep_dual) {
  std::vector<Answer> answers = solve_planes(data, wish, run);
  Fit fit;
  LinearModel linear{.features = data.features(), .planes = answers.size()};
  Objective total;
  std::uint64_t support = 0;
  bool any_dual = false, proved = true;
  for (Answer& answer : answers) {
    linear.weights.insert(linear.weights.end(), answer.solution.theta.begin(), answer.solution.theta.end());
    linear.offsets.push_back(answer.solution.theta0);
    total.primal += answer.gap.primal;
    total.dual += answer.gap.dual;
    support += answer.dual.rows.size();
    fit.iterations += answer.solution.iterations;
    fit.certificates.emplace_back(answer.gap);
    proved = proved && answer.proved;
    if (answer.solution.stop != Stop::Converged) fit.stop = answer.solution.stop;
    any_dual = any_dual || !answer.dual.rows.empty();
    fit.model.dual.push_back(std::move(answer.dual));
  }
  if (!keep_dual || !any_dual) fit.model.dual.clear();
  fit.objective = total;
  if (!proved) leave_out_proof(fit);
  const bool hinge = std::holds_alternative<Hinge>(wish.loss);
  if (hinge) fit.support_vectors = support;
  if (answers.size() == 1 && !std::holds_alternative<Logistic>(wish.loss)) {
    const Margins& m = answers[0].margins;
    fit.figures = {{"norm", m.norm},
                   {"margin", m.norm > 0 ? 1 / m.norm : 0.0},
                   {"margin_errors", static_cast<double>(m.inside)},
                   {"slack_sum", m.slack},
                   {"slack_max", m.largest_slack}};
    const std::string vectors = hinge ? fmt::format(", {} support vectors", support) : "";
    fit.summary.push_back(
        fmt::format("|theta| {:.6g}, margin {:.6g}{}, {} rows inside the margin or beyond, slacks {:.6g} in "
                    "all, the largest {:.6g}",
                    m.norm, m.norm > 0 ? 1 / m.norm : 0.0, vectors, m.inside, m.slack, m.largest_slack));
  }
  fit.notes.push_back(formula(wish));
  fit.notes.push_back(fmt::format("solved by {}", OptionType<SolverName>::print(answers[0].solver)));
  fit.model.form = std::move(linear);
  return fit;
}

Fit solve_all_at_once(const Dataset& data, const Wish& wish, const Run& run) {
  if (wish.solver != SolverName::Auto && wish.solver != SolverName::Newton)
    throw UsageError("softmax is solved by newton", "--multiclass one-vs-rest for the other solvers");
  const Clock clock(run);
  const auto rows = RowAccess::of(data.matrix());
  const SoftmaxProblem problem = make_softmax_problem(data, wish.offset, wish.C, wish.weights);
  Fit fit;
  SoftmaxSolution solution;
  DualityGap gap;
  bool proved = true;
  double wanted = 0.99 * wish.gap;
  for (int attempt = 0; attempt < 4; ++attempt, wanted *= 0.1) {
    const Goal goal{wanted, run.seed, run.threads, clock};
    solution = solve_softmax(problem, *rows, goal, attempt == 0 ? nullptr : &solution);
    check_finite(data, solution.model.weights);
    try {
      gap = softmax_gap(problem, solution.model, closing_team(run));
    } catch (const Stopped& stopped) {
      solution.stop = stop_of(stopped);
      proved = false;
      break;
    }
    if (gap.relative() <= wish.gap) solution.stop = Stop::Converged;
    if (gap.relative() <= wish.gap || solution.stop != Stop::Converged) break;
    if (attempt == 3) solution.stop = Stop::Limit;
  }
  fit.stop = solution.stop;
  fit.iterations = solution.iterations;
  fit.certificates.emplace_back(gap);
  fit.objective = Objective{gap.primal, gap.dual};
  if (!proved) leave_out_proof(fit);
  fit.notes.push_back(fmt::format("minimise sum |theta_k|^2/2{} + {} sum (log sum exp f_k - f_y)",
                                  wish.offset == Offset::Lifted ? " + sum theta0_k^2/2" : "", wish.C));
  fit.notes.emplace_back("solved by newton");
  fit.model.form = std::move(solution.model);
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Svm& options, const Run& given) {
  const Run run = begin_run(given);
  if (options.kernel.kind != KernelKind::Linear) return solve_kernel_svm(data, options, run);
  if (options.multiclass == ManyClasses::OneVsOne)
    throw UsageError("--multiclass one-vs-one needs --kernel; planes stand against the rest");
  const Loss loss = options.loss == SvmLoss::Hinge ? Loss(Hinge{}) : Loss(SquaredHinge{});
  const Wish wish{loss,           options.offset,
                  options.C,      options.gap.or_else(1e-4),
                  options.solver, class_weights(data, options.class_weight)};
  return within_range(data, [&] { return solve_classes(data, wish, run, !options.no_certificate); });
}

Fit solve(const Dataset& data, const LogisticRegression& options, const Run& given) {
  const Run run = begin_run(given);
  if (options.penalty == Penalty::None) return detail::solve_unpenalised(data, options, run);
  const Wish wish{Logistic{},  options.offset, options.C,
                  options.gap, options.solver, class_weights(data, options.class_weight)};
  if (data.classes().size() > 2 && options.multiclass == LogisticClasses::Softmax)
    return within_range(data, [&] { return solve_all_at_once(data, wish, run); });
  return within_range(data, [&] { return solve_classes(data, wish, run, false); });
}

}  // namespace halfspace
