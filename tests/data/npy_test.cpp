// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "matrix_reader.hpp"

using namespace halfspace;
using namespace halfspace::testing;
using namespace std::string_literals;

namespace {

template <class T>
std::string raw(std::initializer_list<T> values, bool big_endian = false) {
  std::string out;
  for (const T value : values) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    if (big_endian) std::reverse(bytes.begin(), bytes.end());
    out += bytes;
  }
  return out;
}

std::string npy_text(std::string text, const std::string& data, int version = 1) {
  text.resize(118, ' ');
  text.back() = '\n';
  std::string out = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  out += static_cast<char>(text.size()) + "\0"s;
  if (version > 1) out += "\0\0"s;
  return out + text + data;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool fortran = false, int version = 1) {
  return npy_text(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                              fortran ? "True" : "False", shape),
                  data, version);
}

const std::string six = raw<double>({1, 2, 3, 4, 5, 6});
const std::string good = npy("<f8", "(2, 3)", six);
const std::string good_labels = npy("<i8", "(2,)", raw<std::int64_t>({-1, 1}));

DatasetParts read_parts(std::string_view matrix, std::string_view labels = good_labels,
                        ReadOptions options = {}) {
  const auto x = memory_source(matrix, "X");
  const auto y = memory_source(labels, "Y");
  return read_npy(*x, "X", y.get(), "Y", options);
}

std::string error_of(const std::string& matrix, const std::string& labels = good_labels) {
  return error_of_pair(matrix, labels, read_npy);
}

using Values = std::vector<double>;

}  // namespace

TEST_CASE("arrays in C and Fortran order give their rows") {
  CHECK(values(read_parts(good)) == Values{1, 2, 3, 4, 5, 6});
  CHECK(values(read_parts(npy("<f8", "(2, 3)", six, true))) == Values{1, 3, 5, 2, 4, 6});
  CHECK(values(read_parts(npy("<f8", "(2,)", raw<double>({7, 8}), true))) == Values{7, 8});
  CHECK(values(read_parts(npy("<f8", "(2, 3)", six, false, 2))) == Values{1, 2, 3, 4, 5, 6});
  CHECK(values(read_parts(npy("<f8", "(2, 3)", six, false, 3))) == Values{1, 2, 3, 4, 5, 6});
}

TEST_CASE("every dtype is read in both byte orders") {
  CHECK(values(read_parts(npy("|b1", "(2,)", "\0\1"s))) == Values{0, 1});
  CHECK(values(read_parts(npy("|u1", "(2,)", "\1\xff"s))) == Values{1, 255});
  CHECK(values(read_parts(npy("|i1", "(2,)", "\1\xff"s))) == Values{1, -1});
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    CHECK(values(read_parts(npy(order + "u2", "(2,)", raw<std::uint16_t>({1, 65535}, big)))) ==
          Values{1, 65535});
    CHECK(values(read_parts(npy(order + "i2", "(2,)", raw<std::int16_t>({1, -300}, big)))) ==
          Values{1, -300});
    CHECK(values(read_parts(npy(order + "u4", "(2,)", raw<std::uint32_t>({1, ~0U}, big)))) ==
          Values{1, 4294967295.0});
    CHECK(values(read_parts(npy(order + "i4", "(2,)", raw<std::int32_t>({1, -70000}, big)))) ==
          Values{1, -70000});
    CHECK(values(read_parts(npy(order + "u8", "(2,)", raw<std::uint64_t>({1, 1ULL << 63U}, big)))) ==
          Values{1, 9223372036854775808.0});
    CHECK(values(read_parts(npy(order + "i8", "(2,)", raw<std::int64_t>({1, -(1LL << 53)}, big)))) ==
          Values{1, -9007199254740992.0});
    CHECK(values(read_parts(npy(order + "f4", "(2,)", raw<float>({0.25F, -2.5F}, big)))) ==
          Values{0.25, -2.5});
    CHECK(values(read_parts(npy(order + "f8", "(2,)", raw<double>({0.1, -1e-300}, big)))) ==
          Values{0.1, -1e-300});
  }
}

