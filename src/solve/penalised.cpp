// SPDX-License-Identifier: BSD-3-Clause
// From options to problems, from problems to a solver, and from its answer to a certificate that was not its
// own.
#include "halfspace/solve/penalised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/objective/class_weights.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "model/row_scores.hpp"
#include "solve/convex/near_start.hpp"
#include "solve/convex/plane_solver.hpp"
#include "solve/convex/solver.hpp"
#include "solve/kernel/svm.hpp"
#include "solve/penalised_wish.hpp"
#include "solve/sparse/zero_plane.hpp"
#include "solve/systems/curvature_matrix.hpp"

namespace halfspace {
namespace {

// What the rows look like from the plane.
struct Margins {
  double norm = 0, slack = 0, largest_slack = 0;
  std::uint64_t inside = 0;  // m < 1
};

struct Answer : PlaneAnswer {
  Margins margins;
  std::vector<double> scores;  // of the rows, where the margins were described; not kept with the state

  template <class Archive>
  void state(Archive& a) {
    PlaneAnswer::state(a);
    a(margins);
  }
};

// Whether planes are made of some of the rows, those with a dual value above 0.
bool has_vectors(const Wish& wish) {
  return std::visit([](auto loss) { return std::isfinite(loss.margin); }, wish.loss);
}

// By the scores that the model has: whoever counts its errors needs no pass of his own.
void describe_margins(const Problem& problem, Answer& answer, const Team& team) {
  std::vector<double>& score = answer.scores;
  score.resize(problem.rows());
  LinearModel plane{.features = problem.features(), .planes = 1, .offsets = {answer.solution.theta0}};
  plane.weights.swap(answer.solution.theta);
  detail::linear_scores(plane, false, *problem.data, team.threads(), score);
  plane.weights.swap(answer.solution.theta);
  Margins& m = answer.margins;
  m.norm = std::sqrt(norm2(answer.solution.theta.data(), answer.solution.theta.size()));
  add_in_turn(team, m, [&](Margins& to) {
    for (std::size_t i = 0; i < score.size(); ++i) {
      if (problem.cost[i] == 0) continue;
      const double miss = 1 - problem.y[i] * score[i];  // which rows are inside is hard to predict: no branch
      const double slack = miss > 0 ? miss : 0.0;
      to.inside += miss > 0 ? 1 : 0;
      to.slack += slack;
      to.largest_slack = std::max(to.largest_slack, slack);
    }
  });
}

// The point of all rows, by their numbers among all, from what every member has of it.
DualPoint whole_point(DualPoint mine, std::size_t rows, const Team& team) {
  if (team.alone()) return mine;
  const Stretch list = team.stretch(rows);
  if (list.total > std::uint64_t{1} << 32U)
    throw UsageError("a dual point has numbers of rows below 4294967296", "--loss squared-hinge");
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t row : mine.rows) numbers.push_back(static_cast<std::uint32_t>(list.first + row));
  DualPoint out;
  for (const Members::Bytes& bytes : team.gather(std::as_bytes(std::span(numbers)))) {
    const std::size_t before = out.rows.size();
    out.rows.resize(before + bytes.size() / sizeof(std::uint32_t));
    if (!bytes.empty()) std::memcpy(out.rows.data() + before, bytes.data(), bytes.size());
  }
  out.alpha = team.join(mine.alpha);
  return out;
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
// compute depends on the others. Several members solve one after the other, each by all of them.
class Planes {
 public:
  Planes(const Dataset& data, const Wish& wish, const Run& run)
      : data_(data),
        wish_(wish),
        outer_(run),
        inner_(run),
        rows_(RowAccess::of(data.matrix())),
        answers_(data.classes().size() == 2 ? 1 : data.classes().size()) {
    if (answers_.size() > 1 && run.members == nullptr) inner_.threads = run.threads.alone();
  }

