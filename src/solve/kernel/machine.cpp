// SPDX-License-Identifier: BSD-3-Clause
// Problem  minimise 1/2 |theta|^2 + sum cost_i (1 - y_i (theta . phi(x_i) + b))+ over theta and b, in the
//          dual.
// Method   working sets on kernel values in float (kernel_smo.cpp). Equal rows of one class are one
//          variable with the sum of their bounds. What it finds is checked in double on the rows as they
//          are stored; when the true gap is too large, the true slopes replace the solver's and it goes on
//          from there: each such round takes away the error that float values left, so any gap that double
//          can express is in reach.
// Proof    certify/kernel_gap.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "certify/kernel_gap.hpp"
#include "data/kernel/data.hpp"
#include "solve/kernel/smo.hpp"
#include "solve/kernel/svm.hpp"

namespace halfspace {
namespace {

constexpr int most_checks = 12;

// Variables of the solver: classes of equal rows with equal labels.
struct Variables {
  std::vector<std::uint32_t> present;   // rows of the problem with a cost
  std::vector<std::uint32_t> variable;  // of every present row
  std::vector<std::uint32_t> row;       // of every variable: its first row, as a row of the data
  std::vector<std::uint32_t> first;     // the same as a row of the problem
  std::vector<double> bound;            // sum of the costs
  std::vector<std::int8_t> y;
};

Variables variables_of(const Problem& problem, const EqualRows& equal) {
  Variables out;
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> of_group[2];
  of_group[0].assign(equal.first.size(), none);
  of_group[1].assign(equal.first.size(), none);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (!(problem.cost[i] > 0)) continue;
    out.present.push_back(static_cast<std::uint32_t>(i));
    const std::size_t row = problem.row(i);
    std::uint32_t& variable = of_group[problem.y[i] > 0 ? 1 : 0][equal.group[row]];
    if (variable == none) {
      variable = static_cast<std::uint32_t>(out.row.size());
      out.row.push_back(static_cast<std::uint32_t>(row));
      out.first.push_back(static_cast<std::uint32_t>(i));
      out.bound.push_back(0);
      out.y.push_back(problem.y[i]);
    }
    out.bound[variable] += problem.cost[i];
    out.variable.push_back(variable);
  }
  return out;
}

// The offset with the least loss: where the costs of the positive rows above it and of the negative rows
// below it are equal. A row's loss ends at offset = y - product.
double best_offset(const Problem& problem, std::span<const double> products, double middle) {
  struct End {
    double at, cost;
  };
  std::vector<End> ends;
  double balance = 0;  // slope of the loss, left of all ends
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    if (problem.cost[i] == 0) continue;
    ends.push_back({problem.y[i] - products[i], problem.cost[i]});
    if (problem.y[i] > 0) balance -= problem.cost[i];
  }
  const auto before = [](const End& a, const End& b) { return a.at < b.at; };
  const double tiny = 1e-12 * std::abs(balance);
  // The end at which the slope turns, by halves: only those that may be it are put in order.
  auto first = ends.begin(), last = ends.end();
  while (last - first > 16) {
    const auto middle_end = first + (last - first) / 2;
    std::nth_element(first, middle_end, last, before);
    double below = balance;
    for (auto end = first; end != middle_end; ++end) below += end->cost;
    if (below < -tiny) {
      balance = below;
      first = middle_end;
    } else {
      last = middle_end;
    }
  }
  std::sort(first, last, before);
  for (; first != ends.end(); ++first) {
    balance += first->cost;
    if (balance < -tiny) continue;
    // Flat up to the next end: any offset there is best, the middle of the support vectors by preference.
    const auto next = std::min_element(first + 1, ends.end(), before);
    return std::clamp(middle, first->at, balance <= tiny && next != ends.end() ? next->at : first->at);
  }
  return middle;
}

std::vector<double> scores_of(const Problem& problem, const KernelGap& proof, double offset) {
  std::vector<double> out(proof.products().size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double score = proof.products()[i] + offset;
    // Twice the bound: the model's own score is rounded as well.
    if (problem.cost[i] > 0 && std::abs(score) > 2 * proof.errors()[i] + 1e-12 * std::abs(offset))
      out[i] = score;
  }
  return out;
}

}  // namespace

struct KernelRoom::Kept {
  Dataset rows;  // holds on to what `data` looks at
  std::optional<KernelData> data;
  std::optional<KernelRows<float>> packed;
  std::optional<KernelRows<double>> precise;
  KernelRowCache cache;
};

KernelRoom::KernelRoom(std::unique_ptr<Kept> kept) : kept_(std::move(kept)) {}
KernelRoom::~KernelRoom() = default;

std::unique_ptr<KernelRoom::Kept> KernelRoom::take() const {
  const std::lock_guard lock(guard_);
  return std::move(kept_);
}

