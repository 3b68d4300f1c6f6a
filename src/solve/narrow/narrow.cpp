// SPDX-License-Identifier: BSD-3-Clause
// Problem    minimise P = 1/2 |theta|^2 + sum cost loss(m), a lifted offset counted with theta.
// Pass       one visit of the rows gives loss, gradient theta - sum alpha y x, and if wanted H = R + sum cost
//            curvature x x'; nothing is kept for a row. The gap at any plane is 1/2 |gradient|^2 and what the rows' own
//            terms add: nothing where the loss is smooth.
// Sample     Newton steps on a sixteenth of the rows first. The matrix of the sample serves the steps on all rows as long
//            as each makes the gap small enough.
// Hinge      its corner is rounded by a parabola of some width, which shrinks: a dual point of the rounded loss is one of
//            the hinge. Where the last digits take many passes, another solver goes on.
// Cost       a pass: rows * columns, with H rows * columns^2 / 2. Memory: the panels of the sample, and the sums of 16 slices.
// Same bits  sums run in lanes by place in the list of rows (panel.hpp), through core/row_sums.hpp.
// Reference  Keerthi, DeCoste: A modified finite Newton method for linear SVMs, JMLR 6 (2005); Chapelle: Training a support
//            vector machine in the primal, Neural Computation 19 (2007).
#include "solve/narrow/narrow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/row_sums.hpp"
#include "core/simd/dense.hpp"
#include "core/simd/row_loops.hpp"
#include "solve/convex/cost_model.hpp"
#include "solve/convex/row_sample.hpp"
#include "solve/narrow/panel_rows.hpp"

namespace halfspace {
namespace {

constexpr int sample_passes = 60, smooth_passes = 25, hinge_passes = 12;
constexpr double widest = 4, narrowest_of_sample = 0.08;

PanelLoss panel_loss(const Loss& loss) {
  PanelLoss out;
  std::visit(
      [&]<class L>(L) {
        out.logistic = std::is_same_v<L, Logistic>;
        out.hinge = std::is_same_v<L, Hinge>;
        if constexpr (QuadraticGain<L>) {
          out.limit = L::limit;
          out.width = L::gain_curvature;
        }
      },
      loss);
  return out;
}
void round_corner(PanelLoss& loss, double width) {
  loss.width = width;
  loss.knee = 1 + width / 2;
}

// What a pass finds at a plane.
struct Found {
  double value = 0;           // of the smooth objective
  double primal = 0;          // of the true one
  double gap = 0;             // between that and the dual value of the point of this plane
  double shape = 0;           // the part of the gap that is 1/2 |gradient|^2
  std::vector<double> slope;  // the gradient: theta - sum alpha y x, the offset's last
  std::vector<double> lower;  // H, if asked for
};

class Narrow {
 public:
  Narrow(const Problem& problem, const RowAccess& rows, const Goal& goal)
      : p_(problem),
        goal_(goal),
        d_(rows.cols()),
        n_(d_ + 1),
        loss_(panel_loss(problem.loss)),
        sums_(Panel(d_).columns) {
    theta_.assign(sums_.columns, 0.0);
  }

  Solution run() {
    Stop why = Stop::Limit;
    try {
      why = levels();
    } catch (const Stopped& stopped) {
      why = stop_of(stopped);
    }
    Solution out{
        {theta_.begin(), theta_.begin() + static_cast<std::ptrdiff_t>(d_)}, theta_[d_], {}, steps_, why};
    if (loss_.hinge && why == Stop::Converged) out.alpha = std::move(alpha_);
    return out;
  }

