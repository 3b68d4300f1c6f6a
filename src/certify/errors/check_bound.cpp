// SPDX-License-Identifier: BSD-3-Clause
#include "certify/errors/check_bound.hpp"

#include <algorithm>

#include "certify/separation/refusal.hpp"

namespace halfspace::detail {

bool IndependentVectors::add(std::span<const mpz_class> vector) {
  std::vector<mpz_class> v(vector.begin(), vector.end());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::size_t p = pivots_[r];
    if (v[p] == 0) continue;
    const mpz_class factor = v[p], by = rows_[r][p];
    for (std::size_t j = 0; j < columns_; ++j) v[j] = v[j] * by - rows_[r][j] * factor;
  }
  const auto pivot = std::find_if(v.begin(), v.end(), [](const mpz_class& x) { return x != 0; });
  if (pivot == v.end()) return false;
  mpz_class common = 0;
  for (const mpz_class& x : v) mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), x.get_mpz_t());
  for (mpz_class& x : v) x /= common;
  pivots_.push_back(static_cast<std::size_t>(pivot - v.begin()));
  rows_.push_back(std::move(v));
  return true;
}

// Elimination without fractions (Bareiss) on the matrix that has the rows as its columns.
std::vector<mpz_class> circuit(const ErrorRows& rows, std::span<const std::uint32_t> of) {
  const std::size_t s = of.size(), d = rows.columns;
  std::vector<mpz_class> m(d * s);
  for (std::size_t k = 0; k < s; ++k)
    for (std::size_t j = 0; j < d; ++j) m[j * s + k] = rows.row(of[k])[j];
  mpz_class last = 1;
  for (std::size_t k = 0; k + 1 < s; ++k) {
    std::size_t p = k;
    while (p < d && m[p * s + k] == 0) ++p;
    if (p == d) return {};
    if (p != k)
      for (std::size_t c = 0; c < s; ++c) swap(m[p * s + c], m[k * s + c]);
    const mpz_class pivot = m[k * s + k];
    for (std::size_t j = 0; j < d; ++j) {
      if (j == k) continue;
      const mpz_class factor = m[j * s + k];
      for (std::size_t c = 0; c < s; ++c) {
        mpz_class& x = m[j * s + c];
        x = x * pivot - factor * m[k * s + c];
        mpz_divexact(x.get_mpz_t(), x.get_mpz_t(), last.get_mpz_t());
      }
    }
    last = pivot;
  }
  // Now the first s - 1 rows are `last` times the unit matrix, and a last column; the others are zero but for that column.
  std::vector<mpz_class> out(s);
  for (std::size_t j = 0; j < d; ++j) {
    const mpz_class& x = m[j * s + s - 1];
    if (j + 1 >= s ? x != 0 : x == 0) return {};
    if (j + 1 < s) out[j] = -x;
  }
  if (s > d + 1) return {};
  out[s - 1] = last;
  return out;
}

void check_tree(const ErrorRows& rows, ProofReader& proof, std::int64_t lower, const Threads& threads) {
  const char kind = proof.letter();
  require(kind == 'c' || kind == 'r', "the proof is of a kind that there is not");
  if (kind == 'c')
    check_cones(rows, proof, lower, threads);
  else
    check_row_tree(rows, proof, lower, threads);
}

void check_bound(const ErrorRows& rows, std::string_view text, std::int64_t lower, const Threads& threads) {
  if (text.empty()) return require(lower <= rows.base, "equal rows of both classes do not prove the bound");
  require(rows.written_out(), "too many rows and columns for a proof of this kind");
  const bool parts = text.front() == 'p';
  ProofReader proof(parts ? text.substr(1) : text);
  if (parts)
    check_parts(rows, proof, lower, threads);
  else
    check_tree(rows, proof, lower, threads);
  require(proof.at_end(), "the proof goes on after its end");
}

}  // namespace halfspace::detail
