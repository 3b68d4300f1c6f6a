// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/exact/exact_simplex.hpp"

#include <algorithm>
#include <numeric>

#include "halfspace/core/random.hpp"

namespace halfspace::separation {
namespace {

class Simplex {
 public:
  Simplex(const CoreRows& core, const std::vector<std::uint32_t>& free,
          const std::vector<std::uint32_t>& hint)
      : core_(core),
        c_(core.columns()),
        m_(c_ * c_),
        basis_(c_, unit),
        free_(c_, 1),
        lambda_(c_),
        closed_(core.rows(), 0) {
    for (std::size_t j = 0; j < c_; ++j) m_[j * c_ + j] = 1;
    IndependentRows independent(core);
    for (const std::uint32_t row : free) {
      closed_[row] = 1;
      if (independent.add(row)) take(row, true);
    }
    Random random(1, 18);
    const auto offer = [&](std::uint32_t row) {
      if (closed_[row] != 0 || independent.rows().size() == c_ || !independent.add(row)) return;
      const std::size_t at = take(row, false);
      if (at < c_) lambda_[at] = static_cast<unsigned long>(1 + random.below(1U << 30U));
    };
    for (const std::uint32_t row : hint) offer(row);
    for (std::uint32_t row = 0; row < core.rows(); ++row) offer(row);
  }

  ExactOutcome run(std::uint64_t limit) {
    ExactOutcome out;
    std::vector<mpq_class> v;
    for (std::uint64_t step = 0; step < limit; ++step) {
      core_.check();
      compute_weights();
      const std::uint32_t row = worst(step > limit / 2);
      if (row == unit) {
        out.decided = true;
        const bool open = std::any_of(free_.begin(), free_.end(), [](char f) { return f == 0; });
        if (open) out.weights = whole_;
        return out;
      }
      combine(row, v);
      if (raises_rank(row, v)) continue;
      std::size_t q = c_;
      bool fresh = false;
      for (std::size_t k = 0; k < c_; ++k) {
        if (free_[k] != 0 || v[k] == 0) continue;
        fresh = true;
        if (v[k] < 0) continue;
        if (q == c_ || lambda_[k] * v[q] < lambda_[q] * v[k]) q = k;
      }
      if (!fresh) {
        closed_[row] = 1;  // in the span of the free rows
        continue;
      }
      if (q == c_) {
        out.witnesses.push_back(witness(row, v));
        continue;
      }
      const mpq_class t = lambda_[q] / v[q];
      for (std::size_t k = 0; k < c_; ++k)
        if (free_[k] == 0) lambda_[k] -= t * v[k];
      pivot(row, v, q);
      lambda_[q] = t;
    }
    return out;
  }

 private:
  static constexpr std::uint32_t unit = UINT32_MAX;

  // v: row = sum v_k basis_k.
  void combine(std::uint32_t row, std::vector<mpq_class>& v) const {
    v.assign(c_, 0);
    for (std::uint64_t e = core_.begin(row); e < core_.end(row); ++e) {
      const mpz_class a = core_.all().value(e);
      const std::size_t j = core_.place(e);
      for (std::size_t k = 0; k < c_; ++k)
        if (m_[k * c_ + j] != 0) v[k] += a * m_[k * c_ + j];
    }
  }
  void pivot(std::uint32_t row, const std::vector<mpq_class>& v, std::size_t q) {
    for (std::size_t j = 0; j < c_; ++j) m_[q * c_ + j] /= v[q];
    for (std::size_t k = 0; k < c_; ++k) {
      if (k == q || v[k] == 0) continue;
      core_.check();
      for (std::size_t j = 0; j < c_; ++j)
        if (m_[q * c_ + j] != 0) m_[k * c_ + j] -= v[k] * m_[q * c_ + j];
    }
    basis_[q] = row;
  }
  std::size_t take(std::uint32_t row, bool free) {
    std::vector<mpq_class> v;
    combine(row, v);
    for (std::size_t k = 0; k < c_; ++k) {
      if (basis_[k] != unit || v[k] == 0) continue;
      pivot(row, v, k);
      free_[k] = free ? 1 : 0;
      return k;
    }
    return c_;
  }
  bool raises_rank(std::uint32_t row, const std::vector<mpq_class>& v) {
    for (std::size_t k = 0; k < c_; ++k) {
      if (basis_[k] != unit || v[k] == 0) continue;
      pivot(row, v, k);
      free_[k] = 0;
      lambda_[k] = 1;
      return true;
    }
    return false;
  }

  // w over one denominator, which is positive.
  void compute_weights() {
    std::vector<mpq_class> w(c_);
    for (std::size_t k = 0; k < c_; ++k)
      if (free_[k] == 0)
        for (std::size_t j = 0; j < c_; ++j) w[j] += m_[k * c_ + j];
    one_ = 1;
    for (const mpq_class& q : w) mpz_lcm(one_.get_mpz_t(), one_.get_mpz_t(), q.get_den_mpz_t());
    whole_.resize(c_);
    for (std::size_t j = 0; j < c_; ++j) whole_[j] = w[j].get_num() * (one_ / w[j].get_den());
  }

  // The row with the smallest a . w below 1 (first: the first such row, which cannot cycle), or unit.
  std::uint32_t worst(bool first) const {
    std::uint32_t out = unit;
    mpz_class smallest = one_, sum;
    for (std::uint32_t row = 0; row < core_.rows(); ++row) {
      if (row % 256 == 0) core_.check();
      if (closed_[row] != 0) continue;
      sum = 0;
      for (std::uint64_t e = core_.begin(row); e < core_.end(row); ++e)
        sum += whole_[core_.place(e)] * core_.all().value(e);
      if (sum >= smallest) continue;
      smallest = sum;
      out = row;
      if (first) break;
    }
    return out;
  }

  ExactCombination witness(std::uint32_t row, const std::vector<mpq_class>& v) {
    mpz_class common = 1;
    for (const mpq_class& x : v) mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), x.get_den_mpz_t());
    ExactCombination out;
    for (std::size_t k = 0; k < c_; ++k) {
      if (v[k] == 0) continue;
      out.rows.push_back(basis_[k]);
      out.weights.emplace_back(-v[k].get_num() * (common / v[k].get_den()));
      if (free_[k] == 0) {
        free_[k] = 1;
        closed_[basis_[k]] = 1;
      }
    }
    out.rows.push_back(row);
    out.weights.push_back(common);
    closed_[row] = 1;
    return out;
  }

  const CoreRows& core_;
  std::size_t c_;
  std::vector<mpq_class> m_;  // row k: position k of the basis
  std::vector<std::uint32_t> basis_;
  std::vector<char> free_;
  std::vector<mpq_class> lambda_;
  std::vector<char> closed_;
  std::vector<mpz_class> whole_;
  mpz_class one_;
};

}  // namespace

ExactOutcome exact_simplex(const CoreRows& core, const std::vector<std::uint32_t>& free,
                           const std::vector<std::uint32_t>& hint, std::uint64_t pivots) {
  return Simplex(core, free, hint).run(pivots);
}

}  // namespace halfspace::separation
