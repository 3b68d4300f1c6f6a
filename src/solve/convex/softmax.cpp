// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for logistic regression with several classes at once.
//
// Problem    minimise 1/2 sum |theta_k|^2 + sum cost_i (log sum_k exp f_ik - f_{i y_i}).
// Step       H s = -g by conjugate gradients over all planes together (SoftmaxSystem). A one-dimensional Newton search
//            along s on cached scores.
// Offsets    free ones are not left to the conjugate gradients, in whose norm a rare class hardly counts: after
//            every step they are fitted by themselves, by Newton's method in as many unknowns as there are classes.
// Levels     many rows: a tenth of them first, with their costs scaled up.
// Path       with a large C the planes are far from zero, and H there is not the one at the optimum: the optimum is followed
//            from a C where the penalty holds the planes, ten times more at every stage; each starts next to its own.
// Layout     weights lie feature after feature, so that one pass over a row serves all planes.
// Cost       one product with H: one pass over the entries, twice K multiplications each. Memory: 4 n K + 6
//            d K doubles.
// Proof      the gap is 1/2 |g|^2 once the offsets are exact: the dual point is that of the probabilities.
// Reference  Krishnapuram, Carin, Figueiredo, Hartemink: Sparse multinomial logistic regression, IEEE PAMI
//            27 (2005); Lin, Weng, Keerthi: Trust region Newton method for logistic regression, JMLR 9
//            (2008).
#include "solve/convex/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/row_sums.hpp"
#include "core/simd/dense.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/row_sample.hpp"
#include "solve/systems/plane_sums.hpp"
#include "solve/systems/present_columns.hpp"
#include "solve/systems/softmax_system.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t softmax_steps = 500;  // of a stage
// A path is followed where the mean of cost |x|^2 is above the first, and every stage has so many times the cost of the one
// before.
constexpr double path_bend = 300, path_stage = 10;
constexpr double softmax_near =
    0.03;  // a step that promises less than this of the objective is one of the last

class Softmax {
 public:
  Softmax(const SoftmaxProblem& problem, const RowAccess& rows, const Goal& goal, RowSample sample)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        ids_(std::move(sample.rows)),
        n_(ids_.size()),
        d_(rows.cols()),
        planes_(problem.classes()),
        stride_((planes_ + plane_group - 1) / plane_group * plane_group),
        has_offset_(p_.offset != Offset::None),
        sums_(rows, ids_, has_offset_, stride_, goal.team),
        list_(sums_.list()),
        system_(rows, p_.offset, planes_, stride_, ids_, goal) {
    for (std::size_t k = 0; k < n_; ++k) {
      cost_.push_back(p_.cost[ids_[k]] * sample.factor[k]);
      label_.push_back(p_.data->labels()[ids_[k]]);
    }
    const std::size_t few = std::max<std::size_t>(1, list_.total / 256);
    for (std::size_t k = list_.first_of(few); k < n_; k += few)
      radius2_ = std::max(radius2_, rows_.norm2(ids_[k]));
    radius2_ = goal_.team.most(radius2_);
    for (auto* v : {&f_, &p_of_, &df_}) v->assign(n_ * stride_, 0.0);
    for (auto* v : {&g_, &step_}) v->assign(values(), 0.0);
    whole_cost_ = cost_;
  }

  // The costs from here on, as a share of those of the problem.
  void share(double factor) {
    for (std::size_t k = 0; k < n_; ++k) cost_[k] = whole_cost_[k] * factor;
  }

  // weights: (features + 1) x stride, the offsets last. A rough level ends when a step promises less than ten
  // per cent: the optimum of a sample is further than that from the one of all rows, and so is that of a stage from the
  // next one.
  // `look` is called at the beginning of every step; a state that was read is gone on from.
  Stop run(std::vector<double>& weights, std::uint64_t& steps, bool rough,
           const std::function<void()>& look) {
    try {
      return descend(weights, steps, rough, look);
    } catch (const Stopped& stopped) {  // the weights are those of the last whole step
      return stop_of(stopped);
    }
  }

  template <class Archive>
  void state(Archive& a) {
    a(last_, fine_);
    a.array(f_, n_ * stride_);
    a.part(system_);
    if constexpr (Archive::reads) resumed_ = true;
  }

