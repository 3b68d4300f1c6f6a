// SPDX-License-Identifier: BSD-3-Clause
// The marks say where the parts of an entry end. Index and value then become numbers together, in one vector: a shuffle
// moves the digits of each to the right end of eight bytes, leaving out the point, and three multiplications join
// pairs of digits, of hundreds and of ten thousands. Nothing in this waits for the entry before.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/libsvm/entries.cpp"
#include "data/libsvm/entries.hpp"

#include <array>

#include "core/simd/each_target.hpp"
#include "data/libsvm/line.hpp"
#include "data/text/number.hpp"

#ifndef HALFSPACE_LIBSVM_SHUFFLES
#define HALFSPACE_LIBSVM_SHUFFLES
namespace halfspace {
namespace {

using Shuffle = std::array<std::uint8_t, 16>;
constexpr std::uint8_t nothing = 0x80;  // a shuffle writes zero

// `count` digits to the end of the first eight bytes.
constexpr auto index_shuffles = [] {
  std::array<Shuffle, 9> table{};
  for (std::size_t count = 0; count <= 8; ++count) {
    table[count].fill(nothing);
    for (std::size_t k = 0; k < count; ++k) table[count][8 - count + k] = static_cast<std::uint8_t>(k);
  }
  return table;
}();

// Number 16 whole + places: `whole` digits, a point and `places` digits to the end of the last eight bytes, without the
// point.
constexpr auto value_shuffles = [] {
  std::array<Shuffle, 9 * 16> table{};
  for (std::size_t whole = 0; whole <= 8; ++whole) {
    for (std::size_t places = 0; whole + places <= 8; ++places) {
      Shuffle& shuffle = table[16 * whole + places];
      shuffle.fill(nothing);
      const std::size_t count = whole + places;
      for (std::size_t k = 0; k < count; ++k)
        shuffle[16 - count + k] = static_cast<std::uint8_t>(k < whole ? k : k + 1);
    }
  }
  return table;
}();

inline bool ends_value(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace
}  // namespace halfspace
#endif

HWY_BEFORE_NAMESPACE();
namespace halfspace::HWY_NAMESPACE {
namespace {

using Mark = TextMarks::Mark;

// Two numbers of at most eight digits.
struct IndexAndDigits {
  std::uint32_t index, digits;
};

#if HWY_TARGET <= HWY_SSE4 && HWY_ARCH_X86
// Highway has no name for the first two multiplications.
HWY_INLINE IndexAndDigits to_numbers(const char* index, std::size_t width, const char* value,
                                     std::size_t whole, std::size_t places) {
  const auto load = [](const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); };
  const __m128i text =
      _mm_or_si128(_mm_shuffle_epi8(load(index), load(index_shuffles.data() + width)),
                   _mm_shuffle_epi8(load(value), load(value_shuffles.data() + (16 * whole + places))));
  const __m128i digits = _mm_and_si128(text, _mm_set1_epi8(0x0F));
  const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));  // 10 a + b
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));  // 100 a + b
  const __m128i eights =
      _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));  // 10000 a + b
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32U)};
}
#else
HWY_INLINE IndexAndDigits to_numbers(const char* index, std::size_t width, const char* value,
                                     std::size_t whole, std::size_t places) {
  std::uint32_t digits = whole == 0 ? 0 : short_number(value, whole);
  if (places > 0)
    digits = digits * static_cast<std::uint32_t>(integer_power10[places]) +
             short_number(value + whole + 1, places);
  return {short_number(index, width), digits};
}
#endif

// mixed_signs: signs are hard to predict, and a sum costs less than a branch.
template <bool mixed_signs>
HWY_INLINE const Mark* read_entries(const char* text, const Mark* mark, const Mark* ready, std::uint32_t base,
                                    PlainEntries& entries) {
  // Local variables: stores to the arrays cannot touch them.
  std::uint32_t* const column = entries.column;
  std::int32_t* const digits = entries.digits;
  std::uint8_t* const decimals = entries.decimals;
  std::size_t n = entries.count;
  std::uint32_t seen = entries.decimals_seen, negatives = entries.negatives;
  std::uint32_t lowest = entries.next_column + base;  // that the next index may be
  bool more = mark < ready && is_libsvm_blank(text[*mark]);
  while (more) {
    const std::size_t index = mark[0] + std::size_t{1}, colon = mark[1];
    std::size_t value = colon + 1;
    const Mark* end = mark + 2;
    const bool negative = text[value] == '-';
    if constexpr (mixed_signs) {
      value += negative ? 1 : 0;
      end += negative ? 1 : 0;
      negatives += negative ? 1 : 0;
    } else if (
        negative) {  // a sum would make the next entry wait for it, which costs more where signs are few
      ++value;
      ++end;
      ++negatives;
    }
    std::size_t stop = *end;
    const std::size_t width = colon - index;
    std::size_t whole = stop - value, places = 0;
    if (text[stop] == '.') {
      const std::size_t point = stop;
      stop = *++end;
      places = stop - point - 1;
      // A lone zero before the places is none of the eight digits.
      const std::size_t zero = (whole == 1 && places > 0 && text[value] == '0') ? 1 : 0;
      value += zero;
      whole -= zero;
    }
    const char behind = text[stop];
    if (text[colon] != ':' || ((width - 1) | (whole + places - 1)) >= 8 || !ends_value(behind)) break;
    const IndexAndDigits numbers = to_numbers(text + index, width, text + value, whole, places);
    if (numbers.index < lowest) break;
    lowest = numbers.index + 1;
    column[n] = numbers.index - base;
    digits[n] = static_cast<std::int32_t>(negative ? 0U - numbers.digits : numbers.digits);
    decimals[n] = static_cast<std::uint8_t>(places);
    const std::uint32_t kept = numbers.digits != 0 ? 1 : 0;
    seen |= kept << places;
    n += kept;
    mark = end;
    more = mark < ready && is_libsvm_blank(behind);
  }
  entries.count = n;
  entries.decimals_seen = seen;
  entries.negatives = negatives;
  entries.next_column = lowest - base;
  return mark;
}

const Mark* read_plain_entries(const char* text, const Mark* mark, const Mark* ready, std::uint32_t base,
                               PlainEntries& entries) {
  // One in twenty or more, and as many of the others.
  const std::size_t signs = std::size_t{entries.negatives} * 20;
  if (signs > entries.count && signs < 19 * entries.count)
    return read_entries<true>(text, mark, ready, base, entries);
  return read_entries<false>(text, mark, ready, base, entries);
}

}  // namespace
}  // namespace halfspace::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {

using detail::runs_target;

std::size_t available_plain_entries_readers(ReadPlainEntries* out, std::size_t capacity) {
  std::size_t count = 0;
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (count < capacity && runs_target(TARGET)) out[count++] = &NAMESPACE::read_plain_entries;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  if (count < capacity) out[count++] = &HWY_STATIC_DISPATCH(read_plain_entries);
  return count;
}

ReadPlainEntries plain_entries_reader() {
  static const ReadPlainEntries best = [] {
    ReadPlainEntries first = nullptr;
    static_cast<void>(available_plain_entries_readers(&first, 1));
    return first;
  }();
  return best;
}

}  // namespace halfspace
#endif  // HWY_ONCE
