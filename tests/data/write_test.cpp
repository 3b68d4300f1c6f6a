// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/write.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/write/writers.hpp"
#include "folder.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/builder.hpp"

using namespace halfspace;
using halfspace::testing::Folder;
namespace fs = std::filesystem;

namespace {

class MemorySink final : public ByteSink {
 public:
  void write(std::string_view more) override { bytes.append(more); }
  std::string bytes;
};

using Names = std::vector<std::string>;
using Rows = std::vector<std::vector<std::pair<std::uint32_t, double>>>;

Dataset make_data(const Rows& rows, std::size_t cols, const Names& classes, bool weights = false) {
  MatrixBuilder builder;
  DatasetParts parts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, x] : rows[i]) builder.add(j, x);
    builder.end_row();
    if (!classes.empty()) parts.labels.push_back(static_cast<std::uint32_t>(i % classes.size()));
    if (weights) parts.weights.push_back(static_cast<double>(i) + 0.25);
  }
  parts.classes = classes;
  StoredMatrix stored = builder.finish(cols, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = std::move(stored.storage);
  return Dataset::make(std::move(parts));
}

const Rows small = {{{0, 1}, {2, 0.1}}, {{1, -2.5}}, {{0, 1e-300}, {2, 1e300}}, {}};

// Rows of one kind of value each, sparse and dense.
std::vector<Rows> varied_rows() {
  Random random(7);
  std::vector<Rows> sets = {small};
  for (int kind = 0; kind < 4; ++kind) {
    for (const double share : {0.1, 0.9}) {
      Rows rows(50);
      for (auto& row : rows) {
        for (std::uint32_t j = 0; j < 30; ++j) {
          const double u = random.uniform();
          if (u >= share) continue;
          const double decimal = static_cast<double>(random.below(2000)) / 1000 - 1;
          const double value = kind == 0   ? 1
                               : kind == 1 ? static_cast<double>(static_cast<float>(u))
                               : kind == 2 ? decimal
                                           : u;
          row.emplace_back(j, value);
        }
      }
      sets.push_back(rows);
    }
  }
  return sets;
}

std::string slurp(const std::string& path) {
  const auto source = open_source(path);
  return read_all(*source, path);
}

}  // namespace

TEST_CASE("libsvm text has the shortest decimals") {
  MemorySink sink;
  write_libsvm(make_data(small, 3, {"-1", "1"}), sink, false);
  CHECK(sink.bytes == "-1 1:1 3:0.1\n1 2:-2.5\n-1 1:1e-300 3:1e+300\n1\n");
  MemorySink from_zero;
  write_libsvm(make_data(small, 3, {"-1", "1"}), from_zero, true);
  CHECK(from_zero.bytes == "-1 0:1 2:0.1\n1 1:-2.5\n-1 0:1e-300 2:1e+300\n1\n");
}

TEST_CASE("libsvm text keeps the number of features and numbers classes that are no numbers") {
  MemorySink wide;
  write_libsvm(make_data({{{0, 1}}, {{1, 2}}}, 9, {"cat", "dog"}), wide, false);
  CHECK(wide.bytes == "0 1:1 9:0\n1 2:2\n");
  MemorySink same_number;
  write_libsvm(make_data({{{0, 1}}, {{0, 2}}}, 1, {"1", "1.0"}), same_number, false);
  CHECK(same_number.bytes == "0 1:1\n1 1:2\n");
}

TEST_CASE("tables are quoted where they must be") {
  MemorySink sink;
  write_table(make_data({{{0, 1}}, {{1, 0.5}}, {}}, 2, {"a,b", "plain", "say \"x\""}, true), sink, ',');
  CHECK(sink.bytes == "f1,f2,weight,label\n1,0,0.25,\"a,b\"\n0,0.5,1.25,plain\n0,0,2.25,\"say \"\"x\"\"\"\n");
  MemorySink tabs;
  write_table(make_data({{{0, 1}}, {{1, 0.5}}}, 2, {"a,b", "c \"d\""}), tabs, '\t');
  CHECK(tabs.bytes == "f1\tf2\tlabel\n1\t0\ta,b\n0\t0.5\tc \"d\"\n");
  CHECK_THROWS_AS(write_table(make_data({{{0, 1}}, {{1, 0.5}}}, 2, {"a\tb", "c"}), tabs, '\t'), UsageError);
}

