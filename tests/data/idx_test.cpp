// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>

#include "matrix_reader.hpp"

using namespace halfspace;
using namespace halfspace::testing;
using namespace std::string_literals;

namespace {

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int k = bytes - 1; k >= 0; --k) out += static_cast<char>(value >> (8 * k) & 0xFFU);
  return out;
}

std::string idx(unsigned type, std::initializer_list<std::uint32_t> sizes, const std::string& data) {
  std::string out = "\0\0"s;
  out += static_cast<char>(type);
  out += static_cast<char>(sizes.size());
  for (const std::uint32_t size : sizes) out += big_endian(size, 4);
  return out + data;
}

const std::string good_images = idx(8, {2, 2, 2}, "\0\1\2\3\4\5\6\xff"s);
const std::string good_labels = idx(8, {2}, "\0\1"s);

DatasetParts read_parts(std::string_view images, std::string_view labels, ReadOptions options = {}) {
  const auto x = memory_source(images, "X");
  const auto y = memory_source(labels, "Y");
  return read_idx(*x, "X", y.get(), "Y", options);
}

std::string error_of(const std::string& images, const std::string& labels = good_labels) {
  return error_of_pair(images, labels, read_idx);
}

}  // namespace

TEST_CASE("images become rows of pixel values, labels become classes") {
  const DatasetParts parts = read_parts(good_images, good_labels);
  CHECK(values(parts) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 255});
  CHECK(parts.labels == std::vector<std::uint32_t>{0, 1});
  CHECK(parts.classes == std::vector<std::string>{"0", "1"});
}

TEST_CASE("every element type of IDX is read big-endian") {
  const std::string labels = idx(9, {2}, "\x05\xff"s);  // 5 and -1
  const auto bits32 = [](float x) {
    std::uint32_t b;
    std::memcpy(&b, &x, 4);
    return big_endian(b, 4);
  };
  const auto bits64 = [](double x) {
    std::uint64_t b;
    std::memcpy(&b, &x, 8);
    return big_endian(b, 8);
  };
  CHECK(values(read_parts(idx(0x09, {2}, "\x80\x7f"s), labels)) == std::vector<double>{-128, 127});
  CHECK(values(read_parts(idx(0x0B, {2, 1}, "\xff\xfe\x01\x00"s), labels)) == std::vector<double>{-2, 256});
  CHECK(values(read_parts(idx(0x0C, {2}, "\x80\0\0\0\0\0\0\7"s), labels)) ==
        std::vector<double>{-2147483648.0, 7});
  CHECK(values(read_parts(idx(0x0D, {2}, bits32(0.5F) + bits32(-3e30F)), labels)) ==
        std::vector<double>{0.5, static_cast<double>(-3e30F)});
  const DatasetParts doubles = read_parts(idx(0x0E, {2}, bits64(0.1) + bits64(-1e300)), labels);
  CHECK(values(doubles) == std::vector<double>{0.1, -1e300});
  CHECK(doubles.classes == std::vector<std::string>{"-1", "5"});
  CHECK(doubles.labels == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("more features can be asked for than the images have") {
  const DatasetParts parts = read_parts(good_images, good_labels, {.features = 6});
  CHECK(values(parts) == std::vector<double>{0, 1, 2, 3, 0, 0, 4, 5, 6, 255, 0, 0});
}

TEST_CASE("the number of threads does not change an image") {
  std::string data;
  for (unsigned i = 0; i < 3000U * 100U; ++i) data += static_cast<char>(i * i % 251);
  const std::string images = idx(8, {3000, 10, 10}, data);
  const std::string labels = idx(8, {3000}, data.substr(0, 3000));
  const std::string one = Dataset::make(read_parts(images, labels)).fingerprint();
  CHECK(Dataset::make(read_parts(images, labels, {.threads = Threads(3)})).fingerprint() == one);
  const auto all = values(read_parts(images, labels));
  CHECK(all[123456] == static_cast<unsigned char>(data[123456]));
}

TEST_CASE("bad IDX files are refused at their byte") {
  CHECK(begins(error_of(""), "X: byte 0: error: truncated magic"));
  CHECK(begins(error_of("\0\0\x08"s), "X: byte 0: error: truncated magic"));
  CHECK(begins(error_of("\x89PNG\0\0\0\2"s), "X: byte 0: error: not IDX"));
  CHECK(begins(error_of("\0\0\x08\0"s), "X: byte 3: error: ndim"));
  CHECK(begins(error_of("\0\0\x0A\1"s), "X: byte 2: error: not IDX: unknown element type 0x0a"));
  CHECK(begins(error_of(idx(8, {~0U, ~0U, ~0U, ~0U}, "x")), "X: byte 4: error: size mismatch"));
  CHECK(begins(error_of(idx(8, {1, ~0U}, "x")), "X: byte 8: error: 4294967295 features"));
  CHECK(begins(error_of(idx(8, {60000, 28, 28}, std::string(10, '\0'))),
               "X: byte 26: error: size mismatch: the file ends here, 47040016 bytes are declared"));
  CHECK(error_of(idx(8, {0, 28, 28}, "")) == "X: byte 4: error: no examples: 0 rows are declared");
  CHECK(error_of(idx(8, {2, 0, 28}, "")) == "X: byte 8: error: no features: a dimension is 0");
  CHECK(begins(error_of("\3\x08\0\0\2\0\0\0"s), "X: byte 0: error: wrong byte order"));
  CHECK(begins(error_of("\0\0\x08\3\0\0\0\2\0\0"s), "X: byte 10: error: truncated header"));
  CHECK(begins(error_of(good_images + "x"), "X: byte 24: error: trailing bytes"));
  CHECK(begins(error_of(idx(0x0D, {2}, "\0\0\0\0\x7f\xc0\0\0"s)),
               "X: byte 12: error: row 1 col 0 is not finite: nan"));
}

TEST_CASE("bad IDX labels are refused by their own name") {
  CHECK(begins(error_of(good_images, idx(8, {3}, "\0\1\2"s)), "Y: byte 4: error: 3 labels; X has 2 rows"));
  CHECK(
      begins(error_of(good_images, idx(8, {2, 1}, "\0\1"s)), "Y: byte 3: error: labels have more than one"));
  CHECK(begins(error_of(good_images, idx(0x0D, {2}, std::string(8, '\0'))),
               "Y: byte 2: error: labels are not integers"));
  CHECK(begins(error_of(good_images, idx(8, {2}, "\0"s)), "Y: byte 9: error: size mismatch"));
  CHECK(begins(error_of(good_images, ""), "Y: byte 0: error: truncated magic"));
}

TEST_CASE("images without labels are read only when labels are not needed") {
  const auto x = memory_source(good_images, "X");
  CHECK_THROWS_AS((void)read_idx(*x, "X", nullptr, "", {}), InputError);
  const auto again = memory_source(good_images, "X");
  const DatasetParts parts = read_idx(*again, "X", nullptr, "", {.need_labels = false});
  CHECK(parts.labels.empty());
  CHECK(values(parts).size() == 8);
}

TEST_CASE("an IDX file cut anywhere is refused") {
  for (std::size_t size = 0; size < good_images.size(); ++size)
    CHECK_FALSE(error_of(good_images.substr(0, size)).empty());
}
