// SPDX-License-Identifier: BSD-3-Clause
// Storage never changes a bit: whatever form the builder chose, entries and products are those of the
// doubles.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <bit>
#include <vector>

#include "core/simd/row_loops.hpp"
#include "data/storage/row_products.hpp"
#include "halfspace/data/builder.hpp"

using namespace halfspace;

namespace {

using Entries = std::vector<std::pair<std::uint32_t, double>>;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// Values that suit one of the storages each.
rc::Gen<double> value_of_kind(int kind) {
  switch (kind) {
    case 0: return rc::gen::just(1.0);
    case 1: return rc::gen::map(rc::gen::inRange(-100000, 100000), [](int k) { return k / 64.0; });
    case 2: return rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int k) { return k / 1e4; });
    case 3: return rc::gen::map(rc::gen::inRange(-2147483647, 2147483647), [](int k) { return k / 1e9; });
    default:
      return rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                          [](std::int64_t k) { return static_cast<double>(k) / 3e15; });
  }
}

std::vector<Entries> draw_rows(std::uint32_t cols, int kind) {
  const int fill = *rc::gen::element(2, 10, 100);
  const std::size_t rows = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<Entries> result(rows);
  for (Entries& row : result) {
    for (std::uint32_t j = 0; j < cols; ++j) {
      if (*rc::gen::inRange(0, 100) >= fill) continue;
      const double x = *value_of_kind(kind);
      if (x != 0) row.emplace_back(j, x);
    }
  }
  return result;
}

// One row as doubles in the layout of the view.
struct Doubles {
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  template <class View>
  Doubles(const View& view, const Entries& entries) {
    if constexpr (is_sparse<View>) {
      for (const auto& [j, x] : entries) {
        index.push_back(j);
        value.push_back(x);
      }
    } else {
      value.assign(view.cols, 0.0);
      for (const auto& [j, x] : entries) value[j] = x;
    }
  }
  template <class View>
  [[nodiscard]] auto row() const {
    if constexpr (is_sparse<View>) {
      return SparseRow<double>{index.data(), value.data(), value.size(), 1};
    } else {
      return DenseRow<double>{value.data(), value.size(), 1};
    }
  }
};

template <class View>
void check_view(const View& view, const std::vector<Entries>& rows, const std::vector<double>& w) {
  RC_ASSERT(view.rows == rows.size());
  std::vector<double> batch(view.rows);
  dot_rows(view, 0, view.rows, w.data(), batch.data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Entries found;
    for_entries(view.row(i), [&](std::uint32_t j, double x) { found.emplace_back(j, x); });
    RC_ASSERT(found == rows[i]);
    const Doubles doubles(view, rows[i]);
    const auto plain = doubles.template row<View>();
    RC_ASSERT(bits(dot(view.row(i), w.data())) == bits(dot(plain, w.data())));
    RC_ASSERT(bits(batch[i]) == bits(dot(plain, w.data())));
    RC_ASSERT(bits(norm2(view.row(i))) == bits(norm2(plain)));
    std::vector<double> a = w, b = w;
    axpy(0.3, view.row(i), a.data());
    axpy(0.3, plain, b.data());
    RC_ASSERT(a == b);
  }
}

}  // namespace

TEST_CASE("the storage of a set changes neither an entry nor a bit of a product") {
  CHECK(rc::check([] {
    const auto cols = *rc::gen::inRange<std::uint32_t>(1, 150);
    const std::vector<Entries> rows = draw_rows(cols, *rc::gen::inRange(0, 5));
    MatrixBuilder builder;
    for (const Entries& row : rows) {
      for (const auto& [j, x] : row) builder.add(j, x);
      builder.end_row();
    }
    const StoredMatrix stored = builder.finish(cols, Threads(1));
    std::vector<double> w(cols);
    for (std::size_t j = 0; j < cols; ++j) w[j] = 1.0 / static_cast<double>(j + 3) - 0.1;
    std::visit([&](const auto& view) { check_view(view, rows, w); }, stored.matrix);
  }));
}
