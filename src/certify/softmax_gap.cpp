// SPDX-License-Identifier: BSD-3-Clause
// Bounds. u = 2^-53; sums are bounded as in duality_gap.cpp. Primal: the loss moves by at most twice the
// largest change of a score. Dual: the distribution of a row is what its stored shares of the other classes
// say, the class of the row having the rest, so that it sums to one whatever rounding did. With free offsets
// the shares must match those of the classes; a residual r_k costs |r_k| |b_k - b_0| for the best offsets b.
// From n_k = sum cost p_k and |theta* . x| <= s, the longest theta times R, follows |b_k - b_j| <= 2 s + |log(n_k / n_j)|.
// A penalty with a limit (L1): the shares of the other classes of all rows are shrunk by one factor, as in duality_gap.cpp.
#include "certify/softmax_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "certify/rounding.hpp"
#include "core/relief.hpp"
#include "core/row_sums.hpp"

namespace halfspace {
namespace {

struct LossSums {
  double loss = 0;     // upper bound
  double radius2 = 0;  // largest |x|^2
  LossSums& operator+=(const LossSums& o) {
    loss += o.loss;
    radius2 = std::max(radius2, o.radius2);
    return *this;
  }
};

template <class View>
class SoftmaxGapChecker {
 public:
  SoftmaxGapChecker(const View& view, const SoftmaxProblem& problem, const LinearModel& model,
                    const Team& team)
      : view_(view),
        p_(problem),
        model_(model),
        team_(team),
        list_(team.stretch(view.rows)),
        planes_(model.planes),
        weight_(planes_, 0.0) {
    add_in_turn(team_, weight_, [&](std::vector<double>& to) {
      for (std::size_t i = 0; i < p_.rows(); ++i) to[label(i)] += p_.cost[i];
    });
    // Feature after feature: the planes of one entry are neighbours.
    by_feature_.resize(model.weights.size());
    for (std::size_t k = 0; k < planes_; ++k)
      for (std::size_t j = 0; j < model.features; ++j)
        by_feature_[j * planes_ + k] = model.weights[k * model.features + j];
  }

  DualityGap check() {
    f_.assign(view_.rows * planes_, 0.0);
    for (LossSums part : block_sums(team_, list_, LossSums{},
                                    [&](std::size_t b, std::size_t e, LossSums&s) { rows(b, e, s); })) {
      part.loss *= 1 + rounding(2 * row_block);
      sums_ += part;
    }
    const double penalty = std::visit(
        [&](const auto& p) {
          double sum = 0;
          for (const double w : model_.weights) sum += p.value(w);
          if (p_.offset == Offset::Lifted)
            for (const double b : model_.offsets) sum += p.value(b);
          return sum;
        },
        p_.penalty);
    const double vanished = static_cast<double>(model_.weights.size() + planes_) * smallest / 2;
    DualityGap out;
    out.primal = upper_bound(((penalty + vanished) * (1 + rounding(model_.weights.size())) + sums_.loss) *
                             (1 + 8 * unit));
    shares(std::vector<double>(planes_, 0.0));
    if (p_.offset == Offset::Free) match_classes();
    limit_ = std::visit([](const auto& p) { return p.limit; }, p_.penalty);
    if (limited()) shrink();
    out.dual = lower_bound(dual_bound(out.primal));
    return out;
  }

 private:
  [[nodiscard]] std::uint32_t label(std::size_t i) const { return p_.data->labels()[i]; }

  // Scores of the rows [begin, end), and their losses with the errors of the scores.
  void rows(std::size_t begin, std::size_t end, LossSums& out) {
    std::vector<double> size(planes_);
    for (std::size_t i = begin; i < end; ++i) {
      if (p_.cost[i] == 0) continue;
      double* f = f_.data() + i * planes_;
      double norm = 0;
      std::size_t terms = 1;
      for (std::size_t k = 0; k < planes_; ++k) {
        f[k] = model_.offsets[k];
        size[k] = std::abs(f[k]);
      }
      for_entries(counted_row(view_, i), [&](std::uint32_t j, double x) {
        for (std::size_t k = 0; k < planes_; ++k) {
          const double term = by_feature_[j * planes_ + k] * x;
          f[k] += term;
          size[k] += std::abs(term);
        }
        norm += x * x;
        ++terms;
      });
      const double largest = *std::max_element(f, f + planes_);
      double sum = 0;
      for (std::size_t k = 0; k < planes_; ++k) sum += std::exp(f[k] - largest);
      const double loss = std::log(sum) + (largest - f[label(i)]);
      const double error = 2 * *std::max_element(size.begin(), size.end()) * rounding(terms) +
                           (std::abs(loss) + std::abs(largest - f[label(i)]) + 1) * rounding(planes_ + 16) +
                           static_cast<double>(terms) * std::numeric_limits<double>::min();
      // A loss that is no number stays none, and so does the sum.
      out.loss += p_.cost[i] * ((loss < 0 ? 0.0 : loss) + error) * (1 + 4 * unit);
      out.radius2 = std::max(out.radius2, norm * (1 + rounding(terms)));
    }
  }

