// SPDX-License-Identifier: BSD-3-Clause
// A row's number is the sum over its entries of a well mixed number of column and value, so that it does not matter in which
// pieces they are added up. Mixing: the finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014). Two rows that differ have the same number with the probability 2^-64; they would stand as they lie.
// Cost: one visit of the entries, two products of whole numbers each, and a sort of 64-bit numbers.
#include "data/storage/content_order.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "core/radix_sort.hpp"

namespace halfspace {
namespace {

constexpr std::uint64_t step_of_columns = 0x9E3779B97F4A7C15;

std::uint64_t well_mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
  return z ^ (z >> 31U);
}

std::uint64_t content_of(std::uint32_t column, double x) {
  return well_mixed(std::bit_cast<std::uint64_t>(x) + step_of_columns * (std::uint64_t{column} + 1));
}

template <class View>
std::uint64_t content_of_row(const View& view, std::size_t i) {
  std::uint64_t sum = 0;
  const auto row = view.row(i);
  if constexpr (is_sparse<View>) {
    for_entries(row, [&](std::uint32_t j, double x) { sum += x != 0 ? content_of(j, x) : 0; });
  } else {
    // Without a branch: which values of a dense row are zero is hard to foretell.
    for (std::size_t j = 0; j < row.size; ++j) {
      const double x = decode(row.value[j], row.divisor);
      const std::uint64_t number = content_of(static_cast<std::uint32_t>(j), x);
      sum += x != 0 ? number : 0;
    }
  }
  return sum;
}

struct NumberedRow {
  std::uint64_t number = 0;
  std::uint32_t row = 0;
};

// What rows of the same entries go by.
auto class_and_weight(const Dataset& data, std::uint32_t row) {
  return std::tuple(data.labelled() ? data.labels()[row] : 0, data.weight(row));
}

void sort_equals(std::vector<NumberedRow>& places, const Dataset& data) {
  const auto key = [&](const NumberedRow& place) { return class_and_weight(data, place.row); };
  for (auto from = places.begin(); from != places.end();) {
    const auto end =
        std::find_if(from, places.end(), [&](const NumberedRow& p) { return p.number != from->number; });
    if (end - from > 1)
      std::stable_sort(from, end,
                       [&](const NumberedRow& a, const NumberedRow& b) { return key(a) < key(b); });
    from = end;
  }
}

std::vector<NumberedRow> sorted_rows(const Dataset& data, const Threads& threads) {
  std::vector<NumberedRow> places;
  places.reserve(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) places.push_back({0, static_cast<std::uint32_t>(i)});
  std::visit(
      [&](const auto& view) {
        for_blocks(threads, places.size(), row_block, [&](std::size_t begin, std::size_t end) {
          for (std::size_t k = begin; k < end; ++k) places[k].number = content_of_row(view, places[k].row);
        });
      },
      data.matrix());
  std::vector<NumberedRow> room;
  radix_sort(places, room, [](const NumberedRow& place) { return place.number; });
  sort_equals(places, data);
  return places;
}

}  // namespace

std::vector<std::uint32_t> content_order(const Dataset& data, const Threads& threads) {
  const std::vector<NumberedRow> places = sorted_rows(data, threads);
  std::vector<std::uint32_t> out;
  out.reserve(places.size());
  for (const NumberedRow& place : places) out.push_back(place.row);
  return out;
}

std::vector<RankedRow> content_ranks(const Dataset& data, const Threads& threads) {
  const std::vector<NumberedRow> places = sorted_rows(data, threads);
  std::vector<RankedRow> out;
  out.reserve(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const bool like_the_one_before =
        k > 0 && places[k].number == places[k - 1].number &&
        class_and_weight(data, places[k].row) == class_and_weight(data, places[k - 1].row);
    const std::uint32_t before = k > 0 ? out.back().rank : 0;
    out.push_back({places[k].row, k == 0 || like_the_one_before ? before : before + 1});
  }
  return out;
}

}  // namespace halfspace
