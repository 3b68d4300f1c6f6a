// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53; a sum of k rounded terms is off by at most (k + 2) u times the sum of sizes, doubled
// here for the rounding of the bound itself (Higham, Accuracy and Stability of Numerical Algorithms, chapter
// 3). Primal: losses do not increase in m, so loss(m - error of m) bounds each term from above. Dual: any
// alpha in its box is valid as it stands in memory; s = sum alpha y x is off by at most (rows + 2) u sum
// alpha |x|. With a free offset the point must balance, sum alpha y = 0. A residual r costs |r| |b| for the
// best offset b, and |b| <= B = 1 + R |theta*| + |log of the class costs|: margins differ from those of the best
// constant by at most R |theta*|, and theta* is no longer than the penalty allows whose value is at most P.
// The point that follows from the margins of the logistic loss needs no entropies: with a = sigma(-m) up to a relative t,
// entropy(a) = loss(m) + a m - KL(a | sigma(-m)), and KL is at most t^2 a / (1 - a) to first order, which is nothing beside rounding
// unless a is next to 1 or t is large; there the entropies are taken.
// A penalty whose conjugate is infinite beyond a limit (L1): the whole point is shrunk by one factor until no |s_j| is above
// it. There s is summed with its rounding errors (CarefulSum), so that it is off by a few u times sum alpha |x|.
#include "certify/duality_gap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "certify/logistic_terms.hpp"
#include "certify/rounding.hpp"
#include "certify/row_terms.hpp"
#include "core/relief.hpp"
#include "core/row_sums.hpp"

namespace halfspace {
namespace {

struct Sums {
  double loss = 0;      // upper bound of sum cost loss
  double rounding = 0;  // how much of it is room for the rounding of margins, at most
  double radius2 = 0;   // largest |x|^2
  double positive = 0;  // sum of cost in each class
  double negative = 0;
  Sums& operator+=(const Sums& o) {
    loss += o.loss;
    rounding += o.rounding;
    radius2 = std::max(radius2, o.radius2);
    positive += o.positive;
    negative += o.negative;
    return *this;
  }
};

template <class View>
class GapChecker {
 public:
  GapChecker(const View& view, const Problem& problem, std::span<const double> theta, double theta0,
             const Team& team)
      : view_(view),
        p_(problem),
        theta_(theta),
        theta0_(theta0),
        team_(team),
        list_(team.stretch(view.rows)) {}

  DualityGap check(const std::optional<DualPoint>& dual) {
    margins_.assign(view_.rows, 0.0);
    own_ = !dual;
    if (own_) alpha_.assign(view_.rows, 0.0);
    if (logistic_) losses_.assign(view_.rows, 0.0);
    for (Sums part :
         block_sums(team_, list_, Sums{}, [&](std::size_t b, std::size_t e, Sums&s) { rows(b, e, s); })) {
      part.loss *= 1 + rounding(2 * row_block);
      sums_ += part;
    }
    const double penalty = std::visit(
        [&](const auto& p) {
          double sum = 0;
          for (const double w : theta_) sum += p.value(w);
          return p_.offset == Offset::Lifted ? sum + p.value(theta0_) : sum;
        },
        p_.penalty);
    const double vanished = static_cast<double>(theta_.size() + 1) * smallest / 2;
    DualityGap out;
    out.primal =
        upper_bound(((penalty + vanished) * (1 + rounding(theta_.size())) + sums_.loss) * (1 + 8 * unit));
    out.rounding = std::isfinite(sums_.rounding) ? sums_.rounding : 0;
    std::vector<double> alpha = dual ? from_point(*dual) : std::move(alpha_);
    if (p_.offset == Offset::Free) balance(alpha);
    limit_ = std::visit([](const auto& p) { return p.limit; }, p_.penalty);
    if (limited()) {
      shrink(alpha);
      own_ = false;
    }
    out.dual = lower_bound(dual_bound(alpha, out.primal));
    return out;
  }

