// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>

#include "data/readers.hpp"
#include "halfspace/core/error.hpp"

using namespace halfspace;

namespace {

Dataset read_text(const std::string& text, ReadOptions options = {}) {
  const auto source = memory_source(text, "t");
  return Dataset::make(read_libsvm(*source, "t", options));
}

// "line:column message" of the error, or "accepted".
std::string fault(const std::string& text, ReadOptions options = {}) {
  try {
    static_cast<void>(read_text(text, options));
  } catch (const InputError& e) {
    return std::to_string(e.place().line) + ":" + std::to_string(e.place().column) + " " + e.message();
  }
  return "accepted";
}

double value(const Dataset& data, std::size_t row, std::uint32_t column) {
  double out = 0;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) {
          if (j == column) out = x;
        });
      },
      data.matrix());
  return out;
}

const std::string good = "1 1:0.5 2:1\n-1 1:-0.5 2:2\n";

}  // namespace

TEST_CASE("rows, labels and values are read as written") {
  const Dataset data = read_text("+1 1:0.25 3:-2 # a comment\n\n-1.0 2:1e-3\r\n1 3:7");
  CHECK(data.rows() == 3);
  CHECK(data.features() == 3);
  CHECK(data.nonzeros() == 4);
  CHECK(data.classes() == std::vector<std::string>{"-1", "1"});
  CHECK(value(data, 0, 0) == 0.25);
  CHECK(value(data, 0, 2) == -2);
  CHECK(value(data, 1, 1) == 1e-3);
  CHECK(value(data, 2, 2) == 7);
  CHECK(data.labels()[0] == 1);
  CHECK(data.labels()[1] == 0);
}

TEST_CASE("decimals keep the double that was written") {
  std::string text;
  std::vector<double> want;
  for (int k = 1; k < 2000; ++k) {
    const std::string number = "0." + std::to_string(100000 + k * 37);
    want.push_back(std::stod(number));
    text += (k % 2 == 0 ? "1 1:" : "2 1:") + number + "\n";
  }
  const Dataset data = read_text(text);
  CHECK(data.storage_name() == "dense decimal/1e6");
  for (std::size_t i = 0; i < want.size(); ++i) REQUIRE(value(data, i, 0) == want[i]);
}

TEST_CASE("storage is the smallest that loses nothing") {
  CHECK(read_text("1 1:1 5:1\n2 3:1.0\n").storage_name() == "sparse ones");
  CHECK(read_text("1 1:0.5 50:1\n2 3:1024\n").storage_name() == "sparse float32");
  CHECK(read_text("1 1:0.1 50:1\n2 3:1024\n").storage_name() == "sparse decimal/1e1");
  CHECK(read_text("1 1:0.10 50:1\n2 3:1024\n").storage_name() == "sparse decimal/1e1");
  CHECK(read_text("1 1:0.12345678901234567 50:1\n2 3:1\n").storage_name() == "sparse float64");
  CHECK(read_text("1 1:0.0000000001 50:1\n2 3:1\n").storage_name() == "sparse float64");
}

TEST_CASE("equal data have equal fingerprints whatever the spelling") {
  CHECK(read_text("1 1:0.10 2:3\n2 2:1\n").fingerprint() ==
        read_text("+1 1:1e-1 2:3.0\n2.0 1:0 2:1 # x\n").fingerprint());
  CHECK(read_text("1 1:0.0015 2:250\n2 2:0.1234567890123456\n").fingerprint() ==
        read_text("1 1:1.50e-3 2:2.5E+2\n2\t\t2:1234567890123456e-16\n").fingerprint());
  CHECK(read_text("1 1:0.1 2:3\n2 2:1\n").fingerprint() != read_text("1 1:0.2 2:3\n2 2:1\n").fingerprint());
  CHECK(read_text("1 1:0.1 2:3\n2 2:1\n").fingerprint() != read_text("2 1:0.1 2:3\n1 2:1\n").fingerprint());
}

TEST_CASE("odd but good numbers are read") {
  const Dataset data =
      read_text("1 1:1e-400 2:4.9e-324\n2 1:" + std::string(1, '1') + "." + std::string(5000, '0') + "\n");
  CHECK(value(data, 0, 0) == 0);
  CHECK(value(data, 0, 1) == 4.9e-324);
  CHECK(value(data, 1, 0) == 1.0);
}

TEST_CASE("a byte order mark is skipped and blanks are free") {
  CHECK(read_text("\xEF\xBB\xBF"
                  "1  1:1\t2:2 \n2 1:3\n")
            .fingerprint() == read_text("1 1:1 2:2\n2 1:3\n").fingerprint());
}