TEST_CASE("labels are numbers or texts of fixed width") {
  const auto classes = [](const std::string& y) { return read_parts(good, y).classes; };
  using Names = std::vector<std::string>;
  CHECK(classes(good_labels) == Names{"-1", "1"});
  CHECK(classes(npy("<f8", "(2,)", raw<double>({0.5, -0.0}))) == Names{"0", "0.5"});
  CHECK(classes(npy("|b1", "(2,)", "\1\0"s)) == Names{"0", "1"});
  CHECK(classes(npy("|S3", "(2,)", "no\0yes"s)) == Names{"no", "yes"});
  CHECK(classes(npy("<U2", "(2,)", raw<std::uint32_t>({0xE4, 0, 'a', 0x1F600}))) ==
        Names{"a\xF0\x9F\x98\x80", "\xC3\xA4"});
  CHECK(classes(npy(">U1", "(2,)", raw<std::uint32_t>({'b', 'a'}, true))) == Names{"a", "b"});
  CHECK(read_parts(good, npy("|S3", "(2,)", "yesno\0"s)).labels == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("bad NPY headers are refused") {
  CHECK(begins(error_of(""), "X: byte 0: error: truncated magic"));
  CHECK(begins(error_of("\x93NUM"), "X: byte 0: error: truncated magic"));
  CHECK(begins(error_of("PK\3\4 zip archive"), "X: byte 0: error: not NPY"));
  CHECK(begins(error_of(npy("<f8", "(2, 3)", six, false, 9)), "X: byte 6: error: unsupported version 9.0"));
  std::string huge = npy("<f8", "(2, 3)", six, false, 2);
  huge.replace(8, 4, "\xf0\xff\xff\xff");
  CHECK(begins(error_of(huge), "X: byte 8: error: a header of 4294967280 bytes"));
  CHECK(begins(error_of(good.substr(0, 50)), "X: byte 50: error: truncated header"));
  CHECK(begins(error_of(npy_text("{'descr': __import__('os').system('true'), }", six)),
               "X: byte 20: error: a quoted text"));
  CHECK(error_of(npy("<f8", "(65536, 65536)", "")) ==
        "X: byte 128: error: size mismatch: the file ends here, shape (65536, 65536) of dtype <f8 needs "
        "34359738368 bytes, 0 are there");
  CHECK(begins(error_of(npy("<f8", "(-1, 3)", six)), "X: byte 61: error: a dimension of the shape is < 0"));
  CHECK(begins(error_of(npy("<f8", "(9999999999, 9999999999, 9999999999)", six)),
               "X: byte 60: error: size mismatch"));
  CHECK(begins(error_of(npy("<f8", "(99999999999999999999999, 3)", six)),
               "X: byte 61: error: a dimension that 64"));
  CHECK(begins(error_of(npy_text("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", six)),
               "X: byte 20: error: unsupported dtype"));
  for (const std::string descr :
       {"|O", "<c16", "<f2", "<M8[D]", "f8", "", "<f16", "|S", "<U0", "|S99999999"}) {
    CHECK(begins(error_of(npy(descr, "(2,)", six)), "X: byte 20: error: unsupported dtype"));
  }
  CHECK(begins(error_of(npy("|S8", "(6,)", six)), "X: byte 20: error: unsupported dtype '|S8' of X"));
  CHECK(begins(error_of(good + "EXTRA"), "X: byte 176: error: trailing bytes"));
  CHECK(begins(error_of(npy_text("{'fortran_order': False, 'shape': (2, 3), }", six)),
               "X: byte 10: error: missing key 'descr'"));
  CHECK(begins(error_of(npy_text("{}", six)), "X: byte 10: error: missing key 'descr'"));
  CHECK(begins(error_of(npy("<f8", "(0, 3)", "")), "X: byte 61: error: no examples"));
  CHECK(begins(error_of(npy("<f8", "(3, 0)", "")), "X: byte 64: error: no features"));
  CHECK(begins(error_of(npy("<f8", "()", raw<double>({1}))), "X: byte 60: error: shape ()"));
  CHECK(begins(error_of(npy("<f8", "(1, 2, 3)", six)), "X: byte 60: error: shape (1, 2, 3)"));
}

TEST_CASE("the header is one dictionary of three literals and nothing else") {
  const auto refused = [](const std::string& text) { return !error_of(npy_text(text, six)).empty(); };
  const std::string rest = "'fortran_order': False, 'shape': (2, 3), ";
  CHECK_FALSE(refused("{'descr': '<f8', " + rest + "}"));
  CHECK_FALSE(refused("{\"descr\":\"<f8\"," + rest + "}"));
  CHECK_FALSE(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L)}"));
  CHECK(refused("{'descr': '<f8', 'descr': '<f8', " + rest + "}"));
  CHECK(refused("{'descr': '<f8', 'more': 1, " + rest + "}"));
  CHECK(refused("{'descr': '<f8', " + rest + "} + x"));
  CHECK(refused("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}"));
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': [2, 3]}"));
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}"));
  CHECK(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3.0)}"));
  CHECK(
      refused("{'descr': '<\\x66"
              "8', " +
              rest + "}"));
  CHECK(refused("{'descr': '<f8, " + rest));
  CHECK(refused("{'descr' '<f8', " + rest + "}"));
  CHECK(refused("dict(descr='<f8')"));
  CHECK(refused(std::string(118, '(')));
}

