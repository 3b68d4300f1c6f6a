// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/row_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certify/errors/check_bound.hpp"

namespace halfspace::exact {
namespace {

constexpr std::size_t most_rows_of_a_program = 1600;  // beyond, circuits one after the other
constexpr std::size_t searches_a_stage = 10, searches_a_solve = 12;
constexpr double least_growth = 1.01;
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
  for (std::size_t r = 0; r < circuit.rows.size(); ++r)
    if ((circuit.flipped[r] != 0) != (known[circuit.rows[r]] < 0)) return false;
  return true;
}

// Proved before it is used: one that float has made up would stand in the way of the bound.
std::optional<std::uint32_t> RowTree::pool_place(std::vector<std::uint32_t> rows, const Known& known) {
  stop_.check();
  const std::vector<mpz_class> lambda = detail::circuit(rows_, rows);
  if (lambda.empty()) return std::nullopt;
  Circuit next;
  for (const std::uint32_t row : rows) next.flipped.push_back(known[row] < 0 ? 1 : 0);
  const bool turned = (lambda[0] > 0) == (next.flipped[0] != 0);
  for (std::size_t r = 0; r < lambda.size(); ++r)
    if (((lambda[r] > 0) == (next.flipped[r] != 0)) != turned) return std::nullopt;
  next.rows = std::move(rows);
  pool_.push_back(std::move(next));
  return static_cast<std::uint32_t>(pool_.size() - 1);
}

void RowTree::add(Program& program, std::uint32_t place, const Known& known) const {
  std::vector<std::uint32_t> free;
  for (const std::uint32_t row : pool_[place].rows)
    if (known[row] == 0) free.push_back(row);
  program.packing.add(std::move(free));
  program.which.push_back(place);
}

bool RowTree::add_from_pool(Program& program, const Known& known) const {
  std::vector<char> there(pool_.size(), 0);
  for (const std::uint32_t place : program.which) there[place] = 1;
  const std::vector<double>& price = program.packing.prices();
  const std::size_t before = program.which.size();
  for (std::uint32_t c = 0; c < pool_.size(); ++c) {
    if (there[c] != 0 || !fits(pool_[c], known)) continue;
    double sum = 0;
    for (const std::uint32_t row : pool_[c].rows)
      if (known[row] == 0) sum += price[row];
    if (sum < 1 - 1e-6) add(program, c, known);
  }
  return program.which.size() > before;
}

// A circuit whose rows are all known.
std::uint32_t RowTree::contradiction(const Program& program, const Known& known) {
  const auto all_known = [&](std::uint32_t c) {
    return std::all_of(pool_[c].rows.begin(), pool_[c].rows.end(),
                       [&](std::uint32_t row) { return known[row] != 0; });
  };
  for (std::size_t k = 0; k < program.which.size(); ++k)
    if (!program.packing.forbidden(k) && all_known(program.which[k])) return program.which[k];
  for (std::uint32_t c = 0; c < pool_.size(); ++c)
    if (all_known(c) && fits(pool_[c], known)) return c;
  return not_written;
}

void RowTree::round(const Known& known, const Program& program, Bound& out) const {
  const std::vector<double> shares = program.packing.shares();
  std::vector<std::int64_t> left(rows_.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = rows_.weight[i] * one_unit;
  out.shares.clear();
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (shares[k] <= 1e-7) continue;
    auto share = static_cast<std::int64_t>(std::ceil(shares[k] * (1 + 2e-6) * static_cast<double>(one_unit)));
    for (const std::uint32_t i : program.packing.rows_of(k))
      if (known[i] == 0) share = std::min(share, left[i]);
    if (share <= 0) continue;
    for (const std::uint32_t i : program.packing.rows_of(k))
      if (known[i] == 0) left[i] -= share;
    out.shares.push_back({program.which[k], share});
    sum += share;
  }
  out.sum = sum;
  out.units = (sum + one_unit - 1) / one_unit;
}

RowTree::Bound RowTree::bound(Program& program, const Known& known, std::int64_t enough, int patience,
                              const std::function<void(const Bound&)>& improved) {
  Bound out;
  const std::uint32_t never = contradiction(program, known);
  const auto impossible = [&](std::uint32_t place) {
    out.impossible = true;
    out.shares = {{place, 0}};
    return out;
  };
  if (never != not_written) return impossible(never);
  const auto solve = [&] {
    program.packing.solve();
    for (int again = 0; again < 10 && add_from_pool(program, known); ++again) program.packing.solve();
  };
  solve();
  int vain = 0;
  double stage = 0;
  std::size_t searches = 0;
  while (vain < patience && program.packing.size() < std::min(most_circuits_, 20 * space_.rows + 200)) {
    const std::int64_t next = improved ? out.units + 1 : enough;
    if (program.packing.value() > static_cast<double>(next - 1) + 1e-3) {
      round(known, program, out);
      if (out.units >= enough) break;
      if (improved) improved(out);
    }
    // The last of what is to be had takes longest, and a tree or parts have more from the time.
    if (improved && ++searches % searches_a_stage == 0) {
      if (program.packing.value() < stage * least_growth) break;
      stage = program.packing.value();
    }
    // Some searches before the program is solved again, each with rows that the others have used dearer than they are.
    std::vector<double> price = program.packing.prices();
    ++vain;
    bool none = false;
    for (std::size_t k = 0; k < (improved ? searches_a_solve : 2) && !none; ++k) {
      const CircuitSearch::Found found = search_.search(known, price);
      if (!found.plane.empty() && k == 0) offer_(found.plane);
      none = found.none;
      for (const auto& rows : found.rows) {
        const std::optional<std::uint32_t> place = pool_place(rows, known);
        if (!place) continue;
        if (std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return known[row] != 0; }))
          return impossible(*place);
        vain = 0;
        add(program, *place, known);
        for (const std::uint32_t row : rows) price[row] += 0.1;
      }
      if (found.rows.empty()) break;
    }
    if (none) break;
    if (vain == 0) solve();
  }
  round(known, program, out);
  out.price = program.packing.prices();
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
      const std::optional<std::uint32_t> place = pool_place(rows, known);
      if (!place) continue;
      for (const std::uint32_t i : rows) {
        left[i] -= share;
        if (left[i] == 0) price[i] = 1;
      }
      out.shares.push_back({*place, share * one_unit});
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
  root_bound_ = std::max(root_bound_, rows_.base);
  const auto keep = [&](const Bound& found) {
    if (rows_.base + found.units <= root_bound_) return;
    root_bound_ = rows_.base + found.units;
    written_.clear();
    number_.clear();
    detail::ProofWriter tree;
    write_leaf(found, tree);
    root_proof_ = with_circuits(tree);
  };
  if (root_done_) return;
  if (rows_.size() > most_rows_of_a_program) {
    keep(greedy());
    root_done_ = true;
    return;
  }
  if (!root_program_) root_program_ = new_program();
  most_circuits_ = most_circuits;
  keep(bound(*root_program_, known, enough - rows_.base, 12, keep));
  root_done_ = root_program_->packing.size() < most_circuits;
  most_circuits_ = SIZE_MAX;
  if (root_done_) root_program_.reset();
}

