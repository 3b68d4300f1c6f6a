// SPDX-License-Identifier: BSD-3-Clause
// The order of every sum follows from the left row alone, whatever the instruction set and the place of the rows in
// their tile, so a value does not depend on its neighbours. A sparse row is summed in chains of entries that do not wait
// for each other.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernel/tiles.cpp"
#include "core/kernel/tiles.hpp"

#include "core/simd/each_target.hpp"
// After Highway, whose words it uses.
#include "core/kernel/apply.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::detail::HWY_NAMESPACE {
namespace {

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

template <bool kDifferences, class T>
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
      for (std::size_t v = 0; v < vectors<T>; ++v) {
        if constexpr (kDifferences) {
          const auto apart = hn::Sub(x, right[v]);
          sum[r][v] = hn::MulAdd(apart, apart, sum[r][v]);
        } else {
          sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
        }
      }
    }
  }
  if constexpr (kDifferences) {
    const auto minus_half = hn::Set(d, T{-0.5});
    for (auto& row : sum)
      for (auto& s : row) s = hn::Mul(s, minus_half);
  }
  for (std::size_t r = 0; r < part_rows<T>; ++r)
    for (std::size_t v = 0; v < vectors<T>; ++v)
      hn::StoreU(sum[r][v], d, tile + (r * vectors<T> + v) * lanes);
}

template <class T>
void dense(const T* left, const T* panel, std::size_t depth, T* tile) {
  for (std::size_t r = 0; r < tile_rows; r += part_rows<T>)
    dense_part<false, T>(left + r, panel, depth, tile + r * width());
}
template <class T>
void differences(const T* left, const T* panel, std::size_t depth, T* tile) {
  for (std::size_t r = 0; r < tile_rows; r += part_rows<T>)
    dense_part<true, T>(left + r, panel, depth, tile + r * width());
}

// Four panels at once: as many chains of additions as it takes to hide their latency.
template <std::size_t kPanels, class T>
HWY_INLINE void dense_panels(const T* HWY_RESTRICT left, std::size_t step, const T* HWY_RESTRICT panel,
                             std::size_t depth, T* out) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t wide = vectors<T> * lanes;
  hn::Vec<Tag<T>> sum[kPanels][vectors<T>];
  for (auto& p : sum)
    for (auto& s : p) s = hn::Zero(d);
  for (std::size_t j = 0; j < depth; ++j) {
    const auto x = hn::Set(d, left[j * step]);
    for (std::size_t p = 0; p < kPanels; ++p)
      for (std::size_t v = 0; v < vectors<T>; ++v)
        sum[p][v] = hn::MulAdd(x, hn::Load(d, panel + (p * depth + j) * wide + v * lanes), sum[p][v]);
  }
  for (std::size_t p = 0; p < kPanels; ++p)
    for (std::size_t v = 0; v < vectors<T>; ++v) hn::StoreU(sum[p][v], d, out + p * wide + v * lanes);
}

template <class T>
void dense_row(const T* left, std::size_t step, const T* panel, std::size_t depth, std::size_t panels,
               T* out) {
  constexpr std::size_t together = sizeof(T) == sizeof(float) ? 4 : 2;
  std::size_t p = 0;
  for (; p + together <= panels; p += together)
    dense_panels<together>(left, step, panel + p * depth * width(), depth, out + p * width());
  for (; p < panels; ++p) dense_panels<1>(left, step, panel + p * depth * width(), depth, out + p * width());
}