 private:
  void rows(std::size_t begin, std::size_t end, Sums& out) {
    SomeRows some;
    for (std::size_t i = begin; i < end; ++i) {
      if (p_.cost[i] != 0) some.add(i);
      if (some.full()) add_rows(some, out);
    }
    add_rows(some, out);
    if (logistic_) logistic_rows(begin, end, out);
  }
  void add_rows(SomeRows& some, Sums& out) {
    if (some.size() == 0) return;
    std::array<RowTerms, rows_together> terms;
    some.measure(view_, theta_, theta0_, terms);
    std::visit(
        [&](auto loss) {
          for (std::size_t k = 0; k < some.size(); ++k) add_row(loss, some[k], terms[k], out);
        },
        p_.loss);
    some.clear();
  }
  template <class L>
  void add_row(L loss, std::size_t i, const RowTerms& row, Sums& out) {
    const double cost = p_.cost[i];
    margins_[i] = p_.y[i] * row.f;
    const double room = row.size * rounding(row.terms) + static_cast<double>(row.terms) * smallest;
    double low = margins_[i] - room;
    if (std::isnan(low))
      low = -std::numeric_limits<double>::infinity();  // a margin that is no number loses all
    out.radius2 = std::max(out.radius2, row.norm * (1 + rounding(row.terms)));
    (p_.y[i] > 0 ? out.positive : out.negative) += cost;
    out.rounding += cost * room * (logistic_ ? 1.0 : std::abs(loss.slope(low)));
    if (logistic_) {
      margins_[i] = low;  // any point will do: that of these margins
      return;
    }
    out.loss += cost * (loss.value(low) + least_loss_) * (1 + 16 * unit);
    if (own_) alpha_[i] = std::clamp(-cost * loss.slope(margins_[i]), 0.0, cost * loss.limit);
  }

  void logistic_rows(std::size_t begin, std::size_t end, Sums& out) {
    std::array<double, row_block> share;
    for (std::size_t from = begin; from < end; from += row_block) {
      const std::size_t size = std::min(row_block, end - from);
      logistic_terms(margins_.data() + from, size, losses_.data() + from, share.data());
      for (std::size_t i = from; i < from + size; ++i) {
        const double cost = p_.cost[i];
        if (cost == 0) continue;
        out.loss += cost * (losses_[i] + least_loss_) * (1 + 16 * unit);
        if (own_) alpha_[i] = std::clamp(cost * share[i - from], 0.0, cost);
      }
    }
  }

  // A point outside its box is moved to the nearest one inside.
  [[nodiscard]] std::vector<double> from_point(const DualPoint& point) const {
    std::vector<double> alpha(view_.rows, 0.0);
    const double limit = std::visit([](auto loss) { return loss.limit; }, p_.loss);
    for (std::size_t k = 0; k < std::min(point.rows.size(), point.alpha.size()); ++k) {
      const std::uint32_t i = point.rows[k];
      if (i >= alpha.size() || !(p_.cost[i] > 0) || !(point.alpha[k] > 0)) continue;
      alpha[i] = std::min(point.alpha[k], p_.cost[i] * limit);
    }
    return alpha;
  }

  void balance(std::vector<double>& alpha) {
    std::array<double, 2> sum = {0, 0};
    add_in_turn(team_, sum, [&](std::array<double, 2>& to) {
      for (std::size_t i = 0; i < alpha.size(); ++i) to[p_.y[i] > 0 ? 1 : 0] += alpha[i];
    });
    const std::size_t heavy = sum[1] > sum[0] ? 1 : 0;
    const double ratio = sum[heavy] > 0 ? sum[1 - heavy] / sum[heavy] : 1.0;
    scaled_[heavy] = std::abs(1 - ratio);
    for (std::size_t i = 0; i < alpha.size(); ++i)
      if ((p_.y[i] > 0 ? 1U : 0U) == heavy) alpha[i] *= ratio;
  }

  [[nodiscard]] bool limited() const { return std::isfinite(limit_); }
  [[nodiscard]] bool usable(std::size_t j) const { return p_.usable.empty() || p_.usable[j] != 0; }

