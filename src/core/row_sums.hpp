// SPDX-License-Identifier: BSD-3-Clause
// Sums over a list of rows by a team: numbers, some numbers at once, vectors of as many numbers as there are features.
// The list is cut into blocks or slices by its length and the number of features alone; their sums are added in order.
// So the bits depend neither on the number of threads nor on who holds which rows (halfspace/core/team.hpp).
//
// Every f(begin, end, sum) goes on adding to `sum`, one row after the other, the rows [begin, end) of this member.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "halfspace/core/team.hpp"

namespace halfspace {

// The sum of every block of the list.
template <class Sum, class F>
[[nodiscard]] std::vector<Sum> block_sums(const Team& team, const Stretch& list, const Sum& zero, const F& f,
                                          std::size_t block_rows = row_block) {
  static_assert(std::is_trivially_copyable_v<Sum>);
  std::vector<Sum> part((list.total + block_rows - 1) / block_rows, zero);
  team.blocks(
      list, block_rows, sizeof(Sum),
      [&](std::size_t block) { return reinterpret_cast<std::byte*>(&part[block]); },
      [&](std::size_t begin, std::size_t end, std::byte* sum) {
        f(begin, end, *reinterpret_cast<Sum*>(sum));
      });
  return part;
}

// The sum of all: Sum needs operator+=.
template <class Sum, class F>
[[nodiscard]] Sum sum_rows(const Team& team, const Stretch& list, Sum zero, const F& f) {
  for (const Sum& part : block_sums(team, list, zero, f)) zero += part;
  return zero;
}

// `width` sums at once, for f(begin, end, double*).
template <class F>
[[nodiscard]] std::vector<double> sum_rows_wide(const Team& team, const Stretch& list, std::size_t width,
                                                const F& f) {
  const std::size_t blocks = (list.total + row_block - 1) / row_block;
  std::vector<double> part(blocks * width, 0.0), out(width, 0.0);
  team.blocks(
      list, row_block, width * sizeof(double),
      [&](std::size_t block) { return reinterpret_cast<std::byte*>(part.data() + block * width); },
      [&](std::size_t begin, std::size_t end, std::byte* sum) {
        f(begin, end, reinterpret_cast<double*>(sum));
      });
  for (std::size_t block = 0; block < blocks; ++block)
    for (std::size_t k = 0; k < width; ++k) out[k] += part[block * width + k];
  return out;
}

// A sum in the order of the rows without blocks: f(sum) adds the rows of this member. No threads; for sums that are
// small beside a pass over the rows.
template <class Sum, class F>
void add_in_turn(const Team& team, Sum& sum, const F& f) {
  static_assert(std::is_trivially_copyable_v<Sum>);
  team.in_turn(std::as_writable_bytes(std::span(&sum, 1)), [&] { f(sum); });
}
template <class F>
void add_in_turn(const Team& team, std::vector<double>& sums, const F& f) {
  team.in_turn(std::as_writable_bytes(std::span(sums)), [&] { f(sums); });
}

// Slices for sums of `values` numbers each: at most 16 of them and 16 MB, but two where there is work for two threads.
[[nodiscard]] inline std::size_t slices_of(std::size_t rows, std::size_t values,
                                           std::size_t rows_per_slice = 2048) {
  const std::size_t by_memory = (std::size_t{1} << 21U) / std::max<std::size_t>(1, values);
  return std::clamp<std::size_t>(std::min(rows / rows_per_slice, std::max<std::size_t>(by_memory, 2)), 1, 16);
}

// The sum of every slice by itself: slices of f(begin, end, T*) from zero on, each with `values` numbers.
template <class Slice, class F>
void slice_sums(const Team& team, const Stretch& list, std::size_t slices, std::size_t values,
                std::vector<Slice>& part, const F& f) {
  using T = typename Slice::value_type;
  const std::size_t length = std::max<std::size_t>(1, (list.total + slices - 1) / slices);
  part.resize(slices);
  std::vector<char> made(slices, 0);
  team.blocks(
      list, length, values * sizeof(T),
      [&](std::size_t t) {
        if (std::exchange(made[t], 1) == 0) part[t].assign(values, T{0});
        return reinterpret_cast<std::byte*>(part[t].data());
      },
      [&](std::size_t begin, std::size_t end, std::byte* sum) { f(begin, end, reinterpret_cast<T*>(sum)); });
  // Lists shorter than their slices leave the last ones empty.
  for (std::size_t t = 0; t < slices; ++t)
    if (made[t] == 0) part[t].assign(values, T{0});
}

// out += the sums of the slices.
template <class Slice>
void add_parts(const Threads& threads, const std::vector<Slice>& part, std::size_t values, double* out) {
  constexpr std::size_t columns = 4096;
  for_blocks(threads, values, columns, [&](std::size_t begin, std::size_t end) {
    for (const auto& v : part)
      for (std::size_t j = begin; j < end; ++j) out[j] += static_cast<double>(v[j]);
  });
}

// out += sum over the rows, d numbers, in so many slices; the first needs no numbers of its own. `part` keeps the
// memory of the others.
template <class F>
void add_slices(const Team& team, const Stretch& list, std::size_t slices, std::size_t d, double* out,
                std::vector<std::vector<double>>& part, const F& f) {
  const std::size_t length = std::max<std::size_t>(1, (list.total + slices - 1) / slices);
  part.resize(slices - 1);
  std::vector<char> made(slices, 0);
  team.blocks(
      list, length, d * sizeof(double),
      [&](std::size_t t) {
        if (std::exchange(made[t], 1) == 0 && t > 0) part[t - 1].assign(d, 0.0);
        return reinterpret_cast<std::byte*>(t > 0 ? part[t - 1].data() : out);
      },
      [&](std::size_t begin, std::size_t end, std::byte* sum) {
        f(begin, end, reinterpret_cast<double*>(sum));
      });
  for (std::size_t t = 1; t < slices; ++t) {
    if (made[t] == 0) continue;
    for (std::size_t j = 0; j < d; ++j) out[j] += part[t - 1][j];
  }
}

// The same for lists that change from step to step, where slices are to be few.
template <class F>
void add_list(const Team& team, const Stretch& list, std::size_t d, double* out,
              std::vector<std::vector<double>>& part, const F& f) {
  const bool wide = d > (std::size_t{1} << 20U);
  add_slices(team, list, wide ? 2 : std::clamp<std::size_t>(list.total / 2048, 1, 8), d, out, part, f);
}

}  // namespace halfspace
