// SPDX-License-Identifier: BSD-3-Clause
// Starts: logistic fits whose rows are reweighted by how near they are (far ones count as lost or as sure). Steps: along a
// line every row changes sides at most once, so the best point of a line is found by sorting (n log n). T. Nguyen, S.
// Sanner, Algorithms for direct 0-1 loss optimization in binary classification, ICML 2013, has searches of this kind.
#include "solve/exact/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace halfspace::exact {

LocalSearch::LocalSearch(const Space& space, std::uint64_t seed, StopHandle stop, Accept accept)
    : space_(space),
      random_(seed, 41),
      stop_(std::move(stop)),
      accept_(std::move(accept)),
      best_(std::numeric_limits<double>::infinity()),
      weigh_(space.weight) {}

void LocalSearch::margins_of(std::span<const double> theta, std::vector<double>& m) const {
  m.resize(space_.rows);
  for (std::size_t i = 0; i < space_.rows; ++i) {
    double sum = 0;
    const double* const a = space_.row(i);
    for (std::size_t k = 0; k < space_.dimension; ++k) sum += a[k] * theta[k];
    m[i] = sum;
  }
}

double LocalSearch::errors(const std::vector<double>& m) const {
  double out = 0;
  for (std::size_t i = 0; i < m.size(); ++i)
    if (m[i] <= 0) out += space_.weight[i];
  return out;
}

void LocalSearch::take(const std::vector<double>& theta, double count) {
  if (!(count < best_)) return;
  // Rows that lie nearly on the plane are counted as float sees them; the exact count is what stays.
  for (const std::vector<double>& plane : {centred(theta), theta}) {
    const auto exact = static_cast<double>(accept_(plane));
    if (exact >= best_) continue;
    best_ = exact;
    plane_ = plane;
  }
}

void LocalSearch::offer(std::span<const double> theta) {
  std::vector<double> m;
  margins_of(theta, m);
  take(std::vector<double>(theta.begin(), theta.end()), errors(m));
}

double LocalSearch::line(const std::vector<double>& m, const std::vector<double>& q, double now, double& t) {
  breaks_.clear();
  double at = 0;  // errors far to the left
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (q[i] == 0) {
      if (m[i] <= 0) at += weigh_[i];
      continue;
    }
    // q > 0: wrong before the break.
    if (q[i] > 0) at += weigh_[i];
    breaks_.push_back({-m[i] / q[i], q[i] > 0 ? -weigh_[i] : weigh_[i]});
  }
  t = 0;
  if (breaks_.empty()) return now;
  std::sort(breaks_.begin(), breaks_.end(), [](const Break& a, const Break& b) { return a.t < b.t; });
  double best = now, width = -1;
  const auto see = [&](double value, double from, double to, double middle) {
    const bool here = from < 0 && 0 < to;
    if (value < best || (value == best && (to - from > width && width >= 0)) || (value == best && here)) {
      best = value;
      width = here && value == now ? std::numeric_limits<double>::infinity() : to - from;
      t = middle;
    }
  };
  const double span = breaks_.back().t - breaks_.front().t + 1e-300;
  see(at, breaks_.front().t - span, breaks_.front().t, breaks_.front().t - 0.1 * span - 1e-3);
  for (std::size_t k = 0; k < breaks_.size(); ++k) {
    at += breaks_[k].change;
    const double from = breaks_[k].t;
    const double to = k + 1 < breaks_.size() ? breaks_[k + 1].t : from + span;
    if (to <= from) continue;
    see(at, from, to, k + 1 < breaks_.size() ? 0.5 * (from + to) : from + 0.1 * span + 1e-3);
  }
  return best;
}

std::vector<double> LocalSearch::centred(std::vector<double> theta) {
  std::vector<double> m, q(space_.rows), theta_k(space_.dimension);
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (std::size_t k = 0; k < space_.dimension; ++k) {
      margins_of(theta, m);
      double low = -1e300, high = 1e300, size = 0;
      for (std::size_t i = 0; i < m.size(); ++i) {
        const double slope = space_.row(i)[k];
        if (slope == 0) continue;
        const double t = -m[i] / slope;
        if (t < 0) low = std::max(low, t);
        if (t > 0) high = std::min(high, t);
        size = std::max(size, std::abs(t));
      }
      if (low > -1e299 && high < 1e299) theta[k] += 0.5 * (low + high);
    }
  }
  const double length = std::sqrt(std::inner_product(theta.begin(), theta.end(), theta.begin(), 0.0));
  for (double& x : theta) x /= length;
  return theta;
}

