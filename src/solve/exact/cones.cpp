// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/cones.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/errors/check_bound.hpp"
#include "solve/exact/ratio.hpp"

namespace halfspace::exact {
namespace {

constexpr double rounding_unit = 0x1p-52;  // more than a rounding error
constexpr double whole_limit = 0x1p53;
constexpr std::uint32_t most_depth = 400;
constexpr std::uint32_t first_ties = 24;  // from this depth on ties are looked for
constexpr int generator_bits = 5;         // of the smallest weight of a generator

}  // namespace

Cones::Cones(const Space& space, const detail::ErrorRows& rows, StopHandle stop,
             std::function<std::int64_t(const std::vector<double>&)> offer)
    : space_(space), rows_(rows), stop_(std::move(stop)), offer_(std::move(offer)), r_(space.dimension) {
  best_ = INT64_MAX;
  left_ = rows.weight;
  if (r_ == 0 || r_ > detail::most_cone_dimension) return;
  // The corners of a regular simplex in our space: p e_k + q (1, ..., 1), and their negative sum.
  const auto n = static_cast<double>(r_);
  const double p = std::sqrt((n + 1) / n), q = (1 / std::sqrt(n) - p) / n;
  std::vector<std::vector<double>> corner(r_);
  double least = INFINITY;
  std::vector<double> largest(r_, 0.0);
  for (std::size_t g = 0; g < r_; ++g) {
    std::vector<double> theta(r_, q);
    theta[g] += p;
    corner[g] = space.weights_of(theta);
    for (std::size_t k = 0; k < r_; ++k) {
      corner[g][k] = std::ldexp(corner[g][k], -space.exponent[k]);
      largest[k] = std::max(largest[k], std::abs(corner[g][k]));
    }
  }
  for (const double x : largest) least = std::min(least, x);
  if (!(least > 0)) return;
  const double factor = std::ldexp(1.0, generator_bits) / least;
  generators_.resize(r_ * r_);
  for (std::size_t g = 0; g < r_; ++g)
    for (std::size_t k = 0; k < r_; ++k) {
      const double x = std::round(corner[g][k] * factor);
      if (!(std::abs(x) < 0x1p54)) return;
      generators_[g * r_ + k] = static_cast<std::int64_t>(x);
    }
  // Independent, as the checker wants it.
  detail::IndependentVectors independent(r_);
  for (std::size_t g = 0; g < r_; ++g) {
    std::vector<mpz_class> v(r_);
    for (std::size_t k = 0; k < r_; ++k) v[k] = static_cast<long>(generators_[g * r_ + k]);
    if (!independent.add(v)) return;
  }
  // Exact margins at the start.
  std::vector<std::vector<double>> margins(r_ + 1, std::vector<double>(rows.size()));
  std::vector<double> error(r_ + 1, 0.0);
  std::vector<std::vector<double>> theta(r_ + 1, std::vector<double>(r_));
  for (std::size_t g = 0; g <= r_; ++g) {
    std::vector<mpz_class> v(r_);
    for (std::size_t k = 0; k < r_; ++k) {
      if (g < r_) v[k] = static_cast<long>(generators_[g * r_ + k]);
      if (g == r_)
        for (std::size_t h = 0; h < r_; ++h) v[k] -= static_cast<long>(generators_[h * r_ + k]);
      theta[g][k] = v[k].get_d();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      mpz_class sum = 0;
      for (std::size_t k = 0; k < r_; ++k) sum += rows.row(i)[space.columns[k]] * v[k];
      margins[g][i] = sum.get_d();
      if (!(std::abs(margins[g][i]) < 1e200)) return;
      if (std::abs(margins[g][i]) >= whole_limit)
        error[g] = std::max(error[g], rounding_unit * std::abs(margins[g][i]));
    }
  }
  for (std::size_t out = 0; out <= r_; ++out) {
    Node node;
    node.live.resize(rows.size());
    std::iota(node.live.begin(), node.live.end(), 0U);
    for (std::size_t g = 0; g <= r_; ++g) {
      if (g == out) continue;
      node.m.insert(node.m.end(), margins[g].begin(), margins[g].end());
      node.error.push_back(error[g]);
      node.theta.insert(node.theta.end(), theta[g].begin(), theta[g].end());
    }
    decide(node);
    start_.push_back(std::move(node));
  }
  possible_ = true;
}

void Cones::write_header() {
  proof_.cut(0);
  proof_.letter('c');
  proof_.number(r_);
  for (const std::uint32_t column : space_.columns) proof_.number(column);
  for (const std::int64_t g : generators_) proof_.signed_number(g);
}

// Rows that are right or wrong in the whole cone go.
void Cones::decide(Node& node) {
  const std::size_t n = node.live.size();
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < n; ++i) {
    bool positive = false, negative = false;  // may be
    for (std::size_t g = 0; g < r_; ++g) {
      const double m = node.m[g * n + i];
      positive = positive || m > -node.error[g];
      negative = negative || m < node.error[g];
    }
    // Without errors m > -0 is m > 0, and 0 counts for neither side.
    if (!positive) node.wrong += rows_.weight[node.live[i]];
    if (positive && negative) kept.push_back(static_cast<std::uint32_t>(i));
  }
  if (kept.size() == n) return;
  const std::size_t now = kept.size();
  for (std::size_t g = 0; g < r_; ++g)
    for (std::size_t k = 0; k < now; ++k) node.m[g * now + k] = node.m[g * n + kept[k]];
  node.m.resize(r_ * now);
  for (std::size_t k = 0; k < now; ++k) node.live[k] = node.live[kept[k]];
  node.live.resize(now);
}