  // q = softmax(f + shift) for every row; `total_` becomes the sum of cost q over the rows.
  void shares(const std::vector<double>& shift) {
    q_.resize(f_.size());
    total_ = sum_rows_wide(team_, list_, planes_, [&](std::size_t begin, std::size_t end, double* to) {
      for (std::size_t i = begin; i < end; ++i) {
        if (p_.cost[i] == 0) continue;
        const double* f = f_.data() + i * planes_;
        double* q = q_.data() + i * planes_;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::size_t k = 0; k < planes_; ++k)
          if (has_part(k)) largest = std::max(largest, f[k] + shift[k]);
        for (std::size_t k = 0; k < planes_; ++k)
          sum += q[k] = has_part(k) ? std::exp(f[k] + shift[k] - largest) : 0.0;
        for (std::size_t k = 0; k < planes_; ++k) to[k] += p_.cost[i] * (q[k] /= sum);
      }
    });
  }

  // Moves all scores of a class together until the shares of the classes are those of the rows; any such move
  // gives a valid dual point, so it is only a matter of how good it is.
  void match_classes() {
    std::vector<double> shift(planes_, 0.0);
    for (int round = 0; round < 60; ++round) {
      const double before = worst_share();
      if (before <= 1e-14) return;
      std::vector<double> next = shift;
      const std::vector<double> step = newton_move();
      for (std::size_t k = 0; k < planes_; ++k) next[k] += step[k];
      shares(next);
      if (!(worst_share() < 0.9 * before)) {
        if (before <= 1e-12) {
          shares(shift);
          return;
        }
        // Far away the plain rule is safe: every class by the logarithm of what it lacks.
        shares(shift);
        next = shift;
        for (std::size_t k = 0; k < planes_; ++k)
          if (weight_[k] > 0 && total_[k] > 0) next[k] += std::log(weight_[k] / total_[k]);
        shares(next);
      }
      shift = std::move(next);
    }
  }
  // A free offset of a class without weight wants to be minus infinity: no bound of it pays for any share.
  [[nodiscard]] bool has_part(std::size_t k) const { return p_.offset != Offset::Free || weight_[k] > 0; }
  [[nodiscard]] double worst_share() const {
    double worst = 0;
    for (std::size_t k = 0; k < planes_; ++k)
      if (weight_[k] > 0) worst = std::max(worst, std::abs(total_[k] - weight_[k]) / weight_[k]);
    return worst;
  }
  // Newton's move of the shifts: (sum cost (diag q - q q') + constants) move = weight - total, by
  // elimination.
  [[nodiscard]] std::vector<double> newton_move() const {
    const std::size_t n = planes_;
    std::vector<double> a(n * n, 0.0), x(n);
    add_in_turn(team_, a, [&](std::vector<double>& to) {
      for (std::size_t i = 0; i < view_.rows; ++i) {
        if (p_.cost[i] == 0) continue;
        const double* q = q_.data() + i * n;
        for (std::size_t k = 0; k < n; ++k) {
          const double scaled = p_.cost[i] * q[k];
          to[k * n + k] += scaled;
          for (std::size_t l = 0; l <= k; ++l) to[k * n + l] -= scaled * q[l];
        }
      }
    });
    double trace = 0;
    for (std::size_t k = 0; k < n; ++k) trace += a[k * n + k];
    for (std::size_t k = 0; k < n; ++k) {
      x[k] = weight_[k] - total_[k];
      // A common shift of all classes changes nothing; weighing it makes the system regular.
      for (std::size_t l = 0; l <= k; ++l) a[k * n + l] += trace / static_cast<double>(n * n);
      a[k * n + k] += 1e-14 * trace;
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        double sum = a[k * n + l];
        for (std::size_t t = 0; t < l; ++t) sum -= a[k * n + t] * a[l * n + t];
        a[k * n + l] = sum / a[l * n + l];
      }
      double pivot = a[k * n + k];
      for (std::size_t t = 0; t < k; ++t) pivot -= a[k * n + t] * a[k * n + t];
      if (!(pivot > 0)) return std::vector<double>(n, 0.0);
      a[k * n + k] = std::sqrt(pivot);
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t t = 0; t < k; ++t) x[k] -= a[k * n + t] * x[t];
      x[k] /= a[k * n + k];
    }
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t t = k + 1; t < n; ++t) x[k] -= a[t * n + k] * x[t];
      x[k] /= a[k * n + k];
    }
    return x;
  }

  [[nodiscard]] bool limited() const { return std::isfinite(limit_); }

  // Until every sum that the conjugate sees, those of lifted offsets among them, is proved to be within the limit.
  void shrink() {
    const std::size_t sums = planes_ * (model_.features + 1);
    const std::size_t slices = slices_of(list_.total, 2 * sums);
    std::vector<std::vector<double>>
        part;  // feature after feature, those of the offsets last; then sum |a| |x|
    slice_sums(team_, list_, slices, 2 * sums + 1, part, [&](std::size_t begin, std::size_t end, double* to) {
      auto* s = reinterpret_cast<CarefulSum*>(to);
      std::vector<double> a(planes_);
      for (std::size_t i = begin; i < end; ++i) {
        if (p_.cost[i] == 0) continue;
        const std::uint32_t y = label(i);
        double others = 0, norm = 1;
        for (std::size_t k = 0; k < planes_; ++k) {
          if (k == y) continue;
          others += q_[i * planes_ + k];
          a[k] = -p_.cost[i] * q_[i * planes_ + k];
        }
        a[y] = p_.cost[i] * others;
        for_entries(counted_row(view_, i), [&](std::uint32_t j, double x) {
          for (std::size_t k = 0; k < planes_; ++k) s[j * planes_ + k].add(a[k] * x);
          norm += x * x;
        });
        for (std::size_t k = 0; k < planes_; ++k) s[model_.features * planes_ + k].add(a[k]);
        to[2 * sums] += 2 * p_.cost[i] * others * std::sqrt(norm) * (1 + 1e-9);
      }
    });
    double size = 0, largest = 0;
    for (const auto& v : part) size += v[2 * sums];
    for (std::size_t at = 0; at < (p_.offset == Offset::Lifted ? sums : sums - planes_); ++at) {
      CarefulSum sum;
      for (const auto& v : part) sum.add(reinterpret_cast<const CarefulSum*>(v.data())[at]);
      const double s = std::abs(sum.value());
      if (!(s <= largest)) largest = s;  // what is no number stays
    }
    const double square = rounding(list_.total) * rounding(list_.total);
    // The share of a row's own class adds up the others; then a product, the sum, and the factor below.
    largest = largest * (1 + 8 * unit) +
              size * (1 + rounding(list_.total)) * (rounding(planes_ + 8) + 2 * square) +
              static_cast<double>(list_.total) * smallest * (1 + std::sqrt(sums_.radius2));
    if (largest <= limit_) return;
    const double factor = limit_ / largest * (1 - 8 * unit);
    for (double& q : q_) q = std::isfinite(factor) ? q * factor : 0.0;
  }

  // The sums of a slice, one array: planes x features, feature after feature; then for every class the residual of its
  // balance (a careful sum is two numbers) and the sum |coefficient| |x|; then gain, its size, and alpha.
  struct Part {
    double* s;
    CarefulSum* residual;
    double* size;
    double *gain, *gain_size, *alpha;
  };
  [[nodiscard]] std::size_t numbers() const { return planes_ * model_.features + 3 * planes_ + 3; }
  [[nodiscard]] Part part_at(double* at) const {
    static_assert(sizeof(CarefulSum) == 2 * sizeof(double) && std::is_trivially_copyable_v<CarefulSum>);
    double* const behind = at + planes_ * model_.features;
    double* const size = behind + 2 * planes_;
    double* const gain = size + planes_;
    return {at, reinterpret_cast<CarefulSum*>(behind), size, gain, gain + 1, gain + 2};
  }

  void slice(std::size_t begin, std::size_t end, const Part& out) const {
    std::vector<double> a(planes_);
    for (std::size_t i = begin; i < end; ++i) {
      if (p_.cost[i] == 0) continue;
      const double* q = q_.data() + i * planes_;
      const std::uint32_t y = label(i);
      double others = 0, entropy = 0;
      for (std::size_t k = 0; k < planes_; ++k) {
        if (k == y) continue;
        others += q[k];
        if (q[k] > 0) entropy -= q[k] * std::log(q[k]);
        a[k] = -p_.cost[i] * q[k];
      }
      a[y] = p_.cost[i] * others;
      const double own = std::max(0.0, 1 - others);
      if (own > 0) entropy -= own * std::log1p(-std::min(others, 1.0));
      const double gain = p_.cost[i] * entropy;
      const double error = (gain + p_.cost[i]) * (64 + 8 * static_cast<double>(planes_)) * unit;
      *out.gain += gain - error;
      *out.gain_size += gain + error;
      *out.alpha += a[y];
      double norm = 0;
      if (limited()) {
        for (std::size_t k = 0; k < planes_; ++k) {
          if (k == y) continue;
          out.residual[k].add(a[k]);
          out.residual[y].add(-a[k]);
        }
        continue;
      }
      for_entries(counted_row(view_, i), [&](std::uint32_t j, double x) {
        double* s = out.s + j * planes_;
        for (std::size_t k = 0; k < planes_; ++k) s[k] += a[k] * x;
        norm += x * x;
      });
      const double length = std::sqrt(norm) * (1 + 1e-9);
      for (std::size_t k = 0; k < planes_; ++k) {
        // a[y] is itself rounded; what it should have been is the sum of the others.
        if (k != y) {
          out.residual[k].add(a[k]);
          out.residual[y].add(-a[k]);
        }
        out.size[k] += std::abs(a[k]) * length;
      }
    }
  }

  double dual_bound(double primal) const {
    const std::size_t values = planes_ * model_.features;
    const std::size_t slices = slices_of(list_.total, values);
    const std::size_t slice_rows = (list_.total + slices - 1) / slices;
    std::vector<std::vector<double>> part;
    slice_sums(team_, list_, slices, numbers(), part,
               [&](std::size_t begin, std::size_t end, double* sums) { slice(begin, end, part_at(sums)); });
    const Part total = part_at(part[0].data());
    for (std::size_t t = 1; t < slices; ++t) {
      const Part next = part_at(part[t].data());
      for (std::size_t v = 0; v < values; ++v) total.s[v] += next.s[v];
      for (std::size_t k = 0; k < planes_; ++k) {
        total.residual[k].add(next.residual[k]);
        total.size[k] += next.size[k];
      }
      *total.gain += *next.gain;
      *total.gain_size += *next.gain_size;
      *total.alpha += *next.alpha;
    }
    const std::size_t terms = slice_rows + slices + planes_;
    double bound = *total.gain - *total.gain_size * rounding(terms);
    bound = std::visit([&](const auto& p) { return less_conjugates(p, total, terms, primal, bound); },
                       p_.penalty);
    return bound - std::abs(bound) * rounding(planes_ + 8);
  }

  // The gains less the conjugates of the sums of all planes, and less what the balance of free offsets costs.
  template <class P>
  [[nodiscard]] double less_conjugates(const P& penalty, const Part& total, std::size_t terms, double primal,
                                       double bound) const {
    const double reach = offset_reach(penalty.longest(primal));
    for (std::size_t k = 0; k < planes_; ++k) {
      double length2 = 0;
      for (std::size_t j = 0; j < model_.features; ++j) {
        const double s = penalty.beyond(total.s[j * planes_ + k]);
        length2 += s * s;
      }
      const double length =
          std::sqrt(length2) * (1 + rounding(model_.features)) + total.size[k] * rounding(terms);
      if (!limited()) bound -= penalty.conjugate(length) * (1 + 8 * unit);
      const double sharp = rounding(list_.total * planes_) * rounding(list_.total * planes_);
      const double residual = std::abs(total.residual[k].value()) * (1 + 8 * unit) + 2 * *total.alpha * sharp;
      if (p_.offset == Offset::Lifted && !limited())
        bound -= penalty.conjugate(penalty.beyond(residual)) * (1 + 8 * unit);
      if (p_.offset == Offset::Free) bound -= residual * reach;
    }
    return bound;
  }

  [[nodiscard]] double offset_reach(double longest) const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double w : weight_) {
      if (!(w > 0)) continue;
      least = std::min(least, w);
      most = std::max(most, w);
    }
    const double ratio = most > 0 ? std::log(most / least) : 0.0;
    return 1.01 * (1 + 2 * std::sqrt(sums_.radius2) * longest + ratio);
  }

  const View& view_;
  const SoftmaxProblem& p_;
  const LinearModel& model_;
  const Team& team_;
  Stretch list_;
  std::size_t planes_;
  std::vector<double> weight_, by_feature_, f_, q_, total_;
  LossSums sums_;
  double limit_ = std::numeric_limits<double>::infinity();  // of the penalty
};

}  // namespace

DualityGap softmax_gap(const SoftmaxProblem& problem, const LinearModel& model, const Team& team) {
  return std::visit(
      [&](const auto& view) {
        return SoftmaxGapChecker<std::decay_t<decltype(view)>>(view, problem, model, team).check();
      },
      problem.data->matrix());
}

}  // namespace halfspace
