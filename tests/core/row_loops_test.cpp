// SPDX-License-Identifier: BSD-3-Clause
#include "core/simd/row_loops.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/simd/loop_table.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

constexpr std::size_t longest = 200;
constexpr std::size_t columns = 1000;
constexpr double divisor = 1e3;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// The same values in every storage: multiples of 1/8 with at most three decimals.
struct Values {
  std::vector<std::uint32_t> index;
  std::vector<std::uint16_t> short_index;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<Decimal> decimals;

  Values(std::size_t size, Random& random) {
    std::vector<std::uint32_t> all(columns);
    std::iota(all.begin(), all.end(), 0U);
    random.shuffle(all);
    index.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    std::sort(index.begin(), index.end());
    short_index.assign(index.begin(), index.end());
    for (std::size_t i = 0; i < size; ++i) {
      const auto eighths = static_cast<std::int32_t>(random.below(20001)) - 10000;
      doubles.push_back(eighths / 8.0);
      floats.push_back(static_cast<float>(eighths / 8.0));
      decimals.push_back({eighths * 125});
    }
  }
  template <class V>
  [[nodiscard]] const V* data() const {
    if constexpr (std::is_same_v<V, float>) return floats.data();
    if constexpr (std::is_same_v<V, double>) return doubles.data();
    if constexpr (std::is_same_v<V, Decimal>) return decimals.data();
  }
  template <class V>
  [[nodiscard]] SparseRow<V> sparse() const {
    return {index.data(), data<V>(), index.size(), divisor};
  }
  template <class V>
  [[nodiscard]] SparseRow<V, std::uint16_t> narrow() const {
    return {short_index.data(), data<V>(), index.size(), divisor};
  }
  template <class V>
  [[nodiscard]] DenseRow<V> dense() const {
    return {data<V>(), index.size(), divisor};
  }
};

std::vector<double> random_weights(Random& random) {
  std::vector<double> w(columns);
  for (double& x : w) x = random.normal();
  return w;
}

std::vector<detail::KernelTable> all_tables() {
  std::array<detail::KernelTable, 8> found;
  const std::size_t count = detail::available_tables(found.data(), found.size());
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE("dot and norm agree with long double within the error bound of their length") {
  Random random(1);
  const std::vector<double> w = random_weights(random);
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  for (std::size_t size = 0; size <= longest; ++size) {
    const Values v(size, random);
    long double sparse = 0, dense = 0, squares = 0, sparse_size = 0, dense_size = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<long double>(v.doubles[i]);
      sparse += x * w[v.index[i]];
      sparse_size += std::abs(x * w[v.index[i]]);
      dense += x * w[i];
      dense_size += std::abs(x * w[i]);
      squares += x * x;
    }
    const double rounds =
        static_cast<double>(size) / 4 + 5;  // additions on the longest path, and the product
    CHECK(std::abs(static_cast<double>(sparse - dot(v.sparse<double>(), w.data()))) <=
          rounds * unit * static_cast<double>(sparse_size));
    CHECK(std::abs(static_cast<double>(dense - dot(v.dense<double>(), w.data()))) <=
          rounds * unit * static_cast<double>(dense_size));
    CHECK(std::abs(static_cast<double>(squares - norm2(v.dense<double>()))) <=
          rounds * unit * static_cast<double>(squares));
    CHECK(bits(norm2(v.sparse<double>())) == bits(norm2(v.dense<double>())));
  }
}

