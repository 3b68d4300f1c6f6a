// SPDX-License-Identifier: BSD-3-Clause
// Kernels applied to tiles of products. Part of tiles.cpp, and like each_target.hpp without a guard: it is read again
// for every instruction set.

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

inline std::size_t width() { return 2 * hn::Lanes(Tag<float>()); }

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

// 2^t for t in [-126, 0], off by less than 4 units in the last place: a polynomial on [-1/2, 1/2] with the least relative
// error, 1 at 0 exactly.
HWY_INLINE hn::Vec<Tag<float>> power_of_two(hn::Vec<Tag<float>> t) {
  const Tag<float> d;
  const Tag<std::int32_t> di;
  const auto whole = hn::NearestInt(t);
  const auto f = hn::Sub(t, hn::ConvertTo(d, whole));
  auto p = hn::MulAdd(hn::Set(d, 1.326472227e-03F), f, hn::Set(d, 9.671512983e-03F));
  p = hn::MulAdd(p, f, hn::Set(d, 5.550733760e-02F));
  p = hn::MulAdd(p, f, hn::Set(d, 2.402224208e-01F));
  p = hn::MulAdd(p, f, hn::Set(d, 6.931469776e-01F));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0F));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(whole)));
}

// The same in double for t in [-1020, 0]: the polynomial is off by 2e-17 at most. Adding 1.5 2^52 leaves the nearest whole
// number in the last bits.
HWY_INLINE hn::Vec<Tag<double>> power_of_two(hn::Vec<Tag<double>> t) {
  const Tag<double> d;
  const Tag<std::int64_t> di;
  const auto large = hn::Set(d, 0x1.8p52);
  const auto whole = hn::Add(t, large);
  const auto f = hn::Sub(t, hn::Sub(whole, large));
  constexpr double coefficient[] = {0x1.e9d3fe3952179p-32, 0x1.e6063f7217bc6p-28, 0x1.b524fae627834p-24,
                                    0x1.62bfd47773353p-20, 0x1.ffcbfc670dcd4p-17, 0x1.430913096fd9fp-13,
                                    0x1.5d87fe78a5276p-10, 0x1.3b2ab6fba1ddap-7,  0x1.c6b08d704a0c2p-5,
                                    0x1.ebfbdff82c598p-3,  0x1.62e42fefa39efp-1,  1.0};
  auto p = hn::Set(d, coefficient[0]);
  for (std::size_t k = 1; k < 12; ++k) p = hn::MulAdd(p, f, hn::Set(d, coefficient[k]));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<52>(hn::BitCast(di, whole))));
}

// value(product, left length, right length) over the whole tile: row r belongs to the left length r * left_step and to the
// right lengths from r * right_step on.
template <class T, class Value>
HWY_INLINE void over_tile(const T* left_length2, std::size_t left_step, const T* right_length2,
                          std::size_t right_step, std::size_t rows, T* tile, const Value& value) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto left = hn::Set(d, left_length2[r * left_step]);
    for (std::size_t c = 0; c < width(); c += lanes) {
      T* const at = tile + r * width() + c;
      hn::StoreU(value(hn::LoadU(d, at), left, hn::LoadU(d, right_length2 + r * right_step + c)), d, at);
    }
  }
}

template <class T>
HWY_INLINE void apply_steps(const KernelFunction& kernel, const T* left_length2, std::size_t left_step,
                            const T* right_length2, std::size_t right_step, std::size_t rows, T* tile) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const auto all = [&](const auto& value) HWY_ATTR {
    over_tile(left_length2, left_step, right_length2, right_step, rows, tile, value);
  };
  const auto gamma = hn::Set(d, static_cast<T>(kernel.gamma));
  const auto coef = hn::Set(d, static_cast<T>(kernel.coef));
  switch (kernel.kind) {
    case KernelKind::Rbf: {
      // Below the smallest normal number the value is 0 in effect; the bound keeps the exponential in its range.
      constexpr bool single = sizeof(T) == sizeof(float);
      constexpr double log2_e = 1.4426950408889634;
      const auto factor = hn::Set(d, static_cast<T>(-kernel.gamma * log2_e));
      const auto lowest = hn::Set(d, single ? T{-126} : T{-1020});
      all([&](V product, V a, V b) HWY_ATTR {
        const auto distance2 = hn::Max(hn::Zero(d), hn::NegMulAdd(hn::Set(d, 2), product, hn::Add(a, b)));
        const auto exponent = hn::Max(lowest, hn::Mul(factor, distance2));
        return power_of_two(exponent);
      });
      break;
    }
    case KernelKind::Poly:
      all([&](V product, V, V)
              HWY_ATTR { return power(d, hn::MulAdd(gamma, product, coef), kernel.degree); });
      break;
    case KernelKind::Sigmoid:
      all([&](V product, V, V) HWY_ATTR { return hn::Tanh(d, hn::MulAdd(gamma, product, coef)); });
      break;
    case KernelKind::Linear:
    case KernelKind::Precomputed: break;
  }
}

template <class T>
void apply(const KernelFunction& kernel, const T* left_length2, std::size_t rows, const T* right_length2,
           T* tile) {
  apply_steps(kernel, left_length2, 1, right_length2, 0, rows, tile);
}
template <class T>
void apply_row(const KernelFunction& kernel, T left_length2, std::size_t panels, const T* right_length2,
               T* out) {
  apply_steps(kernel, &left_length2, 0, right_length2, width(), panels, out);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
