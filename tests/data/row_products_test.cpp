// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/row_products.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "core/simd/row_loops.hpp"
#include "data/storage/row_access.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"

using namespace halfspace;

namespace {

StoredMatrix random_matrix(std::size_t rows, std::size_t cols, double fill, double value_step,
                           Random& random) {
  MatrixBuilder builder;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < cols; ++j) {
      if (random.uniform() < fill) builder.add(j, static_cast<double>(1 + random.below(1000)) * value_step);
    }
    builder.end_row();
  }
  return builder.finish(cols, Threads(1));
}

}  // namespace

TEST_CASE("products of many rows are the products row by row, to the bit") {
  Random random(1);
  std::vector<StoredMatrix> matrices;
  for (const double step : {0.125, 0.01, 0.1 / 3}) {
    matrices.push_back(random_matrix(50, 40, 0.9, step, random));
    matrices.push_back(random_matrix(50, 300, 0.05, step, random));
    matrices.push_back(random_matrix(20, 40000, 0.001, step, random));  // weights beyond the nearest caches
  }
  for (const StoredMatrix& stored : matrices) {
    std::visit(
        [&](const auto& view) {
          std::vector<double> w(view.cols);
          for (double& x : w) x = random.normal();
          for (const auto& [begin, end] :
               {std::pair<std::size_t, std::size_t>{0, view.rows}, {7, 8}, {5, 19}, {3, 3}}) {
            std::vector<double> out(end - begin, -1);
            dot_rows(view, begin, end, w.data(), out.data());
            for (std::size_t i = begin; i < end; ++i) {
              CHECK(std::bit_cast<std::uint64_t>(out[i - begin]) ==
                    std::bit_cast<std::uint64_t>(dot(view.row(i), w.data())));
            }
          }
        },
        stored.matrix);
  }
}

TEST_CASE("products with many planes add up entry by entry in the order of the columns") {
  Random random(2);
  const std::size_t planes = 11;
  for (const double fill : {0.1, 0.95}) {
    const StoredMatrix stored = random_matrix(30, 60, fill, 0.01, random);
    std::visit(
        [&](const auto& view) {
          std::vector<double> w(view.cols * planes), out(5 * planes, -1), expected(5 * planes, 0.0);
          for (double& x : w) x = random.normal();
          dot_rows_planes(view, 10, 15, w.data(), planes, out.data());
          for (std::size_t i = 10; i < 15; ++i) {
            for_entries(view.row(i), [&](std::uint32_t j, double x) {
              for (std::size_t k = 0; k < planes; ++k) {
                const double product = x * w[j * planes + k];
                expected[(i - 10) * planes + k] += product;
              }
            });
          }
          CHECK(out == expected);
        },
        stored.matrix);
  }
}

TEST_CASE("copies of chosen rows and columns have their entries, in every storage") {
  Random random(3);
  for (const double step : {0.0, 0.125, 0.01, 0.1 / 3}) {
    for (const auto& shape : {std::pair<std::size_t, double>{40, 0.9}, {300, 0.05}, {80000, 0.0005}}) {
      const auto cols = shape.first;  // captured below: clang 14 takes no part of a pair there
      const double fill = shape.second;
      const StoredMatrix stored = step > 0 ? random_matrix(50, cols, fill, step, random) : [&] {
        MatrixBuilder ones;
        for (std::size_t i = 0; i < 50; ++i) {
          for (std::uint32_t j = 0; j < cols; ++j)
            if (random.uniform() < fill) ones.add(j, 1);
          ones.end_row();
        }
        return ones.finish(cols, Threads(1));
      }();
      const auto rows = RowAccess::of(stored.matrix);
      for (const double kept : {0.0, 0.3, 0.95}) {
        CAPTURE(step);
        CAPTURE(cols);
        CAPTURE(kept);
        std::vector<std::uint32_t> place(cols, RowAccess::no_column), from;
        for (std::uint32_t j = 0; j < cols; ++j) {
          if (random.uniform() >= kept) continue;
          place[j] = static_cast<std::uint32_t>(from.size());
          from.push_back(j);
        }
        const std::vector<std::uint32_t> chosen{49, 3, 3, 17, 0};
        const auto copies = rows->select(chosen, place, from.size(), Threads(2));
        REQUIRE(copies->rows() == chosen.size());
        REQUIRE(copies->cols() == from.size());
        for (std::size_t k = 0; k < chosen.size(); ++k) {
          std::vector<double> whole(cols), part(from.size());
          rows->expand(chosen[k], 1.0, whole.data());
          copies->expand(k, 1.0, part.data());
          for (std::size_t c = 0; c < from.size(); ++c) REQUIRE(part[c] == whole[from[c]]);
          std::vector<double> sides(2 * cols, 0.0);
          rows->add_sides(-2, chosen[k], sides.data());
          for (std::size_t j = 0; j < cols; ++j)
            REQUIRE(sides[2 * j] - sides[2 * j + 1] == doctest::Approx(-2 * whole[j]));
        }
      }
    }
  }
}