TEST_CASE("float, double and decimal storage give the same bits at every length") {
  Random random(2);
  const std::vector<double> w = random_weights(random);
  for (std::size_t size = 0; size <= longest; ++size) {
    const Values v(size, random);
    const auto sparse = bits(dot(v.sparse<double>(), w.data()));
    CHECK(bits(dot(v.sparse<float>(), w.data())) == sparse);
    CHECK(bits(dot(v.sparse<Decimal>(), w.data())) == sparse);
    const auto dense = bits(dot(v.dense<double>(), w.data()));
    CHECK(bits(dot(v.dense<float>(), w.data())) == dense);
    CHECK(bits(dot(v.dense<Decimal>(), w.data())) == dense);
    const auto squares = bits(norm2(v.dense<double>()));
    CHECK(bits(norm2(v.dense<float>())) == squares);
    CHECK(bits(norm2(v.dense<Decimal>())) == squares);
    CHECK(bits(norm2(v.sparse<float>())) == squares);
    CHECK(bits(norm2(v.sparse<Decimal>())) == squares);
    const double a = random.normal();
    std::vector<double> expected = w;
    for (std::size_t i = 0; i < size; ++i) {
      const double step = a * v.doubles[i];
      expected[v.index[i]] += step;
    }
    const auto sparse_step = [&]<class V>(V) {
      std::vector<double> y = w;
      axpy(a, v.sparse<V>(), y.data());
      return y;
    };
    CHECK(sparse_step(double{}) == expected);
    CHECK(sparse_step(float{}) == expected);
    CHECK(sparse_step(Decimal{}) == expected);
    expected = w;
    for (std::size_t i = 0; i < size; ++i) {
      const double step = a * v.doubles[i];
      expected[i] += step;
    }
    const auto dense_step = [&]<class V>(V) {
      std::vector<double> y = w;
      axpy(a, v.dense<V>(), y.data());
      return y;
    };
    CHECK(dense_step(double{}) == expected);
    CHECK(dense_step(float{}) == expected);
    CHECK(dense_step(Decimal{}) == expected);
  }
}

TEST_CASE("a row of ones gives the bits of stored ones") {
  Random random(3);
  const std::vector<double> w = random_weights(random);
  const std::vector<double> ones(longest, 1.0);
  for (std::size_t size = 0; size <= longest; ++size) {
    const Values v(size, random);
    const SparseRow<One> bare{v.index.data(), nullptr, size, 1};
    const SparseRow<double> stored{v.index.data(), ones.data(), size, 1};
    CHECK(bits(dot(bare, w.data())) == bits(dot(stored, w.data())));
    CHECK(norm2(bare) == static_cast<double>(size));
    CHECK(norm2(stored) == static_cast<double>(size));
    std::vector<double> a = w, b = w;
    axpy(0.1, bare, a.data());
    axpy(0.1, stored, b.data());
    CHECK(a == b);
  }
}

TEST_CASE("every instruction set of this processor gives the same bits") {
  Random random(4);
  const std::vector<double> w = random_weights(random);
  const std::vector<detail::KernelTable> tables = all_tables();
  REQUIRE(!tables.empty());
  CHECK(std::string(instruction_set()) == tables.front().name);
  for (std::size_t size = 0; size <= longest; ++size) {
    const Values v(size, random);
    const SparseRow<One> ones{v.index.data(), nullptr, size, 1};
    for (const detail::KernelTable& table : tables) {
      CAPTURE(table.name);
      CAPTURE(size);
      const auto same_sparse = [&](const auto& kernels, const auto& row) {
        CHECK(bits(kernels.dot(row, w.data())) == bits(dot(row, w.data())));
        if (kernels.dot_gather != nullptr) {
          CHECK(bits(kernels.dot_gather(row, w.data())) == bits(dot(row, w.data())));
        }
        std::vector<double> a = w, b = w;
        kernels.axpy(1.7, row, a.data());
        axpy(1.7, row, b.data());
        CHECK(a == b);
      };
      const auto same_dense = [&](const auto& kernels, const auto& row) {
        CHECK(bits(kernels.dot(row, w.data())) == bits(dot(row, w.data())));
        CHECK(bits(kernels.norm2(row)) == bits(norm2(row)));
        std::vector<double> a = w, b = w;
        kernels.axpy(1.7, row, a.data());
        axpy(1.7, row, b.data());
        CHECK(a == b);
      };
      same_sparse(table.wide.one, ones);
      same_sparse(table.wide.of_float, v.sparse<float>());
      same_sparse(table.wide.of_double, v.sparse<double>());
      same_sparse(table.wide.decimal, v.sparse<Decimal>());
      same_sparse(table.narrow.one, SparseRow<One, std::uint16_t>{v.short_index.data(), nullptr, size, 1});
      same_sparse(table.narrow.of_float, v.narrow<float>());
      same_sparse(table.narrow.of_double, v.narrow<double>());
      same_sparse(table.narrow.decimal, v.narrow<Decimal>());
      CHECK(bits(dot(v.narrow<double>(), w.data())) == bits(dot(v.sparse<double>(), w.data())));
      same_dense(table.dense_float, v.dense<float>());
      same_dense(table.dense_double, v.dense<double>());
      same_dense(table.dense_decimal, v.dense<Decimal>());
    }
  }
}

