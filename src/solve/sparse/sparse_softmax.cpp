// SPDX-License-Identifier: BSD-3-Clause
// Softmax with penalties that make weights 0: proximal Newton steps on a working set of weights.
//
// Problem    minimise sum_k (a |theta_k|_1 + b |theta_k|^2 / 2) + sum cost_i (log sum_k exp f_ik - f_{i y_i}).
// Step       as prox_newton.cpp; the model of the loss is the whole one, cost (diag p - p p') for every row, so that the
//            classes see each other within a step. Coordinate descent keeps v = X d and p . v of every row.
// Weights    the working set is one of pairs (column, class): those that are not 0, and as many again with the steepest
//            slopes.
// Cost       a sweep takes two passes over the entries of the columns of every pair; memory 5 n K doubles.
//            Sums over rows are those of row_sums, on all threads; the sweeps are sequential. One member.
// Proof      the dual point of the probabilities, the shares of the other classes shrunk by one factor.
// Reference  as prox_newton.cpp; Krishnapuram, Carin, Figueiredo, Hartemink: Sparse multinomial logistic regression, IEEE PAMI
//            27 (2005).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/row_sums.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/row_sample.hpp"
#include "solve/convex/softmax.hpp"
#include "solve/sparse/quadratic_model.hpp"
#include "solve/systems/plane_rows.hpp"
#include "solve/systems/plane_sums.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t most_class_looks = 200;
constexpr int most_class_inner = 20;

struct Pair {
  std::uint32_t column = 0;  // a place in the working columns; their number: the offset
  std::uint32_t plane = 0;
};

class SparseSoftmax {
 public:
  SparseSoftmax(const SoftmaxProblem& problem, const RowAccess& rows, const Goal& goal, RowSample sample)
      : p_(problem),
        rows_(rows),
        goal_(goal),
        ids_(std::move(sample.rows)),
        n_(ids_.size()),
        d_(rows.cols()),
        planes_(problem.classes()),
        stride_((planes_ + plane_group - 1) / plane_group * plane_group),
        has_offset_(p_.offset != Offset::None),
        parts_(parts_of(p_.penalty)),
        sums_(rows, ids_, has_offset_, stride_, goal.team),
        list_(sums_.list()) {
    for (std::size_t i = 0; i < n_; ++i) {
      cost_.push_back(p_.cost[ids_[i]] * sample.factor[i]);
      label_.push_back(p_.data->labels()[ids_[i]]);
    }
    for (auto* v : {&f_, &q_, &df_}) v->assign(n_ * planes_, 0.0);
  }

  // weights: plane after plane, as in a model.
  Stop run(LinearModel& model, std::uint64_t& steps, double wanted) {
    model_ = &model;
    try {
      return looks(steps, wanted);
    } catch (const Stopped& stopped) {
      return stop_of(stopped);
    }
  }

 private:
  Stop looks(std::uint64_t& steps, double wanted) {
    scores();
    for (std::uint64_t look = 0;; ++look) {
      loss_ = probabilities(0, q_);
      all_slopes();
      const double objective = loss_ + penalty();
      double relative = gap() / std::max(1.0, objective);
      if (relative <= wanted && shrink_ < 1) relative = exact_gap() / std::max(1.0, objective);
      if (relative <= wanted) return Stop::Converged;
      if (look >= most_class_looks || stuck_) return Stop::Limit;
      Stop why = Stop::Converged;
      if (!goal_.go_on({std::numeric_limits<double>::quiet_NaN(), steps, relative, "prox-newton"}, why))
        return why;
      choose();
      inner_steps(steps);
    }
  }

  [[nodiscard]] double weight(std::size_t j, std::size_t k) const { return model_->weights[k * d_ + j]; }
  [[nodiscard]] bool lifted() const { return p_.offset == Offset::Lifted; }
  [[nodiscard]] double cost_of(double w) const {
    return parts_.sizes * std::abs(w) + parts_.squares * w * w / 2;
  }
  [[nodiscard]] double penalty() const {
    double sum = 0;
    for (const double w : model_->weights) sum += cost_of(w);
    if (lifted())
      for (const double b : model_->offsets) sum += cost_of(b);
    return sum;
  }

