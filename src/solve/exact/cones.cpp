// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/cones.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/errors/check_bound.hpp"

namespace halfspace::exact {
namespace {

constexpr int generator_bits = 5;            // of the smallest weight of a generator
constexpr std::size_t pieces_at_least = 64;  // open ones, before threads take them
constexpr std::size_t wave = 16;             // of them at once; then planes that were met are counted

}  // namespace

Cones::Cones(const Space& space, const detail::ErrorRows& rows, StopHandle stop,
             std::function<std::int64_t(const std::vector<double>&)> offer)
    : space_(space), rows_(rows), stop_(std::move(stop)), offer_(std::move(offer)), r_(space.dimension) {
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
  const ConeWalk first(rows, r_, stop_);
  for (std::size_t out = 0; out <= r_; ++out) {
    ConeNode node;
    node.live.resize(rows.size());
    std::iota(node.live.begin(), node.live.end(), 0U);
    for (std::size_t g = 0; g <= r_; ++g) {
      if (g == out) continue;
      node.m.insert(node.m.end(), margins[g].begin(), margins[g].end());
      node.error.push_back(error[g]);
      node.theta.insert(node.theta.end(), theta[g].begin(), theta[g].end());
    }
    first.decide(node);
    start_.push_back(std::move(node));
  }
  possible_ = true;
}

std::string Cones::header() const {
  detail::ProofWriter out;
  out.letter('c');
  out.number(r_);
  for (const std::uint32_t column : space_.columns) out.number(column);
  for (const std::int64_t g : generators_) out.signed_number(g);
  return out.text();
}

// The first levels of the trees, until there are pieces enough. Nothing: stuck.
std::optional<std::vector<Cones::Piece>> Cones::cut(std::int64_t target) {
  std::vector<Piece> pieces;
  pieces.push_back({header(), {}});
  for (const ConeNode& node : start_) pieces.push_back({{}, node});
  for (std::size_t open = start_.size(); open > 0 && open < pieces_at_least;) {
    std::vector<Piece> next;
    open = 0;
    for (Piece& piece : pieces) {
      if (!piece.open) {
        next.push_back(std::move(piece));
        continue;
      }
      stop_.check();
      ++nodes_;
      ConeWalk one(rows_, r_, stop_);
      ConeNode other;
      const ConeWalk::Step step = one.step(*piece.open, other, target);
      if (step == ConeWalk::Step::Stuck) return std::nullopt;
      next.push_back({one.proof(), {}});
      if (step == ConeWalk::Step::Proved) continue;
      next.push_back({{}, std::move(*piece.open)});
      next.push_back({{}, std::move(other)});
      open += 2;
    }
    pieces = std::move(next);
  }
  return pieces;
}

Cones::End Cones::walk(std::vector<Piece*>& open, std::int64_t target, std::uint64_t nodes,
                       const Threads& threads) {
  const std::int64_t best = looks_ ? offer_({}) : INT64_MIN;
  std::vector<ConeWalk> walks(open.size(), ConeWalk(rows_, r_, stop_));
  std::vector<End> ends(open.size(), End::Proved);
  threads.run(open.size(), [&](std::size_t t) {
    ends[t] = walks[t].prove(std::move(*open[t]->open), target, nodes, best);
    open[t]->open.reset();
    open[t]->text = walks[t].proof();
  });
  End out = End::Proved;
  for (std::size_t t = 0; t < open.size(); ++t) {
    nodes_ += walks[t].nodes();
    if (!walks[t].plane().empty() && offer_(walks[t].plane()) > walks[t].best())
      looks_ = false;  // only float saw it
    if (out == End::Proved) out = ends[t];
  }
  return looks_ && offer_({}) < target ? End::Better : out;
}

Cones::End Cones::prove(std::int64_t target, std::uint64_t nodes, const Threads& threads) {
  const std::uint64_t before = nodes_;
  std::optional<std::vector<Piece>> pieces = cut(target);
  if (!pieces) return End::Stuck;
  std::vector<Piece*> open;
  for (std::size_t k = 0; k < pieces->size(); ++k) {
    if ((*pieces)[k].open) open.push_back(&(*pieces)[k]);
    if (open.size() < wave && k + 1 < pieces->size()) continue;
    if (nodes_ - before >= nodes) return End::Nodes;
    const End end = walk(open, target, nodes - (nodes_ - before), threads);
    if (end != End::Proved) return end;
    open.clear();
  }
  proof_.clear();
  for (const Piece& piece : *pieces) proof_ += piece.text;
  return End::Proved;
}

}  // namespace halfspace::exact