// The row whose price is least decided.
std::uint32_t RowTree::row_to_ask(const Bound& found, const Known& known) const {
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
  return row;
}

// The program goes on from its basis. A row that is known carries no share; where it is wrong, the circuits that it was in
// say nothing more.
RowTree::Program RowTree::after(const Program& before, std::uint32_t row, bool wrong) const {
  Program out = before;
  out.packing.release(row);
  if (!wrong) return out;
  for (std::size_t k = 0; k < out.which.size(); ++k) {
    const std::vector<std::uint32_t>& rows = pool_[out.which[k]].rows;
    if (std::find(rows.begin(), rows.end(), row) != rows.end()) out.packing.forbid(k);
  }
  return out;
}

// What is known and what the shares say of the case that a row is wrong; nothing: no more than before.
Known RowTree::settled(const Bound& found, const Known& known, std::int64_t need) const {
  std::vector<std::int64_t> load(rows_.size(), 0);
  for (const Share& share : found.shares)
    for (const std::uint32_t row : pool_[share.circuit].rows) load[row] += share.size;
  Known out = known;
  bool more = false;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    if (known[i] != 0 || found.sum - load[i] + rows_.weight[i] * one_unit <= (need - 1) * one_unit) continue;
    out[i] = 1;
    more = true;
  }
  return more ? out : Known{};
}

