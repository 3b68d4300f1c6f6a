// SPDX-License-Identifier: BSD-3-Clause
// Reading CSV and TSV: the exact place of everything that is wrong, also in long texts and with many threads.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "csv_table.hpp"
#include "data/text/table.hpp"

using namespace halfspace;
using namespace halfspace::testing;

TEST_CASE("rows with another number of cells are refused at the line, or at the first cell too many") {
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,b\n").place == "4:1");
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,b\n").message == "3 cells expected, 2 found");
  CHECK(refusal("f1,f2,label\n1,2,a,\n").message == "3 cells expected, 4 found");
  CHECK(refusal("f1,f2,label\n1,2,a,\n").place == "2:7");
  CHECK(refusal("f1,f2,label\n1,2,a\n3, 4, b,  5, 6\n").place == "3:11");
  CHECK(refusal("f1,f2,label\n1,2,a\n\"3,3\",4,b,5\n").place == "3:11");
  CHECK(has(refusal("f1,label\n1,5,a\n").hint, "decimal comma"));
  CHECK(has(refusal("f1,f2,label\n1,2,a\n3\t4\tb\n").hint, "tabs"));
  CHECK(refusal("f1,f2,label\n1,2,a\nfive\n").message == "3 cells expected, 1 found");
  CHECK(refusal("c,x,y\n\"a\nb\",1,p\n\"c\nd\",1\n").place == "4:1");
}

TEST_CASE("an open quote is refused where it was opened") {
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,\"6,b\n").place == "4:3");
  CHECK(has(refusal("f1,f2,label\n1,2,a\n5,\"6,b\n").message, "never closed"));
  CHECK(refusal("x,y\n1, \"a\"\"\n2,b\n3,c").place == "2:4");
  CHECK(refusal("x,\"y\n1,a\n").place == "1:3");
  std::string endless = "x,y\n1,a\n2,\"";
  while (endless.size() < (std::size_t{70} << 20))
    endless += "1234567890123456789012345678901234567890123456789\n";
  CHECK(refusal(endless).place == "3:3");
  const Refusal after = refusal("x,y\n1,\"a\"b\n");
  CHECK(after.place == "2:5");  // the quote that closes the cell
  CHECK(has(after.message, "after the quote"));
  const Refusal lost = refusal("x,w,y\n1,2,a\n3,\"4,b\n5,6,\"c\"\n");
  CHECK(lost.place == "3:3");
  CHECK(has(lost.message, "opened here is closed 1 lines below"));
  const Refusal swallowed = refusal("x,w,y\n1,2,a\n3,\"4,b\n5,6\",c,d\n");
  CHECK(swallowed.place == "3:3");
  CHECK(has(swallowed.message, "3 cells expected, 4 found"));
}

TEST_CASE("a quote inside a number is refused at the quote") {
  const Refusal inside = refusal("x,y\n1,a\n22\"2,b\n");
  CHECK(inside.place == "3:3");
  CHECK(has(inside.message, "stray quote"));
}

TEST_CASE("empty tables are refused") {
  CHECK(refusal("").place == "1:1");
  CHECK(has(refusal("").message, "no header"));
  CHECK(refusal("\n \n\r\n").place == "1:1");
  CHECK(refusal("\xEF\xBB\xBF").place == "1:1");
  CHECK(refusal("x,y\n").place == "2:1");
  CHECK(has(refusal("x,y\n\n\n").message, "no rows"));
}

TEST_CASE("bytes that are not text are refused at their place") {
  const Refusal nul = refusal(std::string("x,y\n1,a\n2") + '\0' + "3,b\n");
  CHECK(nul.place == "3:2");
  CHECK(has(nul.message, "byte 0x00"));
  CHECK(refusal(std::string("x,y\n1,a\n2,b") + '\x01' + "\n").place == "3:4");
  CHECK(refusal(std::string("x,y\n1,\"a\nb") + '\x7F' + "\"\n").place == "3:2");
  CHECK(has(refusal("x,y\r1,a\r2,b\r").message, "0x0d"));
  using namespace std::string_literals;
  CHECK(has(refusal("\xFF\xFEx\0,\0y\0\n\0"s).message, "UTF-16"));
  CHECK(has(refusal("\xFE\xFF\0x\0,\0y\0\n"s).message, "UTF-16"));
  CHECK(has(refusal("x\0,\0y\0\n\0"s).message, "UTF-16"));
  CHECK(refusal("x,y\n1,a\n2,b\xFF\n").place == "3:3");
  CHECK(has(refusal("x,y\n1,a\n2,b\xC3\n").message, "not valid UTF-8"));
  CHECK(refusal("c,y\na,a\nb\xED\xA0\x80,b\n").place == "3:1");
  CHECK(refusal("c\x80,y\na,a\n").place == "1:1");
  CHECK(refusal("t,y\na,a\n \xFE,b\n", {.text = {"t"}}).place == "3:2");
  CHECK(table("c,y\n\xE2\x82\xAC,a\n\xF0\x9F\x98\x80,b\n").features() == 2);
}