TEST_CASE("every fault has its place") {
  CHECK(fault("").starts_with("1:1 no examples"));
  CHECK(fault("# only a comment\n").starts_with("1:1 no examples"));
  CHECK(fault(good + "1:2 2:3\n").starts_with("3:1 '1:2' where the label"));
  CHECK(fault(good + "nan 1:1\n").starts_with("3:1 label 'nan'; a label must be finite"));
  CHECK(fault(good + "1x 1:1\n").starts_with("3:2 label '1x' is not a number"));
  CHECK(fault(good + "1 -3:1\n").starts_with("3:3 index -3; indices start at 1"));
  CHECK(fault(good + "1 0:1\n").starts_with("3:3 index 0; indices start at 1"));
  CHECK(fault(good + "1 2:1 2:1\n").starts_with("3:7 duplicate index 2"));
  CHECK(fault(good + "1 2:1 1:1\n").starts_with("3:7 unsorted index 1"));
  CHECK(fault(good + "1 18446744073709551617:1\n")
            .starts_with("3:3 index 18446744073709551617 is out of range"));
  CHECK(fault(good + "1 4294967297:1\n").starts_with("3:3 index 4294967297 is out of range"));
  CHECK(fault(good + "1 1.5:1\n").starts_with("3:4 index '1.5' is not a whole number"));
  CHECK(fault(good + "1 1 2\n").starts_with("3:4 no ':' after '1'"));
  CHECK(fault(good + "1 :5\n").starts_with("3:3 no index before ':'"));
  CHECK(fault(good + "1 1:nan\n").starts_with("3:5 value 'nan' is not finite"));
  CHECK(fault(good + "1 1:-inf\n").starts_with("3:5 value '-inf' is not finite"));
  CHECK(fault(good + "1 1:1e999\n").starts_with("3:5 value '1e999' is out of range"));
  CHECK(fault(good + "1 1:0x1p3\n").starts_with("3:6 value '0x1p3' is not a decimal number"));
  CHECK(fault(good + std::string("1 1:1\0 2:1\n", 11)).starts_with("3:6 byte 0x00"));
  CHECK(fault(good + "\xFF 1:1\n").starts_with("3:1 label '\\xff' is not a number"));
  CHECK(fault(good + "1 qid:3 1:1\n").starts_with("3:3 'qid:3'; ranking data"));
  CHECK(fault(good + "1 1: 0.5\n").starts_with("3:5 no value after '1:'"));
  CHECK(fault(std::string("\xFF\xFE"
                          "1\0 \0",
                          6))
            .starts_with("1:1 the file is text in UTF-16"));
  CHECK(fault(good + "1 1:1e" + std::string(4000, '9') + "\n").starts_with("3:5 value '1e999"));
  CHECK(fault(good + "1 1:2..3\n").starts_with("3:7 value '2..3'"));
  CHECK(fault(good + "1 1:5e\n").starts_with("3:6 value '5e'"));
}

TEST_CASE("files that count from 0 are read when told so") {
  CHECK(fault("1 0:1\n2 1:1\n").find("indices start at 1") != std::string::npos);
  const Dataset data = read_text("1 0:4\n2 1:1\n", {.zero_based = true});
  CHECK(value(data, 0, 0) == 4);
  CHECK(data.features() == 2);
}

TEST_CASE("the number of threads and the way of reading change nothing") {
  std::string text;
  for (int i = 0; i < 60000; ++i) {
    text += i % 3 == 0 ? "-1" : "+1";
    for (int j = 1; j < 12; ++j)
      text += " " + std::to_string(j * (1 + i % 5)) + ":0." + std::to_string(1 + (i * j) % 977);
    text += i % 1000 == 7 ? " # a comment\n" : "\n";
  }
  REQUIRE(text.size() > (1U << 20U));
  const std::string one = read_text(text).fingerprint();
  for (const int threads : {2, 3}) CHECK(read_text(text, {.threads = Threads(threads)}).fingerprint() == one);
  // The first fault is the same, with the same place, wherever the pieces are cut.
  std::string bad = text;
  bad += "1 2:x\n" + text + "1 3:y\n";
  const std::string want = fault(bad);
  CHECK(want.starts_with("60001:5 value 'x'"));
  for (const int threads : {2, 3}) CHECK(fault(bad, {.threads = Threads(threads)}) == want);
}

TEST_CASE("too many different labels look like regression") {
  std::string text;
  for (int i = 0; i < 70000; ++i) text += std::to_string(i) + ".5 1:1\n";
  CHECK(fault(text).find("70000 different labels") != std::string::npos);
}

TEST_CASE("rows and errors do not depend on how the text is cut into pieces") {
  const auto outcome = [](const std::string& text, std::size_t piece) {
    try {
      const auto source = memory_source(text, "t");
      return Dataset::make(read_libsvm(*source, "t", {}, piece)).fingerprint();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
  };
  // Pieces of comments have no entries; beside values of ten decimals nothing of theirs may be converted.
  const std::string comments = "# a comment of some length\n# another\n";
  for (const std::string& text :
       {comments + "+1 1:0.6666666e-3 2:1\n" + comments + "-1 1:0.0000000001 3:2\n" + comments,
        good + comments + "1 1:x\n" + good, std::string("1 1:1\n\n\n-1 2:1\n1\n"),
        std::string("\n\n <html>\n1 1:2\n")}) {
    const std::string whole = outcome(text, text_piece_bytes);
    for (std::size_t piece = 1; piece < 80; ++piece) CHECK_MESSAGE(outcome(text, piece) == whole, piece);
  }
}
