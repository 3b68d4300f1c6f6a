// SPDX-License-Identifier: BSD-3-Clause
// Sums of the certificate within rows, in every storage and at lengths around those at which the order of adding up changes.
#include "certify/row_terms.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "certify/rounding.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

template <class V>
V stored(Random& random) {
  if constexpr (std::is_same_v<V, Decimal>) {
    return {static_cast<std::int32_t>(random.uniform() * 2e6) - 1000000};
  } else if constexpr (std::is_same_v<V, One>) {
    return {};
  } else {
    return static_cast<V>(random.normal());
  }
}

// Sums in long double hold the truth to a thousandth of what the bounds allow.
template <class View>
void compare(const View& view, const std::vector<double>& theta, double theta0) {
  std::vector<std::size_t> rows;
  std::vector<double> factor, norm(view.rows), s(view.cols, 0.25);
  std::vector<RowTerms> terms(view.rows);
  for (std::size_t i = 0; i < view.rows; ++i) {
    rows.push_back(view.rows - 1 - i);
    factor.push_back(0.3 * static_cast<double>(i) - 1);
  }
  measure_rows(view, rows.data(), rows.size(), theta.data(), theta0, terms.data());
  add_rows_to(view, rows.data(), rows.size(), factor.data(), s.data(), norm.data());
  std::vector<long double> sum(view.cols, 0.25L), sizes(view.cols, 0.25L);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    long double f = theta0, size = std::abs(theta0), squares = 0;
    std::size_t entries = 1;
    for_entries(view.row(rows[r]), [&](std::uint32_t j, double x) {
      const long double term = static_cast<long double>(theta[j]) * x;
      f += term;
      size += std::abs(term);
      squares += static_cast<long double>(x) * x;
      sum[j] += static_cast<long double>(factor[r]) * x;
      sizes[j] += std::abs(static_cast<long double>(factor[r]) * x);
      ++entries;
    });
    const auto near = [&](double found, long double truth, long double scale) {
      return std::abs(found - truth) <= rounding(entries) * scale;
    };
    CAPTURE(rows[r]);
    CHECK(near(terms[r].f, f, size));
    CHECK(near(terms[r].size, size, size));
    CHECK(near(terms[r].norm, squares, squares));
    CHECK(near(norm[r], squares, squares));
    CHECK(terms[r].terms >= entries);
    // Alone a row has the same bits.
    RowTerms one;
    measure_rows(view, &rows[r], 1, theta.data(), theta0, &one);
    CHECK(one.f == terms[r].f);
    CHECK(one.size == terms[r].size);
    CHECK(one.norm == terms[r].norm);
  }
  for (std::size_t j = 0; j < view.cols; ++j)
    CHECK(std::abs(s[j] - sum[j]) <= rounding(rows.size() + 1) * sizes[j]);
}

template <class V, class I>
void sparse_rows() {
  Random random(5);
  const std::size_t cols = 90;
  std::vector<std::uint64_t> start = {0};
  std::vector<I> index;
  std::vector<V> value;
  for (const std::size_t length : {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 77}) {
    for (std::size_t k = 0; k < length; ++k) {
      index.push_back(static_cast<I>(k * cols / length));
      value.push_back(stored<V>(random));
    }
    start.push_back(index.size());
  }
  std::vector<double> theta;
  for (std::size_t j = 0; j < cols; ++j) theta.push_back(random.normal());
  const V* values = std::is_same_v<V, One> ? nullptr : value.data();
  compare(CsrView<V, I>{start.size() - 1, cols, start.data(), index.data(), values, 1e4}, theta, 0.7);
}

template <class V>
void dense_rows() {
  Random random(6);
  for (const std::size_t cols : {1, 3, 8, 15, 16, 17, 23, 24, 40, 61}) {
    for (const std::size_t rows : {1, 2, 3, 4, 5, 9, 13}) {
      std::vector<V> value;
      for (std::size_t k = 0; k < rows * cols; ++k) value.push_back(stored<V>(random));
      std::vector<double> theta;
      for (std::size_t j = 0; j < cols; ++j) theta.push_back(random.normal());
      CAPTURE(cols);
      CAPTURE(rows);
      compare(DenseView<V>{rows, cols, value.data(), 1e4}, theta, -0.2);
    }
  }
}

}  // namespace

TEST_CASE("sums within sparse rows are what they are in long double, in every storage") {
  sparse_rows<One, std::uint32_t>();
  sparse_rows<One, std::uint16_t>();
  sparse_rows<float, std::uint32_t>();
  sparse_rows<float, std::uint16_t>();
  sparse_rows<double, std::uint32_t>();
  sparse_rows<double, std::uint16_t>();
  sparse_rows<Decimal, std::uint32_t>();
  sparse_rows<Decimal, std::uint16_t>();
}

TEST_CASE("sums within dense rows are what they are in long double, in every storage") {
  dense_rows<float>();
  dense_rows<double>();
  dense_rows<Decimal>();
}

TEST_CASE("decimals are the doubles that they stand for, whatever vectors there are") {
  Random random(9);
  for (int p = 0; p <= 9; ++p) {
    double divisor = 1;
    for (int k = 0; k < p; ++k) divisor *= 10;
    std::vector<Decimal> value;
    std::vector<std::uint32_t> index;
    for (std::uint32_t j = 0; j < 400; ++j) {
      value.push_back({static_cast<std::int32_t>(random.uniform() * 4e9 - 2e9)});
      index.push_back(j);
    }
    const std::uint64_t start[2] = {0, 400};
    const CsrView<Decimal> view{1, 400, start, index.data(), value.data(), divisor};
    std::vector<double> s(400, 0.0);
    const std::size_t row = 0;
    const double one = 1;
    double norm = 0;
    add_rows_to(view, &row, 1, &one, s.data(), &norm);
    for (std::uint32_t j = 0; j < 400; ++j) CHECK(s[j] == decode(value[j], divisor));
  }
}
