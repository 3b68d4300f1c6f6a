// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace halfspace;

// Known answers of the Random123 distribution for Philox4x32 with 10 rounds.
TEST_CASE("philox gives the published known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t f = 0xffffffff;
  CHECK(philox({f, f, f, f}, {f, f}) == PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("streams of one seed differ and repeat") {
  Random a(7, 0), b(7, 0), c(7, 1);
  const auto first = a.next();
  CHECK(first == b.next());
  CHECK(first != c.next());
}

TEST_CASE("below covers its range evenly and never leaves it") {
  Random random(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
  for (const int count : seen) CHECK(std::abs(count - 10000) < 500);
}

TEST_CASE("normal has mean 0 and variance 1") {
  Random random(5);
  double sum = 0, squares = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
  }
  CHECK(std::abs(sum / n) < 0.01);
  CHECK(std::abs(squares / n - 1) < 0.02);
}

TEST_CASE("shuffle is a permutation that depends on the seed alone") {
  std::vector<std::uint32_t> a(1000), b(1000);
  std::iota(a.begin(), a.end(), 0U);
  b = a;
  Random(9).shuffle(a);
  Random(9).shuffle(b);
  CHECK(a == b);
  std::vector<std::uint32_t> sorted = a;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(sorted[i] == i);
  CHECK(a[0] + a[1] + a[2] != 3);
}
