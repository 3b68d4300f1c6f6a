// SPDX-License-Identifier: BSD-3-Clause
// From options to problems, from problems to a solver, and from its answer to a certificate that was not its
// own.
#include "halfspace/solve/penalised.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "certify/softmax_gap.hpp"
#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "solve/convex/constant_plane.hpp"
#include "solve/convex/plane_solver.hpp"
#include "solve/convex/softmax.hpp"
#include "solve/convex/solver.hpp"
#include "solve/kernel/svm.hpp"
#include "solve/systems/curvature_matrix.hpp"

namespace halfspace {
namespace {

struct Wish {
  Loss loss;
  Penalty penalty;
  Offset offset;
  double C, gap;
  SolverName solver;
  std::vector<double> weights;
};

// What the rows look like from the plane.
struct Margins {
  double norm = 0, slack = 0, largest_slack = 0;
  std::uint64_t inside = 0;  // m < 1
};

struct Answer : PlaneAnswer {
  Margins margins;
};

// Whether planes are made of some of the rows, those with a dual value above 0.
bool has_vectors(const Wish& wish) {
  return std::visit([](auto loss) { return std::isfinite(loss.margin); }, wish.loss);
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

// f(), with the error of matrices that overflow said in terms of the data.
template <class F>
auto within_range(const Dataset& data, const F& f) {
  try {
    return f();
  } catch (const std::range_error&) {
    refuse_large_values(data);
  }
}

// One problem per plane. Classes against the rest are solved side by side, each by one thread: nothing they
// compute depends on the others.
class Planes {
 public:
  Planes(const Dataset& data, const Wish& wish, const Run& run)
      : data_(data),
        wish_(wish),
        outer_(run),
        inner_(run),
        rows_(RowAccess::of(data.matrix())),
        answers_(data.classes().size() == 2 ? 1 : data.classes().size()) {
    if (answers_.size() > 1) inner_.threads = run.threads.alone();
  }

  std::vector<Answer> solve() {
    const Clock clock(inner_);
    std::unique_ptr<CurvatureMatrix> first;
    if (answers_.size() > 1 &&
        choose_solver(wish_.solver, wish_.loss, wish_.penalty, *rows_) == SolverName::Newton)
      first = first_factor_in_time();
    const std::vector<double> gaps(answers_.size(), wish_.gap);
    solve_each(gaps, clock, first.get());
    // A class whose objective is below 1 may have a gap that is small beside 1 and not beside its part of the sum.
    for (int round = 0; round < 3 && answers_.size() > 1; ++round) {
      const std::vector<double> shares = missed_shares();
      if (shares.empty()) break;
      solve_each(shares, clock, first.get());
    }
    return std::move(answers_);
  }

 private:
  [[nodiscard]] Problem problem(std::size_t k) const {
    const auto positive = static_cast<std::uint32_t>(answers_.size() == 1 ? 1 : k);
    return make_problem(data_, positive, wish_.loss, wish_.offset, wish_.C, wish_.weights, wish_.penalty);
  }

  // Null also when there is no time for it.
  [[nodiscard]] std::unique_ptr<CurvatureMatrix> first_factor_in_time() const {
    try {
      return first_factor(problem(0), *rows_, outer_.threads);
    } catch (const Stopped&) {
      return nullptr;
    }
  }

  // The classes with a relative gap above 0 in `gaps` that have not reached it yet.
  void solve_each(const std::vector<double>& gaps, const Clock& clock, const CurvatureMatrix* first) {
    // Every class gets its plane, also when there is no time left: the solvers stop by themselves.
    const Threads side_by_side(answers_.size() > 1 ? outer_.threads.count() : 1);
    side_by_side.run(answers_.size(), [&](std::size_t k) {
      if (!(gaps[k] > 0)) return;
      const Problem one = problem(k);
      const bool again = !answers_[k].solution.theta.empty();
      PlaneAnswer before = again ? PlaneAnswer(answers_[k]) : PlaneAnswer();
      std::optional<Solution> near;
      if (!again && outer_.near != nullptr) near = start_near(*outer_.near, k, one, wish_.C);
      static_cast<PlaneAnswer&>(answers_[k]) =
          solve_plane(one, *rows_, wish_.solver, gaps[k], inner_, clock, first, again ? &before : nullptr,
                      near ? &*near : nullptr);
      // Without a point of its own, a loss with a margin has its support vectors inside.
      if (answers_.size() == 1 || (has_vectors(wish_) && answers_[k].dual.rows.empty()))
        describe_margins(one, answers_[k], Threads(inner_.threads.count()));
    });
  }

  // Relative gaps that the classes need so that the sum has the one asked for; empty: it has, or never will. Every
  // class may have a part of the gap like its part of the objective, but no less than half of an equal one.
  [[nodiscard]] std::vector<double> missed_shares() const {
    double primal = 0, dual = 0, parts = 0;
    for (const Answer& answer : answers_) {
      if (answer.solution.stop != Stop::Converged || !answer.proved) return {};
      primal += answer.gap.primal;
      dual += answer.gap.dual;
    }
    const double allowed = wish_.gap * std::max(1.0, primal);
    if (primal - dual <= allowed) return {};
    const auto part = [&](const Answer& answer) {
      return std::max(answer.gap.primal, primal / (2 * static_cast<double>(answers_.size())));
    };
    for (const Answer& answer : answers_) parts += part(answer);
    std::vector<double> out;
    for (const Answer& answer : answers_) {
      const double share = 0.98 * allowed * part(answer) / parts;
      out.push_back(answer.gap.gap() <= share ? 0.0 : share / std::max(1.0, answer.gap.primal));
    }
    return out;
  }

  const Dataset& data_;
  const Wish& wish_;
  const Run& outer_;
  Run inner_;
  std::unique_ptr<RowAccess> rows_;
  std::vector<Answer> answers_;
};

// Which solver it was, and whether another one had to give up before.
std::vector<std::string> solver_notes(const std::vector<Answer>& answers) {
  std::vector<std::string> out;
  std::size_t handed_over = 0;
  SolverName stopped = SolverName::Auto, next = SolverName::Auto;
  for (const Answer& answer : answers) {
    if (answer.stopped == SolverName::Auto) continue;
    ++handed_over;
    stopped = answer.stopped;
    next = stopped == SolverName::DualDescent ? answer.solver : SolverName::DualDescent;
  }
  const auto word = [](SolverName solver) { return OptionType<SolverName>::print(solver); };
  if (handed_over > 0) {
    const std::string where =
        answers.size() > 1 ? fmt::format(" for {} of {} classes", handed_over, answers.size()) : "";
    out.push_back(fmt::format("{} stopped at its limit{}; {} went on", word(stopped), where, word(next)));
  }
  out.push_back(fmt::format("solved by {}", word(answers[0].solver)));
  return out;
}

// No gap of all planes together without those of each.
void leave_out_proof(Fit& fit) {
  fit.proof.certificates.clear();
  fit.model().dual.clear();
  fit.proof.objective.reset();
  fit.words.notes.emplace_back("stopped before the gap was computed: nothing is proved about this model");
}

Fit solve_classes(const Dataset& data, const Wish& wish, const Run& run, bool keep_dual) {
  std::vector<Answer> answers = Planes(data, wish, run).solve();
  if (run.leave != nullptr) {
    *run.leave = {wish.C, {}, nullptr};
    for (const Answer& answer : answers) run.leave->planes.push_back(leave_plane(answer));
  }
  Fit fit{.answer = {.model = Model{}}};
  LinearModel linear{.features = data.features(), .planes = answers.size()};
  Objective total;
  std::uint64_t support = 0;
  bool any_dual = false, proved = true;
  for (Answer& answer : answers) {
    linear.weights.insert(linear.weights.end(), answer.solution.theta.begin(), answer.solution.theta.end());
    linear.offsets.push_back(answer.solution.theta0);
    total.primal += answer.gap.primal;
    total.dual += answer.gap.dual;
    support += answer.dual.rows.empty() ? answer.margins.inside : answer.dual.rows.size();
    fit.trace.iterations += answer.solution.iterations;
    fit.proof.certificates.emplace_back(answer.gap);
    proved = proved && answer.proved;
    if (answer.solution.stop != Stop::Converged) fit.answer.stop = answer.solution.stop;
    any_dual = any_dual || !answer.dual.rows.empty();
    fit.model().dual.push_back(std::move(answer.dual));
  }
  if (!keep_dual || !any_dual) fit.model().dual.clear();
  fit.proof.objective = total;
  if (!proved) leave_out_proof(fit);
  // Only what holds for the sum is said of the whole.
  if (proved && fit.answer.stop == Stop::Converged && !(total.relative_gap() <= wish.gap))
    fit.answer.stop = Stop::Limit;
  // Rows with a dual value above 0; for several classes, a row counts for every plane that it supports.
  if (has_vectors(wish)) fit.trace.support_vectors = support;
  if (answers.size() == 1 && has_vectors(wish)) {
    const Margins& m = answers[0].margins;
    fit.trace.figures = {{"norm", m.norm},
                         {"margin", m.norm > 0 ? 1 / m.norm : 0.0},
                         {"margin_errors", static_cast<double>(m.inside)},
                         {"slack_sum", m.slack},
                         {"slack_max", m.largest_slack}};
    fit.words.summary.push_back(
        fmt::format("|theta| {:.6g}, margin {:.6g}, {} support vectors, {} rows inside the margin or beyond, "
                    "slacks {:.6g} in "
                    "all, the largest {:.6g}",
                    m.norm, m.norm > 0 ? 1 / m.norm : 0.0, support, m.inside, m.slack, m.largest_slack));
  }
  fit.words.notes.push_back(formula(wish.loss, wish.penalty, wish.offset, wish.C));
  for (std::string& note : solver_notes(answers)) fit.words.notes.push_back(std::move(note));
  fit.model().form = std::move(linear);
  return fit;
}

// The planes of the neighbour, all classes at once; false: there are none of this shape.
bool start_planes(const Neighbour* near, const SoftmaxProblem& problem, std::size_t features,
                  LinearModel& model) {
  if (near == nullptr || near->planes.size() != problem.classes()) return false;
  model = {.features = features, .planes = problem.classes()};
  for (const Neighbour::Plane& plane : near->planes) {
    if (plane.theta.size() != features) return false;
    model.weights.insert(model.weights.end(), plane.theta.begin(), plane.theta.end());
    model.offsets.push_back(plane.theta0);
  }
  return true;
}
void leave_planes(const LinearModel& model, double C, Neighbour& out) {
  out = {C, {}, nullptr};
  for (std::size_t k = 0; k < model.planes; ++k)
    out.planes.push_back({{model.plane(k).begin(), model.plane(k).end()}, model.offsets[k], {}, {}});
}

Fit solve_all_at_once(const Dataset& data, const Wish& wish, const Run& run) {
  if (wish.solver != SolverName::Auto && wish.solver != SolverName::Newton)
    throw UsageError("softmax is solved by newton", "--multiclass one-vs-rest for the other solvers");
  assert(std::holds_alternative<L2>(wish.penalty));
  const Clock clock(run);
  const auto rows = RowAccess::of(data.matrix());
  const SoftmaxProblem problem = make_softmax_problem(data, wish.offset, wish.C, wish.weights, wish.penalty);
  Fit fit{.answer = {.model = Model{}}};
  SoftmaxSolution solution;  // the best so far
  DualityGap gap;
  bool proved = false;
  // False: stopped before the gap was computed; the first planes are kept without a proof.
  const auto offer = [&](SoftmaxSolution next, bool first) {
    check_weights(next.model.weights);
    DualityGap its;
    try {
      its = softmax_gap(problem, next.model, closing_team(run));
    } catch (const Stopped& stopped) {
      next.stop = stop_of(stopped);
      if (!proved) solution = std::move(next);
      return false;
    }
    proved = true;
    if (first || its.relative() <= wish.gap || !(its.primal >= gap.primal)) {
      gap = its;
      solution.model = std::move(next.model);
    }
    solution.iterations = next.iterations;
    solution.stop = gap.relative() <= wish.gap ? Stop::Converged : next.stop;
    return true;
  };
  double wanted = 0.99 * wish.gap;
  const bool warm = start_planes(run.near.get(), problem, rows->cols(), solution.model);
  for (int attempt = 0; attempt < 4; ++attempt, wanted *= 0.1) {
    const Goal goal{wanted, run.seed, run.threads, clock};
    if (!offer(solve_softmax(problem, *rows, goal, attempt == 0 && !warm ? nullptr : &solution),
               attempt == 0))
      break;
    if (gap.relative() <= wish.gap || solution.stop != Stop::Converged) break;
    if (attempt == 3) solution.stop = Stop::Limit;
  }
  // Planes that are worse than ones that do not look at the rows are not returned.
  ConstantPlanes constant = best_constants(problem);
  if (proved && !(gap.primal <= constant.objective * (1 + 1e-9))) {
    SoftmaxSolution zero{.iterations = solution.iterations, .stop = solution.stop};
    zero.model = {.features = rows->cols(), .planes = problem.classes()};
    zero.model.weights.assign(problem.classes() * rows->cols(), 0.0);
    zero.model.offsets = std::move(constant.offsets);
    if (!offer(zero, false)) {  // known to be better, with no time to prove it
      solution = std::move(zero);
      proved = false;
    }
  }
  if (run.leave != nullptr) leave_planes(solution.model, wish.C, *run.leave);
  fit.answer.stop = solution.stop;
  fit.trace.iterations = solution.iterations;
  fit.proof.certificates.emplace_back(gap);
  fit.proof.objective = Objective{gap.primal, gap.dual};
  if (!proved) leave_out_proof(fit);
  fit.words.notes.push_back(softmax_formula(wish.penalty, wish.offset, wish.C));
  fit.words.notes.emplace_back("solved by newton");
  fit.model().form = std::move(solution.model);
  return fit;
}

}  // namespace

Fit solve(const Dataset& data, const Svm& options, const Run& given) {
  const Run run = begin_run(given);
  if (options.kernel.kind != KernelKind::Linear) return solve_kernel_svm(data, options, run);
  if (options.multiclass == ManyClasses::OneVsOne)
    throw UsageError("--multiclass one-vs-one needs --kernel; planes stand against the rest");
  const Wish wish{options.loss,
                  L2{},
                  options.offset,
                  options.C,
                  options.gap.or_else(1e-4),
                  options.solver,
                  class_weights(data, options.class_weight)};
  Fit fit = within_range(data, [&] { return solve_classes(data, wish, run, !options.no_certificate); });
  if (options.no_certificate) fit.proof.certificates.clear();
  return fit;
}

Fit solve(const Dataset& data, const LogisticRegression& options, const Run& given) {
  const Run run = begin_run(given);
  if (std::holds_alternative<NoPenalty>(options.penalty))
    return detail::solve_unpenalised(data, options, run);
  const Wish wish{Logistic{},
                  options.penalty,
                  options.offset,
                  options.C,
                  options.gap,
                  options.solver,
                  class_weights(data, options.class_weight)};
  if (data.classes().size() > 2 && options.multiclass == LogisticClasses::Softmax)
    return within_range(data, [&] { return solve_all_at_once(data, wish, run); });
  return within_range(data, [&] { return solve_classes(data, wish, run, false); });
}

}  // namespace halfspace