 private:
  Stop levels() {
    const std::size_t all = goal_.team.total(p_.rows()), wanted = std::max(all / 16, 60 * n_);
    if (loss_.hinge) round_corner(loss_, widest);
    const PanelList list{{}, p_.cost};
    // What is left of another run are steps on all rows.
    resumed_ = goal_.keep.resume([&](StateReader& in) { state(in); });
    if (resumed_) return loss_.hinge ? hinge_steps(list) : smooth_steps(list);
    // Without a sample the corner of the hinge is narrowed on all rows: others do that better.
    if (loss_.hinge && wanted * 4 > all) return Stop::Limit;
    if (wanted * 4 <= all) {
      const RowSample sample = spread_sample(goal_.team, p_, wanted);
      std::vector<double> cost(sample.rows.size());
      for (std::size_t k = 0; k < cost.size(); ++k) cost[k] = p_.cost[sample.rows[k]] * sample.factor[k];
      Stop why = Stop::Converged;
      const bool went_on = on_sample({sample.rows, cost}, why);
      kept_.clear();
      if (!went_on) return why;
    }
    return loss_.hinge ? hinge_steps(list) : smooth_steps(list);
  }

  // At the beginning of a step on all rows, whose sums are made again at the plane that is here.
  template <class Archive>
  void state(Archive& a) {
    a.array(theta_, sums_.columns);
    a(loss_.knee, loss_.width, steps_, round_, fresh_, factored_, last_, width_);
    a.array(before_, loss_.hinge ? sums_.columns : 0);
    matrix_.state(a, n_);
  }
  void leave() {
    goal_.keep.leave([this](StateWriter& to) { state(to); });
  }

  // Steps on a sample until they promise little of what a sample knows; for the hinge with a width that shrinks.
  // False: stopped.
  bool on_sample(const PanelList& list, Stop& why) {
    const Stretch places = goal_.team.stretch(list.cost.size());
    Found at = pass(list, places, theta_, true);
    for (int k = 0; k < sample_passes; ++k) {
      if (!go_on(why)) return false;
      if (!factor(at)) return true;
      const std::vector<double> step = direction(at);
      const double promise = -dot(step.data(), at.slope.data(), n_) / 2;
      const bool settled =
          promise <= (loss_.hinge && loss_.width > narrowest_of_sample ? 1e-3 : 1e-5) * at.primal;
      if (!take_step(list, places, step, at)) return true;
      if (!settled) continue;
      if (!loss_.hinge || loss_.width <= narrowest_of_sample) return true;
      round_corner(loss_, std::max(narrowest_of_sample, loss_.width * 0.3));
      at = pass(list, places, theta_, true);
    }
    return true;
  }

  // The step, shortened until the objective falls; false: it does not.
  bool take_step(const PanelList& list, const Stretch& places, const std::vector<double>& step, Found& at) {
    const double slope = dot(step.data(), at.slope.data(), n_);
    if (!(slope < 0)) return false;
    double t = 1;
    for (int trial = 0; trial < 12; ++trial) {
      std::vector<double> next = theta_;
      axpy(t, step.data(), next.data(), n_);
      Found found = pass(list, places, next, true);
      if (found.value <= at.value + 0.01 * t * slope) {
        theta_ = std::move(next);
        at = std::move(found);
        return true;
      }
      const double bend = 2 * (found.value - at.value - t * slope);
      t = std::clamp(-slope * t * t / bend, 0.1 * t, 0.5 * t);
      if (!std::isfinite(t)) return false;
    }
    return false;
  }

  Stop smooth_steps(const PanelList& list) {
    const Stretch places = goal_.team.stretch(p_.rows());
    // With the matrix of a sample a step costs no matrix of all rows.
    if (!resumed_) fresh_ = !factored_;
    Found at = pass(list, places, theta_, fresh_);
    for (; round_ < smooth_passes; ++round_) {
      leave();
      if (!std::isfinite(at.gap)) return Stop::Limit;
      const double relative = at.gap / std::max(1.0, at.primal);
      if (relative <= goal_.gap) return Stop::Converged;
      Stop why = Stop::Limit;
      if (!go_on(why, relative)) return why;
      if (fresh_ && !factor(at)) return Stop::Limit;
      const std::vector<double> step = direction(at), before = theta_;
      const double gap = at.gap;
      if (fresh_) {
        if (!take_step(list, places, step, at)) return Stop::Limit;
        continue;
      }
      axpy(1.0, step.data(), theta_.data(), n_);
      Found found = pass(list, places, theta_, false);
      if (!(found.gap <= 0.3 * gap) && !(found.gap / std::max(1.0, found.primal) <= goal_.gap)) {
        if (!(found.value < at.value)) theta_ = before;
        fresh_ = true;
        found = pass(list, places, theta_, true);
      }
      at = std::move(found);
    }
    return Stop::Limit;
  }

