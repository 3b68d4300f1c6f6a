// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/exact/exact_solve.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd/row_loops.hpp"
#include "halfspace/core/random.hpp"
#include "solve/separation/exact/lifting.hpp"

namespace halfspace::separation {

// Row k is sum over t < k of factor[k][t] echelon[t], plus factor[k][k] echelon[k]; echelon[t] is 1 at its
// pivot and 0 at the pivots before.
struct IndependentRows::State {
  const CoreRows& core;
  Remainders mod;
  std::vector<std::uint32_t> rows, pivots;
  std::vector<std::vector<double>> echelon, factor;
  std::unique_ptr<Lifting> combine, project;  // made when first needed

  bool raw_entries = false;  // sums of entries times remainders stay below 2^53

  explicit State(const CoreRows& c) : core(c), mod(prime_for(c)) {
    int entry_bits = 0;
    for (std::size_t j = 0; j < c.columns(); ++j) entry_bits = std::max(entry_bits, -c.column_exponent(j));
    raw_entries = !c.all().wide() &&
                  entry_bits + std::log2(mod.prime()) + std::log2(static_cast<double>(c.columns() + 1)) <= 53;
  }

  static double prime_for(const CoreRows& c) {
    // Sums of min(rows, columns) products of two remainders stay below 2^53.
    const auto terms = static_cast<double>(std::min(c.rows(), c.columns()) + 2);
    return largest_prime(std::min(22, static_cast<int>(std::floor((54 - std::log2(terms)) / 2))), c);
  }
  static double largest_prime(int bits, const CoreRows& c) {
    // Fast residuals want entries times remainders below 2^53 as well.
    int entry_bits = 0;
    for (std::size_t j = 0; j < c.columns(); ++j) entry_bits = std::max(entry_bits, -c.column_exponent(j));
    const auto terms = static_cast<double>(std::min(c.rows(), c.columns()) + 2);
    const int room = 53 - static_cast<int>(std::ceil(std::log2(terms) + 0.1)) - entry_bits;
    if (room >= 14) bits = std::min(bits, room);
    return prime_below(bits);
  }

  std::vector<double> expand(std::uint32_t row) const {
    std::vector<double> out(core.columns(), 0.0);
    const IntegerRows& all = core.all();
    for (std::uint64_t k = core.begin(row); k < core.end(row); ++k) out[core.place(k)] = mod.of(all, k);
    return out;
  }
  // Subtracts what the echelon explains; the factors.
  std::vector<double> reduce(std::vector<double>& row) const {
    std::vector<double> factors(echelon.size() + 1, 0.0);
    for (std::size_t t = 0; t < echelon.size(); ++t) {
      const double f = mod.reduce(row[pivots[t]]);
      factors[t] = f;
      if (f != 0) axpy(-f, echelon[t].data(), row.data(), row.size());
    }
    for (double& x : row) x = mod.reduce(x);
    return factors;
  }

  // Square matrix of the rows on the pivot columns: [k][p], or on its side.
  IntegerMatrix square(bool on_its_side) const {
    const std::size_t n = rows.size();
    std::vector<std::uint32_t> pivot_of(core.columns(), UINT32_MAX);
    for (std::size_t p = 0; p < n; ++p) pivot_of[pivots[p]] = static_cast<std::uint32_t>(p);
    IntegerMatrix out(n, core.all().wide());
    for (std::size_t k = 0; k < n; ++k) {
      for (std::uint64_t e = core.begin(rows[k]); e < core.end(rows[k]); ++e) {
        const std::uint32_t p = pivot_of[core.place(e)];
        if (p != UINT32_MAX) out.set(on_its_side ? p : k, on_its_side ? k : p, core.all(), e);
      }
    }
    return out;
  }
  Triangles triangles(bool on_its_side) const {
    const std::size_t n = rows.size();
    Triangles out(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t t = 0; t <= k; ++t)
        (on_its_side ? out.upper[t * n + k] : out.lower[k * n + t]) = factor[k][t];
      for (std::size_t p = k; p < n; ++p) {
        const double x = echelon[k][pivots[p]];
        (on_its_side ? out.lower[p * n + k] : out.upper[k * n + p]) = x;
      }
    }
    return out;
  }
};

IndependentRows::IndependentRows(const CoreRows& core) : state_(std::make_unique<State>(core)) {}
IndependentRows::~IndependentRows() = default;
const std::vector<std::uint32_t>& IndependentRows::rows() const { return state_->rows; }
const std::vector<std::uint32_t>& IndependentRows::columns() const { return state_->pivots; }