 private:
  Stop descend(std::vector<double>& weights, std::uint64_t& steps, bool rough,
               const std::function<void()>& look) {
    if (!std::exchange(resumed_, false)) {
      last_ = steps + softmax_steps;
      fine_ = false;
      products(weights, f_);
    }
    while (true) {
      look();
      gradient(weights);
      const double relative = gap_estimate() / std::max(1.0, primal_);
      if (relative <= goal_.gap) return Stop::Converged;
      if (steps >= last_) return Stop::Limit;
      Stop why = Stop::Converged;
      if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), steps, relative, "softmax"}, why))
        return why;
      system_.take(cost_, p_of_, fine_ ? std::min(1.0, 1 / radius2_) : 0.0, steps);
      system_.solve(g_, 0.5 * std::sqrt(2 * goal_.gap * std::max(1.0, primal_)), steps, step_);
      ++steps;
      const double promise = -dot(g_.data(), step_.data(), values()) / 2;
      fine_ = promise <= softmax_near * primal_;
      if (!search(weights) && !system_.be_precise()) return Stop::Limit;
      if (rough && promise <= 0.1 * primal_) return Stop::Converged;
    }
  }

  [[nodiscard]] std::size_t values() const { return (d_ + 1) * stride_; }

  void products(const std::vector<double>& w, std::vector<double>& out) {
    for_blocks(goal_.team.threads(), n_, row_block, [&](std::size_t begin, std::size_t end) {
      sums_.for_rows(begin, end, [&](std::size_t k, const Entries& row) {
        planes_dot(row, w.data(), stride_, out.data() + k * stride_);
      });
    });
  }

  // Probabilities at f + t df into `to`, for the rows [begin, end); adds up their losses, row after row.
  void probabilities(std::size_t begin, std::size_t end, double t, double* to, double& loss) const {
    std::vector<double> own(end - begin);  // the score of the row's own class, less the largest one
    for (std::size_t k = begin; k < end; ++k) {
      const double* f = f_.data() + k * stride_;
      const double* df = df_.data() + k * stride_;
      double* p = to + (k - begin) * stride_;
      double top = -std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < planes_; ++c) {
        p[c] = t == 0 ? f[c] : f[c] + t * df[c];
        top = std::max(top, p[c]);
      }
      own[k - begin] = p[label_[k]] - top;
      for (std::size_t c = 0; c < planes_; ++c) p[c] -= top;
      for (std::size_t c = planes_; c < stride_; ++c) p[c] = -1000;
    }
    exp_all(to, (end - begin) * stride_);
    for (std::size_t k = begin; k < end; ++k) {
      double* p = to + (k - begin) * stride_;
      double sum = 0;
      for (std::size_t c = 0; c < planes_; ++c) sum += p[c];
      for (std::size_t c = 0; c < planes_; ++c) p[c] /= sum;
      for (std::size_t c = planes_; c < stride_; ++c) p[c] = 0;
      loss += cost_[k] * (std::log(sum) - own[k - begin]);
    }
  }

  // Probabilities at the scores of the moment; returns the sum of the losses.
  double all_probabilities() {
    return sum_rows(goal_.team, list_, 0.0, [&](std::size_t begin, std::size_t end, double& loss) {
      probabilities(begin, end, 0, p_of_.data() + begin * stride_, loss);
    });
  }

  void gradient(std::vector<double>& w) {
    primal_ = all_probabilities();
    if (p_.offset == Offset::Free) primal_ = fit_offsets(w, primal_);
    g_ = w;
    if (p_.offset != Offset::Lifted)
      std::fill(g_.end() - static_cast<std::ptrdiff_t>(stride_), g_.end(), 0.0);
    primal_ += norm2(g_.data(), values()) / 2;
    sums_.sum<double>(g_, [&](std::size_t k, const Entries& row, double* to) {
      const double* p = p_of_.data() + k * stride_;
      std::vector<double>& u = scratch();
      for (std::size_t c = 0; c < stride_; ++c) u[c] = cost_[k] * p[c];
      u[label_[k]] -= cost_[k];
      planes_add(row, u.data(), to, stride_);
    });
  }

  // What the planes have too much of every class, and the curvature of its offset.
  struct Shares {
    std::vector<double> excess, curvature;
  };
  [[nodiscard]] Shares shares() const {
    const std::vector<double> sums = sum_rows_wide(goal_.team, list_, 2 * planes_,
                                                   [&](std::size_t begin, std::size_t end, double* excess) {
                                                     double* const curvature = excess + planes_;
                                                     for (std::size_t k = begin; k < end; ++k) {
                                                       const double* p = p_of_.data() + k * stride_;
                                                       for (std::size_t c = 0; c < planes_; ++c) {
                                                         excess[c] += cost_[k] * p[c];
                                                         curvature[c] += cost_[k] * p[c] * (1 - p[c]);
                                                       }
                                                       excess[label_[k]] -= cost_[k];
                                                     }
                                                   });
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(planes_);
    return {{sums.begin(), middle}, {middle, sums.end()}};
  }

  // Moves free offsets until the classes have the shares of their rows, as the certificate will: what is missing is
  // worth its square over the curvature, and moves the sums of the rows. Takes and returns the sum of the losses.
  double fit_offsets(std::vector<double>& w, double loss) {
    const double penalty = norm2(w.data(), d_ * stride_) / 2;
    for (int round = 0; round < 30; ++round) {
      const Shares now = shares();
      double price = 0;
      for (std::size_t c = 0; c < planes_; ++c)
        price += now.excess[c] * now.excess[c] / 2 * (radius2_ + 1 / std::max(now.curvature[c], 1e-300));
      if (price <= 0.01 * goal_.gap * std::max(1.0, penalty + loss)) break;
      std::vector<double> move = offset_step(now);
      double next = loss;
      int halving = 0;
      for (; halving < 40; ++halving) {
        move_offsets(move, 1, w);
        next = all_probabilities();
        if (next < loss) break;
        move_offsets(move, -1, w);
        for (double& v : move) v /= 2;
      }
      if (!(next < loss)) return all_probabilities();
      loss = next;
    }
    return loss;
  }

  void move_offsets(const std::vector<double>& move, double t, std::vector<double>& w) {
    for (std::size_t c = 0; c < planes_; ++c) w[d_ * stride_ + c] += t * move[c];
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t c = 0; c < planes_; ++c) f_[k * stride_ + c] += t * move[c];
  }

  // (sum cost (diag p - p p')) move = -excess. A move of all offsets together changes nothing: the mean of the
  // moves is held. So many classes that the matrix costs more than a pass: its diagonal.
  [[nodiscard]] std::vector<double> offset_step(const Shares& now) const {
    constexpr std::size_t many = 256;
    std::vector<double> move(planes_);
    double most = 0;
    for (std::size_t c = 0; c < planes_; ++c) {
      move[c] = -now.excess[c] / std::max(now.curvature[c], 1e-300);
      most = std::max(most, now.curvature[c]);
    }
    Cholesky factor;
    if (planes_ <= many) {
      std::vector<double> h(planes_ * planes_, most / static_cast<double>(planes_));
      add_in_turn(goal_.team, h, [&](std::vector<double>& to) {
        for (std::size_t k = 0; k < n_; ++k) {
          const double* p = p_of_.data() + k * stride_;
          for (std::size_t c = 0; c < planes_; ++c)
            for (std::size_t e = 0; e < c; ++e) to[c * planes_ + e] -= cost_[k] * p[c] * p[e];
        }
      });
      for (std::size_t c = 0; c < planes_; ++c) h[c * planes_ + c] += now.curvature[c];
      if (factor.factor(std::move(h), planes_, 1e-12, goal_.team.threads())) {
        for (std::size_t c = 0; c < planes_; ++c) move[c] = -now.excess[c];
        factor.solve(move.data());
      }
    }
    for (double& v : move) v = std::clamp(v, -10.0, 10.0);
    return move;
  }

  // One set of numbers per thread; the threads of a pool outlive the solver.
  [[nodiscard]] std::vector<double>& scratch() const {
    thread_local std::vector<double> numbers;
    if (numbers.size() < stride_) numbers.resize(stride_);
    return numbers;
  }
  // Half the squared length of the gradient; free offsets by what the step that makes them exact is worth.
  [[nodiscard]] double gap_estimate() const {
    double offset_part = 0;
    std::vector<double> weight(planes_, 1.0);
    if (p_.offset == Offset::Free) {
      std::fill(weight.begin(), weight.end(), 0.0);
      add_in_turn(goal_.team, weight, [&](std::vector<double>& to) {
        for (std::size_t k = 0; k < n_; ++k) {
          const double* p = p_of_.data() + k * stride_;
          for (std::size_t c = 0; c < planes_; ++c) to[c] += cost_[k] * p[c] * (1 - p[c]);
        }
      });
    }
    for (std::size_t c = 0; c < planes_; ++c) {
      const double r = g_[d_ * stride_ + c];
      offset_part += r * r / (2 * std::max(weight[c], 1e-300));
    }
    return norm2(g_.data(), d_ * stride_) / 2 + offset_part;
  }

  struct Along {
    double slope = 0, curvature = 0;
    Along& operator+=(const Along& o) {
      slope += o.slope;
      curvature += o.curvature;
      return *this;
    }
  };
  [[nodiscard]] Along along(double t) const {
    return sum_rows(goal_.team, list_, Along{}, [&](std::size_t begin, std::size_t end, Along& out) {
      std::vector<double> p((end - begin) * stride_);
      double loss = 0;
      probabilities(begin, end, t, p.data(), loss);
      for (std::size_t k = begin; k < end; ++k) {
        const double* q = p.data() + (k - begin) * stride_;
        const double* df = df_.data() + k * stride_;
        double mean = 0, square = 0;
        for (std::size_t c = 0; c < planes_; ++c) {
          mean += q[c] * df[c];
          square += q[c] * df[c] * df[c];
        }
        out.slope += cost_[k] * (mean - df[label_[k]]);
        out.curvature += cost_[k] * std::max(0.0, square - mean * mean);
      }
    });
  }

  // Newton in one variable; accepts when the slope has fallen to a tenth.
  bool search(std::vector<double>& weights) {
    products(step_, df_);
    const std::size_t penalised = p_.offset == Offset::Lifted ? values() : d_ * stride_;
    const double linear = dot(weights.data(), step_.data(), penalised);
    const double square = norm2(step_.data(), penalised);
    const double slope0 = dot(g_.data(), step_.data(), values());
    if (!(slope0 < 0)) return false;
    double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
    for (int trial = 0; trial < 60; ++trial) {
      const Along at = along(t);
      const double slope = linear + t * square + at.slope;
      if (std::abs(slope) <= 0.1 * std::abs(slope0)) break;
      (slope > 0 ? high : low) = t;
      double next = t - slope / (square + at.curvature);
      if (!(next > low && next < high)) next = std::isfinite(high) ? (low + high) / 2 : 2 * t;
      if (std::abs(next - t) <= 1e-12 * t) break;
      t = next;
    }
    axpy(t, step_.data(), weights.data(), values());
    axpy(t, df_.data(), f_.data(), f_.size());
    return true;
  }

  const SoftmaxProblem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::vector<std::uint32_t> ids_, label_;
  std::size_t n_, d_, planes_, stride_;
  bool has_offset_;
  std::vector<double> cost_, whole_cost_, f_, p_of_, df_, g_, step_;
  PlaneSums sums_;
  Stretch list_;  // the rows here among those of all members
  SoftmaxSystem system_;
  std::uint64_t last_ = 0;
  bool fine_ = false;  // the last step was a small one
  bool resumed_ = false;
  double primal_ = 0;
  double radius2_ = 0;  // the largest |x|^2 of some rows
};

