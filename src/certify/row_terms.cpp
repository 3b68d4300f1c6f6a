// SPDX-License-Identifier: BSD-3-Clause
// Entry i of a long row goes to sum i mod 8, and of these eight the upper half is added to the lower half until one is left;
// a short sparse row has four sums, a dense one of few columns a single one. Products are rounded before they are added.
// Zeros of a dense row are no terms: what is left for rounding is as much as for the same row stored sparse.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "certify/row_terms.cpp"
#include "certify/row_terms.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/simd/each_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t sums = 8, short_sparse = 24, narrow = 16;

template <class D>
HWY_INLINE hn::Vec<D> values_at(D d, const double* value, double, double) {
  return hn::LoadU(d, value);
}
template <class D>
HWY_INLINE hn::Vec<D> values_at(D d, const float* value, double, double) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), value));
}
// k / divisor, rounded correctly as the reader did. With a fused multiply-add Markstein's correction gives the quotient for
// all divisors that decimals are stored with (10^p, p <= 21; IBM Journal of Research and Development 34, 1990): the
// remainder k - q 10^p of q = k r is exact, and k / 10^p lies too far from the middle of two doubles to be rounded wrongly.
template <class D>
HWY_INLINE hn::Vec<D> values_at(D d, const Decimal* value, double divisor, double reciprocal) {
  const auto k = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, D>(), &value->digits));
#if HWY_NATIVE_FMA
  const auto r = hn::Set(d, reciprocal);
  const auto quotient = hn::Mul(k, r);
  return hn::MulAdd(hn::NegMulAdd(quotient, hn::Set(d, divisor), k), r, quotient);
#else
  (void)reciprocal;
  return hn::Div(k, hn::Set(d, divisor));
#endif
}

// Four weights by one load each, which is quicker than a gather instruction.
template <class D, class I>
HWY_INLINE hn::Vec<D> weights_at(D d, const I* index, const double* w) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(d) == 4)
    return hn::Vec<D>{_mm256_set_pd(w[index[3]], w[index[2]], w[index[1]], w[index[0]])};
#endif
  HWY_ALIGN double lane[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) lane[i] = w[index[i]];
  return hn::Load(d, lane);
}

HWY_INLINE double fold(double* part) {
  for (std::size_t half = sums / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
  return part[0];
}

// The sums of a long row: vectors k = 0, 1, ... of the eight entries of a turn, then what fills no turn.
template <class D>
class LongSums {
 public:
  using Vector = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D()), vectors = sums / lanes;

  HWY_INLINE LongSums() {
    for (std::size_t k = 0; k < vectors; ++k) f_[k] = size_[k] = norm_[k] = hn::Zero(D());
  }
  HWY_INLINE void add(std::size_t k, Vector term) {
    f_[k] = hn::Add(f_[k], term);
    size_[k] = hn::Add(size_[k], hn::Abs(term));
  }
  HWY_INLINE void add_square(std::size_t k, Vector v) { norm_[k] = hn::Add(norm_[k], hn::Mul(v, v)); }
  // value(k) and weight(k) of the last `rest` entries; `terms` in all.
  template <class Value, class Weight>
  HWY_INLINE RowTerms total(std::size_t rest, const Value& value, const Weight& weight,
                            std::size_t terms) const {
    HWY_ALIGN double parts[3][sums];
    for (std::size_t k = 0; k < vectors; ++k) {
      hn::Store(f_[k], D(), parts[0] + k * lanes);
      hn::Store(size_[k], D(), parts[1] + k * lanes);
      hn::Store(norm_[k], D(), parts[2] + k * lanes);
    }
    for (std::size_t k = 0; k < rest; ++k) {
      const double v = value(k), term = v * weight(k);
      parts[0][k] += term;
      parts[1][k] += std::abs(term);
      parts[2][k] += v * v;
    }
    return {fold(parts[0]), fold(parts[1]), fold(parts[2]), terms};
  }

 private:
  Vector f_[vectors], size_[vectors], norm_[vectors];
};

template <class V>
HWY_INLINE double value_of(const V* value, std::size_t i, double divisor) {
  if constexpr (std::is_same_v<V, One>) {
    (void)value, (void)i, (void)divisor;
    return 1.0;
  } else {
    return decode(value[i], divisor);
  }
}

// The values of a short row; those of decimals are quicker to tell four at a time.
template <class V, class I>
HWY_INLINE const double* short_values(const SparseRow<V, I>& x, double reciprocal, double* room) {
  if constexpr (std::is_same_v<V, double>) {
    (void)reciprocal, (void)room;
    return x.value;
  } else {
    const hn::CappedTag<double, 4> d;
    constexpr std::size_t L = hn::MaxLanes(d);
    std::size_t i = 0;
    for (; i + L <= x.size; i += L) hn::Store(values_at(d, x.value + i, x.divisor, reciprocal), d, room + i);
    for (; i < x.size; ++i) room[i] = decode(x.value[i], x.divisor);
    return room;
  }
}

