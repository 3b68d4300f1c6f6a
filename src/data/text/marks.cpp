// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/text/marks.cpp"
// SSSE3 brings nothing over its neighbours; the last of AVX-512 does here.
#define HWY_WANT_AVX3_DL
#ifndef HWY_DISABLED_TARGETS  // quick builds leave out more
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3)
#endif
#include "data/text/marks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/simd/each_target.hpp"
#include "data/text/number.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfspace::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Mark = TextMarks::Mark;

// One bit for each of 64 bytes: is it something else than a digit?
HWY_INLINE std::uint64_t marks_of(const char* text) {
  const hn::CappedTag<std::uint8_t, 64> d;
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < 64; k += hn::Lanes(d)) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(text) + k);
    const auto above_nine = hn::SaturatedSub(hn::Sub(bytes, hn::Set(d, '0')), hn::Set(d, 9));
    std::uint64_t part = 0;
    hn::StoreMaskBits(d, hn::Ne(above_nine, hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&part));
    bits |= part << k;
  }
  return bits;
}

// Writes the places of the bits that are set, up to sixteen more than there are. They are written in groups: how many
// there are is hard to predict, how many groups is not.
#if HWY_TARGET == HWY_AVX3_DL
// An instruction for just this, on bytes. Highway has no name for it.
HWY_INLINE Mark* write_marks(std::uint64_t bits, Mark place, Mark* out) {
  alignas(64) static constexpr auto places = [] {
    std::array<std::uint8_t, 64> table{};
    for (std::size_t k = 0; k < 64; ++k) table[k] = static_cast<std::uint8_t>(k);
    return table;
  }();
  alignas(64) std::uint8_t marks[64];
  _mm512_store_si512(marks, _mm512_maskz_compress_epi8(bits, _mm512_load_si512(places.data())));
  const std::size_t count = static_cast<std::size_t>(std::popcount(bits));
  for (std::size_t k = 0; k < count; k += 16) {
    const __m512i some = _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(marks + k)));
    _mm512_storeu_si512(out + k, _mm512_add_epi32(some, _mm512_set1_epi32(static_cast<int>(place))));
  }
  return out + count;
}
#else
HWY_INLINE Mark* write_marks(std::uint64_t bits, Mark place, Mark* out) {
  Mark* const end = out + std::popcount(bits);
  while (out < end) {
    for (int k = 0; k < 8; ++k) {
      out[k] = place + static_cast<Mark>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    out += 8;
  }
  return end;
}
#endif

Mark* find_marks(const char* text, std::size_t begin, std::size_t end, Mark* out) {
  for (std::size_t place = begin; place < end; place += 64)
    out = write_marks(marks_of(text + place), static_cast<Mark>(place), out);
  return out;
}

}  // namespace
}  // namespace halfspace::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/simd/targets.hpp"

namespace halfspace {
namespace {

using detail::runs_target;

FindMarks best_mark_finder() {
  FindMarks best = nullptr;
  static_cast<void>(available_mark_finders(&best, 1));
  return best;
}

}  // namespace

std::size_t available_mark_finders(FindMarks* out, std::size_t capacity) {
  std::size_t count = 0;
#define HALFSPACE_USE(TARGET, NAMESPACE) \
  if (count < capacity && runs_target(TARGET)) out[count++] = &NAMESPACE::find_marks;
  HALFSPACE_EACH_TARGET(HALFSPACE_USE)
#undef HALFSPACE_USE
  if (count < capacity) out[count++] = &HWY_STATIC_DISPATCH(find_marks);
  return count;
}

void TextMarks::begin(std::string_view text) {
  static_assert(text_padding >= block + ahead);
  text_ = text.data();
  found_ = 0;
  // At least `ahead` bytes of padding are marks that can be looked at from the last mark of the text.
  size_ = (text.size() + ahead + block) / block * block;
  end_ = marks_.data();
  next_ = end_;
  ready_ = end_;
  find_more();
}

bool TextMarks::find_more() {
  if (found_ == size_) return false;
  static const FindMarks find = best_mark_finder();
  end_ = std::copy(next_, static_cast<const Mark*>(end_), marks_.data());
  next_ = marks_.data();
  do {
    const std::size_t to = std::min(size_, found_ + window);
    end_ = find(text_, found_, to, end_);
    found_ = to;
  } while (found_ < size_ && end_ < marks_.data() + ahead);
  ready_ = end_ < marks_.data() + ahead ? marks_.data() : end_ - (ahead - 1);
  return true;
}

void TextMarks::pass_to_place(std::size_t place) {
  while (true) {
    while (next_ < ready_ && *next_ < place) ++next_;
    if (next_ < ready_ || !find_more()) return;
  }
}

}  // namespace halfspace
#endif  // HWY_ONCE
