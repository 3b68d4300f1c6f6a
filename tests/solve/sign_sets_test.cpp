// SPDX-License-Identifier: BSD-3-Clause
#include "solve/exact/sign_sets.hpp"

#include <doctest/doctest.h>

#include "halfspace/core/random.hpp"

namespace halfspace::exact {
namespace {

TEST_CASE("sign sets: every row by itself, for any number of rows, with and without errors") {
  Random random(61);
  for (const std::size_t rows : {0U, 1U, 2U, 63U, 64U, 65U, 130U}) {
    CAPTURE(rows);
    const std::vector<double> error{0, 2, 0};
    std::vector<double> margins, more;
    for (std::size_t k = 0; k < 3 * rows; ++k) margins.push_back(static_cast<double>(random.below(9)) - 4);
    for (std::size_t k = 0; k < rows; ++k) more.push_back(static_cast<double>(random.below(3)) - 1);
    SignSets sets;
    sets.read(margins, error);
    sets.read_more(more, 0.5);
    CHECK(sets.more() == 3);
    for (std::size_t g = 0; g < 4; ++g)
      for (std::size_t i = 0; i < rows; ++i) {
        const double m = g < 3 ? margins[g * rows + i] : more[i], e = g < 3 ? error[g] : 0.5;
        CHECK(has(sets.above(g), i) == (m > e));
        CHECK(has(sets.below(g), i) == (m < -e));
        CHECK(has(sets.may_be_above(g), i) == (m > -e));
        CHECK(has(sets.may_be_below(g), i) == (m < e));
      }
    std::size_t found = 0;
    for (std::size_t w = 0; w < sets.words(); ++w)
      for_rows(sets.above(0)[w], 64 * w, [&](std::size_t i) {
        CHECK(margins[i] > 0);
        ++found;
      });
    std::size_t expected = 0;
    for (std::size_t i = 0; i < rows; ++i) expected += margins[i] > 0 ? 1 : 0;
    CHECK(found == expected);
  }
}

}  // namespace
}  // namespace halfspace::exact