template <class V, class I>
HWY_INLINE RowTerms short_terms(const SparseRow<V, I>& x, const double* theta, double reciprocal) {
  constexpr bool ones = std::is_same_v<V, One>;
  HWY_ALIGN double room[short_sparse];
  const double* value = nullptr;
  if constexpr (!ones) value = short_values(x, reciprocal, room);
  (void)reciprocal, (void)room;
  double f[4] = {}, size[4] = {}, norm[4] = {};
  const auto take = [&](std::size_t i, std::size_t k) {
    const double v = ones ? 1.0 : value[i], term = theta[x.index[i]] * v;
    f[k] += term;
    size[k] += std::abs(term);
    if constexpr (!ones) norm[k] += v * v;
  };
  std::size_t i = 0;
  for (; i + 4 <= x.size; i += 4) {
    take(i, 0);
    take(i + 1, 1);
    take(i + 2, 2);
    take(i + 3, 3);
  }
  for (std::size_t k = 0; i < x.size; ++i, ++k) take(i, k);
  const auto whole = [](const double* part) { return (part[0] + part[2]) + (part[1] + part[3]); };
  return {whole(f), whole(size), whole(norm), x.size};
}

template <class V, class I>
HWY_INLINE RowTerms long_terms(const SparseRow<V, I>& x, const double* theta, double reciprocal) {
  using D = hn::CappedTag<double, 4>;
  using Long = LongSums<D>;
  const D d;
  Long sum;
  std::size_t i = 0;
  for (; i + sums <= x.size; i += sums) {
    for (std::size_t k = 0; k < Long::vectors; ++k) {
      auto term = weights_at(d, x.index + i + k * Long::lanes, theta);
      if constexpr (!std::is_same_v<V, One>) {
        const auto v = values_at(d, x.value + i + k * Long::lanes, x.divisor, reciprocal);
        term = hn::Mul(v, term);
        sum.add_square(k, v);
      }
      sum.add(k, term);
    }
  }
  return sum.total(
      x.size - i, [&](std::size_t k) { return value_of(x.value, i + k, x.divisor); },
      [&](std::size_t k) { return theta[x.index[i + k]]; }, x.size);
}

template <class V, class I>
void measure(const CsrView<V, I>& view, const std::size_t* rows, std::size_t count, const double* theta,
             double theta0, RowTerms* out) noexcept {
  const double reciprocal = 1 / view.divisor;
  for (std::size_t r = 0; r < count; ++r) {
    const SparseRow<V, I> x = view.row(rows[r]);
    RowTerms one =
        x.size < short_sparse ? short_terms(x, theta, reciprocal) : long_terms(x, theta, reciprocal);
    if constexpr (std::is_same_v<V, One>) one.norm = static_cast<double>(x.size);
    one.f += theta0;
    one.size += std::abs(theta0);
    ++one.terms;
    out[r] = one;
  }
}

// Four loads before four stores: the columns of a row differ, which the compiler cannot know.
template <class I, class Step>
HWY_INLINE void scatter4(const I* index, double* s, const Step& step) {
  double* const at[4] = {s + index[0], s + index[1], s + index[2], s + index[3]};
  const double sum[4] = {*at[0] + step(0), *at[1] + step(1), *at[2] + step(2), *at[3] + step(3)};
  for (std::size_t k = 0; k < 4; ++k) *at[k] = sum[k];
}

template <class V, class I>
void add(const CsrView<V, I>& view, const std::size_t* rows, std::size_t count, const double* factor,
         double* s, double* norm) noexcept {
  const double reciprocal = 1 / view.divisor;
  const hn::CappedTag<double, 4> d;
  constexpr std::size_t L = hn::MaxLanes(d);
  for (std::size_t r = 0; r < count; ++r) {
    const SparseRow<V, I> x = view.row(rows[r]);
    const double a = factor[r];
    std::size_t i = 0;
    if constexpr (std::is_same_v<V, One>) {
      (void)reciprocal;
      for (; i + 4 <= x.size; i += 4) scatter4(x.index + i, s, [&](std::size_t) { return a; });
      for (; i < x.size; ++i) s[x.index[i]] += a;
      norm[r] = static_cast<double>(x.size);
    } else {
      HWY_ALIGN double part[sums] = {}, step[4];
      for (; i + 4 <= x.size; i += 4) {
        for (std::size_t k = 0; k < 4; k += L) {
          const auto v = values_at(d, x.value + i + k, x.divisor, reciprocal);
          hn::Store(hn::Mul(hn::Set(d, a), v), d, step + k);
          const std::size_t at = (i & 4U) + k;
          hn::Store(hn::Add(hn::Load(d, part + at), hn::Mul(v, v)), d, part + at);
        }
        scatter4(x.index + i, s, [&](std::size_t k) { return step[k]; });
      }
      for (std::size_t k = 0; i < x.size; ++i, ++k) {
        const double v = decode(x.value[i], x.divisor);
        s[x.index[i]] += a * v;
        part[k] += v * v;
      }
      norm[r] = fold(part);
    }
  }
}

