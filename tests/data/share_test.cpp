// SPDX-License-Identifier: BSD-3-Clause
// Rows in parts, and rows that members share out: together they are the rows of one process, and errors have the place that
// the whole file has them at.
#include "halfspace/data/share.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "data/share/plan.hpp"
#include "folder.hpp"
#include "halfspace/core/bytes.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/data/write.hpp"
#include "team_members.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

void put(const std::string& path, const std::string& text) {
  write_packed_file(path, [&](ByteSink& sink) { sink.write(text); });
}

// Lines of different lengths, with blank ones and comments among them.
std::string some_lines(std::size_t rows, std::uint64_t seed = 3) {
  Random random(seed);
  std::string out;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % 37 == 5) out += "# a comment\n\n";
    out += fmt::format("{}", random.below(3));
    for (std::size_t j = random.below(4) + 1; j < 30; j += 1 + random.below(12))
      out += fmt::format(" {}:{}", j, 0.25 * static_cast<double>(1 + random.below(9)));
    out += "\n";
  }
  return out;
}

struct Seen {
  std::string fingerprint;
  std::vector<std::uint64_t> rows;  // of every member
};

Seen share(const std::string& data, std::size_t members, const ReadOptions& options = {}) {
  Seen out{.fingerprint = {}, .rows = std::vector<std::uint64_t>(members)};
  std::mutex guard;
  as_team(members, [&](Members& all, std::size_t m) {
    const Team team(Threads(2), all);
    const Dataset mine = read_share(data, options, team);
    const std::string print = mine.fingerprint(team);
    const std::lock_guard lock(guard);
    out.rows[m] = mine.rows();
    CHECK((out.fingerprint.empty() || out.fingerprint == print));
    out.fingerprint = print;
  });
  return out;
}

// What every member says of it, which is the same.
std::string complaint(const std::string& data, std::size_t members, const ReadOptions& options = {}) {
  std::string said;
  std::mutex guard;
  as_team(members, [&](Members& all, std::size_t) {
    std::string mine;
    const Team team(Threads(1), all);
    try {
      static_cast<void>(read_share(data, options, team));
    } catch (const std::exception& error) {
      mine = error.what();
    }
    const std::lock_guard lock(guard);
    CHECK(!mine.empty());
    CHECK((said.empty() || said == mine));
    said = mine;
  });
  return said;
}

}  // namespace

TEST_CASE("a libsvm text shared out by its bytes has the rows of one process, in order") {
  const Folder folder;
  put(folder / "all.svm", some_lines(4000));
  const std::string whole = read(folder / "all.svm").fingerprint();
  for (const std::size_t members : {1U, 2U, 3U, 5U, 8U}) {
    const Seen seen = share(folder / "all.svm", members);
    CHECK(seen.fingerprint == whole);
    const auto [least, most] = std::minmax_element(seen.rows.begin(), seen.rows.end());
    CHECK(*most - *least < 100);  // equal shares of the bytes
  }
  // More members than lines, and cuts at every byte of a short text: a line goes to the member in whose share it begins.
  put(folder / "few.svm", "1 1:1\n0 2:1 3:0.5\n\n1 4:2");
  const std::string few = read(folder / "few.svm").fingerprint();
  for (std::size_t members = 2; members < 26; ++members)
    CHECK(share(folder / "few.svm", members).fingerprint == few);
}

TEST_CASE("files of a pattern are one text in the order of their names") {
  const Folder folder;
  const std::string a = some_lines(700, 1), b = "2 1:1", c = "# nothing\n\n", d = some_lines(1900, 2);
  put(folder / "all.svm", a + b + "\n" + c + d);
  put(folder / "part-0.svm", a);
  put(folder / "part-10.svm", b);  // its last line has no end
  put(folder / "part-11.svm", "");
  put(folder / "part-12.svm", c);
  put(folder / "part-2.svm", d);
  const std::string whole = read(folder / "all.svm").fingerprint();
  CHECK(read(folder / "part-*.svm").fingerprint() == whole);
  CHECK(read(folder / "part-*.svm", {.threads = Threads(2)}).fingerprint() == whole);
  for (const std::size_t members : {1U, 2U, 3U, 7U})
    CHECK(share(folder / "part-*.svm", members).fingerprint == whole);
  // A compressed part is read by one member, wherever it stands.
  put(folder / "packed-0.svm.gz", a + b);
  put(folder / "packed-1.svm", c);
  put(folder / "packed-2.svm.zst", d);
  CHECK(read(folder / "packed-*").fingerprint() == whole);
  for (const std::size_t members : {1U, 2U, 3U, 7U})
    CHECK(share(folder / "packed-*", members).fingerprint == whole);
  put(folder / "all.svm.xz", a + b + "\n" + c + d);
  CHECK(share(folder / "all.svm.xz", 3).fingerprint == whole);
  // A name that looks like a pattern is a name where there is such a file.
  put(folder / "part-[0].svm", b);
  CHECK(!is_pattern(folder / "part-[0].svm"));
  CHECK(read(folder / "part-[0].svm").rows() == 1);
}