  void scores() {
    for_blocks(goal_.team.threads(), n_, row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = 0; k < planes_; ++k) {
        double* f = f_.data() + k * n_;
        rows_.dots(std::span(ids_).subspan(begin, end - begin), model_->weights.data() + k * d_, f + begin);
        for (std::size_t i = begin; i < end; ++i) f[i] += model_->offsets[k];
      }
    });
  }

  // Softmax of f + t df, plane after plane, and the sum of the losses.
  double probabilities(double t, std::vector<double>& to) {
    return sum_rows(goal_.team, list_, 0.0, [&](std::size_t begin, std::size_t end, double& sum) {
      for (std::size_t i = begin; i < end; ++i) {
        double top = -std::numeric_limits<double>::infinity(), all = 0;
        for (std::size_t k = 0; k < planes_; ++k)
          top = std::max(top, to[k * n_ + i] = f_[k * n_ + i] + (t == 0 ? 0.0 : t * df_[k * n_ + i]));
        const double own = to[label_[i] * n_ + i];
        for (std::size_t k = 0; k < planes_; ++k) all += to[k * n_ + i] = std::exp(to[k * n_ + i] - top);
        for (std::size_t k = 0; k < planes_; ++k) to[k * n_ + i] /= all;
        sum += cost_[i] * (std::log(all) + top - own);
      }
    });
  }
  // cost (p - [y = k]) of a row.
  [[nodiscard]] double pull(std::size_t i, std::size_t k) const {
    return cost_[i] * (q_[k * n_ + i] - (label_[i] == k ? 1.0 : 0.0));
  }

  // g of all weights, feature after feature, those of the offsets last.
  void all_slopes() {
    g_.assign((d_ + 1) * stride_, 0.0);
    sums_.sum<double>(g_, [&](std::size_t i, const Entries& row, double* to) {
      double a[64];
      std::vector<double> more;
      double* const own = stride_ <= 64 ? a : (more.resize(stride_), more.data());
      for (std::size_t k = 0; k < stride_; ++k) own[k] = k < planes_ ? pull(i, k) : 0.0;
      planes_add(row, own, to, stride_);
    });
  }
  [[nodiscard]] double slope(std::size_t j, std::size_t k) const { return g_[j * stride_ + k]; }

  double gap() {
    double most = 0, conjugate = 0, sum = 0, imbalance = 0;
    for (std::size_t j = 0; j < (lifted() ? d_ + 1 : d_); ++j) {
      for (std::size_t k = 0; k < planes_; ++k) {
        const double s = std::abs(slope(j, k)), beyond = std::max(0.0, s - parts_.sizes);
        most = std::max(most, s);
        if (parts_.squares > 0) conjugate += beyond * beyond / (2 * parts_.squares);
      }
    }
    for (std::size_t k = 0; k < planes_; ++k) {
      for (std::size_t i = 0; i < n_; ++i) sum -= pull(i, k) * f_[k * n_ + i];
      if (p_.offset == Offset::Free) imbalance += std::abs(slope(d_, k)) * (1 + std::abs(model_->offsets[k]));
    }
    shrink_ = parts_.squares == 0 && most > parts_.sizes ? parts_.sizes / most : 1.0;
    return penalty() - shrink_ * sum + conjugate + imbalance;
  }
  double exact_gap() {
    const double gains = sum_rows(goal_.team, list_, 0.0, [&](std::size_t b, std::size_t e, double& sum) {
      for (std::size_t i = b; i < e; ++i) {
        double others = 0, entropy = 0;
        for (std::size_t k = 0; k < planes_; ++k) {
          const double q = shrink_ * q_[k * n_ + i];
          if (k == label_[i] || !(q > 0)) continue;
          others += q;
          entropy -= q * std::log(q);
        }
        if (others < 1) entropy -= (1 - others) * std::log1p(-others);
        sum += cost_[i] * entropy;
      }
    });
    return loss_ + penalty() - gains;
  }

  [[nodiscard]] double violation_of(std::size_t j, std::size_t k) const {
    if (j == d_)
      return p_.offset == Offset::Free
                 ? std::abs(slope(d_, k))
                 : violation(slope(d_, k), model_->offsets[k], parts_.sizes, parts_.squares);
    return violation(slope(j, k), weight(j, k), parts_.sizes, parts_.squares);
  }

  void choose() {
    double wrong = 0, outside = 0;
    std::size_t support = 0;
    std::vector<std::uint8_t> inside(d_ * planes_, 0);
    for (const Pair& pair : pairs_)
      if (columns_ && pair.column < columns_->size())
        inside[columns_->chosen()[pair.column] * planes_ + pair.plane] = 1;
    for (std::size_t j = 0; j < d_; ++j) {
      for (std::size_t k = 0; k < planes_; ++k) {
        const double off = violation_of(j, k);
        wrong += off;
        if (inside[j * planes_ + k] == 0) outside += off;
        support += weight(j, k) != 0 ? 1 : 0;
      }
    }
    if (columns_ && outside <= 0.05 * wrong) return;
    std::vector<std::uint64_t> order(d_ * planes_);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    const std::size_t wanted = std::max<std::size_t>(100 * planes_, 2 * support);
    if (wanted * 3 < order.size() * 2) {
      const auto before = [&](std::uint64_t a, std::uint64_t b) {
        const std::size_t ja = a / planes_, ka = a % planes_, jb = b / planes_, kb = b % planes_;
        const bool keep_a = weight(ja, ka) != 0, keep_b = weight(jb, kb) != 0;
        if (keep_a != keep_b) return keep_a;
        const double ga = std::abs(slope(ja, ka)), gb = std::abs(slope(jb, kb));
        return ga != gb ? ga > gb : a < b;
      };
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(),
                       before);
      order.resize(wanted);
      std::sort(order.begin(), order.end());
    }
    take(order);
  }
  // These weights, by column * planes + plane.
  void take(const std::vector<std::uint64_t>& order) {
    std::vector<std::uint32_t> chosen;
    pairs_.clear();
    for (const std::uint64_t at : order) {
      const auto j = static_cast<std::uint32_t>(at / planes_);
      if (chosen.empty() || chosen.back() != j) chosen.push_back(j);
      pairs_.push_back(
          {static_cast<std::uint32_t>(chosen.size() - 1), static_cast<std::uint32_t>(at % planes_)});
    }
    if (has_offset_)
      for (std::uint32_t k = 0; k < planes_; ++k)
        pairs_.push_back({static_cast<std::uint32_t>(chosen.size()), k});
    // Class after class: what a sweep touches of one class stays in the cache.
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.plane < b.plane; });
    columns_ = std::make_unique<ChosenColumns>(rows_, ids_, std::move(chosen), goal_.team);
  }
  [[nodiscard]] std::size_t column_of(const Pair& pair) const {
    return pair.column < columns_->size() ? columns_->chosen()[pair.column] : d_;
  }
  [[nodiscard]] double& value_of(const Pair& pair) {
    const std::size_t j = column_of(pair);
    return j < d_ ? model_->weights[pair.plane * d_ + j] : model_->offsets[pair.plane];
  }

  void inner_steps(std::uint64_t& steps) {
    const double first = chosen_violation();
    double before = first;
    for (int inner = 0; inner < most_class_inner; ++inner) {
      goal_.team.threads().check();
      if (!step(before)) {
        stuck_ = inner == 0;
        break;
      }
      ++steps;
      loss_ = probabilities(0, q_);
      chosen_slopes();
      before = chosen_violation();
      if (before <= 0.1 * first) break;
    }
  }
  [[nodiscard]] double chosen_violation() const {
    double sum = 0;
    for (const Pair& pair : pairs_) sum += violation_of(column_of(pair), pair.plane);
    return sum;
  }
  void chosen_slopes() {
    std::vector<double> a(n_), g(columns_->size());
    for (std::size_t k = 0; k < planes_; ++k) {
      for (std::size_t i = 0; i < n_; ++i) a[i] = pull(i, k);
      std::fill(g.begin(), g.end(), 0.0);
      columns_->add_sums(a.data(), g.data());
      for (std::size_t c = 0; c < g.size(); ++c) g_[columns_->chosen()[c] * stride_ + k] = g[c];
      g_[d_ * stride_ + k] = has_offset_ ? std::accumulate(a.begin(), a.end(), 0.0) : 0.0;
    }
  }

  // The model of one step: w of the pairs, v = X (w - w0) and p . v of every row.
  struct Model {
    std::vector<double> g, w, start, sizes, squares, diagonal, v, pv;
  };
  [[nodiscard]] Model model_here() {
    Model m;
    const ChosenColumns::Walk& walk = columns_->walk();
    m.v.assign(n_ * planes_, 0.0);
    m.pv.assign(n_, 0.0);
    for (const Pair& pair : pairs_) {
      const std::size_t j = column_of(pair);
      const bool free = j == d_ && !lifted();
      m.g.push_back(slope(j, pair.plane));
      m.w.push_back(value_of(pair));
      m.sizes.push_back(free ? 0.0 : parts_.sizes);
      m.squares.push_back(free ? 0.0 : parts_.squares);
      const double* q = q_.data() + pair.plane * n_;
      double sum = 0;
      for_column(walk, pair.column,
                 [&](std::size_t i, double x) { sum += cost_[i] * q[i] * (1 - q[i]) * x * x; });
      m.diagonal.push_back(sum);
    }
    m.start = m.w;
    return m;
  }
  template <class F>
  void for_column(const ChosenColumns::Walk& walk, std::uint32_t column, const F& f) const {
    if (column < columns_->size()) {
      for (std::uint64_t e = walk.start[column]; e < walk.start[column + 1]; ++e)
        f(walk.row[e], static_cast<double>(walk.value[e]));
    } else {
      for (std::size_t i = 0; i < n_; ++i) f(i, 1.0);
    }
  }

  double sweep(Model& m, const std::vector<std::uint32_t>& which) {
    goal_.team.threads().check();
    const ChosenColumns::Walk& walk = columns_->walk();
    double wrong = 0;
    for (const std::uint32_t at : which) {
      const Pair pair = pairs_[at];
      const double* q = q_.data() + pair.plane * n_;
      double* v = m.v.data() + pair.plane * n_;
      double s = m.g[at];
      for_column(walk, pair.column,
                 [&](std::size_t i, double x) { s += x * cost_[i] * q[i] * (v[i] - m.pv[i]); });
      const double off = violation(s, m.w[at], m.sizes[at], m.squares[at]);
      wrong += off;
      const double c = m.diagonal[at] * (1 + 1e-12), curve = c + m.squares[at];
      if (off == 0 || !(curve > 1e-300)) continue;
      const double x0 = c * m.w[at] - s, size = m.sizes[at];
      const double next = (x0 > size ? x0 - size : x0 < -size ? x0 + size : 0.0) / curve;
      const double by = next - m.w[at];
      if (by == 0 || !std::isfinite(by)) continue;
      m.w[at] = next;
      for_column(walk, pair.column, [&](std::size_t i, double x) {
        v[i] += x * by;
        m.pv[i] += q[i] * x * by;
      });
    }
    return wrong;
  }

  bool step(double wrong) {
    Model m = model_here();
    std::vector<std::uint32_t> every(pairs_.size()), active;
    std::iota(every.begin(), every.end(), 0U);
    for (int round = 0; round < 20; ++round) {
      if (sweep(m, every) <= 0.1 * wrong) break;
      active.clear();
      for (const std::uint32_t at : every)
        if (m.w[at] != 0 || m.sizes[at] == 0) active.push_back(at);
      for (int inner = 0; inner < 20; ++inner)
        if (sweep(m, active) <= 0.05 * wrong) break;
    }
    return move(m);
  }

  bool move(const Model& m) {
    double promise = 0;
    const auto cost = [&](std::size_t at, double w) {
      return m.sizes[at] * std::abs(w) + m.squares[at] * w * w / 2;
    };
    std::vector<double> by(columns_->size() * planes_, 0.0), shift(planes_, 0.0);
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
      const double change = m.w[at] - m.start[at];
      promise += m.g[at] * change + cost(at, m.w[at]) - cost(at, m.start[at]);
      const Pair pair = pairs_[at];
      (pair.column < columns_->size() ? by[pair.plane * columns_->size() + pair.column] : shift[pair.plane]) =
          change;
    }
    if (!(promise < 0)) return false;
    for (std::size_t k = 0; k < planes_; ++k) {
      double* df = df_.data() + k * n_;
      columns_->products(by.data() + k * columns_->size(), df);
      for (std::size_t i = 0; i < n_; ++i) df[i] += shift[k];
    }
    const double rounding = 1e-14 * std::abs(loss_);
    double t = 1;
    for (int trial = 0;; ++trial) {
      if (trial >= 40) return false;
      double change = probabilities(t, q_) - loss_;
      for (std::size_t at = 0; at < pairs_.size(); ++at)
        change += cost(at, m.start[at] + t * (m.w[at] - m.start[at])) - cost(at, m.start[at]);
      if (change <= 1e-3 * t * promise + rounding) break;
      t *= std::clamp(-promise * t / (2 * (change - t * promise)), 0.1, 0.6);
    }
    for (std::size_t at = 0; at < pairs_.size(); ++at)
      value_of(pairs_[at]) = t == 1 ? m.w[at] : m.start[at] + t * (m.w[at] - m.start[at]);
    if (++moves_ % 8 == 0) {
      scores();
    } else {
      axpy(t, df_.data(), f_.data(), f_.size());
    }
    return true;
  }

  const SoftmaxProblem& p_;
  const RowAccess& rows_;
  const Goal& goal_;
  std::vector<std::uint32_t> ids_;
  std::size_t n_, d_, planes_, stride_;
  bool has_offset_;
  PenaltyParts parts_;
  PlaneSums sums_;
  Stretch list_;
  std::vector<double> cost_;
  std::vector<std::uint32_t> label_;
  LinearModel* model_ = nullptr;
  std::vector<double> f_, q_, df_;  // plane after plane: scores, probabilities, change of the scores
  std::vector<double> g_;
  std::vector<Pair> pairs_;
  std::unique_ptr<ChosenColumns> columns_;
  double loss_ = 0, shrink_ = 1;
  bool stuck_ = false;
  std::uint64_t moves_ = 0;
};

}  // namespace

