// SPDX-License-Identifier: BSD-3-Clause
#include "solve/separation/exact/lifting.hpp"

#include <algorithm>
#include <numeric>

#include "core/simd/row_loops.hpp"

namespace halfspace::separation {
namespace {

std::size_t bits_of(const mpz_class& x) { return x == 0 ? 0 : mpz_sizeinbase(x.get_mpz_t(), 2); }

constexpr std::size_t spare_bits = 60;  // what a wrong fraction would have to hit by chance

// n / d = x modulo m with both small: Euclid's algorithm stopped half way. False: there is no such pair.
bool fraction_of(const mpz_class& x, const mpz_class& m, mpz_class& n, mpz_class& d) {
  mpz_class a = m, b = x, u = 0, v = 1, q, t;
  const std::size_t half = bits_of(m) / 2;
  while (bits_of(b) > half) {
    mpz_tdiv_qr(q.get_mpz_t(), t.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
    mpz_swap(a.get_mpz_t(), b.get_mpz_t());
    mpz_swap(b.get_mpz_t(), t.get_mpz_t());
    mpz_submul(u.get_mpz_t(), q.get_mpz_t(), v.get_mpz_t());
    mpz_swap(u.get_mpz_t(), v.get_mpz_t());
  }
  n = v < 0 ? mpz_class(-b) : b;
  d = abs(v);
  return d != 0 && bits_of(n) + bits_of(d) + spare_bits < bits_of(m);
}

}  // namespace

double prime_below(int bits) {
  mpz_class candidate;
  mpz_ui_pow_ui(candidate.get_mpz_t(), 2, static_cast<unsigned long>(bits));
  do {
    candidate -= 1;
  } while (mpz_probab_prime_p(candidate.get_mpz_t(), 30) == 0);
  return candidate.get_d();
}

double Remainders::inverse(double x) const {
  const mpz_class value = x, prime = p_;
  mpz_class out;
  mpz_invert(out.get_mpz_t(), value.get_mpz_t(), prime.get_mpz_t());
  return reduce(out.get_d());
}

void IntegerMatrix::set(std::size_t i, std::size_t j, const IntegerRows& from, std::uint64_t entry) {
  if (wide()) {
    large_[i * n_ + j] = from.value(entry);
    largest_ = 0x1p1023;
    return;
  }
  const double x = static_cast<double>(from.small(entry));
  if (std::abs(x) >= 0x1p53) {  // beyond what a double holds
    widen();
    return set(i, j, from, entry);
  }
  small_[i * n_ + j] = x;
  largest_ = std::max(largest_, std::abs(x));
}

void IntegerMatrix::widen() {
  if (wide()) return;
  large_.resize(std::max<std::size_t>(1, n_ * n_));
  for (std::size_t k = 0; k < n_ * n_; ++k) large_[k] = small_[k];
  small_.clear();
  largest_ = 0x1p1023;
}

double IntegerMatrix::log2_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!wide()) {
      sum += 0.5 * std::log2(1 + norm2(row(i), n_));
    } else {
      std::size_t bits = 0;
      for (std::size_t j = 0; j < n_; ++j) bits = std::max(bits, bits_of(large(i, j)));
      sum += static_cast<double>(bits) + 0.5 * std::log2(static_cast<double>(n_));
    }
  }
  return sum;
}

Lifting::Lifting(IntegerMatrix matrix, Triangles triangles, const Remainders& mod, StopHandle stop)
    : matrix_(std::move(matrix)), triangles_(std::move(triangles)), mod_(mod), stop_(std::move(stop)) {
  const std::size_t n = matrix_.size();
  for (std::size_t i = 0; i < n; ++i) {
    lower_inverse_.push_back(mod_.inverse(triangles_.lower[i * n + i]));
    upper_inverse_.push_back(mod_.inverse(triangles_.upper[i * n + i]));
  }
}