namespace {

// What a neighbour has left for these rows, or nothing yet.
std::unique_ptr<KernelRoom::Kept> room_for(const KernelGoal& goal) {
  if (goal.near != nullptr && goal.near->kernel != nullptr) {
    if (auto kept = std::static_pointer_cast<const KernelRoom>(goal.near->kernel)->take()) {
      if (!goal.near->planes.empty()) return kept;
      auto memory = std::make_unique<KernelRoom::Kept>();  // of other rows, or another kernel
      memory->cache = std::move(kept->cache);
      memory->cache.forget();
      return memory;
    }
  }
  return std::make_unique<KernelRoom::Kept>();
}

class MachineSolve {
 public:
  MachineSolve(const Problem& problem, const KernelGoal& goal, const Clock& clock, std::optional<double> nu)
      : problem_(problem),
        goal_(goal),
        clock_(clock),
        nu_(nu),
        room_(room_for(goal)),
        rows_(room_->packed),
        precise_(room_->precise),
        data_(data_for(*room_, problem, goal)) {
    variables_ = variables_of(problem, data_.equal());
    if (rows_ && rows_->size() == variables_.row.size()) return;
    rows_.emplace(data_.pack<float>(variables_.row, data_.form(), goal.threads));
    // |x|^2 + |z|^2 - 2 x.z loses what is small against the lengths: in float too much when they are large.
    const float longest = *std::max_element(rows_->length2(), rows_->length2() + rows_->size());
    if (goal.kernel.kind == KernelKind::Rbf &&
        goal.kernel.gamma * static_cast<double>(longest) * 0x1.0p-22 > 1e-3)
      precise_.emplace(data_.pack<double>(
          variables_.row,
          exact_form(data_.plain_form(), goal.kernel, static_cast<double>(longest), data_.features()),
          goal.threads));
  }

  KernelMachine solve() {
    KernelSmo smo(small_problem(), std::move(room_->cache));
    KernelMachine best;
    try {
      rounds(smo, best);
    } catch (const Stopped& stopped) {
      // Between the steps or in their proof: a point that was proved before, else the one that is there.
      if (best.dual.rows.empty()) best = unproved(smo);
      best.stop = stop_of(stopped);
    }
    best.rounds = smo.iterations();
    best.indefinite = smo.indefinite();
    if (goal_.leave != nullptr && best.stop == Stop::Converged) leave(smo);
    return best;
  }

 private:
  // The end of a neighbour, as long as the dual value grows on the way to the new bounds; false: there is none.
  bool start_near(KernelSmo& smo) const {
    if (nu_ || goal_.near == nullptr || goal_.near->planes.size() != 1 || !(goal_.near->C > 0)) return false;
    const Neighbour::Plane& from = goal_.near->planes.front();
    const std::size_t n = variables_.row.size();
    if (from.alpha.size() != n || from.slopes.size() != n) return false;
    const double ratio = goal_.C / goal_.near->C;
    double sum = 0, square = 0;  // of t beta: t sum - t^2/2 square
    for (std::size_t k = 0; k < n; ++k) {
      sum += variables_.y[k] * from.alpha[k];
      square += from.alpha[k] * (variables_.y[k] - from.slopes[k]);
    }
    if (!(sum > 0 && square > 0)) return false;
    const double t = std::min(ratio, std::max(1.0, sum / square));
    std::vector<double> beta(n), slopes(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double bound = variables_.bound[k];
      beta[k] = std::clamp(t * from.alpha[k], variables_.y[k] > 0 ? 0.0 : -bound,
                           variables_.y[k] > 0 ? bound : 0.0);
      slopes[k] = variables_.y[k] - t * (variables_.y[k] - from.slopes[k]);
    }
    smo.start(std::move(beta), slopes);
    return true;
  }

  void leave(KernelSmo& smo) {
    Neighbour::Plane plane;
    plane.alpha = smo.beta();
    plane.slopes = smo.slopes();
    room_->cache = smo.release_cache();
    *goal_.leave = {goal_.C, {std::move(plane)}, nullptr};
    if (room_->data) goal_.leave->kernel = std::make_shared<const KernelRoom>(std::move(room_));
  }

  void rounds(KernelSmo& smo, KernelMachine& best) {
    if (!start_near(smo)) smo.start(nu_ ? nu_start() : std::vector<double>(variables_.row.size(), 0.0));
    double wanted = 0.9 * goal_.gap;
    double last = std::numeric_limits<double>::infinity();
    for (int check = 0;; ++check) {
      Stop why = Stop::Converged;
      const KernelSmo::End end = smo.run(wanted, clock_, why);
      const double relative = judge(smo, best, check == 0);
      if (relative <= goal_.gap) break;
      if (end == KernelSmo::End::Stopped) {
        best.stop = why;
        break;
      }
      // Not reached: go on from the true slopes, unless that has stopped helping.
      const bool helps = relative < 0.9 * last || end == KernelSmo::End::Reached;
      if (check + 1 == most_checks || !helps) {
        best.stop = Stop::Limit;
        break;
      }
      last = relative;
      wanted *= 0.7;
    }
  }

  static const KernelData& data_for(KernelRoom::Kept& room, const Problem& problem, const KernelGoal& goal) {
    if (goal.data != nullptr) return *goal.data;
    if (room.data) return *room.data;
    room.rows = *problem.data;
    return room.data.emplace(room.rows, goal.kernel, true, goal.threads);
  }