TEST_CASE("many planes: each plane is the sum in the order of the columns") {
  Random random(5);
  for (const std::size_t planes : {1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 17, 26, 31, 33, 64, 65, 70, 100}) {
    const Values v(37, random);
    std::vector<double> w(columns * planes);
    for (double& x : w) x = random.normal();
    std::vector<double> sparse(planes), dense(planes);
    for (std::size_t k = 0; k < planes; ++k) {
      for (std::size_t i = 0; i < v.index.size(); ++i) {
        const double from_sparse = v.doubles[i] * w[v.index[i] * planes + k];
        const double from_dense = v.doubles[i] * w[i * planes + k];
        sparse[k] += from_sparse;
        dense[k] += from_dense;
      }
    }
    for (const detail::KernelTable& table : all_tables()) {
      CAPTURE(table.name);
      CAPTURE(planes);
      std::vector<double> out(planes);
      const auto check = [&](const auto& kernels, const auto& row, const std::vector<double>& expected) {
        out.assign(planes, -1);
        kernels.planes(row, w.data(), planes, out.data());
        CHECK(out == expected);
      };
      check(table.wide.of_float, v.sparse<float>(), sparse);
      check(table.narrow.of_float, v.narrow<float>(), sparse);
      check(table.wide.of_double, v.sparse<double>(), sparse);
      check(table.narrow.of_double, v.narrow<double>(), sparse);
      check(table.wide.decimal, v.sparse<Decimal>(), sparse);
      check(table.narrow.decimal, v.narrow<Decimal>(), sparse);
      check(table.dense_float, v.dense<float>(), dense);
      check(table.dense_double, v.dense<double>(), dense);
      check(table.dense_decimal, v.dense<Decimal>(), dense);
    }
  }
}

TEST_CASE("decimals decode to the nearest double for every power of ten") {
  Random random(6);
  double power = 1;
  for (int p = 0; p <= detail::exact_decimals; ++p, power *= 10) {
    std::vector<Decimal> digits{{0}, {1},  {-1}, {3}, {INT32_MAX}, {INT32_MIN}, {INT32_MIN + 1},
                                {5}, {25}, {125}};
    while (digits.size() < 4096) {
      const auto shift = random.below(31);
      digits.push_back({static_cast<std::int32_t>(static_cast<std::uint32_t>(random.next())) >> shift});
    }
    for (const detail::KernelTable& table : all_tables()) {
      std::vector<double> decoded(digits.size());  // 0 + 1 * value: axpy shows the value itself
      table.dense_decimal.axpy(1.0, {digits.data(), digits.size(), power}, decoded.data());
      for (std::size_t i = 0; i < digits.size(); ++i) REQUIRE(decoded[i] == decode(digits[i], power));
    }
  }
}

TEST_CASE("huge and subnormal values are computed, not flushed or trapped") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> values{1e308, tiny, -1e308, 3 * tiny};
  const std::vector<std::uint32_t> index{0, 1, 2, 3};
  const SparseRow<double> row{index.data(), values.data(), 4, 1};
  std::vector<double> w{1, 1, 1, 1};
  CHECK(dot(row, w.data()) == 4 * tiny);
  w = {10, 0, 0, 0};
  CHECK(dot(row, w.data()) == std::numeric_limits<double>::infinity());
  CHECK(norm2(row) == std::numeric_limits<double>::infinity());
  w = {0, 0, 0, 0};
  axpy(0.5, row, w.data());
  CHECK(w[0] == 5e307);
  CHECK(w[3] == 2 * tiny);  // 1.5 units round to even
  const std::vector<double> many(64, tiny), unit(64, 1.0);
  CHECK(dot(many.data(), unit.data(), 64) == 64 * tiny);
  const std::vector<float> small(64, std::numeric_limits<float>::denorm_min());
  CHECK(dot(DenseRow<float>{small.data(), 64, 1}, unit.data()) == std::ldexp(1.0, -149 + 6));
}

TEST_CASE("a zero product never turns the sum into minus zero") {
  const std::vector<double> minus_zero(40, -0.0);
  const std::vector<float> ones(40, 1.0F);
  for (std::size_t size = 0; size <= 40; ++size) {
    CHECK_FALSE(std::signbit(dot(DenseRow<float>{ones.data(), size, 1}, minus_zero.data())));
  }
}