std::vector<std::uint32_t> IndependentRows::members(const std::vector<std::uint32_t>& candidates) const {
  const State& s = *state_;
  const IntegerRows& all = s.core.all();
  Random random(s.rows.size(), 20);
  std::vector<std::uint32_t> left = candidates;
  for (int round = 0; round < 2; ++round) {
    std::vector<double> z(s.core.columns());
    for (double& x : z)
      x = s.mod.reduce(static_cast<double>(random.below(static_cast<std::uint64_t>(s.mod.prime()))));
    for (const std::uint32_t pivot : s.pivots) z[pivot] = 0;
    for (std::size_t t = s.rows.size(); t-- > 0;)
      z[s.pivots[t]] = s.mod.reduce(-dot(s.echelon[t].data(), z.data(), z.size()));
    std::erase_if(left, [&](std::uint32_t row) {
      double sum = 0;
      for (std::uint64_t e = s.core.begin(row); e < s.core.end(row); ++e) {
        // Small entries need no remainder before the sum is complete.
        sum += s.raw_entries ? static_cast<double>(all.small(e)) * z[s.core.place(e)]
                             : s.mod.reduce(s.mod.of(all, e) * z[s.core.place(e)]);
      }
      return s.mod.reduce(sum) != 0;
    });
  }
  return left;
}

bool IndependentRows::add(std::uint32_t number) {
  State& s = *state_;
  s.core.check();
  std::vector<double> row = s.expand(number);
  std::vector<double> factors = s.reduce(row);
  const auto pivot = std::find_if(row.begin(), row.end(), [](double x) { return x != 0; });
  if (pivot == row.end()) return false;
  const double size = *pivot;
  const double inverse = s.mod.inverse(size);
  for (double& x : row) x = s.mod.reduce(x * inverse);
  factors.back() = size;
  s.pivots.push_back(static_cast<std::uint32_t>(pivot - row.begin()));
  s.rows.push_back(number);
  s.echelon.push_back(std::move(row));
  s.factor.push_back(std::move(factors));
  s.combine.reset();
  s.project.reset();
  return true;
}

std::optional<ExactCombination> IndependentRows::combination(const ExactCombination& others) {
  State& s = *state_;
  const IntegerRows& all = s.core.all();
  std::vector<mpz_class> right(s.rows.size());
  std::vector<std::uint32_t> pivot_of(s.core.columns(), UINT32_MAX);
  for (std::size_t p = 0; p < s.pivots.size(); ++p) pivot_of[s.pivots[p]] = static_cast<std::uint32_t>(p);
  for (std::size_t r = 0; r < others.rows.size(); ++r) {
    for (std::uint64_t e = s.core.begin(others.rows[r]); e < s.core.end(others.rows[r]); ++e) {
      const std::uint32_t p = pivot_of[s.core.place(e)];
      if (p != UINT32_MAX) right[p] -= others.weights[r] * all.value(e);
    }
  }
  if (s.combine == nullptr)
    s.combine = std::make_unique<Lifting>(s.square(true), s.triangles(true), s.mod, s.core.stop());
  mpz_class denominator;
  auto weights = s.combine->solve(right, denominator);
  if (!weights) return std::nullopt;
  ExactCombination out;
  for (std::size_t k = 0; k < weights->size(); ++k) {
    if ((*weights)[k] == 0) continue;
    out.rows.push_back(s.rows[k]);
    out.weights.push_back(std::move((*weights)[k]));
  }
  for (std::size_t r = 0; r < others.rows.size(); ++r) {
    out.rows.push_back(others.rows[r]);
    out.weights.emplace_back(others.weights[r] * denominator);
  }
  // All columns must vanish, not only the pivots: by the remainders of another prime.
  std::vector<std::uint64_t> sums(s.core.columns(), 0);
  for (std::size_t r = 0; r < out.rows.size(); ++r) {
    const std::uint64_t weight = mpz_fdiv_ui(out.weights[r].get_mpz_t(), check_prime);
    for (std::uint64_t e = s.core.begin(out.rows[r]); e < s.core.end(out.rows[r]); ++e) {
      std::uint64_t& sum = sums[s.core.place(e)];
      sum = (sum + weight * check_remainder(all, e)) % check_prime;
    }
  }
  if (std::any_of(sums.begin(), sums.end(), [](std::uint64_t x) { return x != 0; })) return std::nullopt;
  return out;
}

std::optional<std::vector<mpz_class>> IndependentRows::orthogonal(std::vector<mpz_class> weights) {
  State& s = *state_;
  const IntegerRows& all = s.core.all();
  for (const std::uint32_t p : s.pivots) weights[p] = 0;
  std::vector<mpz_class> right(s.rows.size());
  for (std::size_t k = 0; k < s.rows.size(); ++k) {
    for (std::uint64_t e = s.core.begin(s.rows[k]); e < s.core.end(s.rows[k]); ++e) {
      const mpz_class& w = weights[s.core.place(e)];
      if (w != 0) right[k] -= w * all.value(e);
    }
  }
  if (s.project == nullptr)
    s.project = std::make_unique<Lifting>(s.square(false), s.triangles(false), s.mod, s.core.stop());
  mpz_class denominator;
  auto solved = s.project->solve(right, denominator);
  if (!solved) return std::nullopt;
  for (mpz_class& w : weights) w *= denominator;
  for (std::size_t p = 0; p < s.pivots.size(); ++p) weights[s.pivots[p]] = std::move((*solved)[p]);
  return weights;
}

}  // namespace halfspace::separation
