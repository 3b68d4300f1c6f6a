// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/core/label_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "halfspace/core/error.hpp"

using namespace halfspace;

TEST_CASE("names of classes stand on one line, plain ones as they are, and read back") {
  for (const char* plain : {"setosa", "-1", "+", "Zürich", "日本", "a\\b", "=SUM(1)", "100 %", ""}) {
    CHECK(label_line(plain) == plain);
    CHECK(label_from_line(plain) == plain);
  }
  const std::string nasty[] = {
      "a\tb",           "a\nb",     "\x1b[31m",     "\x7f",         "\xc2\x85",          "\xe2\x80\xae",
      "\xe2\x81\xa6",   "\xd8\x9c", "\xe2\x80\xa8", "\xed\xa0\x80", "\xff\xfe",          "\\x41",
      "\\\\x41\x01\\x", "\\",       "\\x",          "\xef\xbf\xb9", std::string(3, '\0')};
  for (const std::string& name : nasty) {
    CAPTURE(printable(name));
    CHECK(is_printable(label_line(name)));
    CHECK(label_from_line(label_line(name)) == name);
  }
}

TEST_CASE("cells of tables are quoted where they must be and never formulas") {
  CHECK(label_cell("setosa", ',') == "setosa");
  CHECK(label_cell("=HYPERLINK(1)", ',') == "\"\\x3dHYPERLINK(1)\"");
  CHECK(label_cell("@x", '\t') == "\\x40x");
  CHECK(label_cell("+cmd|1", '\t') == "\\x2bcmd|1");
  for (const char* number : {"-1", "+1", "-2.5e3", "+", "-"}) CHECK(label_cell(number, ',') == number);
  CHECK(label_cell("a,b", ',') == "\"a,b\"");
  CHECK(label_cell("a\"b", ',') == "\"a\"\"b\"");
  CHECK(label_cell(" a", ',') == "\" a\"");
  CHECK(label_cell("a,b", '\t') == "a,b");
  CHECK(label_from_line(label_cell("=x", '\t')) == "=x");
}
