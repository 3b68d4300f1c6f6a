// SPDX-License-Identifier: BSD-3-Clause
// Ties. Where all rows that a cone leaves open vanish at one of its points, no split of an edge by the middle row comes
// to an end: around that point the rows are a problem of one dimension less. Splits that lead to the point make it a
// generator, at which these rows are zero.
#include <gmpxx.h>

#include <algorithm>
#include <numeric>

#include "solve/exact/cones.hpp"

namespace halfspace::exact {
namespace {

constexpr double most_factor = 0x1p30;

// Vectors in echelon form, each with the combination of the given ones that it is.
class Dependence {
 public:
  Dependence(std::size_t columns, std::size_t vectors) : columns_(columns), width_(columns + vectors) {}

  // The combination of the vectors so far and this one that is zero; empty: there is none.
  std::vector<mpz_class> add(std::vector<mpz_class> v, std::size_t number) {
    v.resize(width_);
    v[columns_ + number] = 1;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const mpz_class factor = v[pivots_[k]], by = rows_[k][pivots_[k]];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < width_; ++j) v[j] = v[j] * by - rows_[k][j] * factor;
    }
    mpz_class common = 0;
    for (const mpz_class& x : v) mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), x.get_mpz_t());
    for (mpz_class& x : v) x /= common;
    std::size_t pivot = 0;
    while (pivot < columns_ && v[pivot] == 0) ++pivot;
    if (pivot == columns_) return {v.begin() + static_cast<std::ptrdiff_t>(columns_), v.end()};
    pivots_.push_back(pivot);
    rows_.push_back(std::move(v));
    return {};
  }

 private:
  std::size_t columns_, width_;
  std::vector<std::vector<mpz_class>> rows_;
  std::vector<std::size_t> pivots_;
};

// Whole numbers modulo a prime: vectors that are independent there are so everywhere. A column of them after the other.
class ModularRank {
 public:
  explicit ModularRank(std::size_t vectors) : vectors_(vectors) {}
  [[nodiscard]] bool full() const { return pivots_.size() == vectors_; }
  void add(std::vector<std::int64_t> column) {
    for (std::int64_t& x : column) x = ((x % prime) + prime) % prime;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::int64_t factor = column[pivots_[k]];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < vectors_; ++j)
        column[j] = (column[j] + (prime - factor) * columns_[k][j]) % prime;
    }
    std::size_t pivot = 0;
    while (pivot < vectors_ && column[pivot] == 0) ++pivot;
    if (pivot == vectors_) return;
    std::int64_t inverse = 1, base = column[pivot];
    for (std::int64_t e = prime - 2; e > 0; e /= 2) {
      if (e % 2 == 1) inverse = inverse * base % prime;
      base = base * base % prime;
    }
    for (std::int64_t& x : column) x = x * inverse % prime;
    pivots_.push_back(pivot);
    columns_.push_back(std::move(column));
  }

 private:
  static constexpr std::int64_t prime = 2147483629;  // below 2^31
  std::size_t vectors_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::vector<std::size_t> pivots_;
};

}  // namespace

// The margins at the generators, but for those where all are zero, are independent.
bool ConeWalk::apart(const ConeNode& node) const {
  const std::size_t n = node.live.size();
  std::vector<std::size_t> vectors;
  vectors.reserve(r_);
  for (std::size_t g = 0; g < r_; ++g) {
    const double* const m = node.m.data() + g * n;
    if (std::any_of(m, m + n, [](double x) { return x != 0; })) vectors.push_back(g);
  }
  ModularRank rank(vectors.size());
  for (std::size_t c = 0; c < std::min(n, 2 * r_) && !rank.full(); ++c) {
    std::vector<std::int64_t> column;
    column.reserve(vectors.size());
    for (const std::size_t g : vectors) column.push_back(static_cast<std::int64_t>(node.m[g * n + c]));
    rank.add(std::move(column));
  }
  return rank.full();
}

std::optional<ConeWalk::Split> ConeWalk::tie(const ConeNode& node) const {
  const std::size_t n = node.live.size();
  if (n == 0 || std::any_of(node.error.begin(), node.error.end(), [](double e) { return e != 0; }))
    return std::nullopt;
  if (apart(node)) return std::nullopt;
  // Some columns find most of what is independent; what they do not is held against all.
  const std::size_t columns = std::min(n, 3 * r_);
  Dependence dependence(columns, r_);
  for (std::size_t g = 0; g < r_; ++g) {
    const double* const m = node.m.data() + g * n;
    if (std::all_of(m, m + n, [](double x) { return x == 0; })) continue;
    std::vector<mpz_class> v(columns);
    for (std::size_t c = 0; c < columns; ++c) v[c] = m[c * n / columns];
    std::vector<mpz_class> zero = dependence.add(std::move(v), g);
    if (zero.empty()) continue;
    if (zero[g] < 0)
      for (mpz_class& x : zero) x = -x;
    if (std::any_of(zero.begin(), zero.end(), [](const mpz_class& x) { return x < 0; })) continue;
    bool all = true;
    for (std::size_t i = 0; i < n && all; ++i) {
      mpz_class sum = 0;
      for (std::size_t h = 0; h < r_; ++h) sum += zero[h] * mpz_class(node.m[h * n + i]);
      all = sum == 0;
    }
    if (!all) continue;
    Split out;
    std::size_t found = 0;
    for (std::size_t h = 0; h < r_ && found < 2; ++h) {
      if (zero[h] == 0) continue;
      (found == 0 ? out.a : out.b) = h;
      ++found;
    }
    if (found < 2) continue;
    mpz_class common;
    mpz_gcd(common.get_mpz_t(), zero[out.a].get_mpz_t(), zero[out.b].get_mpz_t());
    const mpz_class alpha = zero[out.a] / common, beta = zero[out.b] / common;
    if (alpha > most_factor || beta > most_factor) continue;
    out.alpha = alpha.get_ui();
    out.beta = beta.get_ui();
    return out;
  }
  return std::nullopt;
}

}  // namespace halfspace::exact