  std::vector<Answer> solve() {
    const Clock clock(inner_);
    std::unique_ptr<CurvatureMatrix> first;
    if (answers_.size() > 1 &&
        choose_solver(wish_.solver, wish_.loss, wish_.penalty, *rows_, patient_members(outer_),
                      data_.spill() != nullptr) == SolverName::Newton)
      first = first_factor_in_time();
    const std::vector<double> gaps(answers_.size(), wish_.gap);
    solve_each(gaps, first.get());
    // Classes that used up their part of the time go on with what others have left.
    for (int round = 0; round < 8; ++round) {
      std::vector<double> late(gaps);
      bool any = false;
      for (std::size_t k = 0; k < answers_.size(); ++k) {
        if (answers_[k].solution.stop != Stop::Time) late[k] = 0;
        any = any || late[k] > 0;
      }
      if (!any || patient_members(inner_).agree(inner_.stop.cause()) != StopCause::None) break;
      solve_each(late, first.get());
    }
    // A class whose objective is below 1 may have a gap that is small beside 1 and not beside its part of the sum.
    for (int round = 0; round < 3 && answers_.size() > 1; ++round) {
      const std::vector<double> shares = missed_shares();
      if (shares.empty()) break;
      solve_each(shares, first.get());
    }
    if (wish_.debias) fit_again(clock);
    return std::move(answers_);
  }

 private:
  // The features that were chosen, with the penalty l2: what is proved is then about planes with these alone.
  void fit_again(const Clock& clock) {
    const Threads side_by_side(at_once());
    side_by_side.run(answers_.size(), [&](std::size_t k) {
      Problem one = problem(k);
      one.penalty = L2{};
      Solution chosen = answers_[k].solution;
      answers_[k].proved = false;  // of another problem
      if (chosen.stop == Stop::Time || chosen.stop == Stop::Cancelled) return;
      for (const double w : chosen.theta) one.usable.push_back(w != 0 ? 1 : 0);
      try {
        static_cast<PlaneAnswer&>(answers_[k]) = solve_plane(one, *rows_, SolverName::ProxNewton, wish_.gap,
                                                             inner_, clock, nullptr, nullptr, &chosen);
      } catch (const Stopped& stopped) {
        answers_[k].solution.stop = stop_of(stopped);
        return;
      }
      if (answers_.size() == 1) describe_margins(one, answers_[k], patient_members(inner_));
    });
  }

  void read_answer(StateReader& in, Answer& answer) const {
    in.part(answer);
    const auto fits = [&](const DualPoint& point) {
      return point.rows.size() == point.alpha.size() &&
             std::all_of(point.rows.begin(), point.rows.end(),
                         [&](std::uint32_t i) { return i < data_.rows(); });
    };
    if (answer.solution.theta.size() != data_.features() || !fits(answer.dual) || !fits(answer.spare))
      in.refuse("a plane of other data");
  }

  // How many classes are solved at once.
  [[nodiscard]] int at_once() const {
    return answers_.size() > 1 && outer_.members == nullptr ? outer_.threads.count() : 1;
  }

  [[nodiscard]] Problem problem(std::size_t k) const {
    const auto positive = static_cast<std::uint32_t>(answers_.size() == 1 ? 1 : k);
    return make_problem(data_, positive, wish_.loss, wish_.offset, wish_.C, wish_.weights, wish_.penalty);
  }

  // Null also when there is no time for it.
  [[nodiscard]] std::unique_ptr<CurvatureMatrix> first_factor_in_time() const {
    try {
      return first_factor(problem(0), *rows_, team_of(outer_));
    } catch (const Stopped&) {
      return nullptr;
    }
  }

  // The time of one of so many classes that still wait for a thread.
  [[nodiscard]] Run fair_share(std::size_t waiting) const {
    Run mine = inner_;
    const double left = inner_.stop.left();
    const auto places = static_cast<std::size_t>(at_once());
    const std::size_t turns = (waiting + places - 1) / places;
    if (waiting <= 1 || !std::isfinite(left)) return mine;
    // Of a turn; the rest is for its proof, or in the last one for a class whose thread comes late.
    const double solving = turns > 1 ? 0.7 : 0.9;
    mine.stop = inner_.stop.within(solving * std::max(0.0, left) / static_cast<double>(turns));
    if (mine.members == nullptr) mine.threads = inner_.threads.until(mine.stop);
    return mine;
  }

