// SPDX-License-Identifier: BSD-3-Clause
#include "core/radix_sort.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "halfspace/core/random.hpp"

using namespace halfspace;

TEST_CASE("keys of doubles are in the order of the doubles, and both zeros are one") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> ascending = {
      -inf, -1e300, -2, -1, -1e-300, -5e-324, 0, 5e-324, 1e-300, 1, std::nextafter(1, 2), 2, 1e300, inf};
  for (std::size_t k = 1; k < ascending.size(); ++k)
    CHECK(order_key(ascending[k - 1]) < order_key(ascending[k]));
  CHECK(order_key(-0.0) == order_key(0.0));
}

TEST_CASE("sorting by digits gives what a stable sort gives, few items or many") {
  for (const std::size_t count : {0U, 1U, 2U, 100U, 2999U, 3000U, 20000U}) {
    for (const int kind : {0, 1, 2}) {
      Random random(count + 1, static_cast<std::uint64_t>(kind));
      std::vector<std::pair<double, std::uint32_t>> items, room;
      for (std::uint32_t i = 0; i < count; ++i) {
        const double x = random.normal();
        items.emplace_back(kind == 0 ? x : kind == 1 ? std::floor(3 * x) : std::exp(40 * x), i);
      }
      auto wanted = items;
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      radix_sort(items, room, [](const auto& item) { return order_key(item.first); });
      CHECK(items == wanted);
    }
  }
}