void Lifting::solve_remainders(std::vector<double>& x) const {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double rest = mod_.reduce(x[i] - dot(triangles_.lower.data() + i * n, x.data(), i));
    x[i] = mod_.reduce(rest * lower_inverse_[i]);
  }
  for (std::size_t i = n; i-- > 0;) {
    const double rest =
        mod_.reduce(x[i] - dot(triangles_.upper.data() + i * n + i + 1, x.data() + i + 1, n - i - 1));
    x[i] = mod_.reduce(rest * upper_inverse_[i]);
  }
}

// One more digit: y = M^-1 r mod p, then r = (r - M y) / p.
void Lifting::lift_fast(std::size_t steps) {
  const std::size_t n = matrix_.size();
  std::vector<double> y(n);
  while (digits_.size() < steps) {
    stop_.check();
    for (std::size_t i = 0; i < n; ++i) y[i] = mod_.reduce(residual_[i]);
    solve_remainders(y);
    for (std::size_t i = 0; i < n; ++i)
      residual_[i] = (residual_[i] - dot(matrix_.row(i), y.data(), n)) / mod_.prime();
    digits_.emplace_back(y.begin(), y.end());
  }
}

void Lifting::lift_wide(std::size_t steps) {
  const std::size_t n = matrix_.size();
  std::vector<double> y(n);
  const auto prime = static_cast<unsigned long>(mod_.prime());
  while (digits_.size() < steps) {
    for (std::size_t i = 0; i < n; ++i) y[i] = mod_.of(wide_residual_[i]);
    solve_remainders(y);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 16 == 0) stop_.check();
      mpz_class& r = wide_residual_[i];
      for (std::size_t j = 0; j < n; ++j) {
        if (y[j] == 0) continue;
        const mpz_class entry = matrix_.wide() ? matrix_.large(i, j) : mpz_class(matrix_.row(i)[j]);
        if (y[j] > 0) mpz_submul_ui(r.get_mpz_t(), entry.get_mpz_t(), static_cast<unsigned long>(y[j]));
        if (y[j] < 0) mpz_addmul_ui(r.get_mpz_t(), entry.get_mpz_t(), static_cast<unsigned long>(-y[j]));
      }
      mpz_divexact_ui(r.get_mpz_t(), r.get_mpz_t(), prime);
    }
    digits_.emplace_back(y.begin(), y.end());
  }
}

// Whatever the right side was, the residual soon is no larger than the entries allow.
void Lifting::lift(std::size_t steps) {
  while (!fast_residual_ && digits_.size() < steps) {
    lift_wide(digits_.size() + 1);
    if (!fast_possible_) continue;
    fast_residual_ = std::all_of(wide_residual_.begin(), wide_residual_.end(),
                                 [](const mpz_class& r) { return bits_of(r) <= 50; });
    for (std::size_t i = 0; i < residual_.size() && fast_residual_; ++i)
      residual_[i] = wide_residual_[i].get_d();
  }
  if (fast_residual_) lift_fast(steps);
}

// The digits of one component as a number, two at a time.
mpz_class Lifting::joined(std::size_t component) const {
  mpz_class out;
  const auto p = static_cast<std::int64_t>(mod_.prime());
  const auto square = static_cast<unsigned long>(p * p);
  std::size_t at = digits_.size();
  if (at % 2 == 1) out = digits_[--at][component];
  while (at > 0) {
    const std::int64_t pair = digits_[at - 1][component] * p + digits_[at - 2][component];
    mpz_mul_ui(out.get_mpz_t(), out.get_mpz_t(), square);
    if (pair >= 0) mpz_add_ui(out.get_mpz_t(), out.get_mpz_t(), static_cast<unsigned long>(pair));
    if (pair < 0) mpz_sub_ui(out.get_mpz_t(), out.get_mpz_t(), static_cast<unsigned long>(-pair));
    at -= 2;
  }
  return out;
}

