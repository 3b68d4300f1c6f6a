// SPDX-License-Identifier: BSD-3-Clause
#include "solve/online/walker.hpp"

#include <cmath>

#include "core/simd/row_loops.hpp"

namespace halfspace {
namespace {
constexpr std::size_t ahead = 4;  // rows that are fetched before their turn
}

OnlineWalker::OnlineWalker(const StepRule& rule, const OnlineSetup& setup, std::size_t classes,
                           std::size_t first, std::size_t planes, std::size_t cols, std::size_t rows)
    : walk(planes),
      changed(planes, 0),
      correct(planes, 0),
      longest(planes, 0),
      rule_(rule),
      setup_(setup),
      classes_(classes),
      first_(first),
      planes_(cols, planes, setup.offset, setup.average),
      shrinks_(!std::isfinite(rule.idle_above)),
      updates_(planes, 0),
      ties_left_(planes, 64),
      score_(planes) {
  if (setup.count)
    for (PlaneWalk& plane : walk) plane.counts.assign(rows, 0);
  if (setup.start == nullptr) return;
  for (std::size_t k = 0; k < planes; ++k)
    planes_.begin(k, setup.start->planes.plane(first + k), setup.start->planes.offsets.at(first + k));
}

void OnlineWalker::resume(const WalkState& state) {
  planes_.resume(state);
  t_ = state.steps;
  for (std::size_t k = 0; k < walk.size(); ++k) walk[k].mistakes = state.mistakes.at(k);
}

void OnlineWalker::step(const RowAccess& rows, std::span<const std::uint32_t> labels,
                        std::span<const std::uint32_t> batch) {
  const std::size_t count = planes_.count();
  if (score_.size() < batch.size() * count) score_.resize(batch.size() * count);
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (r + ahead < batch.size()) rows.prefetch(batch[r + ahead]);
    planes_.scores(rows, batch[r], score_.data() + r * count);
  }
  if (batch.size() == 1 && !shrinks_) {  // the perceptron's way: most rows change nothing
    const std::uint32_t label = labels[batch[0]];
    bool moves = false;
    for (std::size_t k = 0; k < count; ++k) moves = moves || !(y(label, k) * score_[k] > rule_.idle_above);
    if (!moves) {
      idle(1);
      return;
    }
  }
  take(rows, labels, batch);
}

void OnlineWalker::idle(std::uint64_t count) {
  t_ += count;
  for (std::uint64_t& c : correct) c += count;
  planes_.end_steps(count);
}

void OnlineWalker::steps(const RowAccess& rows, std::span<const std::uint32_t> labels,
                         std::span<const std::uint32_t> order) {
  if (planes_.single() && shrinks_ && setup_.observer == nullptr) {
    steps_of_one_plane(rows, labels, order);
    return;
  }
  if (!planes_.single() || shrinks_) {
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (at + ahead < order.size()) rows.prefetch(order[at + ahead]);
      step(rows, labels, order.subspan(at, 1));
    }
    return;
  }
  const std::uint32_t positive = static_cast<std::uint32_t>(classes_ == 2 ? 1 : first_);
  while (!order.empty()) {
    const std::size_t same = planes_.scan(rows, order, labels, positive, rule_.idle_above, score_[0]);
    idle(same);
    if (same == order.size()) return;
    take(rows, labels, order.subspan(same, 1));
    order = order.subspan(same + 1);
  }
}

// What take() does, where every row is a step and nobody looks on.
void OnlineWalker::steps_of_one_plane(const RowAccess& rows, std::span<const std::uint32_t> labels,
                                      std::span<const std::uint32_t> order) {
  const std::uint32_t positive = static_cast<std::uint32_t>(classes_ == 2 ? 1 : first_);
  const double lifted = setup_.offset == Offset::None ? 0.0 : 1.0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at + ahead < order.size()) rows.prefetch(order[at + ahead]);
    const std::uint32_t i = order[at];
    double score = 0;
    planes_.scores(rows, i, &score);
    const double sign = labels[i] == positive ? 1.0 : -1.0, margin = sign * score;
    ++t_;
    const double norm2 = rule_.needs_norm ? rows.norm2(i) + lifted : -1.0;
    const Step step = rule_.step({margin, norm2, t_, updates_[0]});
    planes_.shrink(step.keep, rule_.scale(t_));
    if (step.keep != 1 || !(margin > 0)) changed[0] = 1;
    if (!(margin > 0)) ++walk[0].mistakes;
    if (step.tau == 0) {
      ++correct[0];
    } else {
      change(rows, i, 0, sign, sign * step.tau);
      ++updates_[0];
    }
    planes_.end_step();
  }
}

