// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/sign_sets.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>

namespace halfspace::exact {
namespace {

struct Signs {
  SignSets::Word above = 0, below = 0;
};

// m > high and m < low of up to 64 margins.
Signs signs_of(const double* m, std::size_t n, double low, double high) {
  Signs out;
  std::size_t k = 0;
#ifdef __SSE2__
  const __m128d lows = _mm_set1_pd(low), highs = _mm_set1_pd(high);
  for (; k + 2 <= n; k += 2) {
    const __m128d x = _mm_loadu_pd(m + k);
    out.above |= static_cast<SignSets::Word>(_mm_movemask_pd(_mm_cmpgt_pd(x, highs))) << k;
    out.below |= static_cast<SignSets::Word>(_mm_movemask_pd(_mm_cmplt_pd(x, lows))) << k;
  }
#endif
  for (; k < n; ++k) {
    out.above |= SignSets::Word{m[k] > high} << k;
    out.below |= SignSets::Word{m[k] < low} << k;
  }
  return out;
}

}  // namespace

void SignSets::read(std::span<const double> margins, std::span<const double> error) {
  generators_ = error.size();
  rows_ = margins.size() / generators_;
  words_ = (rows_ + 63) / 64;
  bits_.resize(4 * (generators_ + 1) * words_);
  for (std::size_t g = 0; g < generators_; ++g) fill(g, margins.data() + g * rows_, error[g]);
}

void SignSets::read_more(std::span<const double> margins, double error) {
  fill(generators_, margins.data(), error);
}

void SignSets::fill(std::size_t g, const double* margins, double error) {
  const std::size_t kind = (generators_ + 1) * words_;
  Word* const out = bits_.data() + g * words_;
  for (std::size_t w = 0; w < words_; ++w) {
    const std::size_t n = std::min<std::size_t>(64, rows_ - 64 * w);
    const Signs sure = signs_of(margins + 64 * w, n, -error, error);
    const Signs may = error == 0 ? sure : signs_of(margins + 64 * w, n, error, -error);
    out[w] = sure.above;
    out[kind + w] = may.above;
    out[2 * kind + w] = sure.below;
    out[3 * kind + w] = may.below;
  }
}

}  // namespace halfspace::exact
