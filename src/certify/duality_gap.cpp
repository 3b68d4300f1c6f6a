// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53; a sum of k rounded terms is off by at most (k + 2) u times the sum of sizes, doubled
// here for the rounding of the bound itself (Higham, Accuracy and Stability of Numerical Algorithms, chapter
// 3). Primal: losses do not increase in m, so loss(m - error of m) bounds each term from above. Dual: any
// alpha in its box is valid as it stands in memory; s = sum alpha y x is off by at most (rows + 2) u sum
// alpha |x|. With a free offset the point must balance, sum alpha y = 0. A residual r costs |r| |b| for the
// best offset b, and |b| <= B = 1 + R |theta*| + |log of the class costs| where |theta*|^2 <= 2 P.
#include "halfspace/certify/duality_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/rounding.hpp"

namespace halfspace {
namespace {

constexpr double smallest = std::numeric_limits<double>::min();  // covers underflow of a product

struct Sums {
  double loss = 0;      // upper bound of sum cost loss
  double radius2 = 0;   // largest |x|^2
  double positive = 0;  // sum of cost in each class
  double negative = 0;
  Sums& operator+=(const Sums& o) {
    loss += o.loss;
    radius2 = std::max(radius2, o.radius2);
    positive += o.positive;
    negative += o.negative;
    return *this;
  }
};

// Slices of rows for sums of d-vectors: few, and a function of the shape alone.
std::size_t slices_of(std::size_t rows, std::size_t features) {
  const std::size_t by_memory =
      std::max<std::size_t>(1, (std::size_t{1} << 21U) / std::max<std::size_t>(1, features));
  const std::size_t by_rows = std::max<std::size_t>(1, rows / 2048);
  return std::min({by_memory < 2 && rows >= 4096 ? std::size_t{2} : by_memory, by_rows, std::size_t{16}});
}

template <class View>
class Checker {
 public:
  Checker(const View& view, const Problem& problem, std::span<const double> theta, double theta0,
          const Threads& threads)
      : view_(view), p_(problem), theta_(theta), theta0_(theta0), threads_(threads) {}

  DualityGap check(const std::optional<DualPoint>& dual) {
    margins_.assign(view_.rows, 0.0);
    sums_ = sum_blocks(threads_, view_.rows, row_block, Sums{},
                       [&](std::size_t b, std::size_t e) { return rows(b, e); });
    double penalty = 0;
    for (const double w : theta_) penalty += w * w;
    if (p_.offset == Offset::Lifted) penalty += theta0_ * theta0_;
    penalty += static_cast<double>(theta_.size() + 1) * smallest;
    DualityGap out;
    out.primal =
        upper_bound((penalty / 2 * (1 + rounding(theta_.size())) + sums_.loss) * (1 + 8 * unit));
    std::vector<double> alpha = dual ? from_point(*dual) : from_margins();
    if (p_.offset == Offset::Free) balance(alpha);
    out.dual = lower_bound(dual_bound(alpha, out.primal));
    return out;
  }

 private:
  Sums rows(std::size_t begin, std::size_t end) {
    Sums out;
    for (std::size_t i = begin; i < end; ++i) {
      const double cost = p_.cost[i];
      if (cost == 0) continue;
      double f = theta0_, size = std::abs(theta0_), norm = 0;
      std::size_t terms = 1;
      for_entries(view_.row(i), [&](std::uint32_t j, double x) {
        const double term = theta_[j] * x;
        f += term;
        size += std::abs(term);
        norm += x * x;
        ++terms;
      });
      margins_[i] = p_.y[i] * f;
      double low = margins_[i] - (size * rounding(terms) + static_cast<double>(terms) * smallest);
      if (std::isnan(low)) low = -std::numeric_limits<double>::infinity();  // a margin that is no number loses all
      out.loss += cost * (std::visit([low](auto loss) { return loss.value(low); }, p_.loss) + least_loss_) * (1 + 16 * unit);
      out.radius2 = std::max(out.radius2, norm * (1 + rounding(terms)));
      (p_.y[i] > 0 ? out.positive : out.negative) += cost;
    }
    out.loss *= 1 + rounding(2 * row_block);
    return out;
  }