void OnlineWalker::step_scored(const RowAccess& rows, std::span<const std::uint32_t> labels,
                               std::span<const std::uint32_t> batch, std::span<const double> scores) {
  score_.assign(scores.begin(), scores.end());
  take(rows, labels, batch);
}

// All margins are those from before the step.
void OnlineWalker::take(const RowAccess& rows, std::span<const std::uint32_t> labels,
                        std::span<const std::uint32_t> batch) {
  ++t_;
  const std::size_t count = planes_.count();
  const bool watched = setup_.observer != nullptr;
  if (watched) watch(batch);
  Step last;
  if (shrinks_) {
    last = rule_.step({std::numeric_limits<double>::infinity(), 1, t_, updates_[0]});
    planes_.shrink(last.keep, rule_.scale(t_));
    if (last.keep != 1) changed.assign(count, 1);
  }
  const double share = 1 / static_cast<double>(batch.size());
  moved_.assign(count, 0);
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const std::uint32_t i = batch[r];
    double norm2 = -1;
    for (std::size_t k = 0; k < count; ++k) {
      const double sign = y(labels[i], k);
      const double margin = sign * score_[r * count + k];
      if (!(margin > 0)) {
        ++walk[k].mistakes;
        changed[k] = 1;  // no pass with a mistake is clean, also where the step is too short for a number
      }
      Step step;
      if (!(margin > rule_.idle_above)) {
        if (rule_.needs_norm && norm2 < 0)
          norm2 = rows.norm2(i) + (setup_.offset == Offset::None ? 0.0 : 1.0);
        step = rule_.step({margin, norm2, t_, updates_[k]});
      }
      const double amount = batch.size() == 1 ? sign * step.tau : sign * step.tau * share;
      if (step.tau == 0) {
        ++correct[k];
      } else {
        change(rows, i, k, sign, amount);
        moved_[k] = 1;
      }
      if (!watched) continue;
      if (step.tau != 0) last = step;
      if (step.tau != 0 || rule_.loss(margin) > 0 || batch.size() == 1)
        watched_.push_back({i, sign > 0 ? 1 : -1, margin, 0, rule_.loss(margin), sign * amount});
    }
  }
  for (std::size_t k = 0; k < count; ++k) updates_[k] += static_cast<std::uint64_t>(moved_[k]);
  planes_.end_step();
  if (watched && (moved_[0] != 0 || last.keep != 1)) show(rows, last);
}

void OnlineWalker::change(const RowAccess& rows, std::uint32_t i, std::size_t k, double y, double amount) {
  if (before_change && (correct[k] > longest[k] || (correct[k] == longest[k] && ties_left_[k]-- > 0))) {
    longest[k] = correct[k];
    before_change(k);
  }
  correct[k] = 0;
  changed[k] = 1;
  planes_.add(rows, i, k, amount);
  if (!walk[k].counts.empty()) ++walk[k].counts[i];
  if (setup_.record) walk[k].record.push_back({t_, i, y > 0});
}

void OnlineWalker::watch(std::span<const std::uint32_t> batch) {
  theta_before_ = planes_.theta(0);
  theta0_before_ = planes_.theta0(0);
  watched_.clear();
  watched_.reserve(batch.size());
}

void OnlineWalker::show(const RowAccess& rows, const Step& step) {
  ++seen_;
  if ((seen_ - 1) % setup_.observer->every != 0 || shown_ >= setup_.observer->most) return;
  ++shown_;
  theta_ = planes_.theta(0);
  for (MovingRow& row : watched_) {
    planes_.scores(rows, row.row, &row.margin_after);
    row.margin_after *= row.y;
  }
  if (watched_.empty())
    watched_.emplace_back();  // a batch without a loss: only the shrinking is there to see
  const MovingRow& first = watched_[0];
  Update update{seen_,
                pass,
                first.row,
                first.y,
                first.margin_before,
                first.margin_after,
                planes_.theta0(0),
                std::sqrt(norm2(theta_.data(), theta_.size())),
                theta_};
  update.step = t_;
  update.rate = step.rate;
  update.keep = step.keep;
  update.theta_before = theta_before_;
  update.theta0_before = theta0_before_;
  update.rows = watched_;
  if (setup_.average) {
    update.averaged = true;
    mean_ = planes_.mean(0);
    update.mean = mean_;
    update.mean0 = planes_.mean0(0);
  }
  if (!walk[0].counts.empty()) {
    update.counted = true;
    update.alpha = walk[0].counts[first.row];
  }
  setup_.observer->see(update);
}

}  // namespace halfspace