template <class T, class Place>
HWY_INLINE void sparse_row(const Entries<T>& left, const Place& place, const T* panel, T* tile) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t wide = vectors<T> * lanes;
  // As many chains at once as there are registers for; the others follow, so the bits are those of four chains always.
  constexpr std::size_t at_once = sizeof(T) == sizeof(float) ? 4 : 2;
  hn::Vec<Tag<T>> total[vectors<T>];
  for (std::size_t v = 0; v < vectors<T>; ++v) total[v] = hn::Zero(d);
  for (std::size_t chain = 0; chain < sparse_chains; chain += at_once) {
    hn::Vec<Tag<T>> sum[at_once][vectors<T>];
    for (auto& row : sum)
      for (auto& s : row) s = hn::Zero(d);
    std::size_t k = chain;
    const auto step = [&](std::size_t c) HWY_ATTR {
      const T* HWY_RESTRICT column = panel + std::size_t{place(left.index[k + c])} * wide;
      const auto x = hn::Set(d, left.value[k + c]);
      for (std::size_t v = 0; v < vectors<T>; ++v)
        sum[c][v] = hn::MulAdd(x, hn::Load(d, column + v * lanes), sum[c][v]);
    };
    for (; k + at_once <= left.size; k += sparse_chains)
      for (std::size_t c = 0; c < at_once; ++c) step(c);
    for (std::size_t c = 0; c + 1 < at_once && k + c < left.size; ++c) step(c);
    for (std::size_t c = 0; c < at_once; ++c)
      for (std::size_t v = 0; v < vectors<T>; ++v) total[v] = hn::Add(total[v], sum[c][v]);
  }
  for (std::size_t v = 0; v < vectors<T>; ++v) hn::StoreU(total[v], d, tile + v * lanes);
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

// a_even b_even + a_odd b_odd of every lane, added to the sum.
template <class D32, class V32 = hn::Vec<D32>>
HWY_INLINE V32 add_pairs(D32 d, V32 a, V32 b, V32 sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  const hn::Repartition<std::int16_t, D32> halves;
  V32 unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(halves, a), hn::BitCast(halves, b), sum, unused);
#else
  static_cast<void>(d);
  const auto even =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  return hn::Add(sum, hn::Add(even, hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b))));
#endif
}

