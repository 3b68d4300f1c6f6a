// SPDX-License-Identifier: BSD-3-Clause
// Reading CSV and TSV: what the cells of a column become.
#include <doctest/doctest.h>
#include <xxhash.h>

#include "csv_table.hpp"

using namespace halfspace;
using namespace halfspace::testing;

TEST_CASE("a cell that is not a number is refused at its place with both ways out") {
  const Refusal r = refusal("f1,f2,label\n1,2,a\n3,4,b\nfive,6,b\n");
  CHECK(r.place == "4:1");
  CHECK(r.message == "'five' in column f1 is not a number");
  CHECK(r.hint == "--categorical f1 or --missing-words five");
  CHECK(refusal("f1,f2,label\n1,2,a\n3, four,b\n").place == "3:4");
  for (const std::string bad :
       {"0x1p3", "1_000", "\"1,234\"", "1e", "1.2.3", "--1", "+-1", "1 2", "e5", ".", "-"}) {
    CAPTURE(bad);
    const Refusal refused = refusal("x,y\n1,a\n" + bad + ",b\n");
    CHECK(refused.place == "3:1");
    CHECK(has(refused.message, "is not a number"));
  }
}

TEST_CASE("numbers that are not finite or out of range are refused, also as the first cell") {
  for (const std::string bad : {"nan", "NaN", "-nan", "inf", "-Infinity", "+INF"}) {
    CAPTURE(bad);
    CHECK(has(refusal("x,y\n1,a\n" + bad + ",b\n").message, "is not finite"));
    CHECK(refusal("x,y\n" + bad + ",b\n").place == "2:1");
  }
  CHECK(has(refusal("x,y\n1,a\n1e999,b\n").message, "out of range"));
  CHECK(has(refusal("x,y\n1,a\n-1e" + std::string(4000, '9') + ",b\n").message, "out of range"));
  CHECK(row(table("x,y\n1e-999,a\n1,b\n"), 0) == Row{0});
}

TEST_CASE("every form of a decimal number is read exactly") {
  const Dataset data = table(
      "x,y\n.5,a\n5.,a\n+7,a\n-0,a\n1e3,a\n1E-2,a\n0.1,a\n123456789012345678901234567890,a\n"
      "9007199254740993,a\n1." +
      std::string(5000, '0') + ",a\n");
  const std::vector<double> expected = {.5, 5, 7, 0, 1000, .01, .1, 1.2345678901234568e29, 9007199254740992.0,
                                        1};
  for (std::size_t r = 0; r < expected.size(); ++r) CHECK(row(data, r)[0] == expected[r]);
}

TEST_CASE(
    "a column is categorical by its first filled cell: one feature per category in the order of bytes") {
  const Dataset data = table("color,y\nred,a\ngreen,b\nRed,a\n10,b\nred,b\n");
  CHECK(features(data) == Texts{"color=10", "color=Red", "color=green", "color=red"});
  CHECK(row(data, 0) == Row{0, 0, 0, 1});
  CHECK(row(data, 3) == Row{1, 0, 0, 0});
  CHECK(features(table("sex,y\nm,a\nf,b\n")) == Texts{"sex=f", "sex=m"});
  CHECK(features(table("n,y\n2,a\n10,b\n", {.categorical = {"n"}})) == Texts{"n=10", "n=2"});
  CHECK(features(table("c,y\nInfantry,a\nNancy,b\n")) == Texts{"c=Infantry", "c=Nancy"});
}

TEST_CASE("more categories than the limit are refused at the cell that is too many") {
  std::string text = "c,y\n";
  for (int k = 0; k <= 65536; ++k) text += fmt::format("v{},a\n", k);
  const Refusal r = refusal(text);
  CHECK(r.place == "65538:1");
  CHECK(r.hint == "--ignore c");
  CHECK(table(text.substr(0, text.size() - 9)).features() == 65536);
}

TEST_CASE("missing values are refused at the first one unless a rule is chosen") {
  for (const std::string word : {"", "NA", "N/A", "?", "null", "\"\"", " ? "}) {
    CAPTURE(word);
    const Refusal r = refusal("x,z,y\n1,1,a\n2," + word + ",b\n");
    CHECK((r.place == "3:3" || r.place == "3:4"));
    CHECK(r.hint == "--missing mean|median|indicator|drop");
  }
  CHECK(has(refusal("x,y\n1,a\n-,b\n").message, "not a number"));
  CHECK(has(refusal("x,y\n1,a\n-,b\n", {.missing_words = {"-"}}).message, "is missing"));
  CHECK(refusal("c,y\nred,a\n,b\n").place == "3:1");
}

TEST_CASE("missing numbers take the mean or median of their column, missing categories are their own") {
  const std::string text = "x,c,y\n1,r,a\n?,g,b\n2,,a\n9,r,b\n0,g,b\n";
  const Dataset mean = table(text, {.missing = Missing::Mean});
  CHECK(row(mean, 1) == Row{3, 1, 0, 0});
  CHECK(row(mean, 2) == Row{2, 0, 0, 1});
  CHECK(mean.encoding()->columns[0].fill == 3.0);
  CHECK(mean.encoding()->columns[1].fill == 0.0);
  const Dataset median = table(text, {.missing = Missing::Median});
  CHECK(row(median, 1) == Row{1.5, 1, 0, 0});
  const Dataset odd = table("x,y\n5,a\n,b\n-3,a\n7,b\n", {.missing = Missing::Median});
  CHECK(row(odd, 1) == Row{5});
  const Dataset huge = table("x,y\n1e308,a\n1e308,a\n1.5e308,b\n,b\n", {.missing = Missing::Mean});
  CHECK(row(huge, 3)[0] == doctest::Approx(3.5 / 3 * 1e308));
}