  [[nodiscard]] std::vector<double> from_margins() const {
    std::vector<double> alpha(view_.rows, 0.0);
    std::visit(
        [&](auto loss) {
          for (std::size_t i = 0; i < alpha.size(); ++i) {
            if (p_.cost[i] > 0)
              alpha[i] = std::clamp(-p_.cost[i] * loss.slope(margins_[i]), 0.0, p_.cost[i] * loss.limit);
          }
        },
        p_.loss);
    return alpha;
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

  void balance(std::vector<double>& alpha) const {
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < alpha.size(); ++i) sum[p_.y[i] > 0 ? 1 : 0] += alpha[i];
    const int heavy = sum[1] > sum[0] ? 1 : 0;
    const double ratio = sum[heavy] > 0 ? sum[1 - heavy] / sum[heavy] : 1.0;
    for (std::size_t i = 0; i < alpha.size(); ++i)
      if ((p_.y[i] > 0 ? 1 : 0) == heavy) alpha[i] *= ratio;
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
  };

  double dual_bound(const std::vector<double>& alpha, double primal) const {
    const std::size_t slices = slices_of(view_.rows, theta_.size());
    const std::size_t slice_rows = (view_.rows + slices - 1) / slices;
    std::vector<std::vector<double>> part(slices);
    std::vector<Gains> gains(slices);
    threads_.run(slices, [&](std::size_t t) {
      part[t].assign(theta_.size(), 0.0);
      gains[t] = slice(alpha, t * slice_rows, std::min(view_.rows, (t + 1) * slice_rows), part[t]);
    });
    Gains total;
    for (const Gains& g : gains) total += g;
    double length2 = 0;
    for (std::size_t j = 0; j < theta_.size(); ++j) {
      double s = 0;
      for (const auto& v : part) s += v[j];
      length2 += s * s;
    }
    length2 += static_cast<double>(theta_.size()) * smallest;
    const double length =
        std::sqrt(length2) * (1 + rounding(theta_.size())) + total.size * rounding(slice_rows + slices);
    const double gain = total.gain - total.gain_size * rounding(slice_rows + slices);
    const double square = rounding(view_.rows) * rounding(view_.rows);
    const double residual = std::abs(total.signed_alpha.value()) * (1 + 8 * unit) + 2 * total.alpha * square;
    double bound = gain - length * length / 2 * (1 + 8 * unit);
    if (p_.offset == Offset::Lifted) bound -= residual * residual / 2 * (1 + 8 * unit);
    if (p_.offset == Offset::Free) bound -= residual * largest_offset(primal);
    return bound - std::abs(bound) * 8 * unit;
  }

  [[nodiscard]] double largest_offset(double primal) const {
    const double ratio =
        sums_.positive > 0 && sums_.negative > 0 ? std::abs(std::log(sums_.positive / sums_.negative)) : 0.0;
    return 1.01 * (1 + std::sqrt(sums_.radius2) * std::sqrt(2 * primal) + ratio);
  }

  Gains slice(const std::vector<double>& alpha, std::size_t begin, std::size_t end,
              std::vector<double>& s) const {
    Gains out;
    for (std::size_t i = begin; i < end; ++i) {
      if (alpha[i] == 0) continue;
      double norm = 0;
      for_entries(view_.row(i), [&](std::uint32_t j, double x) {
        s[j] += alpha[i] * p_.y[i] * x;
        norm += x * x;
      });
      // A share below the normal numbers has lost its digits; no gain is negative there.
      const double share = alpha[i] / p_.cost[i];
      const double gain =
          share < smallest ? 0.0 : p_.cost[i] * std::visit([&](auto loss) { return loss.gain(share); }, p_.loss);
      // gain(a) of a rounded a: the entropy has steep ends, its error is below 40 units of (a + gain).
      const double error = (std::abs(gain) + alpha[i]) * 64 * unit;
      out.gain += gain - error;
      out.gain_size += std::abs(gain) + error;
      out.size += alpha[i] * std::sqrt(norm) * (1 + 1e-9);
      out.alpha += alpha[i];
      out.signed_alpha.add(alpha[i] * p_.y[i]);
    }
    return out;
  }

  const View& view_;
  const Problem& p_;
  std::span<const double> theta_;
  double theta0_;
  // The logistic loss is never 0, though exp() says so.
  double least_loss_ = std::holds_alternative<Logistic>(p_.loss) ? std::numeric_limits<double>::denorm_min() : 0.0;
  const Threads& threads_;
  std::vector<double> margins_;
  Sums sums_;
};

}  // namespace

DualityGap duality_gap(const Problem& problem, std::span<const double> theta, double theta0,
                       const std::optional<DualPoint>& dual, const Threads& threads) {
  return std::visit(
      [&](const auto& view) {
        return Checker<std::decay_t<decltype(view)>>(view, problem, theta, theta0, threads).check(dual);
      },
      problem.data->matrix());
}

}  // namespace halfspace