  // Until every sum that the conjugate sees, a lifted offset's among them, is proved to be within the limit.
  void shrink(std::vector<double>& alpha) const {
    static_assert(sizeof(CarefulSum) == 2 * sizeof(double) && std::is_trivially_copyable_v<CarefulSum>);
    const std::size_t d = theta_.size(), slices = slices_of(list_.total, 2 * d);
    std::vector<std::vector<double>>
        part;  // for every feature its sum; then that of alpha y, and sum alpha |x|
    slice_sums(team_, list_, slices, 2 * d + 3, part, [&](std::size_t begin, std::size_t end, double* to) {
      auto* s = reinterpret_cast<CarefulSum*>(to);
      for (std::size_t i = begin; i < end; ++i) {
        if (alpha[i] == 0) continue;
        const double signed_alpha = alpha[i] * p_.y[i];
        double norm = 1;
        for_entries(counted_row(view_, i), [&](std::uint32_t j, double x) {
          s[j].add(signed_alpha * x);
          norm += x * x;
        });
        s[d].add(signed_alpha);
        to[2 * d + 2] += alpha[i] * std::sqrt(norm) * (1 + 1e-9);
      }
    });
    double size = 0, largest = 0;
    for (const auto& v : part) size += v[2 * d + 2];
    for (std::size_t j = 0; j < (p_.offset == Offset::Lifted ? d + 1 : d); ++j) {
      if (j < d && !usable(j)) continue;
      CarefulSum sum;
      for (const auto& v : part) sum.add(reinterpret_cast<const CarefulSum*>(v.data())[j]);
      const double s = std::abs(sum.value());
      if (!(s <= largest)) largest = s;  // what is no number stays
    }
    const double square = rounding(list_.total) * rounding(list_.total);
    const double n = static_cast<double>(list_.total);
    // A product, the sum, and the factor below: each rounds once.
    largest = largest * (1 + 8 * unit) + size * (1 + rounding(list_.total)) * (rounding(4) + 2 * square) +
              n * smallest * (1 + std::sqrt(sums_.radius2));
    if (largest <= limit_) return;
    const double factor = limit_ / largest * (1 - 8 * unit);
    for (double& a : alpha) a = std::isfinite(factor) ? a * factor : 0.0;
  }

  struct Gains {
    double gain = 0;       // lower bound
    double gain_size = 0;  // sum of sizes of the gains, for rounding
    double size = 0;       // sum alpha |x|
    double alpha = 0;      // sum alpha
    CarefulSum
        signed_alpha;  // with a free offset it is multiplied by a bound of the offset, so it must be sharp
    Gains& operator+=(const Gains& o) {
      gain += o.gain;
      gain_size += o.gain_size;
      size += o.size;
      alpha += o.alpha;
      signed_alpha.add(o.signed_alpha);
      return *this;
    }
    // As plain numbers, zeros for none.
    static constexpr std::size_t numbers = 6;
    static Gains from(const double* at) {
      static_assert(sizeof(Gains) == numbers * sizeof(double) && std::is_trivially_copyable_v<Gains>);
      Gains out;
      std::memcpy(static_cast<void*>(&out), at, sizeof out);
      return out;
    }
    void to(double* at) const { std::memcpy(at, this, sizeof *this); }
  };

  double dual_bound(const std::vector<double>& alpha, double primal) const {
    return std::visit([&](const auto& penalty) { return dual_bound(penalty, alpha, primal); }, p_.penalty);
  }
  template <class P>
  double dual_bound(const P& penalty, const std::vector<double>& alpha, double primal) const {
    // The sums of a slice: alpha y x for every feature, and its gains behind them. A shrunk point has a conjugate of 0.
    const std::size_t d = limited() ? 0 : theta_.size();
    const std::size_t slices = slices_of(list_.total, d);
    const std::size_t slice_rows = (list_.total + slices - 1) / slices;
    std::vector<std::vector<double>> part;
    slice_sums(team_, list_, slices, d + Gains::numbers, part,
               [&](std::size_t begin, std::size_t end, double* s) {
                 Gains gains = Gains::from(s + d);
                 slice(alpha, begin, end, s, gains);
                 gains.to(s + d);
               });
    Gains total;
    for (const auto& v : part) total += Gains::from(v.data() + d);
    double length2 = 0;
    for (std::size_t j = 0; j < d; ++j) {
      double s = 0;
      for (const auto& v : part) s += v[j];
      s = usable(j) ? penalty.beyond(s) : 0.0;
      length2 += s * s;
    }
    length2 += static_cast<double>(theta_.size()) * smallest;
    const double length =
        std::sqrt(length2) * (1 + rounding(theta_.size())) + total.size * rounding(slice_rows + slices);
    const double gain = total.gain - total.gain_size * rounding(slice_rows + slices);
    const double square = rounding(list_.total) * rounding(list_.total);
    const double residual = std::abs(total.signed_alpha.value()) * (1 + 8 * unit) + 2 * total.alpha * square;
    double bound = limited() ? gain : gain - penalty.conjugate(length) * (1 + 8 * unit);
    if (p_.offset == Offset::Lifted && !limited())
      bound -= penalty.conjugate(penalty.beyond(residual)) * (1 + 8 * unit);
    if (p_.offset == Offset::Free) bound -= residual * largest_offset(penalty.longest(primal));
    return bound - std::abs(bound) * 8 * unit;
  }