template <class T>
void multiples(const PairEntries* left, std::size_t rows, const std::uint32_t* panel, T unit2, T* tile) {
  const Tag<std::int32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* const right = reinterpret_cast<const std::int32_t*>(panel);
  HWY_ALIGN std::int32_t whole[2 * hn::MaxLanes(d)];
  for (std::size_t r = 0; r < rows; ++r) {
    const PairEntries& row = left[r];
    auto first = hn::Zero(d), second = hn::Zero(d);
    const auto step = [&](std::size_t k) HWY_ATTR {
      const std::int32_t* const column = right + std::size_t{row.index[k]} * 2 * lanes;
      const auto x = hn::Set(d, static_cast<std::int32_t>(row.value[k]));
      first = add_pairs(d, x, hn::Load(d, column), first);
      second = add_pairs(d, x, hn::Load(d, column + lanes), second);
    };
    std::size_t k = 0;
    for (; k + 4 <= row.size; k += 4)
      for (std::size_t u = 0; u < 4; ++u) step(k + u);
    for (; k < row.size; ++k) step(k);
    T* const out = tile + r * width();
    if constexpr (sizeof(T) == sizeof(float)) {
      const Tag<float> df;
      const auto factor = hn::Set(df, unit2);
      hn::StoreU(hn::Mul(hn::ConvertTo(df, first), factor), df, out);
      hn::StoreU(hn::Mul(hn::ConvertTo(df, second), factor), df, out + lanes);
    } else {
      hn::Store(first, d, whole);
      hn::Store(second, d, whole + lanes);
      for (std::size_t c = 0; c < width(); ++c) out[c] = static_cast<T>(whole[c]) * unit2;
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
template <class T>
void ones(const Entries<T>* left, std::size_t rows, const std::uint8_t* panel,
          const std::uint8_t* right_length, const OnesTable<T>& table, T* tiles) {
  const std::size_t both = 2 * width();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < both; ++c) {
      std::size_t shared = 0;
      for (std::size_t k = 0; k < left[r].size; ++k)
        shared += panel[std::size_t{left[r].index[k]} * both + c];
      const std::size_t apart = left[r].size + right_length[c] - 2 * shared;
      tiles[(c / width() * tile_rows + r) * width() + c % width()] =
          table.value[table.by_distance ? apart : shared];
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
using Bytes = Tag<std::uint8_t>;                      // two panels
using Places = hn::Rebind<std::uint8_t, Tag<float>>;  // half a panel

// Values of a vector of places in the table.
template <class T>
HWY_INLINE void look_up(const OnesTable<T>& table, hn::Vec<Places> place, T* out) {
  const Tag<std::int32_t> di;
  const auto wide = hn::PromoteTo(di, place);
  if constexpr (sizeof(T) == sizeof(float)) {
    const Tag<float> d;
    if (table.digits == 0) {
      hn::StoreU(hn::GatherIndex(d, table.value, wide), d, out);
      return;
    }
    const std::size_t lanes = hn::Lanes(d);
    const auto low = hn::Set(di, static_cast<std::int32_t>(lanes - 1));
    constexpr int bits = hn::MaxLanes(d) == 16 ? 4 : hn::MaxLanes(d) == 8 ? 3 : 2;
    auto rest = wide;
    auto value = hn::TableLookupLanes(hn::Load(d, table.factor), hn::IndicesFromVec(d, hn::And(rest, low)));
    for (std::size_t k = 1; k < table.digits; ++k) {
      rest = hn::ShiftRight<bits>(rest);
      const auto factor = hn::TableLookupLanes(hn::Load(d, table.factor + k * lanes),
                                               hn::IndicesFromVec(d, hn::And(rest, low)));
      value = hn::Mul(value, factor);
    }
    hn::StoreU(value, d, out);
  } else {
    HWY_ALIGN std::int32_t at[hn::MaxLanes(di)];
    hn::Store(wide, di, at);
    for (std::size_t l = 0; l < hn::Lanes(di); ++l) out[l] = table.value[at[l]];
  }
}

// A byte per right row counts the ones that it shares with the left one.
template <class T>
void ones(const Entries<T>* left, std::size_t rows, const std::uint8_t* panel,
          const std::uint8_t* right_length, const OnesTable<T>& table, T* tiles) {
  const Bytes d;
  const hn::Half<Bytes> half;
  const Places quarter;
  const std::size_t both = hn::Lanes(d);
  const auto length = hn::LoadU(d, right_length);
  for (std::size_t r = 0; r < rows; ++r) {
    const Entries<T>& row = left[r];
    auto even = hn::Zero(d), odd = hn::Zero(d);
    std::size_t k = 0;
    for (; k + 2 <= row.size; k += 2) {
      even = hn::Add(even, hn::LoadU(d, panel + std::size_t{row.index[k]} * both));
      odd = hn::Add(odd, hn::LoadU(d, panel + std::size_t{row.index[k + 1]} * both));
    }
    if (k < row.size) even = hn::Add(even, hn::LoadU(d, panel + std::size_t{row.index[k]} * both));
    auto place = hn::Add(even, odd);
    if (table.by_distance)
      place =
          hn::Sub(hn::Add(length, hn::Set(d, static_cast<std::uint8_t>(row.size))), hn::Add(place, place));
    const auto first = hn::LowerHalf(half, place), second = hn::UpperHalf(half, place);
    T* const out = tiles + r * width();
    look_up(table, hn::LowerHalf(quarter, first), out);
    look_up(table, hn::UpperHalf(quarter, first), out + both / 4);
    T* const out_second = out + tile_rows * width();
    look_up(table, hn::LowerHalf(quarter, second), out_second);
    look_up(table, hn::UpperHalf(quarter, second), out_second + both / 4);
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

template <class T>
void add_rows(const T* tile, std::size_t rows, const T* weight, double* sums) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t wide = width();
  for (std::size_t r = 0; r < rows; ++r) {
    auto sum = hn::Zero(d);
    for (std::size_t c = 0; c < wide; c += lanes)
      sum = hn::MulAdd(hn::LoadU(d, weight + c), hn::LoadU(d, tile + r * wide + c), sum);
    sums[r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
}

template <class T>
void fill(TileOperations<T>& out) {
  out = {&dense<T>, &sparse<T>,    &differences<T>, &multiples<T>, &ones<T>,           &dense_row<T>,
         &apply<T>, &apply_row<T>, &add<T>,         &add_rows<T>,  hn::Lanes(Tag<T>())};
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
#include "core/simd/targets.hpp"

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
