// SPDX-License-Identifier: BSD-3-Clause
// Rows in echelon form modulo a prime below 2^31; the rank of whole numbers is at least the rank of their remainders.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace halfspace::detail {

class Echelon {
 public:
  static constexpr std::uint64_t mersenne = 2147483647;
  using Remainders = std::vector<std::uint32_t>;

  explicit Echelon(std::uint64_t prime = mersenne) : prime_(prime) {}
  void add(Remainders row) {
    if (prime_ == mersenne) {
      reduce(std::move(row), [](std::uint64_t x) { return fold(x); });
    } else {
      reduce(std::move(row), [p = prime_](std::uint64_t x) { return static_cast<std::uint32_t>(x % p); });
    }
  }
  [[nodiscard]] std::size_t rank() const { return rows_.size(); }
  [[nodiscard]] std::uint32_t remainder(const mpz_class& x) const {
    return static_cast<std::uint32_t>(mpz_fdiv_ui(x.get_mpz_t(), prime_));
  }

 private:
  // `modulo`: the remainder of a number below 2^62.
  template <class Modulo>
  void reduce(Remainders row, const Modulo& modulo) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::uint64_t factor = row[pivots_[k]];
      if (factor == 0) continue;
      const std::uint64_t minus = prime_ - factor;
      for (std::size_t j = pivots_[k]; j < row.size(); ++j) row[j] = modulo(row[j] + minus * rows_[k][j]);
    }
    const auto pivot = std::find_if(row.begin(), row.end(), [](std::uint32_t x) { return x != 0; });
    if (pivot == row.end()) return;
    std::uint64_t inverse = 1, square = *pivot;  // pivot^(prime - 2)
    for (std::uint64_t exponent = prime_ - 2; exponent != 0;
         exponent >>= 1U, square = modulo(square * square))
      if ((exponent & 1U) != 0) inverse = modulo(inverse * square);
    for (auto at = pivot; at != row.end(); ++at) *at = modulo(*at * inverse);
    pivots_.push_back(static_cast<std::size_t>(pivot - row.begin()));
    rows_.push_back(std::move(row));
  }
  // 2^31 leaves 1.
  static std::uint32_t fold(std::uint64_t x) {
    const std::uint64_t once = (x & mersenne) + (x >> 31U);
    return static_cast<std::uint32_t>(once >= mersenne ? once - mersenne : once);
  }

  std::uint64_t prime_;
  std::vector<Remainders> rows_;
  std::vector<std::size_t> pivots_;
};

}  // namespace halfspace::detail
