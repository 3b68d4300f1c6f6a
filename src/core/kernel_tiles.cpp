// SPDX-License-Identifier: BSD-3-Clause
// The order of every sum is that of the columns, whatever the instruction set and the place of a row in its
// tile, so a value does not depend on its neighbours and K(i, k) = K(k, i) to the bit.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernel_tiles.cpp"
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
#endif
#include "core/kernel_tiles.hpp"

// The order of these three is their meaning.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

inline std::size_t width() { return 2 * hn::Lanes(Tag<float>()); }
// Vectors of T in a panel: two of floats, four of doubles (but single numbers on machines without vectors).
#if HWY_TARGET == HWY_SCALAR
template <class T>
inline constexpr std::size_t vectors = 2;
#else
template <class T>
inline constexpr std::size_t vectors = 2 * sizeof(T) / sizeof(float);
#endif

// Rows of a dense tile whose accumulators fit the registers.
template <class T>
inline constexpr std::size_t part_rows = sizeof(T) == sizeof(float) ? 6 : 3;

template <class T>
HWY_INLINE void dense_part(const T* HWY_RESTRICT left, const T* HWY_RESTRICT panel, std::size_t depth,
                           T* tile) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Tag<T>> sum[part_rows<T>][vectors<T>];
  for (auto& row : sum)
    for (auto& s : row) s = hn::Zero(d);
  for (std::size_t j = 0; j < depth; ++j, left += tile_rows, panel += vectors<T> * lanes) {
    hn::Vec<Tag<T>> right[vectors<T>];
    for (std::size_t v = 0; v < vectors<T>; ++v) right[v] = hn::Load(d, panel + v * lanes);
    for (std::size_t r = 0; r < part_rows<T>; ++r) {
      const auto x = hn::Set(d, left[r]);
      for (std::size_t v = 0; v < vectors<T>; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
    }
  }
  for (std::size_t r = 0; r < part_rows<T>; ++r)
    for (std::size_t v = 0; v < vectors<T>; ++v)
      hn::StoreU(sum[r][v], d, tile + (r * vectors<T> + v) * lanes);
}

template <class T>
void dense(const T* left, const T* panel, std::size_t depth, T* tile) {
  for (std::size_t r = 0; r < tile_rows; r += part_rows<T>)
    dense_part<T>(left + r, panel, depth, tile + r * width());
}

template <class T, class Place>
HWY_INLINE void sparse_row(const Entries<T>& left, const Place& place, const T* panel, T* tile) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t wide = vectors<T> * lanes;
  hn::Vec<Tag<T>> sum[vectors<T>];
  for (auto& s : sum) s = hn::Zero(d);
  for (std::size_t k = 0; k < left.size; ++k) {
    const T* HWY_RESTRICT column = panel + std::size_t{place(left.index[k])} * wide;
    const auto x = hn::Set(d, left.value[k]);
    for (std::size_t v = 0; v < vectors<T>; ++v)
      sum[v] = hn::MulAdd(x, hn::Load(d, column + v * lanes), sum[v]);
  }
  for (std::size_t v = 0; v < vectors<T>; ++v) hn::StoreU(sum[v], d, tile + v * lanes);
}

template <class T>
void sparse(const Entries<T>* left, std::size_t rows, const std::uint32_t* place, const T* panel, T* tile) {
  for (std::size_t r = 0; r < rows; ++r) {
    T* const out = tile + r * width();
    if (place == nullptr) {
      sparse_row(
          left[r], [](std::uint32_t j) { return j; }, panel, out);
    } else {
      sparse_row(
          left[r], [place](std::uint32_t j) { return place[j]; }, panel, out);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
template <class T>
void bits(const std::uint32_t* left, std::size_t rows, std::size_t words, const std::uint32_t* panel,
          T* tile) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width(); ++c) {
      int count = 0;
      for (std::size_t w = 0; w < words; ++w)
        count += __builtin_popcount(left[r * words + w] & panel[w * width() + c]);
      tile[r * width() + c] = static_cast<T>(count);
    }
  }
}

template <class T>
void add(const T* tile, std::size_t rows, const T* weight, double* sums) {
  for (std::size_t c = 0; c < width(); ++c) {
    T sum = weight[0] * tile[c];
    for (std::size_t r = 1; r < rows; ++r) sum += weight[r] * tile[r * width() + c];
    sums[c] += static_cast<double>(sum);
  }
}
#else
// Ones in every byte, added up byte by byte over at most 31 words, then byte to byte within each word.
template <class T>
void bits(const std::uint32_t* left, std::size_t rows, std::size_t words, const std::uint32_t* panel,
          T* tile) {
  const Tag<std::uint32_t> d;
  const Tag<std::int32_t> di;
  const Tag<float> df;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN float count[widest_panel];
  for (std::size_t r = 0; r < rows; ++r) {
    hn::Vec<decltype(d)> total[2] = {hn::Zero(d), hn::Zero(d)};
    for (std::size_t first = 0; first < words; first += 31) {
      const std::size_t last = words - first < 31 ? words : first + 31;
      hn::Vec<decltype(bytes)> sum[2] = {hn::Zero(bytes), hn::Zero(bytes)};
      for (std::size_t w = first; w < last; ++w) {
        const auto x = hn::Set(d, left[r * words + w]);
        for (std::size_t v = 0; v < 2; ++v) {
          const auto both = hn::And(x, hn::Load(d, panel + (2 * w + v) * lanes));
          sum[v] = hn::Add(sum[v], hn::PopulationCount(hn::BitCast(bytes, both)));
        }
      }
      for (std::size_t v = 0; v < 2; ++v) {
        const auto s = hn::BitCast(d, sum[v]);
        const auto pairs = hn::Add(hn::And(s, hn::Set(d, 0x00FF00FFU)),
                                   hn::And(hn::ShiftRight<8>(s), hn::Set(d, 0x00FF00FFU)));
        total[v] = hn::Add(total[v], hn::Add(hn::And(pairs, hn::Set(d, 0xFFFFU)), hn::ShiftRight<16>(pairs)));
      }
    }
    for (std::size_t v = 0; v < 2; ++v)
      hn::Store(hn::ConvertTo(df, hn::BitCast(di, total[v])), df, count + v * lanes);
    T* const out = tile + r * width();
    for (std::size_t c = 0; c < width(); ++c) out[c] = static_cast<T>(count[c]);
  }
}