SoftmaxSolution solve_sparse_softmax(const SoftmaxProblem& problem, const RowAccess& rows, const Goal& goal,
                                     const SoftmaxSolution* start) {
  SoftmaxSolution out;
  if (start != nullptr) out = *start;
  const std::size_t planes = problem.classes();
  if (start == nullptr) {
    out.model = {.features = rows.cols(), .planes = planes};
    out.model.weights.assign(planes * rows.cols(), 0.0);
    out.model.offsets.assign(planes, 0.0);
  }
  std::vector<std::uint32_t> present;
  for (std::size_t i = 0; i < problem.rows(); ++i)
    if (problem.cost[i] > 0) present.push_back(static_cast<std::uint32_t>(i));
  const auto label = [&](std::uint32_t i) { return problem.data->labels()[i]; };
  const std::size_t all = goal.team.total(present.size());
  const std::size_t few = all / 10;
  if (start == nullptr && few >= 1000) {
    out.stop = SparseSoftmax(problem, rows, goal, spread_sample(goal.team, present, few, planes, label))
                   .run(out.model, out.iterations, 0.02);
    if (out.stop == Stop::Time || out.stop == Stop::Cancelled) return out;
  }
  out.stop = SparseSoftmax(problem, rows, goal, spread_sample(goal.team, present, all, planes, label))
                 .run(out.model, out.iterations, goal.gap);
  return out;
}

}  // namespace halfspace