  // The classes with a relative gap above 0 in `gaps` that have not reached it yet.
  void solve_each(const std::vector<double>& gaps, const CurvatureMatrix* first) {
    // Every class gets its plane, also when there is no time left: the solvers stop by themselves.
    const Threads side_by_side(at_once());
    std::atomic<std::size_t> waiting(static_cast<std::size_t>(
        std::count_if(gaps.begin(), gaps.end(), [](double gap) { return gap > 0; })));
    const int round = rounds_++;
    side_by_side.run(answers_.size(), [&](std::size_t k) {
      if (!(gaps[k] > 0)) return;
      const Journal keep(outer_.checkpoint.get(), fmt::format("plane {}-{}", round, k));
      if (keep.done([&](StateReader& in) { read_answer(in, answers_[k]); })) {
        --waiting;
        return;
      }
      const Run mine = fair_share(waiting--);
      const Clock clock(mine);
      const Problem one = problem(k);
      const bool begun = !answers_[k].solution.theta.empty(), again = begun && answers_[k].proved;
      PlaneAnswer before = again ? PlaneAnswer(answers_[k]) : PlaneAnswer();
      std::optional<Solution> near;
      if (begun && !again) near = std::move(answers_[k].solution);
      if (near) {
        near->alpha.clear();
        near->scores.clear();  // it was stopped, perhaps on the way from one plane to the next
      }
      if (!begun && outer_.near != nullptr)
        near = start_near(*outer_.near, k, one, *rows_, wish_.C, gaps[k], inner_.threads);
      static_cast<PlaneAnswer&>(answers_[k]) =
          solve_plane(one, *rows_, wish_.solver, gaps[k], mine, clock, first, again ? &before : nullptr,
                      near ? &*near : nullptr, keep);
      // Without a point of its own, a loss with a margin has its support vectors inside.
      const Team team = patient_members(inner_);
      if (outer_.figures &&
          (answers_.size() == 1 || (has_vectors(wish_) && !team.any(!answers_[k].dual.rows.empty()))))
        describe_margins(one, answers_[k], team);
      if (answers_.size() > 1) answers_[k].scores = {};
      const Stop stop = answers_[k].solution.stop;
      if (stop != Stop::Time && stop != Stop::Cancelled)
        keep.finish([&](StateWriter& to) { to.part(answers_[k]); });
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
  int rounds_ = 0;  // of solve_each()
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

// The least of the planes; infinity where there is no time left for it.
double zero_factor_of_planes(const Dataset& data, const Wish& wish, std::size_t planes, const Run& run) {
  double least = std::numeric_limits<double>::infinity();
  const auto rows = RowAccess::of(data.matrix());
  try {
    for (std::size_t k = 0; k < planes; ++k) {
      const auto positive = static_cast<std::uint32_t>(planes == 1 ? 1 : k);
      const Problem one =
          make_problem(data, positive, wish.loss, wish.offset, wish.C, wish.weights, wish.penalty);
      least = std::min(least, zero_factor(one, *rows, closing_team(run)));
    }
  } catch (const Stopped&) {
    return std::numeric_limits<double>::infinity();
  }
  return least;
}

Fit solve_classes(const Dataset& data, const Wish& wish, const Run& run, bool keep_dual) {
  std::vector<Answer> answers = Planes(data, wish, run).solve();
  if (run.leave != nullptr) {
    *run.leave = {wish.C, {}, nullptr};
    for (std::size_t k = 0; k < answers.size(); ++k)
      run.leave->planes.push_back(leave_plane(answers[k], run.near.get(), k));
  }
  Fit fit{.answer = {.model = Model{}}};
  LinearModel linear{.features = data.features(), .planes = answers.size()};
  Objective total;
  std::uint64_t support = 0;
  bool any_dual = false, proved = true;
  const Team team = patient_members(run);
  for (Answer& answer : answers) {
    answer.dual = whole_point(std::move(answer.dual), data.rows(), team);
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
  if (answers.size() == 1) fit.trace.scores = std::move(answers[0].scores);
  if (answers.size() == 1 && has_vectors(wish) && run.figures) {
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
  if (is_sparse_penalty(wish.penalty))
    describe_zeros(linear, wish.C, zero_factor_of_planes(data, wish, answers.size(), run), wish.debias, fit);
  for (std::string& note : solver_notes(answers)) fit.words.notes.push_back(std::move(note));
  if (data.spill() != nullptr && wish.solver == SolverName::Auto &&
      choose_solver(wish.solver, wish.loss, wish.penalty, *RowAccess::of(data.matrix()), team, false) ==
          SolverName::DualDescent)
    fit.words.notes.push_back(fmt::format(
        "{} in place of dual-descent, which goes from row to row: the rows lie in files (--memory)",
        OptionType<SolverName>::print(answers[0].solver)));
  fit.model().form = std::move(linear);
  return fit;
}

// What several members have: planes with the penalty l2.
void check_members(const Run& run, const Penalty& penalty, bool debias) {
  if (run.members == nullptr) return;
  if (run.near != nullptr || run.leave != nullptr)
    throw UsageError("several members train one model at a time, from nothing");
  if (std::holds_alternative<L2>(penalty) && !debias) return;
  throw UsageError(fmt::format("--penalty {}{} goes from column to column, or needs all rows in one process",
                               OptionType<Penalty>::print(penalty), debias ? " with --debias" : ""),
                   "several members have --penalty l2");
}

void check_debias(const Wish& wish) {
  if (wish.debias && !is_sparse_penalty(wish.penalty))
    throw UsageError("--debias fits the features again that a penalty has chosen",
                     "--penalty l1 or --penalty elastic-net");
}

}  // namespace

Fit solve(const Dataset& data, const Svm& options, const Run& given) {
  const Run run = begin_run(given);
  check_members(run, options.penalty, options.debias);
  if (options.kernel.kind != KernelKind::Linear) {
    detail::refuse_checkpoint(run, "a kernel machine");
    if (run.members != nullptr)
      throw UsageError("--kernel: kernel machines need all rows in one process", "--kernel linear");
    if (!std::holds_alternative<L2>(options.penalty) || options.debias)
      throw UsageError("kernel machines have the penalty l2");
    return solve_kernel_svm(data, options, run);
  }
  if (options.multiclass == ManyClasses::OneVsOne)
    throw UsageError("--multiclass one-vs-one needs --kernel; planes stand against the rest");
  const Wish wish{options.loss,
                  penalty_of(options.penalty, options.l1_ratio),
                  options.offset,
                  options.C,
                  options.gap.or_else(1e-4),
                  options.solver,
                  class_weights(data, options.class_weight, patient_members(run)),
                  options.debias};
  check_debias(wish);
  Fit fit = within_range(data, [&] { return solve_classes(data, wish, run, !options.no_certificate); });
  if (options.no_certificate) fit.proof.certificates.clear();
  return fit;
}

Fit solve(const Dataset& data, const LogisticRegression& options, const Run& given) {
  const Run run = begin_run(given);
  check_members(run, options.penalty, options.debias);
  if (std::holds_alternative<NoPenalty>(options.penalty) && !options.debias) {
    detail::refuse_checkpoint(run, "--penalty none");
    return detail::solve_unpenalised(data, options, run);
  }
  const Wish wish{Logistic{},
                  penalty_of(options.penalty, options.l1_ratio),
                  options.offset,
                  options.C,
                  options.gap,
                  options.solver,
                  class_weights(data, options.class_weight, patient_members(run)),
                  options.debias};
  check_debias(wish);
  if (data.classes().size() > 2 && options.multiclass == LogisticClasses::Softmax)
    return within_range(data, [&] { return solve_all_at_once(data, wish, run); });
  return within_range(data, [&] { return solve_classes(data, wish, run, false); });
}

}  // namespace halfspace
