// SPDX-License-Identifier: BSD-3-Clause
// Stratified splits: every part has each class in (nearly) the share it has in the whole. With groups, rows of one group
// stay together, and the shares are as near as whole groups allow. Parts are drawn at random, from the rows as they lie or in an
// order that follows from what stands in them, so that where rows lie does not decide their fold; copies of a row may come into several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halfspace/core/options.hpp"
#include "halfspace/data/dataset.hpp"

namespace halfspace {

enum class Deal { Place, Content };
namespace detail {
inline constexpr std::string_view deal_words[] = {"place", "content"};
}
template <>
inline constexpr std::span<const std::string_view> enum_words<Deal> = detail::deal_words;

struct Split {
  std::vector<std::uint32_t> train, test;  // row numbers, ascending; rows of weight 0 are in neither
};
// test_share in (0, 1). A class of two rows or more is in both parts.
[[nodiscard]] Split stratified_split(const Dataset& data, double test_share, std::uint64_t seed);
// fold number (0 .. folds - 1) of every row; rows of weight 0 do not count and get 0.
[[nodiscard]] std::vector<std::uint32_t> stratified_folds(const Dataset& data, std::uint32_t folds,
                                                          std::uint64_t seed, Deal deal = Deal::Place);

// The same by groups: `groups` has a number for every row.
[[nodiscard]] Split grouped_split(const Dataset& data, std::span<const std::uint32_t> groups,
                                  double test_share, std::uint64_t seed);
[[nodiscard]] std::vector<std::uint32_t> grouped_folds(const Dataset& data,
                                                       std::span<const std::uint32_t> groups,
                                                       std::uint32_t folds, std::uint64_t seed,
                                                       Deal deal = Deal::Place);

}  // namespace halfspace