TEST_CASE("values that are no numbers are refused with their row and column") {
  const double nan = std::nan("");
  CHECK(error_of(npy("<f8", "(2, 3)", raw<double>({1, 2, nan, 4, 5, 6}))) ==
        "X: byte 144: error: row 0 col 2 is not finite: nan");
  CHECK(begins(error_of(npy("<f8", "(2, 3)", raw<double>({1, 2, 3, -INFINITY, 5, 6}), true)),
               "X: byte 152: error: row 1 col 1 is not finite: -inf"));
  CHECK(begins(error_of(npy("<i8", "(2,)", raw<std::int64_t>({1, (1LL << 53) + 1}))),
               "X: byte 136: error: row 1 col 0 is 9007199254740993, which"));
  CHECK(begins(error_of(npy("<u8", "(2,)", raw<std::uint64_t>({1, ~0ULL}))),
               "X: byte 136: error: row 1 col 0 is 1844"));
  CHECK(begins(error_of(npy("<i8", "(2,)", raw<std::int64_t>({INT64_MAX, 1}))),
               "X: byte 128: error: row 0 col 0 is 922"));
}

TEST_CASE("bad NPY labels are refused by their own name") {
  CHECK(begins(error_of(good, npy("<i8", "(3,)", raw<std::int64_t>({1, 2, 3}))),
               "Y: byte 61: error: 3 labels; X has 2 rows"));
  CHECK(begins(error_of(good, npy("<i8", "(2, 1)", raw<std::int64_t>({1, 2}))),
               "Y: byte 60: error: labels of shape (2, 1)"));
  CHECK(begins(error_of(good, npy("<f8", "(2,)", raw<double>({1, NAN}))),
               "Y: byte 136: error: row 1 col 0 is not finite"));
  CHECK(begins(error_of(good, npy("|S2", "(2,)", "ab\0\0"s)), "Y: byte 130: error: row 1 col 0 is an empty"));
  CHECK(begins(error_of(good, npy("<U1", "(2,)", raw<std::uint32_t>({'a', 0xD800}))),
               "Y: byte 132: error: row 1 col 0"));
  CHECK(begins(error_of(good, npy("|S2", "(2,)", "abc"s)), "Y: byte 131: error: size mismatch"));
}

TEST_CASE("an NPY file cut anywhere is refused") {
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(error_of(good.substr(0, size)).empty());
}

TEST_CASE("order and threads do not change the data") {
  std::string rows, columns;
  for (int i = 0; i < 700; ++i)
    for (int j = 0; j < 200; ++j) rows += raw<float>({static_cast<float>((i * 7 + j * 13) % 50)});
  for (int j = 0; j < 200; ++j)
    for (int i = 0; i < 700; ++i) columns += raw<float>({static_cast<float>((i * 7 + j * 13) % 50)});
  std::string y;
  for (int i = 0; i < 700; ++i) y += raw<std::int64_t>({i % 3});
  const std::string labels = npy("<i8", "(700,)", y);
  const auto print = [&](const std::string& x, int threads) {
    return Dataset::make(read_parts(x, labels, {.threads = Threads(threads)})).fingerprint();
  };
  const std::string expected = print(npy("<f4", "(700, 200)", rows), 1);
  CHECK(print(npy("<f4", "(700, 200)", rows), 4) == expected);
  CHECK(print(npy("<f4", "(700, 200)", columns, true), 1) == expected);
  CHECK(print(npy("<f4", "(700, 200)", columns, true), 3) == expected);
}