template <class T>
void add(const T* tile, std::size_t rows, const T* weight, double* sums) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t wide = width();
  for (std::size_t c = 0; c < wide; c += lanes) {
    auto sum = hn::Mul(hn::Set(d, weight[0]), hn::LoadU(d, tile + c));
    for (std::size_t r = 1; r < rows; ++r)
      sum = hn::MulAdd(hn::Set(d, weight[r]), hn::LoadU(d, tile + r * wide + c), sum);
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::StoreU(hn::Add(hn::LoadU(d, sums + c), sum), d, sums + c);
    } else {
      const Tag<double> dd;
      const std::size_t half = lanes / 2;
      const auto low = hn::PromoteTo(dd, hn::LowerHalf(sum));
      const auto high = hn::PromoteTo(dd, hn::UpperHalf(hn::Half<Tag<T>>(), sum));
      hn::StoreU(hn::Add(hn::LoadU(dd, sums + c), low), dd, sums + c);
      hn::StoreU(hn::Add(hn::LoadU(dd, sums + c + half), high), dd, sums + c + half);
    }
  }
}

#endif

template <class D>
HWY_INLINE hn::Vec<D> power(D d, hn::Vec<D> base, std::int64_t exponent) {
  auto out = hn::Set(d, 1);
  for (;;) {
    if (exponent % 2 == 1) out = hn::Mul(out, base);
    exponent /= 2;
    if (exponent == 0) return out;
    base = hn::Mul(base, base);
  }
}

// value(product, left length, right length) over the whole tile.
template <class T, class Value>
HWY_INLINE void over_tile(const T* left_length2, std::size_t rows, const T* right_length2, T* tile,
                          const Value& value) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto left = hn::Set(d, left_length2[r]);
    for (std::size_t c = 0; c < width(); c += lanes) {
      T* const at = tile + r * width() + c;
      hn::StoreU(value(hn::LoadU(d, at), left, hn::LoadU(d, right_length2 + c)), d, at);
    }
  }
}

template <class T>
void apply(const KernelFunction& kernel, const T* left_length2, std::size_t rows, const T* right_length2,
           T* tile) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const auto gamma = hn::Set(d, static_cast<T>(kernel.gamma));
  const auto coef = hn::Set(d, static_cast<T>(kernel.coef));
  switch (kernel.kind) {
    case KernelKind::Rbf: {
      const auto minus_gamma = hn::Neg(gamma);
      // Below the smallest normal number the value is 0 in effect; the bound keeps the exponential in its
      // range.
      const auto lowest = hn::Set(d, sizeof(T) == sizeof(float) ? T{-87} : T{-700});
      over_tile(left_length2, rows, right_length2, tile, [&](V product, V a, V b) {
        const auto distance2 = hn::Max(hn::Zero(d), hn::NegMulAdd(hn::Set(d, 2), product, hn::Add(a, b)));
        return hn::Exp(d, hn::Max(lowest, hn::Mul(minus_gamma, distance2)));
      });
      break;
    }
    case KernelKind::Poly:
      over_tile(left_length2, rows, right_length2, tile,
                [&](V product, V, V) { return power(d, hn::MulAdd(gamma, product, coef), kernel.degree); });
      break;
    case KernelKind::Sigmoid:
      over_tile(left_length2, rows, right_length2, tile,
                [&](V product, V, V) { return hn::Tanh(d, hn::MulAdd(gamma, product, coef)); });
      break;
    case KernelKind::Linear:
    case KernelKind::Precomputed: break;
  }
}

template <class T>
void fill(TileOperations<T>& out) {
  out = {&dense<T>, &sparse<T>, &bits<T>, &apply<T>, &add<T>};
}

void make_table(TileTable& out) {
  out.width = width();
  fill(out.in_float);
  fill(out.in_double);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/targets.hpp"

namespace halfspace::detail {
namespace {

TileTable choose() {
  TileTable out;
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (runs_target(TARGET)) {             \
    NAMESPACE::make_table(out);          \
    return out;                          \
  }
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  HWY_STATIC_DISPATCH(make_table)(out);
  return out;
}

}  // namespace

const TileTable& tiles() {
  static const TileTable chosen = choose();
  return chosen;
}

}  // namespace halfspace::detail
#endif  // HWY_ONCE