TEST_CASE("a weight of k counts as k rows for mean, median, categories and words; 0 as none") {
  const ReadOptions mean{.weight = "w", .missing = Missing::Mean};
  CHECK(row(table("x,w,y\n1,3,a\n5,1,b\n,1,a\n100,0,a\n", mean), 2) == Row{2});
  const ReadOptions median{.weight = "w", .missing = Missing::Median};
  CHECK(row(table("x,w,y\n1,3,a\n5,1,b\n,1,a\n100,0,a\n", median), 2) == Row{1});
  const Dataset data = table("c,w,y\nr,1,a\ng,0,b\nb,2,a\n", {.weight = "w"});
  CHECK(features(data) == Texts{"c=b", "c=r"});
  CHECK(data.weight(1) == 0);
  CHECK(features(table("t,w,y\none,2,a\ntwo,1,b\nthree two,0,b\n", {.weight = "w", .text = {"t"}})) ==
        Texts{"t:one"});
}

TEST_CASE("rows with a missing value are dropped when asked, and counted") {
  std::vector<std::string> notes;
  const Dataset data =
      table("x,c,y\n1,r,a\n,g,b\n2,?,c\n3,b,b\n", {.missing = Missing::Drop, .notes = &notes});
  CHECK(data.rows() == 2);
  CHECK(features(data) == Texts{"x", "c=b", "c=r"});
  CHECK(data.classes() == Texts{"a", "b"});
  CHECK(row(data, 1) == Row{3, 1, 0});
  CHECK(std::find(notes.begin(), notes.end(), "2 of 4 rows were dropped: a value is missing") != notes.end());
  CHECK(has(refusal("x,y\n,a\n,b\n", {.missing = Missing::Drop}).message, "all 2"));
  CHECK(refusal("x,z,y\n1,1,a\n,five,b\n", {.missing = Missing::Drop}).place == "3:2");
}

TEST_CASE("a column without any value is zero everywhere and said so") {
  std::vector<std::string> notes;
  const Dataset data = table("x,e,y\n1,,a\n2,,b\n", {.missing = Missing::Mean, .notes = &notes});
  CHECK(row(data, 1) == Row{2, 0});
  CHECK(has(notes.back(), "column e has no values"));
}

TEST_CASE("weights are numbers of at least 0") {
  const Dataset data = table("x,w,y\n1,0.5,a\n2,3,b\n", {.weight = "w"});
  CHECK(data.weight(0) == 0.5);
  CHECK(data.weight(1) == 3);
  CHECK(data.features() == 1);
  CHECK(data.encoding()->weight_column == "w");
  CHECK(refusal("x,w,y\n1,1,a\n2,-1,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n2,,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n2,inf,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n", {.weight = "weight"}).place == "1:1");
}

TEST_CASE("ignored columns may hold anything; one column has one use") {
  CHECK(features(table("id,x,y\nfoo,1,a\n7,2,b\n,3,b\n", {.ignore = {"id"}})) == Texts{"x"});
  CHECK_THROWS_AS(table("x,w,y\n1,1,a\n", {.label = "w", .weight = "w"}), UsageError);
  CHECK_THROWS_AS(table("x,y\n1,a\n", {.label = "y", .ignore = {"y"}}), UsageError);
  CHECK(refusal("x,y\n1,a\n", {.ignore = {"z"}}).place == "1:1");
  CHECK(has(refusal("x,y\n1,a\n", {.ignore = {"x"}}).message, "no feature columns"));
}

TEST_CASE("text columns become counts of words that occur in at least two rows") {
  const std::string text =
      "y,t,x\nham,\"Free, free WINE\",1\nspam,free caf\xC3\xA9!,2\nham,caf\xC3\xA9 wine-bar,3\n";
  const Dataset data = table(text, {.label = "y", .text = {"t"}});
  CHECK(features(data) == Texts{"t:caf\xC3\xA9", "t:free", "t:wine", "x"});
  CHECK(row(data, 0) == Row{0, 2, 1, 1});
  CHECK(row(data, 2) == Row{1, 0, 1, 3});
  CHECK(table("t,y\n,a\nx y,b\ny,b\n", {.text = {"t"}}).rows() == 3);  // an empty text is no missing value
}

TEST_CASE("words are hashed into a fixed number of features") {
  const Dataset data = table("t,y\nfree wine free,a\nbar,b\n", {.text = {"t"}, .hash_bits = 10});
  CHECK(data.features() == 1024);
  const auto bucket = [](std::string_view word) { return XXH64(word.data(), word.size(), 0) & 1023U; };
  CHECK(row(data, 0)[bucket("free")] == 2);
  CHECK(row(data, 0)[bucket("wine")] == 1);
  CHECK(row(data, 1)[bucket("bar")] == 1);
  CHECK(data.feature_name(5) == "t:#5");
  CHECK_THROWS_AS(table("t,y\na,b\n", {.text = {"t"}, .hash_bits = 31}), UsageError);
}