// Rows of few columns: column after column, eight rows side by side; where there are fewer, the first one stands in.
constexpr std::size_t side_by_side = 8;

template <class V, class Take>
HWY_INLINE void down_columns(const DenseView<V>& view, const std::size_t* rows, std::size_t count,
                             const Take& take) {
  const V* row[side_by_side];
  for (std::size_t r = 0; r < side_by_side; ++r) row[r] = view.row(rows[r < count ? r : 0]).value;
  for (std::size_t j = 0; j < view.cols; ++j) {
    double x[side_by_side];
    for (std::size_t r = 0; r < side_by_side; ++r) x[r] = decode(row[r][j], view.divisor);
    take(j, x);
  }
}

template <class V>
void measure_narrow(const DenseView<V>& view, const std::size_t* rows, std::size_t count, const double* theta,
                    double theta0, RowTerms* out) {
  double f[side_by_side], size[side_by_side], norm[side_by_side] = {};
  std::size_t terms[side_by_side] = {};
  for (std::size_t r = 0; r < side_by_side; ++r) {
    f[r] = theta0;
    size[r] = std::abs(theta0);
  }
  down_columns(view, rows, count, [&](std::size_t j, const double* x) {
    const double w = theta[j];
    for (std::size_t r = 0; r < side_by_side; ++r) {
      const double term = w * x[r];
      f[r] += term;
      size[r] += std::abs(term);
      norm[r] += x[r] * x[r];
      terms[r] += x[r] != 0 ? 1 : 0;
    }
  });
  for (std::size_t r = 0; r < count; ++r) out[r] = {f[r], size[r], norm[r], terms[r] + 1};
}

template <class V>
HWY_INLINE RowTerms wide_terms(const DenseRow<V>& x, const double* theta, double reciprocal) {
  using D = hn::CappedTag<double, sums>;
  using Long = LongSums<D>;
  const D d;
  Long sum;
  std::size_t i = 0, terms = 0;
  for (; i + sums <= x.size; i += sums) {
    for (std::size_t k = 0; k < Long::vectors; ++k) {
      const auto v = values_at(d, x.value + i + k * Long::lanes, x.divisor, reciprocal);
      sum.add(k, hn::Mul(v, hn::LoadU(d, theta + i + k * Long::lanes)));
      sum.add_square(k, v);
      terms += hn::CountTrue(d, hn::Ne(v, hn::Zero(d)));
    }
  }
  for (std::size_t j = i; j < x.size; ++j) terms += decode(x.value[j], x.divisor) != 0 ? 1 : 0;
  return sum.total(
      x.size - i, [&](std::size_t k) { return decode(x.value[i + k], x.divisor); },
      [&](std::size_t k) { return theta[i + k]; }, terms);
}

template <class V>
void measure(const DenseView<V>& view, const std::size_t* rows, std::size_t count, const double* theta,
             double theta0, RowTerms* out) noexcept {
  if (view.cols < narrow) {
    for (std::size_t r = 0; r < count; r += side_by_side)
      measure_narrow(view, rows + r, std::min(side_by_side, count - r), theta, theta0, out + r);
    return;
  }
  const double reciprocal = 1 / view.divisor;
  for (std::size_t r = 0; r < count; ++r) {
    RowTerms one = wide_terms(view.row(rows[r]), theta, reciprocal);
    one.f += theta0;
    one.size += std::abs(theta0);
    ++one.terms;
    out[r] = one;
  }
}

template <class V>
void add_narrow(const DenseView<V>& view, const std::size_t* rows, std::size_t count, const double* factor,
                double* s, double* norm) {
  double a[side_by_side] = {}, sum[side_by_side] = {};
  for (std::size_t r = 0; r < count; ++r) a[r] = factor[r];
  down_columns(view, rows, count, [&](std::size_t j, const double* x) {
    double to = s[j];
    for (std::size_t r = 0; r < side_by_side; ++r) {
      to += a[r] * x[r];
      sum[r] += x[r] * x[r];
    }
    s[j] = to;
  });
  std::copy(sum, sum + count, norm);
}