// The mean of cost |x|^2, of some of the rows: how much more the losses bend than the penalty.
double mean_bend(const SoftmaxProblem& problem, const RowAccess& rows, const Team& team) {
  struct Sums {
    double bend = 0, rows = 0;
  } sums;
  const Stretch list = team.stretch(problem.rows());
  const std::size_t every = std::max<std::size_t>(1, list.total / 1000);
  add_in_turn(team, sums, [&](Sums& to) {
    for (std::size_t i = list.first_of(every); i < problem.rows(); i += every, ++to.rows)
      to.bend += problem.cost[i] * rows.norm2(i);
  });
  return sums.bend / std::max(1.0, sums.rows);
}

// From zero by a sample of the rows or along the path, from a start straight on.
Stop solve_levels(const SoftmaxProblem& problem, const RowAccess& rows, const Goal& goal, bool started,
                  std::vector<double>& weights, std::uint64_t& steps) {
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  const std::size_t all = goal.team.total(present.size());
  const auto draw = [&](std::size_t wanted) {
    return spread_sample(goal.team, present, wanted, problem.classes(),
                         [&](std::uint32_t i) { return problem.data->labels()[i]; });
  };
  Stop stop = Stop::Converged;
  const auto out_of_time = [&] { return stop == Stop::Time || stop == Stop::Cancelled; };
  const std::size_t sample = std::max<std::size_t>(all / 10, 5 * rows.cols());
  // What is under way: the sample (a factor of 0), or all rows with this share of their costs.
  double factor = 0;
  std::unique_ptr<Softmax> solver;
  const auto state = [&](auto& a) {
    a(factor, steps);
    a.array(weights, weights.size());
    if constexpr (std::decay_t<decltype(a)>::reads) {
      if (!(factor >= 0 && factor <= 1)) a.refuse("a level that there is not");
      solver = std::make_unique<Softmax>(problem, rows, goal, draw(factor == 0 ? sample : all));
    }
    a.part(*solver);
  };
  const auto look = [&] { goal.keep.leave(state); };
  const bool resumed = goal.keep.resume(state);
  if (resumed ? factor == 0 : !started && sample >= 1000 && sample * 3 <= all) {
    if (!resumed) solver = std::make_unique<Softmax>(problem, rows, goal, draw(sample));
    stop = solver->run(weights, steps, true, look);
    solver.reset();
  }
  if (out_of_time()) return stop;
  if (!solver) {
    solver = std::make_unique<Softmax>(problem, rows, goal, draw(all));
    const double bend = mean_bend(problem, rows, goal.team);
    factor = !started && bend > path_bend ? path_bend / path_stage / bend : 1.0;
  }
  while (true) {
    solver->share(factor);
    stop = solver->run(weights, steps, factor < 1, look);
    if (factor == 1.0 || out_of_time()) return stop;
    factor = std::min(1.0, path_stage * factor);
  }
}

}  // namespace

