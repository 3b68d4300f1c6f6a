// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/cones.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/errors/check_bound.hpp"

namespace halfspace::exact {
namespace {

constexpr int generator_bits = 5;  // of the smallest weight of a generator
constexpr std::size_t wave =
    16;  // cones that threads take in one turn; then planes that were met are counted
constexpr std::uint64_t nodes_of_a_turn = 1000;  // of each of them

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
  ConeWalk first(rows, r_, stop_);
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

// The next cones of the proof, each for so many nodes, by all threads. What is left of a cone then takes its place.
Cones::End Cones::walk(Pieces& pieces, std::span<const Pieces::iterator> open, std::int64_t target,
                       std::uint64_t nodes, const Threads& threads) {
  const std::int64_t best = looks_ ? offer_({}) : INT64_MIN;
  std::vector<ConeWalk> walks(open.size(), ConeWalk(rows_, r_, stop_));
  std::vector<End> ends(open.size(), End::Proved);
  threads.run(open.size(), [&](std::size_t t) {
    ends[t] = walks[t].prove(std::move(*open[t]->open), target, nodes, best);
  });
  End out = End::Proved;
  for (std::size_t t = 0; t < open.size(); ++t) {
    nodes_ += walks[t].nodes();
    if (!walks[t].plane().empty() && offer_(walks[t].plane()) > walks[t].best())
      looks_ = false;  // only float saw it
    if (out == End::Proved && ends[t] != End::Nodes) out = ends[t];
    *open[t] = {walks[t].proof(), {}};
    std::vector<ConeNode>& left = walks[t].open();
    auto after = std::next(open[t]);
    for (ConeNode& node : left) after = pieces.insert(after, Piece{{}, std::move(node)});
  }
  return looks_ && offer_({}) < target ? End::Better : out;
}

Cones::End Cones::prove(std::int64_t target, std::uint64_t nodes, const Threads& threads) {
  const std::uint64_t before = nodes_;
  std::string proof = header();
  Pieces pieces;
  for (const ConeNode& node : start_) pieces.push_back({{}, node});
  std::vector<Pieces::iterator> open;
  while (true) {
    for (; !pieces.empty() && !pieces.front().open; pieces.pop_front()) proof += pieces.front().text;
    if (pieces.empty()) break;
    if (nodes_ - before >= nodes) return End::Nodes;
    open.clear();
    for (auto piece = pieces.begin(); piece != pieces.end() && open.size() < wave; ++piece)
      if (piece->open) open.push_back(piece);
    const End end = walk(pieces, open, target, std::min(nodes_of_a_turn, nodes - (nodes_ - before)), threads);
    if (end != End::Proved) return end;
  }
  proof_ = std::move(proof);
  return End::Proved;
}

}  // namespace halfspace::exact
