// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/refill.hpp"

#include <doctest/doctest.h>

#include "csv_table.hpp"
#include "halfspace/evaluate/folds.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

constexpr std::string_view head = "b,age,color,w,label\n";
const std::vector<std::string> lines = {"1,10,red,1,x", "?,20,blue,2,y",  "5,?,red,1,x", "0,40,?,1,y",
                                        "7,,blue,3,x",  "2,1000,red,1,y", "?,0,red,1,x", "3,7,blue,1,y"};

std::string text_of(const std::vector<std::uint32_t>& rows) {
  std::string out(head);
  for (const std::uint32_t r : rows) out += lines[r] + "\n";
  return out;
}
std::vector<std::uint32_t> all_rows() { return {0, 1, 2, 3, 4, 5, 6, 7}; }

}  // namespace

// The oracle is the reader: a table of the training rows alone, and new rows read by what it has learned.
TEST_CASE("fills learned again from a part of the rows are those of a table of that part") {
  const std::vector<std::uint32_t> train{0, 1, 2, 3, 4, 7}, test{5, 6};
  for (const Missing missing : {Missing::Mean, Missing::Median, Missing::Indicator}) {
    const ReadOptions options{.weight = "w", .missing = missing};
    const Dataset whole = table(text_of(all_rows()), options), part = table(text_of(train), options);
    REQUIRE(features(whole) == features(part));
    const FoldRows split = split_rows(whole, train, test);
    for (std::size_t i = 0; i < train.size(); ++i) CHECK(row(split.training, i) == row(part, i));
    ReadOptions later;
    later.encoding = part.encoding();
    later.weight = "w";
    const Dataset unseen = table(text_of(test), later);
    for (std::size_t i = 0; i < test.size(); ++i) CHECK(row(split.judged, i) == row(unseen, i));
    CHECK(row(split.judged, 1) != row(whole, 6));

    const FoldRows fold = fold_rows(whole, test);
    for (std::size_t i = 0; i < train.size(); ++i) CHECK(row(fold.training, train[i]) == row(part, i));
    for (std::size_t i = 0; i < test.size(); ++i) CHECK(row(fold.judged, test[i]) == row(unseen, i));
    CHECK(fold.training.weight(5) == 0);
    CHECK(fold.judged.weight(5) == 1);
    CHECK(fold.judged.weight(1) == 2);
    CHECK(*fold.training.encoding()->columns[1].fill == doctest::Approx(*part.encoding()->columns[1].fill));
  }
}

TEST_CASE("a hole stays a hole in parts, whatever its value") {
  const Dataset whole = table(text_of(all_rows()), {.weight = "w", .missing = Missing::Mean});
  const std::vector<std::uint32_t> some{6, 1, 4};
  const Dataset part = whole.subset(some);
  REQUIRE(part.holes().size() == 3);
  CHECK(part.holes()[0].row == 0);
  CHECK(part.holes()[0].feature == 0);
  CHECK(part.holes()[2].row == 2);
  CHECK(part.holes()[2].feature == 1);
  CHECK_FALSE(table("a,label\n1,x\n2,y\n").knows_holes());
  CHECK(table("a,label\n1,x\n2,y\n", {.missing = Missing::Mean}).knows_holes());
}