TEST_CASE("cells, rows and columns beyond the limits are refused") {
  const std::string big(std::size_t{1} << 20, 'x');
  CHECK(table("c,y\n" + big + ",a\n").rows() == 1);
  CHECK(refusal("c,y\nx,b\n" + big + "x,a\n").place == "3:1");
  CHECK(refusal("c,y\nx,b\n\"" + big + "x\",a\n").place == "3:1");
  CHECK(has(refusal("c,y\nx,b\n\"" + big + "x\",a\n").message, "1 MiB"));
  std::string wide;
  for (std::size_t c = 0; c < (std::size_t{1} << 20); ++c) wide += "1,";
  CHECK(has(refusal(wide + "a\n").message, "columns"));
  CHECK(table(wide.substr(2) + "a\n").features() == (1U << 20) - 1);
  std::string endless = "x,y\n";
  while (endless.size() < (std::size_t{70} << 20))
    endless += "1234567890123456789012345678901234567890123456789,";
  CHECK(refusal(endless).place == "2:1");
  CHECK(has(refusal(endless).message, "64 MiB"));
}

TEST_CASE("text longer than a block keeps its rows, kinds and places for any number of threads") {
  // The first filled cell of `late` comes after several blocks; of `mixed` it is a word before numbers.
  std::string text = "late,mixed,x,y\n";
  const int rows = 60000;
  for (int r = 0; r < rows; ++r) {
    const std::string late = r < rows - 5 ? "" : "7";
    const std::string mixed = r == 3 ? "word" : (r < 20000 ? "" : fmt::format("{}", r % 7));
    text += fmt::format("{},{},{}.25,{}\n", late, mixed, r, r % 3);
  }
  ReadOptions options{.missing = Missing::Median};
  std::set<std::string> prints;
  for (const int threads : {1, 2, 5}) {
    options.threads = Threads(threads);
    const Dataset data = table(text, options);
    CHECK(data.rows() == rows);
    CHECK(features(data) == Texts{"late", "mixed=0", "mixed=1", "mixed=2", "mixed=3", "mixed=4", "mixed=5",
                                  "mixed=6", "mixed=word", "mixed missing", "x"});
    CHECK(row(data, 0)[0] == 7);
    CHECK(row(data, rows - 1).back() == rows - 1 + 0.25);
    prints.insert(data.fingerprint());
    const Refusal r = refusal(text + "oops,1,1,1\n,1,x,2\n", options);
    CHECK(r.place == fmt::format("{}:1", rows + 2));
  }
  CHECK(prints.size() == 1);
}

TEST_CASE("feature names of an encoding") {
  Encoding e;
  e.columns.push_back({.name = "age"});
  e.columns.push_back({.name = "none", .kind = ColumnKind::Category, .first_feature = 1});
  e.columns.push_back(
      {.name = "color", .kind = ColumnKind::Category, .categories = {"blue", "red"}, .first_feature = 1});
  e.columns.push_back({.name = "text", .kind = ColumnKind::Words, .hash_bits = 3, .first_feature = 3});
  e.columns.push_back(
      {.name = "words", .kind = ColumnKind::Words, .categories = {"free"}, .first_feature = 11});
  CHECK(e.features() == 12);
  CHECK(e.feature_name(0) == "age");
  CHECK(e.feature_name(2) == "color=red");
  CHECK(e.feature_name(1) == "color=blue");
  CHECK(e.feature_name(3) == "text:#0");
  CHECK(e.feature_name(11) == "words:free");
  CHECK(e.feature_name(12) == "13");
  CHECK(Encoding{}.features() == 0);
}

TEST_CASE("texts are numbered in the order they are met") {
  TextTable texts;
  CHECK_FALSE(texts.find("a").has_value());
  for (std::uint32_t k = 0; k < 1000; ++k) CHECK(texts.intern(fmt::format("text {}", k)) == k);
  for (std::uint32_t k = 0; k < 1000; ++k) CHECK(texts.intern(fmt::format("text {}", k)) == k);
  CHECK(texts.intern("") == 1000);
  CHECK(texts.text(7) == "text 7");
  CHECK(texts.text(1000).empty());
  CHECK(texts.find("text 999") == 999U);
  CHECK(texts.size() == 1001);
}

TEST_CASE("invalid UTF-8 is found where it begins") {
  CHECK(find_invalid_utf8("plain ASCII text \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == std::string_view::npos);
  CHECK(find_invalid_utf8("0123456789\x80") == 10);
  CHECK(find_invalid_utf8("\xC0\x80") == 0);
  CHECK(find_invalid_utf8("a\xE0\x80\x80") == 1);
  CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0);
  CHECK(find_invalid_utf8("\xE2\x82") == 0);
}