// The edge that most rows cross, by weight, at the middle one of them.
std::optional<Cones::Split> Cones::choose(const Node& node) {
  const std::size_t n = node.live.size();
  std::vector<double> crossing(r_ * r_, 0.0);
  positive_.assign(n, 0);
  negative_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t g = 0; g < r_; ++g) {
      const double m = node.m[g * n + i];
      if (m > node.error[g]) positive_[i] |= 1U << g;
      if (m < -node.error[g]) negative_[i] |= 1U << g;
    }
    const auto w = static_cast<double>(rows_.weight[node.live[i]]);
    for (std::size_t a = 0; a < r_; ++a)
      if ((positive_[i] >> a & 1U) != 0)
        for (std::size_t b = 0; b < r_; ++b)
          if ((negative_[i] >> b & 1U) != 0) crossing[std::min(a, b) * r_ + std::max(a, b)] += w;
  }
  Split out;
  double most = 0;
  for (std::size_t a = 0; a < r_; ++a)
    for (std::size_t b = a + 1; b < r_; ++b)
      if (crossing[a * r_ + b] > most) {
        most = crossing[a * r_ + b];
        out.a = a;
        out.b = b;
      }
  if (most == 0) return std::nullopt;
  std::vector<double> ratios;  // beta / alpha where alpha m_a + beta m_b = 0
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t both = (1U << out.a) | (1U << out.b);
    const std::uint32_t p = positive_[i] & both, q = negative_[i] & both;
    if (p != 0 && q != 0 && (p | q) == both) ratios.push_back(-node.m[out.a * n + i] / node.m[out.b * n + i]);
  }
  const std::size_t middle = ratios.size() / 2;
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(middle), ratios.end());
  const double ratio = ratios[middle];
  if (!(ratio > 1e-9 && ratio < 1e9)) return std::nullopt;
  const double room = node.depth < 30 ? 1.25 : 1.05;
  const Ratio simple = simplest_ratio(ratio / room, ratio * room);
  out.beta = simple.above;
  out.alpha = simple.below;
  return out;
}

// Errors of the plane in the middle of the cone.
void Cones::look(const Node& node) {
  const std::size_t n = node.live.size();
  std::vector<double> length(r_, 0.0);
  std::int64_t errors = rows_.base + node.wrong;
  for (std::size_t g = 0; g < r_; ++g) {
    for (std::size_t i = 0; i < n; ++i) length[g] += std::abs(node.m[g * n + i]);
    if (length[g] == 0) length[g] = 1;
  }
  for (std::size_t i = 0; i < n && errors < best_; ++i) {
    double sum = 0;
    for (std::size_t g = 0; g < r_; ++g) sum += node.m[g * n + i] / length[g];
    if (sum <= 0) errors += rows_.weight[node.live[i]];
  }
  if (errors >= best_) return;
  std::vector<double> theta(r_, 0.0);
  for (std::size_t g = 0; g < r_; ++g)
    for (std::size_t k = 0; k < r_; ++k) theta[k] += node.theta[g * r_ + k] / length[g];
  best_ = std::min(best_, offer_(theta));
}

Cones::End Cones::prove(std::int64_t target, std::uint64_t nodes) {
  write_header();
  std::uint64_t count = 0;
  best_ = std::min(best_, offer_({}));
  for (const Node& root : start_) {
    std::vector<Node> stack{root};
    while (!stack.empty()) {
      if (++count > nodes) return End::Nodes;
      ++nodes_;
      if (count % 64 == 0) stop_.check();
      Node& node = stack.back();
      if (leaf(node, target)) {
        stack.pop_back();
        continue;
      }
      if (nodes_ % 4 == 0) look(node);
      if (best_ < target) return End::Better;
      std::optional<Split> split;
      if (node.depth >= first_ties) split = tie(node);
      if (!split) split = choose(node);
      if (!split || node.depth >= most_depth) return End::Stuck;
      const std::size_t n = node.live.size(), a = split->a, b = split->b;
      proof_.number(1 + a + b * (b - 1) / 2);
      proof_.number(split->alpha);
      proof_.number(split->beta);
      ++node.depth;
      Node other = node;
      const auto alpha = static_cast<double>(split->alpha), beta = static_cast<double>(split->beta);
      double largest = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double next = alpha * node.m[a * n + i] + beta * node.m[b * n + i];
        largest = std::max(largest, alpha * std::abs(node.m[a * n + i]) + beta * std::abs(node.m[b * n + i]));
        node.m[a * n + i] = next;
        other.m[b * n + i] = next;
      }
      double error = alpha * node.error[a] + beta * node.error[b];
      if (error > 0 || largest >= whole_limit)
        error = error * (1 + 4 * rounding_unit) + 4 * rounding_unit * largest;
      if (!(largest < 1e250)) return End::Stuck;
      node.error[a] = error;
      other.error[b] = error;
      for (std::size_t k = 0; k < r_; ++k) {
        const double next = alpha * node.theta[a * r_ + k] + beta * node.theta[b * r_ + k];
        node.theta[a * r_ + k] = next;
        other.theta[b * r_ + k] = next;
      }
      decide(node);
      decide(other);
      std::swap(node, other);
      stack.push_back(std::move(other));
    }
  }
  return End::Proved;
}

}  // namespace halfspace::exact