SoftmaxSolution solve_softmax(const SoftmaxProblem& problem, const RowAccess& given, const Goal& goal,
                              const SoftmaxSolution* start) {
  const auto columns = PresentColumns::worth_while(given, goal.team, problem.data->spill());
  const RowAccess& rows = columns ? columns->rows() : given;
  const auto column = [&](std::size_t j) { return columns ? columns->columns()[j] : j; };
  const std::size_t planes = problem.classes(), d = rows.cols();
  const std::size_t stride = (planes + plane_group - 1) / plane_group * plane_group;
  std::vector<double> weights((d + 1) * stride, 0.0);
  SoftmaxSolution out;
  out.model = {.features = given.cols(), .planes = planes};
  if (start != nullptr) {
    out.iterations = start->iterations;
    for (std::size_t c = 0; c < planes; ++c) {
      for (std::size_t j = 0; j < d; ++j) weights[j * stride + c] = start->model.plane(c)[column(j)];
      weights[d * stride + c] = start->model.offsets[c];
    }
  }
  out.stop = solve_levels(problem, rows, goal, start != nullptr, weights, out.iterations);
  out.model.weights.assign(planes * given.cols(), 0.0);
  // Free offsets are known up to a common constant; their mean is made 0.
  double mean = 0;
  for (std::size_t c = 0; c < planes; ++c) mean += weights[d * stride + c] / static_cast<double>(planes);
  for (std::size_t c = 0; c < planes; ++c) {
    for (std::size_t j = 0; j < d; ++j)
      out.model.weights[c * given.cols() + column(j)] = weights[j * stride + c];
    const double offset = weights[d * stride + c];
    out.model.offsets.push_back(problem.offset == Offset::Free ? offset - mean : offset);
  }
  return out;
}

}  // namespace halfspace