  [[nodiscard]] double largest_offset(double longest) const {
    const double ratio =
        sums_.positive > 0 && sums_.negative > 0 ? std::abs(std::log(sums_.positive / sums_.negative)) : 0.0;
    return 1.01 * (1 + std::sqrt(sums_.radius2) * longest + ratio);
  }

  // cost gain(alpha / cost), and what rounding may have added to it.
  template <class L>
  [[nodiscard]] std::pair<double, double> gain_of(L loss, std::size_t i, double alpha) const {
    // A share below the normal numbers has lost its digits; no gain is negative there.
    const double share = alpha / p_.cost[i];
    if (share < smallest) return {0.0, alpha * 64 * unit};
    constexpr double near_one = 0.999, far = 1e-8;
    const double off = scaled_[p_.y[i] > 0 ? 1 : 0];
    // Beyond a margin of 700 the share is not that of the margin.
    if (logistic_ && own_ && share <= near_one && off <= far && std::abs(margins_[i]) <= 700) {
      const double along = share * margins_[i], t = off + 32 * unit;
      const double error = (losses_[i] + std::abs(along)) * 32 * unit + 3000 * t * t * share;
      return {p_.cost[i] * (losses_[i] + along), p_.cost[i] * error + alpha * 64 * unit};
    }
    const double gain = p_.cost[i] * loss.gain(share);
    // gain(a) of a rounded a: the entropy has steep ends, its error is below 40 units of (a + gain).
    return {gain, (std::abs(gain) + alpha) * 64 * unit};
  }

  void slice(const std::vector<double>& alpha, std::size_t begin, std::size_t end, double* s,
             Gains& out) const {
    SomeRows some;
    for (std::size_t i = begin; i < end; ++i) {
      if (alpha[i] != 0) some.add(i);
      if (some.full()) add_gains(some, alpha, s, out);
    }
    add_gains(some, alpha, s, out);
  }
  void add_gains(SomeRows& some, const std::vector<double>& alpha, double* s, Gains& out) const {
    std::array<double, rows_together> factor{}, norm{};
    for (std::size_t k = 0; k < some.size(); ++k) factor[k] = alpha[some[k]] * p_.y[some[k]];
    if (!limited() && some.size() > 0) some.add_to(view_, factor.data(), s, norm.data());
    std::visit(
        [&](auto loss) {
          for (std::size_t k = 0; k < some.size(); ++k) {
            const std::size_t i = some[k];
            const auto [gain, error] = gain_of(loss, i, alpha[i]);
            out.gain += gain - error;
            out.gain_size += std::abs(gain) + error;
            out.size += alpha[i] * std::sqrt(norm[k]) * (1 + 1e-9);
            out.alpha += alpha[i];
            out.signed_alpha.add(alpha[i] * p_.y[i]);
          }
        },
        p_.loss);
    some.clear();
  }

  const View& view_;
  const Problem& p_;
  std::span<const double> theta_;
  double theta0_;
  // A loss without a margin is never 0, though exp() says so.
  double least_loss_ = std::visit([](auto loss) { return std::isinf(loss.margin); }, p_.loss)
                           ? std::numeric_limits<double>::denorm_min()
                           : 0.0;
  const Team& team_;
  Stretch list_;
  bool logistic_ = std::holds_alternative<Logistic>(p_.loss);
  bool own_ = false;  // the point follows from the margins
  std::array<double, 2> scaled_ = {
      0, 0};  // by how much the point of a class was scaled to balance, negative class first
  // Lower bounds of the margins where the loss is logistic, and the losses there; the point that follows.
  std::vector<double> margins_, losses_, alpha_;
  Sums sums_;
  double limit_ = std::numeric_limits<double>::infinity();  // of the penalty
};

}  // namespace

DualityGap duality_gap(const Problem& problem, std::span<const double> theta, double theta0,
                       const std::optional<DualPoint>& dual, const Team& team) {
  return std::visit(
      [&](const auto& view) {
        return GapChecker<std::decay_t<decltype(view)>>(view, problem, theta, theta0, team).check(dual);
      },
      problem.data->matrix());
}

}  // namespace halfspace