TEST_CASE("npy arrays have the bytes that NumPy writes") {
  MemorySink x;
  write_npy_matrix(make_data({{{0, 1}, {1, 0.5}}, {{1, -2}}}, 2, {"0", "1"}), x);
  REQUIRE(x.bytes.size() == 128 + 4 * 4);
  CHECK(x.bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(x.bytes.substr(10, 59) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }");
  CHECK(x.bytes[127] == '\n');
  MemorySink text;
  write_npy_labels(make_data({{{0, 1}}, {{0, 2}}}, 1, {"a", "\xC3\xA4xx"}), text);
  CHECK(text.bytes.find("'<U3'") != std::string::npos);
  CHECK(text.bytes.size() == 128 + 2 * 12);
  MemorySink bytes;
  write_npy_labels(make_data({{{0, 1}}, {{0, 2}}}, 1, {"a", "\xE4"}), bytes);
  CHECK(bytes.bytes.find("'|S1'") != std::string::npos);
}

TEST_CASE("reading back what was written gives the same fingerprint in every format and compression") {
  const Folder folder;
  for (const Rows& rows : varied_rows()) {
    const Dataset data = make_data(rows, rows.size() == 50 ? 31 : 3, {"-1", "0.5", "3"});
    CAPTURE(data.storage_name());
    for (const std::string ending : {"", ".gz", ".bz2", ".xz", ".zst"}) {
      CAPTURE(ending);
      for (const std::string name : {"d.svm", "d.csv", "d.tsv", "d.hsd"}) {
        CAPTURE(name);
        const std::string path = folder / (name + ending);
        write(data, path);
        CHECK(read(path).fingerprint() == data.fingerprint());
      }
      const std::string pair = folder / ("x.npy" + ending) + "," + folder / ("y.npy" + ending);
      write(data, pair);
      CHECK(read(pair).fingerprint() == data.fingerprint());
    }
    write(data, folder / "zero.svm", Format::Auto, true);
    CHECK(read(folder / "zero.svm", {.zero_based = true}).fingerprint() == data.fingerprint());
  }
}

TEST_CASE("text labels, weights and missing labels survive where the format has a place for them") {
  const Folder folder;
  const Dataset texts = make_data(small, 3, {"a b", "b,\"c\"", "z\xC3\xA4"});
  for (const std::string name : {"d.csv", "d.hsd", "x.npy"}) {
    const std::string path = name == "x.npy" ? folder / name + "," + folder / "y.npy" : folder / name;
    write(texts, path);
    CHECK(read(path).fingerprint() == texts.fingerprint());
  }
  const Dataset weighted = make_data(small, 3, {"0", "1"}, true);
  write(weighted, folder / "w.csv");
  CHECK(read(folder / "w.csv", {.weight = "weight"}).fingerprint() == weighted.fingerprint());
  write(weighted, folder / "w.hsd");
  CHECK(read(folder / "w.hsd").fingerprint() == weighted.fingerprint());
  const Dataset bare = make_data(small, 3, {});
  write(bare, folder / "bare.npy");
  CHECK(read(folder / "bare.npy", {.need_labels = false}).fingerprint() == bare.fingerprint());
  write(bare, folder / "bare.hsd");
  CHECK(read(folder / "bare.hsd").fingerprint() == bare.fingerprint());
}

TEST_CASE("what a format has no place for is refused, and nothing is written") {
  const Folder folder;
  const Dataset weighted = make_data(small, 3, {"0", "1"}, true);
  const Dataset bare = make_data(small, 3, {});
  const Dataset plain = make_data(small, 3, {"0", "1"});
  CHECK_THROWS_AS(write(weighted, folder / "a.svm"), UsageError);
  CHECK_THROWS_AS(write(weighted, folder / "x.npy" + "," + folder / "y.npy"), UsageError);
  CHECK_THROWS_AS(write(bare, folder / "a.svm"), UsageError);
  CHECK_THROWS_AS(write(bare, folder / "x.npy" + "," + folder / "y.npy"), UsageError);
  CHECK_THROWS_AS(write(plain, folder / "x.npy"), UsageError);
  CHECK_THROWS_AS(write(plain, folder / "x.npy" + "," + folder / "x.npy"), UsageError);
  CHECK_THROWS_AS(write(plain, folder / "a.idx", Format::Idx), UsageError);
  CHECK_THROWS_AS(write(plain, folder / "a.csv", Format::Auto, true), UsageError);
  CHECK_THROWS_AS(write(plain, "/dev/full", Format::Csv), SystemError);
  CHECK(fs::is_empty(folder / ""));
}

TEST_CASE("the format asked for wins over the name") {
  const Folder folder;
  write(make_data({{{0, 1}}, {{0, 2}}}, 1, {"0", "1"}), folder / "table.txt", Format::Csv);
  CHECK(slurp(folder / "table.txt") == "f1,label\n1,0\n2,1\n");
}
