// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solve/exact/cones.hpp"
#include "solve/exact/ratio.hpp"

namespace halfspace::exact {
namespace {

constexpr std::uint32_t most_depth = 400;
constexpr std::uint32_t first_ties = 24;  // from this depth on ties are looked for

}  // namespace

// Rows that are right or wrong in the whole cone go.
void ConeWalk::decide(ConeNode& node) const {
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
std::optional<ConeWalk::Split> ConeWalk::choose(const ConeNode& node) {
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
void ConeWalk::look(const ConeNode& node) {
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
  best_ = errors;
  plane_ = std::move(theta);
}

ConeWalk::Step ConeWalk::step(ConeNode& node, ConeNode& other, std::int64_t target) {
  if (leaf(node, target)) return Step::Proved;
  std::optional<Split> split;
  if (node.depth >= first_ties) split = tie(node);
  if (!split) split = choose(node);
  if (!split || node.depth >= most_depth) return Step::Stuck;
  const std::size_t n = node.live.size(), a = split->a, b = split->b;
  proof_.number(1 + a + b * (b - 1) / 2);
  proof_.number(split->alpha);
  proof_.number(split->beta);
  ++node.depth;
  other = node;
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
  if (!(largest < 1e250)) return Step::Stuck;
  node.error[a] = error;
  other.error[b] = error;
  for (std::size_t k = 0; k < r_; ++k) {
    const double next = alpha * node.theta[a * r_ + k] + beta * node.theta[b * r_ + k];
    node.theta[a * r_ + k] = next;
    other.theta[b * r_ + k] = next;
  }
  decide(node);
  decide(other);
  return Step::Split;
}

ConeWalk::End ConeWalk::prove(ConeNode root, std::int64_t target, std::uint64_t nodes, std::int64_t best) {
  best_ = best;
  std::vector<ConeNode> stack;
  stack.push_back(std::move(root));
  while (!stack.empty()) {
    if (++nodes_ > nodes) return End::Nodes;
    if (nodes_ % 64 == 0) stop_.check();
    ConeNode& node = stack.back();
    if (nodes_ % 4 == 0) look(node);
    if (best_ < target && !plane_.empty()) return End::Better;
    ConeNode other;
    const Step step = this->step(node, other, target);
    if (step == Step::Stuck) {
      // A target that is too high ends in the cone of a plane with fewer errors.
      look(node);
      return best_ < target && !plane_.empty() ? End::Better : End::Stuck;
    }
    if (step == Step::Proved) {
      stack.pop_back();
      continue;
    }
    std::swap(node, other);
    stack.push_back(std::move(other));
  }
  return End::Proved;
}

}  // namespace halfspace::exact