// Rows that this bound takes for right while nothing is known of them.
std::vector<std::uint32_t> RowTree::rows_of(const Bound& found, const Known& more, const Known& known) const {
  std::vector<char> used(rows_.size(), 0);
  for (const Share& share : found.shares)
    for (const std::uint32_t row : pool_[share.circuit].rows) used[row] = 1;
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < used.size(); ++i)
    if (used[i] != 0 && more[i] != known[i]) out.push_back(i);
  return out;
}

RowTree::Bound RowTree::without(const Bound& found, std::uint32_t row) const {
  Bound out;
  for (const Share& share : found.shares) {
    const std::vector<std::uint32_t>& rows = pool_[share.circuit].rows;
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) out.shares.push_back(share);
  }
  return out;
}

bool RowTree::possible() const { return rows_.size() <= most_rows_of_a_program; }

// The case that a row is wrong is often proved by the same shares: such rows count as right, and with them more may follow.
void RowTree::settle_rows(Walk& walk, Bound& found, std::int64_t need) {
  const Known more = settled(found, walk.known, need);
  if (more.empty()) return;
  Program trial = walk.program;
  for (std::uint32_t i = 0; i < more.size(); ++i)
    if (more[i] != walk.known[i]) trial.packing.release(i);
  Bound better = bound(trial, more, need, 3);
  if (!better.impossible && better.units <= found.units) return;
  for (const std::uint32_t row : rows_of(better, more, walk.known)) {
    walk.tree.number(std::uint64_t{row} + 1);
    walk.path.push_back({row, {}, without(found, row)});
    walk.known[row] = 1;
    walk.program.packing.release(row);
  }
  found = std::move(better);
}

// To the last row whose case of being wrong is still to come; false: there is none.
bool RowTree::go_back(Walk& walk) {
  while (!walk.path.empty()) {
    Level& level = walk.path.back();
    std::int8_t& known = walk.known[level.row];
    if (known > 0 && !level.wrong) {
      known = -1;
      walk.wrong += rows_.weight[level.row];
      walk.program = after(*level.program, level.row, true);
      level.program.reset();
      return true;
    }
    if (known < 0)
      walk.wrong -= rows_.weight[level.row];
    else
      write_leaf(*level.wrong, walk.tree);
    known = 0;
    walk.path.pop_back();
  }
  return false;
}

// Depth first; the pool of circuits is what the nodes learn from each other.
std::optional<std::string> RowTree::prove(std::int64_t target, std::uint64_t most) {
  if (!possible()) return std::nullopt;
  Walk walk{Known(rows_.size(), 0), {}, rows_.base, {}, new_program()};
  written_.clear();
  number_.clear();
  for (std::uint64_t count = 0; count < most; ++count) {
    stop_.check();
    ++nodes_;
    Bound found;
    const std::int64_t need = target - walk.wrong;
    const auto reached = [&] { return found.impossible || found.units >= need; };
    if (need > 0) found = bound(walk.program, walk.known, need, 3);
    if (!reached()) settle_rows(walk, found, need);
    if (reached()) {
      write_leaf(found, walk.tree);
      if (!go_back(walk)) return with_circuits(walk.tree);
      continue;
    }
    const std::uint32_t row = row_to_ask(found, walk.known);
    if (row == not_written) return std::nullopt;
    walk.tree.number(std::uint64_t{row} + 1);
    walk.known[row] = 1;
    Program next = after(walk.program, row, false);
    walk.path.push_back({row, std::move(walk.program), {}});
    walk.program = std::move(next);
  }
  return std::nullopt;
}

}  // namespace halfspace::exact
