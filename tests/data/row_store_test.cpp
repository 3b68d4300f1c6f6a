// SPDX-License-Identifier: BSD-3-Clause
// Pieces of different storage, and the set they become.
#include "data/storage/row_store.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "halfspace/core/random.hpp"

namespace {

using namespace halfspace;
using Row = std::vector<std::pair<std::uint32_t, double>>;

PackedBlock block_of(const std::vector<Row>& rows) {
  RowBlock block;
  for (const Row& row : rows) {
    for (const auto& [j, x] : row) block.add(j, x);
    block.end_row();
  }
  return pack(block);
}

// Through a store that does not know how many columns will come.
StoredMatrix store_all(const std::vector<std::vector<Row>>& pieces, std::size_t cols) {
  RowStore store(1000, 100000, 0);
  for (const auto& piece : pieces) {
    const PackedBlock block = block_of(piece);
    PackedRows rows = block.view();
    for (const std::uint32_t j : rows.index) rows.columns = std::max(rows.columns, j + 1);
    RowStore::write(store.take(rows), rows);
  }
  return store.finish(cols, Threads(2));
}

void check_rows(const StoredMatrix& stored, const std::vector<std::vector<Row>>& pieces) {
  std::visit(
      [&](const auto& view) {
        std::size_t i = 0;
        for (const auto& piece : pieces) {
          for (const Row& row : piece) {
            Row found;
            for_entries(view.row(i++), [&](std::uint32_t j, double x) { found.emplace_back(j, x); });
            CHECK(found == row);
          }
        }
        CHECK(view.rows == i);
      },
      stored.matrix);
}

const Row ones = {{1, 1.0}, {300, 1.0}};
const Row floats = {{0, 0.5}, {2, -3.0}};
const Row tenths = {{0, 0.1}, {5, 12.3}};
const Row micros = {{4, 0.000001}};
const Row thirds = {{0, 1.0 / 3}};
const Row large = {{3, 3e9}};
const Row far = {{1, 2.0}, {70000, 1.0}};

}  // namespace

TEST_CASE("pieces of different storage become one set that keeps every value") {
  const std::vector<Row> kinds = {ones, floats, tenths, micros, thirds, large, far, {}};
  for (unsigned chosen = 1; chosen < 1U << kinds.size(); ++chosen) {
    std::vector<std::vector<Row>> pieces;
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if ((chosen >> k & 1U) != 0) pieces.push_back({kinds[k], {}, kinds[k]});
    CAPTURE(chosen);
    check_rows(store_all(pieces, 100000), pieces);
    if ((chosen & 64U) == 0) check_rows(store_all(pieces, 301), pieces);
  }
}

TEST_CASE("columns take 16 bits up to 65536 of them") {
  const std::vector<std::vector<Row>> narrow = {{ones}, {{{65535, 1.0}}}};
  CHECK(std::holds_alternative<CsrView<One, std::uint16_t>>(store_all(narrow, 65536).matrix));
  check_rows(store_all(narrow, 65536), narrow);
  CHECK(std::holds_alternative<CsrView<One>>(store_all(narrow, 65537).matrix));
  check_rows(store_all(narrow, 65537), narrow);
}

TEST_CASE("the storage of a set does not depend on how its rows were cut") {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Row> all;
    const Row* const kinds[] = {&ones, &floats, &tenths, &micros, &far};
    for (int i = 0; i < 40; ++i) all.push_back(*kinds[random.below(5)]);
    const StoredMatrix whole = store_all({all}, 80000);
    std::vector<std::vector<Row>> pieces(1);
    for (const Row& row : all) {
      if (random.below(3) == 0) pieces.emplace_back();
      pieces.back().push_back(row);
    }
    const StoredMatrix cut = store_all(pieces, 80000);
    CHECK(cut.matrix.index() == whole.matrix.index());
    CHECK(std::visit([](const auto& view) { return view.divisor; }, cut.matrix) ==
          std::visit([](const auto& view) { return view.divisor; }, whole.matrix));
    check_rows(cut, pieces);
  }
}

TEST_CASE("a full set is stored dense, in ordinary and in large pages") {
  std::vector<std::vector<Row>> pieces;
  for (int p = 0; p < 5; ++p) {
    pieces.emplace_back();
    for (int i = 0; i < 150; ++i) {
      Row row;
      for (std::uint32_t j = 0; j < 20; ++j) row.emplace_back(j, 0.25 * (p + 1) + i + j);
      pieces.back().push_back(row);
    }
  }
  const StoredMatrix stored = store_all(pieces, 20);
  CHECK(std::holds_alternative<DenseView<float>>(stored.matrix));
  check_rows(stored, pieces);
}

TEST_CASE("full pieces beside others keep their columns") {
  const std::vector<Row> full = {{{0, 0.5}, {1, 2.0}, {2, 3.0}}, {{0, 7.0}, {1, 0.25}, {2, 1.0}}};
  const std::vector<Row> wider = {{{0, 0.1}, {1, 0.2}, {2, 0.3}, {3, 1.0 / 3}}};
  const std::vector<Row> all_ones = {{{0, 1.0}, {1, 1.0}, {2, 1.0}}};
  const std::vector<std::vector<Row>> other = {{ones}, {{{2, 5.0}}}, {{}}, {far}, wider, all_ones};
  for (const auto& piece : other) {
    for (const std::vector<std::vector<Row>>& pieces :
         {std::vector{full, piece}, std::vector{piece, full}, std::vector{full, piece, full}}) {
      check_rows(store_all(pieces, 80000), pieces);
      if (piece != other[3] && piece != other[0]) check_rows(store_all(pieces, 4), pieces);
    }
  }
  check_rows(store_all({full, full}, 3), {full, full});
  check_rows(store_all({full, full}, 5), {full, full});
  CHECK(std::holds_alternative<DenseView<float>>(store_all({full, all_ones}, 3).matrix));
  CHECK(std::holds_alternative<CsrView<One, std::uint16_t>>(store_all({all_ones, all_ones}, 3).matrix));
  check_rows(store_all({all_ones, all_ones}, 3), {all_ones, all_ones});
}
