// SPDX-License-Identifier: BSD-3-Clause
// What a file is when it is neither rows nor a model, and what is a table although it looks odd.
#include "data/text/other_file.hpp"

#include <doctest/doctest.h>

#include "data/text/number.hpp"

using namespace halfspace;
using namespace std::string_literals;

namespace {

std::string kind(const std::string& head) {
  const auto other = other_file(head);
  return other ? other->what : "";
}

std::string wide(const std::u16string& text, bool big_endian) {
  std::string out;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFFU), high = static_cast<char>(unit >> 8U);
    out += big_endian ? high : low;
    out += big_endian ? low : high;
  }
  return out;
}

}  // namespace

TEST_CASE("text of two or four bytes a character is known without a mark") {
  CHECK(kind(wide(u"+1 1:2\n-1 1:3\n", false)) == "text in UTF-16LE");
  CHECK(kind(wide(u"+1 1:2\n-1 1:3\n", true)) == "text in UTF-16BE");
  CHECK(kind(wide(u"\u5E74,label\n1,\u7537\n2,\u5973\n", false)) == "text in UTF-16LE");
  CHECK(kind(wide(u"\uFEFFa,label\n", false)) == "text in UTF-16");
  CHECK(kind("1\0\0\0,\0\0\0"s) == "text in UTF-32LE");
  CHECK(kind("\0\0\0001\0\0\0,"s) == "text in UTF-32BE");
  CHECK(kind("1 1:2\0 2:3\n-1 1:4\n"s).empty());
  CHECK(kind("1 1:2\n-1 1:3\n\0\0\0\0\0"s).empty());
  CHECK(kind("\0\0\x08\x03\0\0\0\2\0\0\0\x1c\0\0\0\x1c"s) != "text in UTF-16BE");
}

TEST_CASE("pages, archives and pictures are called by their names") {
  CHECK(kind("<!DOCTYPE html>\n<html>") == "an HTML page");
  CHECK(kind("<HTML lang=en>") == "an HTML page");
  CHECK(kind("<?xml version='1.0'?>") == "XML");
  CHECK(kind("{ \"a\": 1}") == "JSON");
  CHECK(kind("[\n {\"a\": 1}]") == "JSON");
  CHECK(kind("PK\3\4\x14\0"s) == "a ZIP archive");
  CHECK(kind("PAR1\x15\x04") == "a Parquet file");
  CHECK(kind("\x1F\x8B\x08") == "packed with gzip twice");
  const auto page = other_file("\n\n  <html>");
  REQUIRE(page);
  CHECK(page->line == 3);
  CHECK(page->column == 3);
}

TEST_CASE("tables whose first name looks like something else stay tables") {
  for (const char* text :
       {"PAR1,label\n1,x\n", "GIF8,label\n1,x\n", "{a},label\n1,x\n", "[0],[1],label\n1,2,x\n",
        "<5,>=5,y\n1,0,a\n", "a,b\n<b>,1\n", "version,label\n1,x\n", "", "1 1:2\n", "\"{\",y\n1,a\n"})
    CHECK_MESSAGE(kind(text).empty(), text);
}

TEST_CASE("numbers as others write them come with a hint") {
  CHECK(number_hint("1,5") == "a decimal comma is written as a point");
  CHECK(number_hint("-0,25e3") == "a decimal comma is written as a point");
  CHECK(number_hint("1,000").find("thousands") != std::string_view::npos);
  CHECK(number_hint("1,000,000") == "thousands separators are left out");
  CHECK(number_hint("1,000.5") == "thousands separators are left out");
  CHECK(number_hint("1'000") == "thousands separators are left out");
  CHECK(number_hint("1.5D+03") == "an exponent is written with E");
  for (const char* text : {"", "-", "abc", "15kg", "1,", "0x1F", "1.5.2", "3:4", "d5", "1dx"})
    CHECK_MESSAGE(number_hint(text).empty(), text);
}
