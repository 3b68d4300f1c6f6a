// SPDX-License-Identifier: BSD-3-Clause
// On which side of a plane of whole numbers the rows of the core lie.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/simd/row_loops.hpp"
#include "solve/separation/core_rows.hpp"

namespace halfspace::separation {

__extension__ typedef __int128 Int128;

// The signs of sums of weights times rows. The approximation tells most of them: its rows have length 1, so
// that rounding is bounded by the length of the weights. The others in two words where the weights are small,
// but for large entries.
class CoreRows::Signs {
 public:
  Signs(const CoreRows& core, std::span<const mpz_class> weights) : core_(core), weights_(weights) {
    std::size_t weight_bits = 0, value_bits = 0;
    for (const mpz_class& w : weights)
      if (w != 0) weight_bits = std::max(weight_bits, mpz_sizeinbase(w.get_mpz_t(), 2));
    for (const int e : core.exponent_)
      value_bits = std::max(value_bits, static_cast<std::size_t>(std::clamp(-e, 0, 62)));
    if (core.chosen_.empty()) {
      approximate_.resize(weights.size());
      for (std::size_t j = 0; j < weights.size(); ++j)
        approximate_[j] = std::ldexp(weights[j].get_d() / core.scale_[j], -core.exponent_[j]);
      const auto terms = static_cast<double>(weights.size() + 8);
      rounding_ = terms * 0x1p-51 * std::sqrt(norm2(approximate_.data(), approximate_.size()));
    }
    if (weight_bits > 62 || weight_bits + value_bits + 22 > 125) return;
    short_.resize(weights.size());
    for (std::size_t j = 0; j < weights.size(); ++j) short_[j] = weights[j].get_si();
  }

  [[nodiscard]] int of(std::size_t i) const {
    if (!approximate_.empty()) {
      const double near = core_.approximate().dot(i, approximate_.data());
      if (near > rounding_) return 1;
      if (near < -rounding_) return -1;
    }
    const IntegerRows& all = core_.all_;
    if (short_.empty()) {
      mpz_class sum = 0;
      for (std::uint64_t k = core_.begin(i); k < core_.end(i); ++k)
        if (weights_[core_.place(k)] != 0) sum += weights_[core_.place(k)] * all.value(k);
      return sgn(sum);
    }
    Int128 sum = 0;
    if (!all.wide()) {
      for (std::uint64_t k = core_.begin(i); k < core_.end(i); ++k)
        sum += static_cast<Int128>(short_[core_.place(k)]) * all.small(k);
      return (sum > 0) - (sum < 0);
    }
    mpz_class total = 0;
    for (std::uint64_t k = core_.begin(i); k < core_.end(i); ++k) {
      const std::int64_t w = short_[core_.place(k)];
      if (!all.is_large(k)) {
        sum += static_cast<Int128>(w) * all.small(k);
      } else if (w != 0) {
        total += all.large_at(k) * static_cast<long>(w);
      }
    }
    mpz_class rest = static_cast<long>(sum >> 64);
    rest <<= 64;
    rest += static_cast<unsigned long>(sum);
    total += rest;
    return sgn(total);
  }

 private:
  const CoreRows& core_;
  std::span<const mpz_class> weights_;
  std::vector<double> approximate_;  // weights of the approximation; nothing when it lacks columns
  double rounding_ = 0;
  std::vector<std::int64_t> short_;
};

std::vector<std::int8_t> CoreRows::signs(std::span<const mpz_class> weights) const {
  std::vector<std::int8_t> out(rows());
  const Signs signs(*this, weights);
  for_blocks(threads_, rows(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i] = static_cast<std::int8_t>(signs.of(i));
  });
  return out;
}

bool CoreRows::on_their_side(std::span<const mpz_class> weights, bool strict) const {
  std::atomic<bool> good = true;
  const Signs signs(*this, weights);
  for_blocks(threads_, rows(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last && good; ++i)
      if (signs.of(i) < (strict ? 1 : 0)) good = false;
  });
  return good;
}

}  // namespace halfspace::separation
