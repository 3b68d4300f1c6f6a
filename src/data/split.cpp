// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "data/storage/content_order.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"

namespace halfspace {
namespace {

// The rows that are there: not those of weight 0.
std::vector<std::uint32_t> rows_there(const Dataset& data, Deal deal) {
  if (deal == Deal::Content) return content_order(data, Threads(1));
  std::vector<std::uint32_t> rows;
  rows.reserve(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    if (data.weight(i) > 0) rows.push_back(static_cast<std::uint32_t>(i));
  return rows;
}

// The rows of every class in random order, those of weight 0 left out: the result is as if they were not
// there.
std::vector<std::vector<std::uint32_t>> shuffled_classes(const Dataset& data, std::uint64_t seed,
                                                         Deal deal = Deal::Place) {
  std::vector<std::vector<std::uint32_t>> of_class(data.labelled() ? data.classes().size() : 1);
  for (const std::uint32_t i : rows_there(data, deal))
    of_class[data.labelled() ? data.labels()[i] : 0].push_back(i);
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    // Row numbers of absent rows must not matter, so positions are shuffled.
    std::vector<std::uint32_t> order(of_class[c].size());
    std::iota(order.begin(), order.end(), 0U);
    Random(seed, c).shuffle(order);
    std::vector<std::uint32_t> rows(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) rows[k] = of_class[c][order[k]];
    of_class[c] = std::move(rows);
  }
  return of_class;
}

std::size_t total(const std::vector<std::vector<std::uint32_t>>& of_class) {
  return std::accumulate(of_class.begin(), of_class.end(), std::size_t{0},
                         [](std::size_t sum, const auto& rows) { return sum + rows.size(); });
}

// Rows for the test part by class: the share rounded down, then one more for the classes with the largest
// remainders until the whole is right. A class of two rows or more is in both parts.
std::vector<std::size_t> test_counts(const std::vector<std::vector<std::uint32_t>>& of_class, double share) {
  std::vector<std::size_t> count(of_class.size()), order(of_class.size());
  std::vector<double> remainder(of_class.size());
  std::size_t given = 0;
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const double wanted = share * static_cast<double>(of_class[c].size());
    count[c] = static_cast<std::size_t>(wanted);
    remainder[c] = wanted - std::floor(wanted);
    given += count[c];
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(total(of_class))));
  for (std::size_t k = 0; k < order.size() && given < wanted; ++k) {
    if (remainder[order[k]] == 0) break;
    ++count[order[k]];
    ++given;
  }
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const std::size_t rows = of_class[c].size();
    count[c] = rows < 2 ? 0 : std::clamp<std::size_t>(count[c], 1, rows - 1);
  }
  return count;
}

// Rows of one group: how much of every class, as shares of the class.
struct Group {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> ranks;  // of what stands in them, ascending; none when dealt by place
  std::vector<std::pair<std::uint32_t, double>> classes;
};

// The groups that have rows, in an order that does not know how they are numbered: that of their first rows or, by content,
// that of what stands in all of their rows. The first row would not do there: other groups may have its like, and which of
// them comes first is a matter of where they lie.
std::vector<Group> gather_groups(const Dataset& data, std::span<const std::uint32_t> groups, Deal deal) {
  std::map<std::uint32_t, std::size_t> number;
  std::vector<Group> out;
  std::vector<double> total(data.labelled() ? data.classes().size() : 1, 0.0);
  const auto class_of = [&](std::uint32_t row) { return data.labelled() ? data.labels()[row] : 0; };
  const auto add = [&](std::uint32_t i) -> Group& {
    const auto [place, added] = number.emplace(groups[i], out.size());
    if (added) out.emplace_back();
    Group& group = out[place->second];
    group.rows.push_back(i);
    ++total[class_of(i)];
    return group;
  };
  if (deal == Deal::Content) {
    for (const auto& [row, rank] : content_ranks(data, Threads(1))) add(row).ranks.push_back(rank);
    std::stable_sort(out.begin(), out.end(),
                     [](const Group& a, const Group& b) { return a.ranks < b.ranks; });
  } else {
    for (const std::uint32_t i : rows_there(data, deal)) add(i);
  }
  for (Group& group : out) {
    std::map<std::uint32_t, double> count;
    for (const std::uint32_t row : group.rows) ++count[class_of(row)];
    for (const auto& [c, rows] : count) group.classes.emplace_back(c, rows / total[c]);
  }
  return out;
}