// A random direction in which the margins of some rows near the plane stay as they are.
void LocalSearch::along_rows(const std::vector<double>& m, std::vector<double>& direction) {
  const std::size_t r = space_.dimension;
  if (near_.empty()) {
    near_.resize(m.size());
    std::iota(near_.begin(), near_.end(), 0U);
    const std::size_t few = std::min(m.size(), 2 * r);
    std::partial_sort(near_.begin(), near_.begin() + static_cast<std::ptrdiff_t>(few), near_.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        const double x = std::abs(m[a]), y = std::abs(m[b]);
                        return x != y ? x < y : a < b;
                      });
    near_.resize(few);
  }
  for (double& x : direction) x = random_.normal();
  std::vector<double> basis;
  const auto orthogonal = [&](double* v) {
    for (std::size_t b = 0; b < basis.size(); b += r) {
      const double along = std::inner_product(v, v + r, basis.data() + b, 0.0);
      for (std::size_t k = 0; k < r; ++k) v[k] -= along * basis[b + k];
    }
  };
  const std::size_t wanted = r / 2 + random_.below(r - r / 2);
  for (std::size_t k = 0; k < wanted; ++k) {
    const double* const row = space_.row(near_[random_.below(near_.size())]);
    std::vector<double> v(row, row + r);
    const double before = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
    orthogonal(v.data());
    const double after = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
    if (after <= 1e-6 * before) continue;
    for (double& x : v) x /= std::sqrt(after);
    basis.insert(basis.end(), v.begin(), v.end());
  }
  orthogonal(direction.data());
}

double LocalSearch::descend(std::vector<double>& theta, bool rows_too) {
  std::vector<double> m, q(space_.rows), direction(space_.dimension);
  const auto weighed = [&] {
    double out = 0;
    for (std::size_t i = 0; i < m.size(); ++i)
      if (m[i] <= 0) out += weigh_[i];
    return out;
  };
  margins_of(theta, m);
  double now = weighed();
  const auto along = [&]() {
    stop_.check();
    for (std::size_t i = 0; i < space_.rows; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < space_.dimension; ++k) sum += space_.row(i)[k] * direction[k];
      q[i] = sum;
    }
    // Rows that keep their margins but for rounding do not end a line.
    double largest = 0;
    for (const double x : q) largest = std::max(largest, std::abs(x));
    for (double& x : q)
      if (std::abs(x) < 1e-10 * largest) x = 0;
    double t = 0;
    const double found = line(m, q, now, t);
    if (t == 0) return false;
    for (std::size_t k = 0; k < space_.dimension; ++k) theta[k] += t * direction[k];
    for (std::size_t i = 0; i < space_.rows; ++i) m[i] += t * q[i];
    const double length = std::sqrt(std::inner_product(theta.begin(), theta.end(), theta.begin(), 0.0));
    if (!(length > 1e-100 && length < 1e100)) {
      std::fill(theta.begin(), theta.end(), 0.0);
      theta[0] = 1;
      margins_of(theta, m);
      now = weighed();
      return false;
    }
    if (length > 1e3 || length < 1e-3) {
      for (double& x : theta) x /= length;
      for (double& x : m) x /= length;
    }
    const bool better = found < now - 1e-9;
    now = found;
    if (better && errors(m) < best_) take(theta, errors(m));
    return better;
  };
  std::vector<std::uint32_t> wrong;
  for (int sweep = 0; sweep < 20; ++sweep) {
    bool better = false;
    near_.clear();
    for (std::size_t k = 0; k < space_.dimension; ++k) {
      std::fill(direction.begin(), direction.end(), 0.0);
      direction[k] = 1;
      better = along() || better;
    }
    for (std::size_t k = 0; k < space_.dimension; ++k) {
      for (double& x : direction) x = random_.normal();
      better = along() || better;
    }
    if (rows_too) {  // towards rows that are wrong
      wrong.clear();
      for (std::uint32_t i = 0; i < m.size(); ++i)
        if (m[i] <= 0) wrong.push_back(i);
      for (std::size_t k = 0; k < std::min<std::size_t>(wrong.size(), 2 * space_.dimension); ++k) {
        const std::uint32_t i = wrong[random_.below(wrong.size())];
        std::copy(space_.row(i), space_.row(i) + space_.dimension, direction.begin());
        better = along() || better;
      }
    }
    for (std::size_t k = 0; k < space_.dimension; ++k) {
      along_rows(m, direction);
      better = along() || better;
    }
    margins_of(theta, m);
    now = weighed();
    if (errors(m) < best_) take(theta, errors(m));
    if (!better) break;
  }
  return errors(m);
}