  // The width falls as the corner is what is left of the gap; a step after which the objective is larger was too long for
  // it.
  Stop hinge_steps(const PanelList& list) {
    const Stretch places = goal_.team.stretch(p_.rows());
    alpha_.assign(p_.rows(), 0.0);
    if (!resumed_) {
      round_corner(loss_, std::min(0.3, 3 * loss_.width));
      before_ = theta_;
      width_ = loss_.width;
    }
    for (; round_ < hinge_passes; ++round_) {
      leave();
      Found at = pass(list, places, theta_, true);
      if (!std::isfinite(at.gap)) return Stop::Limit;
      const double scale = std::max(1.0, at.primal), relative = at.gap / scale;
      if (relative <= goal_.gap) return Stop::Converged;
      Stop why = Stop::Limit;
      if (!go_on(why, relative)) return why;
      if (at.primal > last_ * (1 + 1e-3)) {
        for (std::size_t c = 0; c < n_; ++c) theta_[c] = theta_[c] / 2 + before_[c] / 2;
        round_corner(loss_, width_);
        continue;
      }
      last_ = at.primal;
      if (!factor(at)) return Stop::Limit;
      const std::vector<double> step = direction(at);
      before_ = theta_;
      axpy(1.0, step.data(), theta_.data(), n_);
      const double corner = (at.gap - at.shape) / scale;
      width_ = loss_.width;
      if (corner > 0.4 * goal_.gap && corner > 0.3 * at.shape / scale)
        round_corner(loss_, width_ * std::clamp(std::sqrt(0.3 * goal_.gap / corner), 0.25, 0.8));
    }
    return Stop::Limit;
  }

  Found pass(const PanelList& list, const Stretch& places, const std::vector<double>& theta,
             bool with_curvature) {
    const std::size_t size = sums_.size(with_curvature), slices = slices_of(places.total, size);
    const std::size_t length = std::max<std::size_t>(1, (places.total + slices - 1) / slices);
    // A sample is met many times: its panels stay.
    const bool keep = !list.ids.empty();
    if (keep && kept_.size() != slices) kept_.assign(slices, {});
    slice_sums(goal_.team, places, slices, size, part_,
               [&](std::size_t begin, std::size_t end, double* sums) {
                 if (!keep) {
                   Panel panel(d_);
                   while (begin < end) {
                     const std::size_t from = begin;
                     begin = fill(list, places, begin, end, panel);
                     add_panel(panel, theta.data(), loss_, with_curvature, sums);
                     if (loss_.hinge)
                       for (std::size_t k = from; k < begin; ++k)
                         alpha_[k] = panel.u[panel.skip + k - from] * panel.y[panel.skip + k - from];
                   }
                   return;
                 }
                 std::vector<Panel>& panels = kept_[(places.first + begin) / length];
                 if (panels.empty())
                   while (begin < end) {
                     panels.emplace_back(d_);
                     begin = fill(list, places, begin, end, panels.back());
                   }
                 for (Panel& panel : panels) add_panel(panel, theta.data(), loss_, with_curvature, sums);
               });
    return found(theta, with_curvature);
  }

  // As many rows as go into a panel from `begin` on; returns the first one that did not.
  std::size_t fill(const PanelList& list, const Stretch& places, std::size_t begin, std::size_t end,
                   Panel& panel) const {
    goal_.team.threads().check();
    const std::size_t skip = (places.first + begin) % panel_lanes;
    const std::size_t stop = std::min(end, begin + panel.most - skip);
    fill_panel(p_, list, begin, stop, skip, panel);
    return stop;
  }

  [[nodiscard]] double sum(std::size_t place) const {
    double total = 0;
    for (const auto& part : part_)
      for (std::size_t lane = 0; lane < panel_lanes; ++lane) total += part[place + lane];
    return total;
  }

