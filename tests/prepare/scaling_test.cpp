// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/prepare/scaling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

Dataset make_data(const Rows& rows, std::vector<double> weights = {}, std::size_t features = 0) {
  DatasetParts parts = parts_from(rows, std::move(weights), features);
  parts.labels.assign(rows.size(), 0);
  parts.classes = {"a"};
  return Dataset::make(std::move(parts));
}

Rows to_rows(const Dataset& data) {
  Rows rows(data.rows(), std::vector<double>(data.features(), 0.0));
  std::visit(
      [&](const auto& view) {
        for (std::size_t i = 0; i < view.rows; ++i) {
          for_entries(view.row(i), [&](std::uint32_t j, double x) { rows[i][j] = x; });
        }
      },
      data.matrix());
  return rows;
}

Rows scaled(const Dataset& data, ScaleKind kind) {
  return to_rows(apply_scaling(data, learn_scaling(data, kind, Threads(1)), Threads(1)));
}

}  // namespace

TEST_CASE("standard scaling uses the mean and the population variance") {
  const Dataset data = make_data({{1, 10}, {3, 10}, {5, 10}, {7, 10}});
  const Scaling scaling = learn_scaling(data, ScaleKind::Standard, Threads(1));
  CHECK(scaling.shift == std::vector<double>{4, 10});
  CHECK(scaling.factor[0] == doctest::Approx(1 / std::sqrt(5.0)).epsilon(1e-15));
  CHECK(scaling.factor[1] == 0);
  const Rows rows = to_rows(apply_scaling(data, scaling, Threads(1)));
  CHECK(rows[0][0] == doctest::Approx(-3 / std::sqrt(5.0)));
  CHECK(rows[3][1] == 0);
}

TEST_CASE("min-max scaling covers [0, 1], also for rows that store zeros as nothing") {
  const Dataset data = make_data({{-2, 0, 0}, {0, 0, 4}, {6, 0, 8}});
  const Scaling scaling = learn_scaling(data, ScaleKind::MinMax, Threads(1));
  CHECK(scaling.shift == std::vector<double>{-2, 0, 0});
  CHECK(scaling.factor == std::vector<double>{0.125, 0, 0.125});
  CHECK(to_rows(apply_scaling(data, scaling, Threads(1))) == Rows{{0, 0, 0}, {0.25, 0, 0.5}, {1, 0, 1}});
}

TEST_CASE("unit rows have norm one, zero rows stay zero, and neither huge nor tiny values spoil it") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Rows rows = scaled(
      make_data({{3, 4}, {0, 0}, {-3e307, 4e307}, {1.7e308, 1.7e308}, {3 * tiny, 4 * tiny}, {0, -1e-200}}),
      ScaleKind::Unit);
  CHECK(rows[0] == std::vector<double>{0.6, 0.8});
  CHECK(rows[1] == std::vector<double>{0, 0});
  CHECK(rows[2][0] == doctest::Approx(-0.6).epsilon(1e-15));
  CHECK(rows[3][1] == doctest::Approx(std::sqrt(0.5)).epsilon(1e-15));
  CHECK(rows[4][0] == doctest::Approx(0.6).epsilon(1e-15));
  CHECK(rows[5][1] == -1);
}

TEST_CASE("a weight of k counts as k copies and a weight of 0 as no row") {
  const Dataset weighted = make_data({{1, 0}, {2, 5}, {1000, -70}}, {3, 1, 0});
  const Dataset copies = make_data({{1, 0}, {1, 0}, {1, 0}, {2, 5}});
  for (const ScaleKind kind : {ScaleKind::Standard, ScaleKind::MinMax}) {
    const Scaling a = learn_scaling(weighted, kind, Threads(1)), b = learn_scaling(copies, kind, Threads(1));
    CHECK(a.shift == b.shift);
    CHECK(a.factor == b.factor);
  }
  const Scaling nothing = learn_scaling(make_data({{1}, {2}}, {0, 0}), ScaleKind::Standard, Threads(1));
  CHECK(nothing.factor == std::vector<double>{0});
}

TEST_CASE("values near the ends of the doubles give finite scales and values") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Rows extreme = {
      {1.7e308, tiny, -1.7e308, 1e-310}, {-1.7e308, 0, -1.7e308, 1e300}, {1.6e308, 7 * tiny, 1.7e308, 0}};
  for (const ScaleKind kind : {ScaleKind::Standard, ScaleKind::MinMax, ScaleKind::Unit}) {
    for (const auto& row : scaled(make_data(extreme, {1, 1e300, 3}), kind)) {
      for (const double x : row) CHECK(std::isfinite(x));
    }
  }
  const Rows rows = scaled(make_data(extreme), ScaleKind::MinMax);
  CHECK(rows[0][0] == doctest::Approx(1));
  CHECK(rows[1][0] == 0);
  // Rows never seen when the scale was learned may lie anywhere.
  const Scaling learned = learn_scaling(make_data({{0, 1}, {1e-300, 1}}), ScaleKind::Standard, Threads(1));
  for (const auto& row :
       to_rows(apply_scaling(make_data({{1e308, -1e308}, {-1e308, 1}}), learned, Threads(1)))) {
    for (const double x : row) CHECK(std::isfinite(x));
  }
}

