// SPDX-License-Identifier: BSD-3-Clause
// A team shares the forming of a matrix: each member some of its rows, all of them the bits of one that has all rows.
#include "solve/systems/normal_matrix.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "halfspace/core/counted_members.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"
#include "halfspace/data/dataset.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

struct Shape {
  std::size_t rows, features, entries;
  bool floats = false;  // values that a float holds
};

Matrix some_rows(const Shape& shape, std::shared_ptr<const void>& storage) {
  Random random(3);
  MatrixBuilder builder;
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.features; ++j) {
      if (shape.entries < shape.features && random.below(shape.features) >= shape.entries) continue;
      const double x = random.normal();
      builder.add(static_cast<std::uint32_t>(j), shape.floats ? static_cast<float>(x) : x);
    }
    builder.end_row();
  }
  StoredMatrix stored = builder.finish(shape.features, Threads(1));
  storage = stored.storage;
  return stored.matrix;
}

// The lower triangle by the members of a team, of which this one has the rows [first, end); bytes that came to it.
std::vector<double> lower(const RowAccess& rows, std::size_t first, std::size_t end, bool precise,
                          const Team& team) {
  std::vector<std::uint32_t> chosen;
  std::vector<double> weight;
  for (std::size_t i = first; i < end; ++i) {
    chosen.push_back(static_cast<std::uint32_t>(i));
    weight.push_back(i % 7 == 0 ? -0.25 : 0.1 + static_cast<double>(i % 10));
  }
  NormalMatrix matrix(rows, true, precise, team);
  // Twice: what is there is added to.
  matrix.add(chosen, weight);
  matrix.add(chosen, weight);
  std::vector<double> out;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    out.insert(out.end(), matrix.lower() + i * matrix.size(), matrix.lower() + i * matrix.size() + i + 1);
  return out;
}

}  // namespace

TEST_CASE("members that form a part of a matrix each get the bits of one that forms all of it") {
  // Dense blocks; scattered entries, more rows than are added in one go; rows too few to be worth sharing.
  const std::vector<Shape> shapes = {
      {1500, 130, 130}, {2000, 200, 60, true}, {9000, 100, 12}, {5000, 300, 30, true}, {20, 90, 90}};
  for (const Shape& shape : shapes) {
    std::shared_ptr<const void> storage;
    const Matrix matrix = some_rows(shape, storage);
    const auto rows = RowAccess::of(matrix);
    for (const bool precise : {false, true}) {
      const std::vector<double> alone = lower(*rows, 0, shape.rows, precise, Team(Threads(2)));
      for (const auto& ends : partitions(shape.rows)) {
        std::mutex guard;
        std::uint64_t given = 0;
        as_team(ends.size(), [&](Members& reached, std::size_t m) {
          CountedMembers members(reached);
          const std::vector<double> mine = lower(*rows, m == 0 ? 0 : ends[m - 1], ends[m], precise,
                                                 Team(Threads(m % 2 == 0 ? 1 : 2), members));
          const std::lock_guard lock(guard);
          CHECK(mine == alone);
          const std::uint64_t rounds = members.traffic().rounds;
          CHECK(rounds == (shape.rows > 100 ? 4 : 2));  // rows and then the matrix, twice
          given += members.traffic().given;
        });
        // What a matrix takes is its lower triangle, once.
        if (shape.rows > 100) CHECK(given > 2 * alone.size() * sizeof(double));
      }
    }
  }
}
