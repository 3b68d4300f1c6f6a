// SPDX-License-Identifier: BSD-3-Clause
#include "data/storage/value_loops.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "data/storage/decimal.hpp"
#include "halfspace/core/random.hpp"
#include "memory_arrays.hpp"
#include "support.hpp"

namespace halfspace {
namespace {

// Zeros of both signs, decimals, whole numbers, and values that no decimals hold.
std::vector<double> odd_values(std::size_t n, std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<double> out(n);
  for (double& x : out) {
    const auto k = static_cast<double>(random.below(2000)) - 1000;
    switch (random.below(6)) {
      case 0: x = 0; break;
      case 1: x = -0.0; break;
      case 2: x = k / 1000; break;
      case 3: x = k; break;
      case 4: x = k / 3; break;
      default: x = k * 1e9; break;
    }
  }
  return out;
}

TEST_CASE("loops over values do what as_decimal() and plain loops do, at every length") {
  for (std::size_t n = 0; n < 70; ++n) {
    const std::vector<double> x = odd_values(n, n + 1);
    for (int decimals = 0; decimals < 12; ++decimals) {
      bool all = true;
      std::vector<std::int32_t> expected(n, 0), digits(n, -1);
      std::vector<double> held;
      for (std::size_t k = 0; k < n; ++k) {
        const bool holds = as_decimal(x[k], decimals, expected[k]);
        all = all && holds;
        if (holds) held.push_back(x[k]);
      }
      CHECK(decimals_hold_all(x.data(), n, decimals) == all);
      CHECK(decimals_hold_all(held.data(), held.size(), decimals));
      digits_of(held.data(), held.size(), decimals, digits.data());
      for (std::size_t k = 0; k < held.size(); ++k) {
        std::int32_t one = 0;
        CHECK(as_decimal(held[k], decimals, one));
        CHECK(digits[k] == one);
      }
    }
    std::vector<double> values(n + 16);
    std::vector<std::uint32_t> places(n + 16);
    const std::size_t count = take_nonzeros(x.data(), n, 7, values.data(), places.data());
    CHECK(count_nonzeros(x.data(), n) == count);
    std::size_t at = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (x[k] == 0) continue;
      REQUIRE(at < count);
      CHECK(values[at] == x[k]);
      CHECK(places[at] == 7 + k);
      ++at;
    }
    CHECK(at == count);
  }
}

TEST_CASE("no decimals hold what is no number, or is too large") {
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                         2147483648.0, 1e300}) {
    const std::vector<double> values(33, x);
    CHECK_FALSE(decimals_hold_all(values.data(), values.size(), 0));
    CHECK_FALSE(decimals_hold_all(values.data(), 1, 18));
  }
  const std::vector<double> largest(33, -2147483647.0);
  CHECK(decimals_hold_all(largest.data(), largest.size(), 0));
}

// Longer than the pieces in which values are looked at; of few values and of many, decimals and others.
TEST_CASE("rows of an array have the fingerprint of the same rows as they are stored") {
  for (const double unit : {0.001, 1.0 / 3, 0.5}) {
    for (const std::size_t every : {1, 9, 400}) {
      testing::Rows rows(7, std::vector<double>(5003, 0.0));
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = i; j < rows[i].size(); j += every)
          rows[i][j] = static_cast<double>((i * 31 + j * 7) % 900) * unit;
      const std::vector<int> labels = testing::sample_labels(rows.size());
      const std::vector<double> values = testing::flat<double>(rows);
      const Dataset there = Dataset::dense(std::span<const double>(values), 7, 5003,
                                           {.hold = Hold::BorrowOnly, .labels = labels});
      CHECK(there.fingerprint() == testing::dataset_from(rows, labels).fingerprint());
    }
  }
}

}  // namespace
}  // namespace halfspace
