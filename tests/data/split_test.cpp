// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/data/builder.hpp"

using namespace halfspace;

namespace {

// One feature; class of row i as given.
Dataset make_data(const std::vector<std::uint32_t>& labels, std::vector<double> weights = {}) {
  MatrixBuilder builder;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    builder.add(0, static_cast<double>(i) + 1);
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(1, Threads(1));
  DatasetParts parts;
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.labels = labels;
  parts.classes = {"a", "b", "c"};
  parts.weights = std::move(weights);
  return Dataset::make(std::move(parts));
}

std::vector<std::uint32_t> mixed_labels() {
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < 1000; ++i) labels.push_back(i % 10 == 0 ? 2 : (i % 3 == 0 ? 1 : 0));
  return labels;
}

}  // namespace

TEST_CASE("a split has every row once and each class in its share") {
  const Dataset data = make_data(mixed_labels());
  const Split split = stratified_split(data, 0.25, 7);
  CHECK(split.test.size() == 250);
  CHECK(std::is_sorted(split.train.begin(), split.train.end()));
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(all[i] == i);
  std::vector<int> whole(3), part(3);
  for (const std::uint32_t y : data.labels()) ++whole[y];
  for (const std::uint32_t i : split.test) ++part[data.labels()[i]];
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(part[c] - 0.25 * whole[c]) < 1);
}

TEST_CASE("a split depends on the seed alone") {
  const Dataset data = make_data(mixed_labels());
  CHECK(stratified_split(data, 0.3, 1).test == stratified_split(data, 0.3, 1).test);
  CHECK(stratified_split(data, 0.3, 1).test != stratified_split(data, 0.3, 2).test);
}

TEST_CASE("a small class is in both parts, a single row is for training") {
  const Split split = stratified_split(make_data({0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2}), 0.1, 3);
  CHECK(std::count_if(split.test.begin(), split.test.end(), [](auto i) { return i == 8 || i == 9; }) == 1);
  CHECK(std::find(split.train.begin(), split.train.end(), 10U) != split.train.end());
}

TEST_CASE("rows of weight 0 change nothing for the others") {
  // Rows 0 .. 5 as they are, and the same with absent rows in between.
  const std::vector<std::uint32_t> plain_labels{0, 1, 0, 1, 0, 1};
  const std::vector<std::uint32_t> mixed{0, 1, 1, 0, 2, 1, 0, 1, 0};
  const std::vector<double> weights{1, 0, 1, 1, 0, 1, 1, 1, 0};
  const std::vector<std::uint32_t> row_of{0, 2, 3, 5, 6, 7};
  const Dataset plain = make_data(plain_labels), holes = make_data(mixed, weights);
  const Split a = stratified_split(plain, 0.4, 5), b = stratified_split(holes, 0.4, 5);
  REQUIRE(a.test.size() == b.test.size());
  for (std::size_t k = 0; k < a.test.size(); ++k) CHECK(row_of[a.test[k]] == b.test[k]);
  CHECK(b.test.size() + b.train.size() == 6);
  const auto folds_a = stratified_folds(plain, 3, 5), folds_b = stratified_folds(holes, 3, 5);
  for (std::size_t i = 0; i < 6; ++i) CHECK(folds_a[i] == folds_b[row_of[i]]);
}

TEST_CASE("folds and the classes in them are even to one row") {
  const Dataset data = make_data(mixed_labels());
  const std::vector<std::uint32_t> fold = stratified_folds(data, 7, 11);
  std::vector<int> size(7);
  std::vector<std::vector<int>> of_class(3, std::vector<int>(7));
  for (std::size_t i = 0; i < fold.size(); ++i) {
    REQUIRE(fold[i] < 7);
    ++size[fold[i]];
    ++of_class[data.labels()[i]][fold[i]];
  }
  const auto even = [](const std::vector<int>& counts) {
    const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
    return *high - *low <= 1;
  };
  CHECK(even(size));
  for (const auto& counts : of_class) CHECK(even(counts));
}

TEST_CASE("impossible shares and folds are refused") {
  const Dataset data = make_data({0, 1, 0, 1});
  CHECK_THROWS_AS((void)stratified_split(data, 0, 1), UsageError);
  CHECK_THROWS_AS((void)stratified_split(data, 1, 1), UsageError);
  CHECK_THROWS_AS((void)stratified_folds(data, 1, 1), UsageError);
  CHECK_THROWS_AS((void)stratified_folds(data, 5, 1), UsageError);
}

TEST_CASE("a split by groups keeps each together and classes near their shares") {
  const Dataset data = make_data(mixed_labels());
  std::vector<std::uint32_t> groups(data.rows());
  for (std::uint32_t i = 0; i < groups.size(); ++i) groups[i] = (i * 7919U) % 100;
  const Split split = grouped_split(data, groups, 0.25, 3);
  CHECK(split.train.size() + split.test.size() == 1000);
  CHECK(std::abs(static_cast<double>(split.test.size()) - 250) <= 20);
  std::vector<int> part(100, -1);
  const auto take = [&](const std::vector<std::uint32_t>& rows, int number) {
    for (const std::uint32_t row : rows) {
      int& at = part[groups[row]];
      REQUIRE((at == -1 || at == number));
      at = number;
    }
  };
  take(split.train, 0);
  take(split.test, 1);
  CHECK(grouped_split(data, groups, 0.25, 3).test == split.test);
  // How groups are numbered does not matter.
  std::vector<std::uint32_t> renamed = groups;
  for (std::uint32_t& group : renamed) group = 1000 - group;
  CHECK(grouped_split(data, renamed, 0.25, 3).test == split.test);
}