  SmoProblem small_problem() const {
    SmoProblem out;
    const std::size_t n = variables_.row.size();
    out.rows = &*rows_;
    out.precise = precise_ ? &*precise_ : nullptr;
    out.kernel = goal_.kernel;
    out.y = variables_.y;
    out.by_class = nu_.has_value();
    out.cache_bytes = goal_.cache_bytes;
    out.seed = goal_.seed;
    out.threads = goal_.threads;
    out.target.resize(n);
    out.lower.resize(n);
    out.upper.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const bool positive = variables_.y[k] > 0;
      out.target[k] = nu_ ? 0.0 : variables_.y[k];
      out.lower[k] = positive ? 0.0 : -variables_.bound[k];
      out.upper[k] = positive ? variables_.bound[k] : 0.0;
    }
    return out;
  }

  // The first rows of each class up to half of nu times all costs.
  [[nodiscard]] std::vector<double> nu_start() const {
    double total = 0;
    for (const double b : variables_.bound) total += b;
    double left[2] = {*nu_ * total / 2, *nu_ * total / 2};
    std::vector<double> beta(variables_.row.size(), 0.0);
    for (std::size_t k = 0; k < beta.size(); ++k) {
      double& rest = left[variables_.y[k] > 0 ? 1 : 0];
      const double take = std::min(rest, variables_.bound[k]);
      beta[k] = variables_.y[k] * take;
      rest -= take;
    }
    return beta;
  }

  // The true gap of the present point; keeps the point if it is the best so far, hands the true slopes to the
  // solver.
  double judge(KernelSmo& smo, KernelMachine& best, bool first) {
    const double rho = nu_ ? smo.state().rho : 1.0;
    const double scale = rho > 0 ? 1 / rho : 1.0;
    Problem checked = problem_;
    if (nu_)
      for (double& c : checked.cost) c *= scale;
    KernelMachine found;
    found.dual = point(smo, checked, scale);
    KernelGap proof(checked, goal_.kernel, found.dual, clock_.closing(),
                    {&data_, &*rows_, variables_.variable});
    const double guess = smo.state().offset * scale;
    proof.settle(guess);
    found.offset = best_offset(checked, proof.products(), guess);
    found.gap = proof.at(found.offset);
    if (goal_.keep_scores) found.scores = scores_of(checked, proof, found.offset);
    found.rho = rho;
    found.C = scale;
    const double relative = found.gap.relative();
    std::vector<double> slopes(variables_.row.size());
    for (std::size_t v = 0; v < slopes.size(); ++v)
      slopes[v] = (nu_ ? 0.0 : variables_.y[v]) - proof.products()[variables_.first[v]] / scale;
    smo.set_slopes(slopes);
    // A point without a margin is measured in another unit: any point with one is better.
    const bool better = (found.rho > 0) != (best.rho > 0) ? found.rho > 0 : relative < best.gap.relative();
    if (first || better) best = std::move(found);
    return best.rho > 0 ? best.gap.relative() : std::numeric_limits<double>::infinity();
  }

  KernelMachine unproved(const KernelSmo& smo) const {
    KernelMachine found;
    found.proved = false;
    found.rho = nu_ ? smo.state().rho : 1.0;
    found.C = found.rho > 0 ? 1 / found.rho : 1.0;
    Problem scaled = problem_;
    if (nu_)
      for (double& c : scaled.cost) c *= found.C;
    found.dual = point(smo, scaled, found.C);
    found.offset = smo.state().offset * found.C;
    return found;
  }

  // The variables as a point of the problem, whose costs have the scale.
  DualPoint point(const KernelSmo& smo, const Problem& checked, double scale) const {
    DualPoint out;
    for (std::size_t k = 0; k < variables_.present.size(); ++k) {
      const std::uint32_t i = variables_.present[k];
      const std::uint32_t v = variables_.variable[k];
      const double size = std::abs(smo.beta()[v]);
      if (size == 0) continue;
      // At the bound exactly at the bound; otherwise in proportion to the costs.
      const double share =
          size >= variables_.bound[v] ? problem_.cost[i] : size * (problem_.cost[i] / variables_.bound[v]);
      const double alpha = std::min(share * scale, checked.cost[i]);
      if (!(alpha > 0)) continue;
      out.rows.push_back(i);
      out.alpha.push_back(alpha);
    }
    return out;
  }

  const Problem& problem_;
  const KernelGoal& goal_;
  const Clock& clock_;
  std::optional<double> nu_;
  std::unique_ptr<KernelRoom::Kept> room_;
  std::optional<KernelRows<float>>& rows_;
  std::optional<KernelRows<double>>& precise_;
  const KernelData& data_;
  Variables variables_;
};

}  // namespace

KernelMachine solve_machine(const Problem& problem, const KernelGoal& goal, const Clock& clock) {
  return MachineSolve(problem, goal, clock, std::nullopt).solve();
}

KernelMachine solve_nu_machine(const Problem& problem, double nu, const KernelGoal& goal,
                               const Clock& clock) {
  return MachineSolve(problem, goal, clock, nu).solve();
}

}  // namespace halfspace