  [[nodiscard]] Found found(const std::vector<double>& theta, bool with_curvature) const {
    Found out;
    const bool lifted = p_.offset == Offset::Lifted;
    const double square = norm2(theta.data(), d_) + (lifted ? theta[d_] * theta[d_] : 0.0);
    out.slope.assign(n_, 0.0);
    for (std::size_t c = 0; c < n_; ++c) {
      const double s = sum(PanelSums::gradient + c * panel_lanes);
      out.slope[c] = (c < d_ || lifted ? theta[c] : 0.0) - s;
    }
    if (p_.offset == Offset::None) out.slope[d_] = 0;
    out.value = square / 2 + sum(PanelSums::value);
    out.shape = norm2(out.slope.data(), d_) / 2;
    if (lifted) out.shape += out.slope[d_] * out.slope[d_] / 2;
    // What it costs to balance the point.
    if (p_.offset == Offset::Free) out.shape += std::abs(out.slope[d_]) * (1 + std::abs(theta[d_]));
    out.primal = out.value;
    out.gap = out.shape;
    if (loss_.hinge) {
      out.primal = square / 2 + sum(PanelSums::loss);
      // sum cost max(0, 1 - m) - alpha (1 - m), and sum alpha m = theta . sum alpha y x.
      double along = 0;
      for (std::size_t c = 0; c < n_; ++c) along += theta[c] * sum(PanelSums::gradient + c * panel_lanes);
      out.gap += std::max(0.0, sum(PanelSums::loss) - sum(PanelSums::gain) + along);
    }
    if (!with_curvature) return out;
    out.lower.assign(n_ * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j <= i; ++j) out.lower[i * n_ + j] = sum(sums_.pair(i, j));
    for (std::size_t i = 0; i < d_; ++i) out.lower[i * n_ + i] += 1;
    // Of a free offset nothing but the rows that bend; where there are none, next to nothing holds it.
    double& last = out.lower[d_ * n_ + d_];
    last = p_.offset == Offset::Free ? std::max(last, 1e-9) : last + 1;
    return out;
  }

  bool factor(Found& at) {
    for (const double v : at.lower)
      if (!std::isfinite(v)) return factored_ = false;
    for (double ridge = 1e-15; ridge < 1e-3; ridge *= 100) {
      if (matrix_.factor(at.lower, n_, ridge, Threads(1))) return factored_ = true;
    }
    return factored_ = false;
  }
  [[nodiscard]] std::vector<double> direction(const Found& at) const {
    std::vector<double> step(n_);
    for (std::size_t c = 0; c < n_; ++c) step[c] = -at.slope[c];
    matrix_.solve(step.data());
    if (p_.offset == Offset::None) step[d_] = 0;
    return step;
  }

  bool go_on(Stop& why, double relative = std::numeric_limits<double>::quiet_NaN()) {
    return goal_.go_on(
        {std::numeric_limits<double>::quiet_NaN(), ++steps_, relative, loss_.hinge ? "semismooth" : "newton"},
        why);
  }

  const Problem& p_;
  const Goal& goal_;
  std::size_t d_, n_;
  PanelLoss loss_;
  PanelSums sums_;
  std::vector<double> theta_, alpha_, before_;  // before: the plane before the last step
  std::vector<std::vector<double>> part_;
  std::vector<std::vector<Panel>> kept_;  // of the slices of a sample
  Cholesky matrix_;
  bool factored_ = false, resumed_ = false;
  bool fresh_ = false;  // the matrix of a step is that of all rows
  int round_ = 0;       // of the steps on all rows
  double last_ = std::numeric_limits<double>::infinity(), width_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace

bool narrow_handles(const Problem& problem, const RowAccess& rows, const Team& team) {
  const std::size_t d = rows.cols();
  if (d > cost_model::most_narrow_columns || !problem.usable.empty() ||
      !std::holds_alternative<L2>(problem.penalty))
    return false;
  const std::size_t all = team.total(rows.rows());
  return cost_model::enough_for_panels(all, d) &&
         cost_model::full_enough_for_panels(all, d, team.total(problem.data->nonzeros()));
}

Solution solve_narrow(const Problem& problem, const RowAccess& rows, const Goal& goal) {
  return Narrow(problem, rows, goal).run();
}

}  // namespace halfspace