// Newton's method for logistic regression with a small penalty.
void LocalSearch::fit(std::vector<double>& theta, const std::vector<double>& cost, int steps) const {
  const std::size_t r = space_.dimension;
  std::vector<double> m, h(r * r), g(r);
  for (int step = 0; step < steps; ++step) {
    stop_.check();
    margins_of(theta, m);
    std::fill(h.begin(), h.end(), 0.0);
    for (std::size_t k = 0; k < r; ++k) {
      g[k] = -1e-3 * theta[k];
      h[k * r + k] = 1e-3;
    }
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double p = 1 / (1 + std::exp(std::clamp(m[i], -30.0, 30.0)));
      const double slope = cost[i] * p, curve = cost[i] * p * (1 - p);
      const double* const a = space_.row(i);
      for (std::size_t k = 0; k < r; ++k) {
        g[k] += slope * a[k];
        for (std::size_t l = 0; l <= k; ++l) h[k * r + l] += curve * a[k] * a[l];
      }
    }
    for (std::size_t k = 0; k < r; ++k) {  // Cholesky, in place
      for (std::size_t l = 0; l <= k; ++l) {
        double sum = h[k * r + l];
        for (std::size_t p = 0; p < l; ++p) sum -= h[k * r + p] * h[l * r + p];
        h[k * r + l] = l < k ? sum / h[l * r + l] : std::sqrt(std::max(sum, 1e-12));
      }
    }
    for (std::size_t k = 0; k < r; ++k) {
      for (std::size_t p = 0; p < k; ++p) g[k] -= h[k * r + p] * g[p];
      g[k] /= h[k * r + k];
    }
    for (std::size_t k = r; k-- > 0;) {
      for (std::size_t p = k + 1; p < r; ++p) g[k] -= h[p * r + k] * g[p];
      g[k] /= h[k * r + k];
    }
    double size = 0;
    for (const double x : g) size += x * x;
    const double shrink = size > 100 ? 10 / std::sqrt(size) : 1;
    for (std::size_t k = 0; k < r; ++k) theta[k] += shrink * g[k];
    if (size < 1e-6) break;
  }
}

void LocalSearch::improve(std::vector<double> theta) { static_cast<void>(descend(theta, true)); }

void LocalSearch::run(std::uint64_t rounds) {
  const std::size_t r = space_.dimension;
  if (!begun_) {
    begun_ = true;
    std::vector<double> theta(r, 0.0);
    for (const double sign : {1.0, -1.0}) {  // one side for all
      theta[r - 1] = sign;
      offer(theta);
    }
    std::vector<double> cost = space_.weight, m;
    std::fill(theta.begin(), theta.end(), 0.0);
    for (int round = 0; round < 6 && best_ > 0; ++round) {
      fit(theta, cost, round == 0 ? 12 : 4);
      std::vector<double> better = theta;
      static_cast<void>(descend(better, false));
      margins_of(theta, m);
      for (std::size_t i = 0; i < m.size(); ++i) {
        const double p = 1 / (1 + std::exp(std::clamp(m[i], -30.0, 30.0)));
        cost[i] = space_.weight[i] * (0.02 + (m[i] < 0 ? 4 * p * (1 - p) : 1));
      }
    }
  }
  for (std::uint64_t round = 0; round < rounds && best_ > 0 && !plane_.empty(); ++round, ++rounds_) {
    constexpr std::uint64_t turn = 64;  // rounds by turns of one kind and the other
    if (rounds_ % turn == 0 || at_.empty()) {
      at_ = plane_;
      errors_at_ = best_;
      weigh_ = space_.weight;
    }
    if (rounds_ / turn % 2 == 0)
      reweigh();
    else
      kick();
  }
  weigh_ = space_.weight;
}

// Rows that stay wrong weigh more and more, until the plane has to leave where it is. P. Morris, The breakout method for
// escaping from local minima, AAAI 1993, does so with the constraints of satisfaction problems.
void LocalSearch::reweigh() {
  std::vector<double> m;
  static_cast<void>(descend(at_, true));
  margins_of(at_, m);
  const double more = 0.1 + 0.4 * random_.uniform();
  for (std::size_t i = 0; i < m.size(); ++i) {
    weigh_[i] += m[i] <= 0 ? more * space_.weight[i] : 0;
    weigh_[i] = 0.97 * weigh_[i] + 0.03 * space_.weight[i];
  }
}

// A walk among good planes: a little worse is taken too.
void LocalSearch::kick() {
  std::vector<double> theta = at_, m, cost;
  const double size = 0.3 * std::pow(0.5, static_cast<double>(rounds_ % 6));
  if (rounds_ % 4 ==
      3) {  // a new fit of the rows that are right, and of some that are not, with weights of chance
    margins_of(theta, m);
    cost.resize(m.size());
    for (std::size_t i = 0; i < m.size(); ++i)
      cost[i] = m[i] > 0 || random_.below(4) == 0
                    ? space_.weight[i] * -std::log(1e-6 + (1 - 1e-6) * random_.uniform())
                    : 0;
    fit(theta, cost, 6);
  } else {
    const double length = std::sqrt(std::inner_product(theta.begin(), theta.end(), theta.begin(), 0.0));
    for (double& x : theta)
      x += size * length * random_.normal() / std::sqrt(static_cast<double>(space_.dimension));
  }
  const double found = descend(theta, rounds_ % 2 == 0);
  if (found <= errors_at_ + static_cast<double>(random_.below(3))) {
    at_ = theta;
    errors_at_ = found;
  }
}

}  // namespace halfspace::exact
