// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/row_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/errors/check_bound.hpp"

namespace halfspace::exact {
namespace {

constexpr std::size_t most_rows_of_a_program = 1600;  // the inverse takes rows squared
constexpr std::uint32_t not_written = UINT32_MAX;
constexpr std::int64_t one_unit = std::int64_t{1} << detail::share_bits;

}  // namespace

RowTree::RowTree(const Space& space, const detail::ErrorRows& rows, std::uint64_t seed, StopHandle stop,
                 std::function<void(const std::vector<double>&)> offer)
    : space_(space),
      rows_(rows),
      stop_(stop),
      offer_(std::move(offer)),
      search_(space, seed, std::move(stop)) {}

bool RowTree::fits(const Circuit& circuit, const Known& known) const {
  if (circuit.bad) return false;
  for (std::size_t r = 0; r < circuit.rows.size(); ++r)
    if ((circuit.flipped[r] != 0) != (known[circuit.rows[r]] < 0)) return false;
  return true;
}

std::uint32_t RowTree::pool_place(std::vector<std::uint32_t> rows, const Known& known) {
  Circuit next;
  for (const std::uint32_t row : rows) next.flipped.push_back(known[row] < 0 ? 1 : 0);
  next.rows = std::move(rows);
  pool_.push_back(std::move(next));
  return static_cast<std::uint32_t>(pool_.size() - 1);
}

bool RowTree::prove_circuit(Circuit& circuit) {
  if (circuit.proved || circuit.bad) return circuit.proved;
  stop_.check();
  const std::vector<mpz_class> lambda = detail::circuit(rows_, circuit.rows);
  circuit.bad = true;
  if (lambda.empty()) return false;
  const bool turned = (lambda[0] > 0) == (circuit.flipped[0] != 0);
  for (std::size_t r = 0; r < lambda.size(); ++r)
    if (((lambda[r] > 0) == (circuit.flipped[r] != 0)) != turned) return false;
  circuit.bad = false;
  circuit.proved = true;
  return true;
}

bool RowTree::round(const Known& known, const Packing& packing, const std::vector<std::uint32_t>& which,
                    Bound& out) {
  const std::vector<double> shares = packing.shares();
  bool good = true;
  for (std::size_t k = 0; k < shares.size(); ++k)
    if (shares[k] > 1e-7) good = prove_circuit(pool_[which[k]]) && good;
  if (!good) return false;
  std::vector<std::int64_t> left(rows_.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = rows_.weight[i] * one_unit;
  out.shares.clear();
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k] <= 1e-7) continue;
    auto share = static_cast<std::int64_t>(std::ceil(shares[k] * (1 + 2e-6) * static_cast<double>(one_unit)));
    for (const std::uint32_t i : packing.rows_of(k)) share = std::min(share, left[i]);
    if (share <= 0) continue;
    for (const std::uint32_t i : packing.rows_of(k)) left[i] -= share;
    out.shares.push_back({which[k], share});
    sum += share;
  }
  static_cast<void>(known);
  out.units = (sum + one_unit - 1) / one_unit;
  return true;
}

// Column generation. `patience`: how many searches in vain end it.
RowTree::Bound RowTree::bound(const Known& known, std::int64_t enough, int patience,
                              const std::function<void(const Bound&)>& improved) {
  Bound out;
  std::vector<double> weight = space_.weight;
  Packing packing(weight, stop_);
  std::vector<std::uint32_t> which;
  const auto add = [&](std::uint32_t place) {
    std::vector<std::uint32_t> free;
    for (const std::uint32_t row : pool_[place].rows)
      if (known[row] == 0) free.push_back(row);
    if (free.empty()) {
      if (!prove_circuit(pool_[place])) return;
      out.impossible = true;
      out.shares = {{place, 0}};
      return;
    }
    packing.add(std::move(free));
    which.push_back(place);
  };
  for (std::uint32_t c = 0; c < pool_.size() && !out.impossible; ++c)
    if (fits(pool_[c], known)) add(c);
  if (out.impossible) return out;
  packing.solve();
  int vain = 0;
  while (vain < patience && packing.size() < std::min(most_circuits_, 20 * space_.rows + 200)) {
    const std::int64_t next = improved ? out.units + 1 : enough;
    if (packing.value() > static_cast<double>(next - 1) + 1e-3 && round(known, packing, which, out)) {
      if (out.units >= enough) break;
      if (improved) improved(out);
    }
    const CircuitSearch::Found found = search_.search(known, packing.prices());
    if (!found.plane.empty()) offer_(found.plane);
    if (found.none) break;
    if (found.rows.empty()) {
      ++vain;
      continue;
    }
    // Proved before they are used: one that float has made up would stand in the way of the bound.
    ++vain;
    for (const auto& rows : found.rows) {
      const std::uint32_t place = pool_place(rows, known);
      if (!prove_circuit(pool_[place])) continue;
      vain = 0;
      add(place);
      if (out.impossible) return out;
    }
    packing.solve();
  }
  for (int again = 0; again < 20 && !round(known, packing, which, out); ++again) {
    Packing next(weight, stop_);
    std::vector<std::uint32_t> left;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (pool_[which[k]].bad) continue;
      next.add(packing.rows_of(k));
      left.push_back(which[k]);
    }
    next.solve();
    packing = std::move(next);
    which = std::move(left);
  }
  out.price = packing.prices();
  return out;
}

