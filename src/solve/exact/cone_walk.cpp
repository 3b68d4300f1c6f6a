// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "certify/errors/check_bound.hpp"
#include "solve/exact/cones.hpp"
#include "solve/exact/ratio.hpp"

namespace halfspace::exact {
namespace {

constexpr std::uint32_t most_depth = 400;
constexpr std::size_t max_edges = detail::most_cone_dimension * (detail::most_cone_dimension - 1) / 2;
constexpr std::uint32_t first_ties = 24;  // from this depth on ties are looked for

}  // namespace

ConeWalk::ConeWalk(const detail::ErrorRows& rows, std::size_t dimension, StopHandle stop)
    : rows_(rows), r_(dimension), stop_(std::move(stop)), left_(rows.weight) {
  alike_ = std::all_of(rows.weight.begin(), rows.weight.end(),
                       [&](std::int64_t w) { return w == rows.weight.front(); });
}

// Rows that are right or wrong in the whole cone go.
void ConeWalk::decide(ConeNode& node) {
  signs_.read(node.m, node.error);
  point_.assign(node.m.begin(), node.m.begin() + static_cast<std::ptrdiff_t>(node.live.size()));
  point_theta_.assign(node.theta.begin(), node.theta.begin() + static_cast<std::ptrdiff_t>(r_));
  signs_.read_more(point_, node.error[0]);
  replace(node, 0, node.error[0], node);
}

void ConeWalk::replace(const ConeNode& from, std::size_t generator, double error, ConeNode& to) {
  const std::size_t n = from.live.size();
  to.wrong = from.wrong;
  kept_.clear();
  for (std::size_t w = 0; w < signs_.words(); ++w) {
    SignSets::Word above = signs_.may_be_above(signs_.more())[w],
                   below = signs_.may_be_below(signs_.more())[w];
    for (std::size_t g = 0; g < r_; ++g) {
      if (g == generator) continue;
      above |= signs_.may_be_above(g)[w];
      below |= signs_.may_be_below(g)[w];
    }
    const std::size_t rows = std::min<std::size_t>(64, n - 64 * w);
    const SignSets::Word all = ~SignSets::Word{0} >> (64 - rows);
    for_rows(all & ~above, 64 * w, [&](std::size_t i) { to.wrong += rows_.weight[from.live[i]]; });
    for_rows(above & below, 64 * w, [&](std::size_t i) { kept_.push_back(static_cast<std::uint32_t>(i)); });
  }
  const std::size_t now = kept_.size();
  // Where `to` is the cone itself, every number goes to a place that has been read.
  to.m.resize(std::max(to.m.size(), r_ * now));
  for (std::size_t g = 0; g < r_; ++g) {
    const double* const source = g == generator ? point_.data() : from.m.data() + g * n;
    double* const out = to.m.data() + g * now;
    for (std::size_t k = 0; k < now; ++k) out[k] = source[kept_[k]];
  }
  to.m.resize(r_ * now);
  to.live.resize(std::max(to.live.size(), now));
  for (std::size_t k = 0; k < now; ++k) to.live[k] = from.live[kept_[k]];
  to.live.resize(now);
  to.error = from.error;
  to.error[generator] = error;
  to.theta = from.theta;
  std::copy(point_theta_.begin(), point_theta_.end(),
            to.theta.begin() + static_cast<std::ptrdiff_t>(generator * r_));
  to.depth = from.depth;
  to.wait = from.wait;
}

// beta / alpha where alpha m_a + beta m_b = 0, of the middle one of the rows that cross the edge.
std::optional<double> ConeWalk::middle(const ConeNode& node, std::size_t a, std::size_t b) {
  const std::size_t n = node.live.size();
  ratios_.clear();
  for (std::size_t w = 0; w < signs_.words(); ++w)
    for_rows((signs_.above(a)[w] & signs_.below(b)[w]) | (signs_.below(a)[w] & signs_.above(b)[w]), 64 * w,
             [&](std::size_t i) { ratios_.push_back(-node.m[a * n + i] / node.m[b * n + i]); });
  const std::size_t half = ratios_.size() / 2;
  std::nth_element(ratios_.begin(), ratios_.begin() + static_cast<std::ptrdiff_t>(half), ratios_.end());
  const double ratio = ratios_[half];
  if (!(ratio > 1e-9 && ratio < 1e9)) return std::nullopt;
  return ratio;
}

// The edge that most rows cross, by weight, at the middle one of them.
std::optional<ConeWalk::Split> ConeWalk::choose(const ConeNode& node) {
  std::array<double, max_edges> crossing{};
  for (std::size_t b = 1, edge = 0; b < r_; ++b)
    for (std::size_t a = 0; a < b; ++a, ++edge)
      for (std::size_t w = 0; w < signs_.words(); ++w) {
        const SignSets::Word rows =
            (signs_.above(a)[w] & signs_.below(b)[w]) | (signs_.below(a)[w] & signs_.above(b)[w]);
        if (alike_)
          crossing[edge] += std::popcount(rows);
        else
          for_rows(rows, 64 * w,
                   [&](std::size_t i) { crossing[edge] += static_cast<double>(rows_.weight[node.live[i]]); });
      }
  while (true) {
    Split out;
    double most = 0;
    std::size_t best = 0;
    for (std::size_t b = 1, edge = 0; b < r_; ++b)
      for (std::size_t a = 0; a < b; ++a, ++edge)
        if (crossing[edge] > most) {
          most = crossing[edge];
          out.a = a;
          out.b = b;
          best = edge;
        }
    if (most == 0) return std::nullopt;
    if (const std::optional<double> ratio = middle(node, out.a, out.b)) {
      const double room = node.depth < 30 ? 1.25 : 1.05;
      const Ratio simple = simplest_ratio(*ratio / room, *ratio * room);
      out.beta = simple.above;
      out.alpha = simple.below;
      return out;
    }
    crossing[best] = 0;  // its generators differ too much in length
  }
}

// Errors of the plane in the middle of the cone.
void ConeWalk::look(const ConeNode& node) {
  const std::size_t n = node.live.size();
  std::array<double, detail::most_cone_dimension> shares{};
  for (std::size_t g = 0; g < r_; ++g) {
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length += std::abs(node.m[g * n + i]);
    shares[g] = length > 0 ? 1 / length : 1;
  }
  look(node, std::span(shares).first(r_));
}

void ConeWalk::look(const ConeNode& node, std::span<const double> shares) {
  const std::size_t n = node.live.size();
  std::int64_t errors = rows_.base + node.wrong;
  for (std::size_t i = 0; i < n && errors < best_; ++i) {
    double sum = 0;
    for (std::size_t g = 0; g < r_; ++g) sum += node.m[g * n + i] * shares[g];
    if (sum <= 0) errors += rows_.weight[node.live[i]];
  }
  if (errors >= best_) return;
  std::vector<double> theta(r_, 0.0);
  for (std::size_t g = 0; g < r_; ++g)
    for (std::size_t k = 0; k < r_; ++k) theta[k] += node.theta[g * r_ + k] * shares[g];
  best_ = errors;
  plane_ = std::move(theta);
}

ConeWalk::Step ConeWalk::step(std::int64_t target) {
  ConeNode& node = stack_.back();
  signs_.read(node.m, node.error);
  if (leaf(node, target)) {
    spare_.push_back(std::move(node));
    stack_.pop_back();
    return Step::Proved;
  }
  std::optional<Split> split;
  if (node.depth >= first_ties) split = tie(node);
  if (!split) split = choose(node);
  if (!split || node.depth >= most_depth) return Step::Stuck;
  const std::size_t n = node.live.size(), a = split->a, b = split->b;
  const auto alpha = static_cast<double>(split->alpha), beta = static_cast<double>(split->beta);
  double largest = 0;
  point_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double p = alpha * node.m[a * n + i], q = beta * node.m[b * n + i];
    largest = std::max(largest, std::abs(p) + std::abs(q));
    point_[i] = p + q;
  }
  if (!(largest < 1e250)) return Step::Stuck;
  double error = alpha * node.error[a] + beta * node.error[b];
  if (error > 0 || largest >= whole_limit)
    error = error * (1 + 4 * rounding_unit) + 4 * rounding_unit * largest;
  point_theta_.resize(r_);
  for (std::size_t k = 0; k < r_; ++k)
    point_theta_[k] = alpha * node.theta[a * r_ + k] + beta * node.theta[b * r_ + k];
  proof_.number(1 + a + b * (b - 1) / 2);
  proof_.number(split->alpha);
  proof_.number(split->beta);
  ++node.depth;
  signs_.read_more(point_, error);
  ConeNode first;
  if (!spare_.empty()) {
    first = std::move(spare_.back());
    spare_.pop_back();
  }
  replace(node, a, error, first);
  replace(node, b, error, node);
  stack_.push_back(std::move(first));
  return Step::Split;
}

ConeWalk::End ConeWalk::prove(ConeNode root, std::int64_t target, std::uint64_t nodes, std::int64_t best) {
  best_ = best;
  stack_.push_back(std::move(root));
  while (!stack_.empty()) {
    if (nodes_ == nodes) return End::Nodes;
    if (++nodes_ % 64 == 0) stop_.check();
    if (nodes_ % 4 == 0) look(stack_.back());
    if (best_ < target && !plane_.empty()) return End::Better;
    if (step(target) == Step::Stuck) {
      // A target that is too high ends in the cone of a plane with fewer errors.
      look(stack_.back());
      return best_ < target && !plane_.empty() ? End::Better : End::Stuck;
    }
  }
  return End::Proved;
}

}  // namespace halfspace::exact