TEST_CASE("a cache is shared out by rows, sparse, dense and with weights") {
  const Folder folder;
  put(folder / "sparse.svm", some_lines(3000));
  std::string dense = "a,b,w,label\n";
  for (int i = 0; i < 900; ++i)
    dense += fmt::format("{},{},{},{}\n", i % 11, 0.1 * (i % 7), 1 + i % 3, i % 2 == 0 ? "x" : "y");
  put(folder / "dense.csv", dense);
  for (const auto& [name, options] :
       {std::pair<std::string, ReadOptions>{"sparse.svm", {}}, {"dense.csv", {.weight = "w"}}}) {
    const Dataset all = read(folder / name, options);
    write(all, folder / "all.hsd");
    for (const std::size_t members : {1U, 2U, 3U, 5U})
      CHECK(share(folder / "all.hsd", members).fingerprint == all.fingerprint());
    const std::size_t n = all.rows();
    const std::vector<std::size_t> ends = {n / 9, n / 2, n};
    for (std::size_t k = 0; k < ends.size(); ++k) {
      std::vector<std::uint32_t> rows;
      for (std::size_t i = k == 0 ? 0 : ends[k - 1]; i < ends[k]; ++i)
        rows.push_back(static_cast<std::uint32_t>(i));
      write(all.subset(rows), folder / fmt::format("part-{}.hsd{}", k, k == 1 ? ".gz" : ""));
    }
    CHECK(read(folder / "part-*").fingerprint() == all.fingerprint());
    for (const std::size_t members : {1U, 2U, 3U, 5U})
      CHECK(share(folder / "part-*", members).fingerprint == all.fingerprint());
  }
}

TEST_CASE("a bad line is named as the whole file has it, whoever has read it") {
  const Folder folder;
  const std::string good = some_lines(1500);
  const auto lines = static_cast<std::size_t>(std::count(good.begin(), good.end(), '\n'));
  put(folder / "end.svm", good + "1 3:oops\n");
  put(folder / "both.svm", good + "1 3:oops\n" + good + "1 4:worse\n");
  const std::string file = folder / "end.svm";
  for (const std::size_t members : {1U, 2U, 3U, 6U}) {
    CHECK(complaint(file, members).find(fmt::format("{}:{}:5: error: value 'oops'", file, lines + 1)) == 0);
    // The first one of the file, not that of the first process to find one.
    CHECK(complaint(folder / "both.svm", members)
              .find(fmt::format("both.svm:{}:5: error: value 'oops'", lines + 1)) != std::string::npos);
  }
  put(folder / "p-0.svm", good);
  put(folder / "p-1.svm", good + "1 5:1 4:1\n" + good);
  put(folder / "p-2.svm.gz", "1 1:1\n1 1:x\n");
  for (const std::size_t members : {1U, 2U, 3U, 6U})
    CHECK(complaint(folder / "p-*", members).find(fmt::format("p-1.svm:{}:", lines + 1)) !=
          std::string::npos);
  std::filesystem::remove(folder / "p-1.svm");
  for (const std::size_t members : {1U, 3U})
    CHECK(complaint(folder / "p-*", members).find("p-2.svm.gz:2:5: error") != std::string::npos);
}

TEST_CASE("what cannot be shared out is refused by all, by name") {
  const Folder folder;
  put(folder / "table.csv", "a,label\n1,x\n2,y\n");
  put(folder / "rows.svm", "1 1:1\n0 1:2\n");
  put(folder / "blank.svm", "# nothing\n\n");
  CHECK(complaint(folder / "table.csv", 3).find("table.csv is csv: files in parts") != std::string::npos);
  CHECK(complaint(folder / "*", 2).find("table.csv is csv") != std::string::npos);
  CHECK(complaint(folder / "none-*", 2).find("no file has a name of this pattern") != std::string::npos);
  CHECK(complaint(folder / "absent.svm", 2).find("cannot open") != std::string::npos);
  CHECK(complaint(folder / "blank.svm", 2).find("no examples") != std::string::npos);
  CHECK(complaint(folder / "rows.svm", 2, {.label = "x"}).find("label is for csv") != std::string::npos);
  write(read(folder / "rows.svm"), folder / "rows.hsd");
  CHECK(complaint(folder / "rows.*", 2).find("is hsd, and") != std::string::npos);
}