// Four rows at a time, so that the sums are loaded and stored once for four.
template <class V>
void add(const DenseView<V>& view, const std::size_t* rows, std::size_t count, const double* factor,
         double* s, double* norm) noexcept {
  if (view.cols < narrow) {
    for (std::size_t r = 0; r < count; r += side_by_side)
      add_narrow(view, rows + r, std::min(side_by_side, count - r), factor + r, s, norm + r);
    return;
  }
  constexpr std::size_t at_once = 4;
  const hn::CappedTag<double, sums> d;
  constexpr std::size_t L = hn::MaxLanes(d);
  const double reciprocal = 1 / view.divisor;
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t size = std::min(at_once, count - first);
    HWY_ALIGN double part[at_once][sums] = {};
    const V* row[at_once];
    double a[at_once] = {};
    for (std::size_t r = 0; r < at_once; ++r) {
      row[r] = view.row(rows[first + (r < size ? r : 0)]).value;
      if (r < size) a[r] = factor[first + r];
    }
    std::size_t j = 0;
    for (; j + L <= view.cols - view.cols % sums; j += L) {
      auto to = hn::LoadU(d, s + j);
      for (std::size_t r = 0; r < at_once; ++r) {
        const auto v = values_at(d, row[r] + j, view.divisor, reciprocal);
        to = hn::Add(to, hn::Mul(hn::Set(d, a[r]), v));
        double* const sum = part[r] + j % sums;
        hn::Store(hn::Add(hn::Load(d, sum), hn::Mul(v, v)), d, sum);
      }
      hn::StoreU(to, d, s + j);
    }
    for (std::size_t k = 0; j < view.cols; ++j, ++k) {
      for (std::size_t r = 0; r < at_once; ++r) {
        const double v = decode(row[r][j], view.divisor);
        s[j] += a[r] * v;
        part[r][k] += v * v;
      }
    }
    for (std::size_t r = 0; r < size; ++r) norm[first + r] = fold(part[r]);
  }
}

template <class View>
auto measure_loop() {
  return static_cast<void (*)(const View&, const std::size_t*, std::size_t, const double*, double,
                              RowTerms*) noexcept>(&measure);
}
template <class View>
auto add_loop() {
  return static_cast<void (*)(const View&, const std::size_t*, std::size_t, const double*, double*,
                              double*) noexcept>(&add);
}

}  // namespace
}  // namespace halfspace::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

template <class View>
auto choose_measure() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return detail::NAMESPACE::measure_loop<View>();
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return detail::HWY_STATIC_DISPATCH(measure_loop<View>)();
}
template <class View>
auto choose_add() {
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (detail::runs_target(TARGET)) return detail::NAMESPACE::add_loop<View>();
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  return detail::HWY_STATIC_DISPATCH(add_loop<View>)();
}

}  // namespace

template <class View>
void measure_rows(const View& view, const std::size_t* rows, std::size_t count, const double* theta,
                  double theta0, RowTerms* out) noexcept {
  static const auto chosen = choose_measure<View>();
  chosen(view, rows, count, theta, theta0, out);
}
template <class View>
void add_rows_to(const View& view, const std::size_t* rows, std::size_t count, const double* factor,
                 double* s, double* norm) noexcept {
  static const auto chosen = choose_add<View>();
  chosen(view, rows, count, factor, s, norm);
}

#define HALFSPACE_ROWS(...)                                                                                  \
  template void measure_rows<__VA_ARGS__>(const __VA_ARGS__&, const std::size_t*, std::size_t,               \
                                          const double*, double, RowTerms*) noexcept;                        \
  template void add_rows_to<__VA_ARGS__>(const __VA_ARGS__&, const std::size_t*, std::size_t, const double*, \
                                         double*, double*) noexcept;
HALFSPACE_ROWS(CsrView<One>)
HALFSPACE_ROWS(CsrView<float>)
HALFSPACE_ROWS(CsrView<double>)
HALFSPACE_ROWS(CsrView<Decimal>)
HALFSPACE_ROWS(CsrView<One, std::uint16_t>)
HALFSPACE_ROWS(CsrView<float, std::uint16_t>)
HALFSPACE_ROWS(CsrView<double, std::uint16_t>)
HALFSPACE_ROWS(CsrView<Decimal, std::uint16_t>)
HALFSPACE_ROWS(DenseView<float>)
HALFSPACE_ROWS(DenseView<double>)
HALFSPACE_ROWS(DenseView<Decimal>)
#undef HALFSPACE_ROWS

}  // namespace halfspace
#endif  // HWY_ONCE
