// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "csv_table.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {
constexpr std::string_view holes = "age,color,label\n10,red,a\n,blue,b\n30,,a\n20,red,b\n";
}  // namespace

TEST_CASE("a missing category is its own category where training rows have one") {
  const Dataset data = table(holes, {.missing = Missing::Mean});
  CHECK(features(data) == Texts{"age", "color=blue", "color=red", "color missing"});
  CHECK(row(data, 1) == Row{20, 1, 0, 0});
  CHECK(row(data, 2) == Row{30, 0, 0, 1});
  // What was never missing in training is none of the categories later.
  const Dataset full = table("age,color,label\n1,red,a\n2,blue,b\n", {.missing = Missing::Mean});
  CHECK(features(full) == Texts{"age", "color=blue", "color=red"});
  CHECK(row(table("age,color\n3,?\n", {.need_labels = false, .encoding = full.encoding()}), 0) ==
        Row{3, 0, 0});
}

TEST_CASE("a row of weight 0 makes no feature for missing values") {
  const Dataset data = table("age,color,w,label\n1,red,1,a\n2,blue,1,b\n,,0,a\n",
                             {.weight = "w", .missing = Missing::Indicator});
  CHECK(features(data) == Texts{"age", "color=blue", "color=red"});
}

TEST_CASE("an indicator is 1 where a number was filled in") {
  const Dataset data = table(holes, {.missing = Missing::Indicator});
  CHECK(features(data) == Texts{"age", "age missing", "color=blue", "color=red", "color missing"});
  CHECK(row(data, 0) == Row{10, 0, 0, 1, 0});
  CHECK(row(data, 1) == Row{20, 1, 1, 0, 0});
  const Dataset again = table("color,age\n,\n", {.need_labels = false, .encoding = data.encoding()});
  CHECK(row(again, 0) == Row{20, 1, 0, 0, 1});
}

TEST_CASE("the reference has no feature, and unknown categories count as it") {
  const Dataset data = table("color,n,label\nred,1,a\nblue,2,b\ngreen,3,a\n", {.one_hot = OneHot::Reference});
  CHECK(features(data) == Texts{"color=green", "color=red", "n"});
  CHECK(row(data, 1) == Row{0, 0, 2});
  CHECK(row(data, 2) == Row{1, 0, 3});
  Texts notes;
  const Dataset later =
      table("color,n\npink,5\n", {.need_labels = false, .encoding = data.encoding(), .notes = &notes});
  CHECK(row(later, 0) == Row{0, 0, 5});
  REQUIRE(notes.size() == 1);
  CHECK(has(notes[0], "they count as the reference"));
}

TEST_CASE("rows without a label are left out unless missing values are refused") {
  constexpr std::string_view text = "x,y\n1,a\n2,?\n3,b\n";
  CHECK(refusal(text).place == "3:3");
  for (const Missing how : {Missing::Drop, Missing::Mean, Missing::Indicator})
    CHECK(labels(table(text, {.missing = how})) == Texts{"a", "b"});
}

TEST_CASE("decimal commas are read on request, beside points") {
  const ReadOptions comma{.delimiter = ';', .decimal = DecimalMark::Comma};
  const Dataset data = table("x;y\n1,5;a\n-2,25e1;b\n3.5;a\n", comma);
  CHECK(features(data) == Texts{"x"});
  CHECK(row(data, 0) == Row{1.5});
  CHECK(row(data, 1) == Row{-22.5});
  CHECK(row(data, 2) == Row{3.5});
  CHECK(refusal("x;y\n1,5;a\n1.000,5;b\n", comma).place == "3:1");
}

TEST_CASE("cells of columns to keep come with the rows that are kept, whatever else the column is for") {
  Texts kept;
  const Dataset data =
      table("id,x,label\np,1,a\nq,,b\nr,3,b\n",
            {.ignore = {"id"}, .missing = Missing::Drop, .keep = {"label", "id", "x"}, .kept = &kept});
  CHECK(data.rows() == 2);
  CHECK(kept == Texts{"a", "p", "1", "b", "r", "3"});
}