// Circuits that share no weight, one after the other: for more rows than a program can have.
RowTree::Bound RowTree::greedy() {
  Bound out;
  std::vector<std::int64_t> left = rows_.weight;
  const Known known(rows_.size(), 0);
  std::vector<double> price(rows_.size(), 0.0);
  for (int vain = 0; vain < 3;) {
    stop_.check();
    const CircuitSearch::Found found = search_.search(known, price);
    if (!found.plane.empty()) offer_(found.plane);
    if (found.none || found.rows.empty()) {
      ++vain;
      continue;
    }
    bool better = false;
    for (const auto& rows : found.rows) {
      std::int64_t share = INT64_MAX;
      for (const std::uint32_t i : rows) share = std::min(share, left[i]);
      if (share == 0) continue;
      const std::uint32_t place = pool_place(rows, known);
      if (!prove_circuit(pool_[place])) continue;
      for (const std::uint32_t i : rows) {
        left[i] -= share;
        if (left[i] == 0) price[i] = 1;
      }
      out.shares.push_back({place, share * one_unit});
      out.units += share;
      better = true;
    }
    vain = better ? 0 : vain + 1;
  }
  return out;
}

void RowTree::write_leaf(const Bound& bound, detail::ProofWriter& out) {
  number_.resize(pool_.size(), not_written);
  out.number(0);
  out.number(bound.shares.size());
  for (const Share& share : bound.shares) {
    if (number_[share.circuit] == not_written) {
      number_[share.circuit] = static_cast<std::uint32_t>(written_.size());
      written_.push_back(share.circuit);
    }
    out.number(number_[share.circuit]);
    out.number(static_cast<std::uint64_t>(share.size));
  }
}

std::string RowTree::with_circuits(const detail::ProofWriter& tree) const {
  detail::ProofWriter out;
  out.letter('r');
  out.number(written_.size());
  for (const std::uint32_t c : written_) {
    out.number(pool_[c].rows.size());
    for (const std::uint32_t row : pool_[c].rows) out.number(row);
  }
  out.append(tree);
  return out.text();
}

void RowTree::root(std::int64_t enough, std::size_t most_circuits) {
  const Known known(rows_.size(), 0);
  root_bound_ = rows_.base;
  const auto keep = [&](const Bound& found) {
    if (rows_.base + found.units <= root_bound_) return;
    root_bound_ = rows_.base + found.units;
    written_.clear();
    number_.clear();
    detail::ProofWriter tree;
    write_leaf(found, tree);
    root_proof_ = with_circuits(tree);
  };
  if (rows_.size() > most_rows_of_a_program) {
    keep(greedy());
  } else {
    most_circuits_ = most_circuits;
    keep(bound(known, enough - rows_.base, 12, keep));
    most_circuits_ = SIZE_MAX;
  }
}

// Depth first; the pool of circuits is what the nodes learn from each other.
std::optional<std::string> RowTree::prove(std::int64_t target, std::uint64_t most) {
  if (rows_.size() > most_rows_of_a_program) return std::nullopt;
  Known known(rows_.size(), 0);
  std::vector<std::uint32_t> path;
  std::int64_t wrong = rows_.base;
  detail::ProofWriter tree;
  written_.clear();
  number_.clear();
  for (std::uint64_t count = 0; count < most; ++count) {
    stop_.check();
    ++nodes_;
    Bound found;
    if (wrong < target) found = bound(known, target - wrong, 3);
    if (!found.impossible && wrong + found.units < target) {
      // The row whose price is least decided.
      std::uint32_t row = not_written;
      double best = -1;
      for (std::uint32_t i = 0; i < rows_.size(); ++i) {
        if (known[i] != 0) continue;
        const double x = std::clamp(found.price.empty() ? 0.0 : found.price[i], 0.0, 1.0);
        const double worth = std::min(x, 0.7 * (1 - x) + 1e-9) * space_.weight[i];
        if (worth > best) {
          best = worth;
          row = i;
        }
      }
      if (row == not_written) return std::nullopt;
      tree.number(std::uint64_t{row} + 1);
      known[row] = 1;
      path.push_back(row);
      continue;
    }
    write_leaf(found, tree);
    while (!path.empty() && known[path.back()] < 0) {
      wrong -= rows_.weight[path.back()];
      known[path.back()] = 0;
      path.pop_back();
    }
    if (path.empty()) return with_circuits(tree);
    known[path.back()] = -1;
    wrong += rows_.weight[path.back()];
  }
  return std::nullopt;
}

}  // namespace halfspace::exact