TEST_CASE("scaled random data have mean 0 and variance 1, with the same bits for any number of threads") {
  Random random(4);
  Rows rows(5000, std::vector<double>(3));
  for (auto& row : rows)
    row = {random.normal() * 1e6 + 1e9, random.below(3) == 0 ? 1.0 : 0.0, random.uniform()};
  const Dataset data = make_data(rows);
  const Scaling one = learn_scaling(data, ScaleKind::Standard, Threads(1));
  const Scaling three = learn_scaling(data, ScaleKind::Standard, Threads(3));
  CHECK(one.shift == three.shift);
  CHECK(one.factor == three.factor);
  const Rows result = to_rows(apply_scaling(data, one, Threads(1)));
  CHECK(result == to_rows(apply_scaling(data, three, Threads(3))));
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0, squares = 0;
    for (const auto& row : result) {
      sum += row[j];
      squares += row[j] * row[j];
    }
    CHECK(std::abs(sum / 5000) < 1e-9);
    CHECK(squares / 5000 == doctest::Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("centring sparse rows beyond 4 GiB is refused with advice, keeping zeros is not") {
  Rows rows(40000);
  for (auto& row : rows) row = {1, 2};
  rows[0] = {3, 4};
  const Dataset wide = make_data(rows, {}, 100000);
  CHECK_THROWS_AS((void)learn_scaling(wide, ScaleKind::Standard, Threads(1)), UsageError);
  try {
    (void)learn_scaling(wide, ScaleKind::Standard, Threads(1));
  } catch (const UsageError& error) {
    CHECK(error.hint().find("unit") != std::string::npos);
  }
  CHECK(scaled(make_data({{0, 1}, {0, 2}}, {}, 5), ScaleKind::Unit)[1][1] == 1);
  const Scaling minmax = learn_scaling(wide, ScaleKind::MinMax, Threads(1));  // only two columns move
  CHECK(apply_scaling(wide, minmax, Threads(1)).nonzeros() == 2);
}

TEST_CASE("a scaling of another number of features is refused") {
  const Scaling scaling = learn_scaling(make_data({{1, 2}, {3, 4}}), ScaleKind::MinMax, Threads(1));
  CHECK_THROWS_AS((void)apply_scaling(make_data({{1, 2, 3}}), scaling, Threads(1)), UsageError);
}

TEST_CASE("deviations are told of columns that could not be scaled in memory") {
  // With their zeros moved, these rows would take 8 GB.
  MatrixBuilder builder;
  constexpr std::uint32_t features = 70000, rows = 15000;
  for (std::uint32_t i = 0; i < rows; ++i) {
    builder.add(i % 5, i % 2 == 0 ? 1.0 : 3.0);
    if (i == 0) builder.add(features - 1, 0.5);
    builder.end_row();
  }
  DatasetParts parts;
  StoredMatrix stored = builder.finish(features, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.name = "text";
  const Dataset data = Dataset::make(std::move(parts));
  CHECK_THROWS_AS(static_cast<void>(learn_scaling(data, ScaleKind::Standard, Threads(1))), UsageError);
  const std::vector<double> deviations = column_deviations(data, Threads(2));
  REQUIRE(deviations.size() == features);
  // A fifth of the rows have the column: mean 0.4, mean of the squares 1.
  CHECK(deviations[0] == doctest::Approx(std::sqrt(1 - 0.16)).epsilon(1e-12));
  CHECK(deviations[100] == 0);
}

namespace {

Dataset column_of(const std::vector<double>& values) {
  MatrixBuilder builder;
  for (const double x : values) {
    if (x != 0) builder.add(0, x);
    builder.add(1, 7.0);
    builder.end_row();
  }
  DatasetParts parts;
  StoredMatrix stored = builder.finish(2, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.name = "column";
  return Dataset::make(std::move(parts));
}
double deviation_of(const std::vector<double>& values) {
  const std::vector<double> found = column_deviations(column_of(values), Threads(2));
  CHECK(found[1] == 0);  // the column of one value
  return found[0];
}

}  // namespace

TEST_CASE(
    "deviations of values far from zero, of an outlier in front, and of the largest and smallest numbers") {
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(1e9 + (i % 2));
  CHECK(deviation_of(values) == doctest::Approx(0.5).epsilon(1e-12));
  values.assign(5000, 0.0);
  for (int i = 1; i < 5000; ++i) values[static_cast<std::size_t>(i)] = i % 2;
  values[0] = 1e6;
  const double mean = (1e6 + 2500) / 5000, square = (1e12 + 2500) / 5000;
  CHECK(deviation_of(values) == doctest::Approx(std::sqrt(square - mean * mean)).epsilon(1e-9));
  CHECK(deviation_of({1e300, -1e300, 1e300, -1e300}) == doctest::Approx(1e300).epsilon(1e-12));
  CHECK(deviation_of({1e-200, -1e-200, 1e-200, -1e-200}) == doctest::Approx(1e-200).epsilon(1e-12));
  CHECK(deviation_of({1e-170, 0, 0, 1e-170}) == doctest::Approx(5e-171).epsilon(1e-12));
  CHECK(deviation_of({5, 5, 5, 5}) == 0);
  CHECK(deviation_of({0, 0, 0, 0}) == 0);
}