// The part (0, 1, ...) of every row. Each group goes where its classes are furthest from the share of the part, large
// groups first; equal ones in random order.
std::vector<std::uint32_t> deal_groups(const Dataset& data, std::span<const std::uint32_t> groups,
                                       std::span<const double> shares, std::uint64_t seed, Deal deal) {
  if (groups.size() != data.rows())
    throw UsageError(fmt::format("{} groups for {} rows; wanted one each", groups.size(), data.rows()));
  const std::vector<Group> all = gather_groups(data, groups, deal);
  if (all.size() < shares.size())
    throw UsageError(
        fmt::format("{} groups for {} parts; wanted at least one for each", all.size(), shares.size()));
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  Random(seed, 0).shuffle(order);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return all[a].rows.size() > all[b].rows.size(); });
  const std::size_t classes = data.labelled() ? data.classes().size() : 1;
  std::vector<double> filled(shares.size() * classes, 0.0);
  std::vector<std::uint32_t> part(data.rows(), 0);
  std::size_t empty = shares.size(), left = all.size();
  std::vector<bool> used(shares.size(), false);
  for (const std::uint32_t g : order) {
    std::size_t best = shares.size();
    double least = 0;
    for (std::size_t p = 0; p < shares.size(); ++p) {
      if (left == empty && used[p]) continue;  // every part gets a group
      double fill = 0;
      for (const auto& [c, share] : all[g].classes)
        fill += share * (filled[p * classes + c] + share / 2) / shares[p];
      if (best == shares.size() || fill < least) {
        best = p;
        least = fill;
      }
    }
    for (const auto& [c, share] : all[g].classes) filled[best * classes + c] += share;
    for (const std::uint32_t row : all[g].rows) part[row] = static_cast<std::uint32_t>(best);
    if (!used[best]) --empty;
    used[best] = true;
    --left;
  }
  return part;
}

void check_share(double test_share) {
  if (!(test_share > 0 && test_share < 1))
    throw UsageError(fmt::format("share of test rows {}; wanted a number between 0 and 1", test_share));
}

}  // namespace

Split stratified_split(const Dataset& data, double test_share, std::uint64_t seed) {
  check_share(test_share);
  const auto of_class = shuffled_classes(data, seed);
  const std::vector<std::size_t> count = test_counts(of_class, test_share);
  Split split;
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const auto cut = of_class[c].begin() + static_cast<std::ptrdiff_t>(count[c]);
    split.test.insert(split.test.end(), of_class[c].begin(), cut);
    split.train.insert(split.train.end(), cut, of_class[c].end());
  }
  std::sort(split.test.begin(), split.test.end());
  std::sort(split.train.begin(), split.train.end());
  return split;
}

std::vector<std::uint32_t> stratified_folds(const Dataset& data, std::uint32_t folds, std::uint64_t seed,
                                            Deal deal) {
  const auto of_class = shuffled_classes(data, seed, deal);
  if (folds < 2 || folds > total(of_class)) {
    throw UsageError(fmt::format("{} folds of {} rows; wanted at least 2 and at most one per row", folds,
                                 total(of_class)));
  }
  // Dealt out like cards, each class going on where the last one stopped: classes and folds are even to one
  // row.
  std::vector<std::uint32_t> fold(data.rows(), 0);
  std::uint32_t next = 0;
  for (const auto& rows : of_class) {
    for (const std::uint32_t row : rows) {
      fold[row] = next;
      next = next + 1 == folds ? 0 : next + 1;
    }
  }
  return fold;
}

Split grouped_split(const Dataset& data, std::span<const std::uint32_t> groups, double test_share,
                    std::uint64_t seed) {
  check_share(test_share);
  const std::array<double, 2> shares{1 - test_share, test_share};
  const std::vector<std::uint32_t> part = deal_groups(data, groups, shares, seed, Deal::Place);
  Split split;
  for (std::uint32_t i = 0; i < data.rows(); ++i) {
    if (data.weight(i) > 0) (part[i] == 1 ? split.test : split.train).push_back(i);
  }
  return split;
}

std::vector<std::uint32_t> grouped_folds(const Dataset& data, std::span<const std::uint32_t> groups,
                                         std::uint32_t folds, std::uint64_t seed, Deal deal) {
  if (folds < 2) throw UsageError(fmt::format("{} folds; wanted at least 2", folds));
  return deal_groups(data, groups, std::vector<double>(folds, 1.0 / folds), seed, deal);
}

}  // namespace halfspace