// One component gives most of the denominator; multiplied by it the others are whole numbers already, or
// nearly.
bool Lifting::reconstruct(std::vector<mpz_class>& numerators, mpz_class& denominator) const {
  const std::size_t n = matrix_.size();
  mpz_class modulus;
  mpz_ui_pow_ui(modulus.get_mpz_t(), static_cast<unsigned long>(mod_.prime()), digits_.size());
  const std::size_t room = bits_of(modulus);
  numerators.assign(n, 0);
  denominator = 1;
  mpz_class x, top, bottom;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 16 == 0) stop_.check();
    x = joined(i) * denominator;
    mpz_mod(x.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t());
    if (2 * x > modulus) x -= modulus;
    if (bits_of(x) + bits_of(denominator) + spare_bits < room) {
      numerators[i] = x;
      continue;
    }
    if (x < 0) x += modulus;
    if (!fraction_of(x, modulus, top, bottom)) return false;
    numerators[i] = top;
    denominator *= bottom;
    if (bits_of(denominator) + spare_bits >= room) return false;
    for (std::size_t k = 0; k < i; ++k) numerators[k] *= bottom;
  }
  return true;
}

bool Lifting::plausible(const std::vector<mpz_class>& right, const std::vector<mpz_class>& numerators,
                        const mpz_class& denominator) const {
  constexpr std::uint64_t prime = 2147483629;
  const std::size_t n = matrix_.size();
  const auto remainder = [](const mpz_class& x) { return std::uint64_t{mpz_fdiv_ui(x.get_mpz_t(), prime)}; };
  std::vector<std::uint64_t> x;
  x.reserve(numerators.size());
  for (const mpz_class& v : numerators) x.push_back(remainder(v));
  const std::uint64_t d = remainder(denominator);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 16 == 0) stop_.check();
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const std::uint64_t a = remainder(matrix_.wide() ? matrix_.large(i, j) : mpz_class(matrix_.row(i)[j]));
      sum = (sum + a * x[j]) % prime;
    }
    if (sum != d * remainder(right[i]) % prime) return false;
  }
  return true;
}

std::optional<std::vector<mpz_class>> Lifting::solve(const std::vector<mpz_class>& right,
                                                     mpz_class& denominator) {
  const std::size_t n = matrix_.size();
  digits_.clear();
  std::size_t right_bits = 0;
  for (const mpz_class& c : right) right_bits = std::max(right_bits, bits_of(c));
  denominator = 1;
  if (right_bits == 0) return std::vector<mpz_class>(n);
  fast_possible_ =
      !matrix_.wide() && matrix_.largest() * mod_.prime() / 2 * static_cast<double>(n + 2) < 0x1p52;
  fast_residual_ = fast_possible_ && right_bits <= 50;
  residual_.assign(n, 0.0);
  wide_residual_ = right;
  for (std::size_t i = 0; i < n && fast_residual_; ++i) residual_[i] = right[i].get_d();
  // Numerators and denominator are determinants.
  const double bits = 2 * matrix_.log2_determinant() + static_cast<double>(right_bits) +
                      std::log2(static_cast<double>(n + 1)) + static_cast<double>(spare_bits) + 8;
  const auto all = static_cast<std::size_t>(bits / std::log2(mod_.prime())) + 2;
  std::vector<mpz_class> numerators;
  for (const double share : {0.02, 0.1, 0.25, 0.5, 0.7, 0.85, 1.0}) {
    const std::size_t steps =
        std::max<std::size_t>(6, static_cast<std::size_t>(share * static_cast<double>(all)));
    if (steps <= digits_.size()) continue;
    lift(std::min(steps, all));
    if (reconstruct(numerators, denominator) && plausible(right, numerators, denominator)) {
      mpz_class common = denominator;
      for (const mpz_class& v : numerators) mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), v.get_mpz_t());
      denominator /= common;
      for (mpz_class& v : numerators) v /= common;
      return numerators;
    }
  }
  return std::nullopt;
}

}  // namespace halfspace::separation
