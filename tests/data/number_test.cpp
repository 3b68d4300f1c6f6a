// SPDX-License-Identifier: BSD-3-Clause
// The fast way to read numbers against the C library's.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "data/text/plain_decimal.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

enum class Fast { Refused, Undecided, Read };

// The number in the whole of `text`, the fast way.
Fast fast_number(const std::string& text, double& x) {
  const std::string padded = text + std::string(text_padding, '\0');
  const char* p = padded.data();
  PlainDecimal number;
  if (!read_plain_decimal(p, number) || p != padded.data() + text.size()) return Fast::Refused;
  return to_double(number, x) ? Fast::Read : Fast::Undecided;
}

double library_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string random_digits(Random& random, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += static_cast<char>('0' + random.below(10));
  return text;
}

std::string printed(const char* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

}  // namespace

TEST_CASE("a decimal of up to 19 digits reads as the nearest double, or is left to the careful way") {
  Random random(11);
  std::size_t undecided = 0;
  constexpr std::size_t tries = 200'000;
  for (std::size_t k = 0; k < tries; ++k) {
    const std::size_t whole = random.below(12), places = random.below(8 + random.below(12));
    std::string text = random.below(2) == 0 ? "-" : "";
    text += random_digits(random, whole);
    if (whole == 0 || places > 0) text += "." + random_digits(random, places + (whole == 0 ? 1 : 0));
    if (random.below(3) == 0) text += (random.below(2) == 0 ? "e-" : "E+") + std::to_string(random.below(9));
    double x = 0;
    const Fast result = fast_number(text, x);
    if (result == Fast::Undecided) ++undecided;
    if (result != Fast::Read) continue;
    CAPTURE(text);
    REQUIRE(x == library_number(text));
    REQUIRE(std::signbit(x) == std::signbit(library_number(text)));
  }
  CHECK(undecided < tries / 200);
}

TEST_CASE("doubles written with 17 digits come back") {
  Random random(12);
  std::size_t left = 0;
  constexpr std::size_t tries = 100'000;
  for (std::size_t k = 0; k < tries; ++k) {
    const double x = (static_cast<double>(random.next()) / 9.3e18 - 1) *
                     std::pow(10.0, static_cast<double>(random.below(9)) - 4);
    for (const char* format : {"%.17g", "%.16e", "%.15f"}) {
      const std::string text = printed(format, x);
      double read = 0;
      if (fast_number(text, read) != Fast::Read) {
        ++left;
        continue;
      }
      CAPTURE(text);
      REQUIRE(read == library_number(text));
    }
  }
  CHECK(left < tries / 50);
}

TEST_CASE("numbers in the middle between two doubles are never rounded by guess") {
  // 2^53 + 1 and its like are ties; one digit more or less is not.
  for (const char* text :
       {"9007199254740993", "9007199254740993.0", "9007199254740992.999", "9007199254740993.001",
        "18014398509481986", "4503599627370496.5", "4503599627370497.5", "0.5000000000000000555",
        "900719925474099.3", "1.000000000000000111", "1.000000000000000112"}) {
    double x = 0;
    if (fast_number(text, x) != Fast::Read) continue;
    CAPTURE(text);
    CHECK(x == library_number(text));
  }
  double x = 0;
  CHECK(fast_number("9007199254740993", x) == Fast::Undecided);
  CHECK(parse_number("9007199254740993").value == 9007199254740992.0);
}

TEST_CASE("what the fast way does not read it refuses") {
  double x = 0;
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "e5",
                           "1e",
                           "1e+",
                           "1e-",
                           "1e100",
                           "1e-300",
                           "0x10",
                           "1,5",
                           "nan",
                           "inf",
                           "--1",
                           "+-1",
                           "12345678901234567890",
                           "1e19",
                           "0.0000000000000000000000000001",
                           "1 "}) {
    CAPTURE(text);
    CHECK(fast_number(text, x) == Fast::Refused);
  }
  CHECK(fast_number("00000000000000000000000001.50", x) == Fast::Read);
  CHECK(x == 1.5);
  CHECK(fast_number("0.00000000000000000000000", x) == Fast::Read);
  CHECK(x == 0);
}

TEST_CASE("the careful way says what a token is") {
  const auto fault = [](std::string_view text) { return parse_number(text).fault; };
  for (const char* text :
       {"1", "+1", "-1", "1.", ".5", "1e5", "1E-5", "-0", "1e-400", "0e999999999999", "1e-99999999999"}) {
    CAPTURE(text);
    CHECK(fault(text) == NumberFault::None);
    CHECK(parse_number(text).value == library_number(text));
    CHECK_FALSE(std::signbit(parse_number(text).value == 0 ? parse_number(text).value : 0.0));
  }
  for (const char* text :
       {"", "+", "-", "--1", "+-1", "-+1", "1e", "1e+", "0x10", "1.2.3", "1_000", "1 ", "e5", "."}) {
    CAPTURE(text);
    CHECK(fault(text) == NumberFault::NotANumber);
  }
  for (const char* text : {"nan", "-NaN", "+inf", "Infinity"}) CHECK(fault(text) == NumberFault::NotFinite);
  for (const char* text : {"1e309", "-1e400", "1e99999999999"}) CHECK(fault(text) == NumberFault::OutOfRange);
  CHECK(parse_number("12x4").at == 2);
}
