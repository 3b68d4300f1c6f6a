// SPDX-License-Identifier: BSD-3-Clause
// Reading a file block after block against reading it whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "folder.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/read.hpp"
#include "support.hpp"

using namespace halfspace;
using halfspace::testing::Folder;
using halfspace::testing::input_error;

namespace {

struct Row {
  std::string label;
  std::vector<std::pair<std::uint32_t, double>> entries;
  bool operator==(const Row&) const = default;
};

void add_rows(const Dataset& data, std::vector<Row>& rows) {
  for (std::size_t i = 0; i < data.rows(); ++i) {
    Row& row = rows.emplace_back();
    if (data.labelled()) row.label = data.classes()[data.labels()[i]];
    std::visit(
        [&](const auto& view) {
          for_entries(view.row(i), [&](std::uint32_t j, double x) { row.entries.emplace_back(j, x); });
        },
        data.matrix());
  }
}

std::string write(const Folder& folder, const std::string& name, const std::string& text) {
  const std::string path = folder / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// Three quarters of a megabyte of rows with values of all kinds, the classes one after the other.
std::string long_text() {
  Random random(31);
  std::string text;
  for (int i = 0; i < 9000; ++i) {
    text += std::to_string(i / 3000);
    std::uint64_t column = 0;
    for (int k = 0; k < 7; ++k) {
      column += 1 + random.below(i < 6000 ? 9 : 20000);
      text += fmt::format(" {}:{}", column,
                          k == 6 && i > 5000 ? 1.0 / static_cast<double>(1 + random.below(99)) : 0.25 * k);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("blocks of a libsvm text have the rows of the whole") {
  const Folder folder;
  const std::string path = write(folder, "a.svm", long_text());
  std::vector<Row> whole;
  const Dataset all = read(path);
  add_rows(all, whole);
  for (const int threads : {1, 2}) {
    ReadOptions options{.features = 12};
    options.threads = Threads(threads);
    std::mutex guard;
    std::map<std::size_t, std::vector<Row>> blocks;
    std::size_t features = 0, fewest = 1000;
    read_in_blocks(path, options, [&](std::size_t number, const Dataset& block, const Threads&) {
      const std::lock_guard lock(guard);
      features = std::max(features, block.features());
      fewest = std::min(fewest, block.features());
      add_rows(block, blocks[number]);
    });
    std::vector<Row> rows;
    for (const auto& [number, some] : blocks) rows.insert(rows.end(), some.begin(), some.end());
    CHECK(rows == whole);
    CHECK(features == all.features());
    CHECK(fewest >= 12);
    CHECK(blocks.size() > 2);
  }
}

TEST_CASE("a fault in a late block is the one that reading the whole would have met") {
  const Folder folder;
  std::string text = long_text();
  const std::size_t at = text.rfind(':', text.size() - 1000);
  text[at] = ';';
  const std::string path = write(folder, "a.svm", text);
  const std::string whole = input_error([&] { static_cast<void>(read(path)); });
  CHECK(!whole.empty());
  for (const int threads : {1, 2}) {
    ReadOptions options;
    options.threads = Threads(threads);
    CHECK(input_error([&] {
            read_in_blocks(path, options, [](std::size_t, const Dataset&, const Threads&) {});
          }) == whole);
  }
}

TEST_CASE("files without rows and other formats are as read() has them") {
  const Folder folder;
  const std::string empty = write(folder, "a.svm", "# nothing\n\n");
  const auto blocks = [&](const std::string& path) {
    std::vector<Row> rows;
    read_in_blocks(path, {},
                   [&](std::size_t, const Dataset& block, const Threads&) { add_rows(block, rows); });
    return rows;
  };
  CHECK(input_error([&] { static_cast<void>(blocks(empty)); }) ==
        input_error([&] { static_cast<void>(read(empty)); }));
  const std::string table = write(folder, "a.csv", "x,y,label\n1,2,a\n3,4,b\n");
  std::vector<Row> whole;
  add_rows(read(table), whole);
  CHECK(blocks(table) == whole);
}
