// SPDX-License-Identifier: BSD-3-Clause
// A square integer system M x = c solved exactly by p-adic lifting, given M = L U modulo p.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "halfspace/core/stop.hpp"
#include "solve/separation/exact/integer_rows.hpp"

namespace halfspace::separation {

[[nodiscard]] double prime_below(int bits);  // the largest prime below 2^bits

// Another prime, for checks.
inline constexpr std::uint64_t check_prime = 2147483647;
[[nodiscard]] inline std::uint64_t check_remainder(const IntegerRows& rows, std::uint64_t entry) {
  if (rows.is_large(entry)) return mpz_fdiv_ui(rows.large_at(entry).get_mpz_t(), check_prime);
  const std::int64_t r = rows.small(entry) % static_cast<std::int64_t>(check_prime);
  return static_cast<std::uint64_t>(r < 0 ? r + static_cast<std::int64_t>(check_prime) : r);
}

// Remainders modulo p as doubles in [-p/2, p/2].
class Remainders {
 public:
  explicit Remainders(double prime) : p_(prime), inverse_(1 / prime) {}
  [[nodiscard]] double prime() const { return p_; }
  // Of a whole number below 2^53.
  [[nodiscard]] double reduce(double x) const {
    constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest whole number
    const double q = (x * inverse_ + shift) - shift;
    double r = x - q * p_;
    if (2 * r > p_) r -= p_;
    if (2 * r < -p_) r += p_;
    return r;
  }
  [[nodiscard]] double of(const IntegerRows& rows, std::uint64_t entry) const {
    return rows.is_large(entry)
               ? of(rows.large_at(entry))
               : reduce(static_cast<double>(rows.small(entry) % static_cast<std::int64_t>(p_)));
  }
  [[nodiscard]] double of(const mpz_class& x) const {
    return reduce(static_cast<double>(mpz_fdiv_ui(x.get_mpz_t(), static_cast<unsigned long>(p_))));
  }
  [[nodiscard]] double inverse(double x) const;

 private:
  double p_, inverse_;
};

// n x n, row after row; entries as doubles while they are small, else of any size.
class IntegerMatrix {
 public:
  IntegerMatrix(std::size_t n, bool wide) : n_(n) {
    if (wide) large_.resize(n * n);
    if (!wide) small_.resize(n * n, 0.0);
  }
  void set(std::size_t i, std::size_t j, const IntegerRows& from, std::uint64_t entry);
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] bool wide() const { return !large_.empty(); }
  [[nodiscard]] const double* row(std::size_t i) const { return small_.data() + i * n_; }
  [[nodiscard]] const mpz_class& large(std::size_t i, std::size_t j) const { return large_[i * n_ + j]; }
  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double log2_determinant() const;  // Hadamard's bound
  void widen();

 private:
  std::size_t n_;
  std::vector<double> small_;
  std::vector<mpz_class> large_;
  double largest_ = 0;
};

struct Triangles {
  explicit Triangles(std::size_t n) : lower(n * n, 0.0), upper(n * n, 0.0) {}
  std::vector<double> lower, upper;  // remainders, row after row, with their diagonals
};

class Lifting {
 public:
  Lifting(IntegerMatrix matrix, Triangles triangles, const Remainders& mod, StopHandle stop);
  // Numerators over a common positive denominator, without a common factor. Nothing: no solution was found,
  // which means that the matrix is singular.
  [[nodiscard]] std::optional<std::vector<mpz_class>> solve(const std::vector<mpz_class>& right,
                                                            mpz_class& denominator);

 private:
  void solve_remainders(std::vector<double>& x) const;
  void lift(std::size_t steps);
  void lift_fast(std::size_t steps);
  void lift_wide(std::size_t steps);
  [[nodiscard]] mpz_class joined(std::size_t component) const;
  [[nodiscard]] bool reconstruct(std::vector<mpz_class>& numerators, mpz_class& denominator) const;
  [[nodiscard]] bool plausible(const std::vector<mpz_class>& right, const std::vector<mpz_class>& numerators,
                               const mpz_class& denominator) const;

  IntegerMatrix matrix_;
  Triangles triangles_;
  Remainders mod_;
  StopHandle stop_;                                    // solve() throws Stopped
  std::vector<double> lower_inverse_, upper_inverse_;  // of the diagonals
  std::vector<double> residual_;
  std::vector<mpz_class> wide_residual_;
  bool fast_possible_ = true, fast_residual_ = true;
  std::vector<std::vector<std::int32_t>> digits_;  // of the solution in base p, one vector per step
};

}  // namespace halfspace::separation
