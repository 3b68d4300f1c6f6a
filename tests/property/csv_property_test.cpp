// SPDX-License-Identifier: BSD-3-Clause
// Random tables: what was written is read, and no number of threads changes a bit or a place.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/readers.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// A text that quoting must protect: no outer blanks, nothing that reads as missing or as a number.
rc::Gen<std::string> texts() {
  const auto character = rc::gen::element<char>('a', 'b', 'Z', ',', '"', '\n', ' ', ';', '1', '\t');
  return rc::gen::map(rc::gen::container<std::string>(character),
                      [](const std::string& s) { return "<" + s + ">"; });
}

Dataset read_table(const std::string& bytes, int threads, ReadOptions options = {}) {
  options.threads = Threads(threads);
  const auto source = memory_source(bytes, "t.csv");
  return Dataset::make(read_csv(*source, "t.csv", options));
}

// Either the fingerprint or the error.
std::string outcome(const std::string& bytes, int threads, const ReadOptions& options) {
  try {
    return read_table(bytes, threads, options).fingerprint();
  } catch (const InputError& e) {
    return e.what();
  }
}

std::map<std::string, double> entries_of(const Dataset& data, std::size_t row) {
  std::map<std::string, double> out;
  std::visit(
      [&](const auto& view) {
        for_entries(view.row(row), [&](std::uint32_t j, double x) { out[data.feature_name(j)] = x; });
      },
      data.matrix());
  return out;
}

// Many lines, so that there are several blocks; a few random bytes may spoil the table.
std::string large_table(Random& random) {
  std::string bytes = "a,b,c,t,y\n";
  const std::uint64_t rows = 30000 + random.below(10000);
  for (std::uint64_t r = 0; r < rows; ++r) {
    bytes += fmt::format("{},{},{},{},{}\n", random.below(1000),
                         random.below(40) == 0 ? "?" : fmt::format("{}", random.uniform()),
                         random.below(3) == 0 ? "\"line\n\"\"break\"" : "plain",
                         random.below(2) == 0 ? "word of text" : "of", random.below(4));
  }
  const char damage[] = {'"', ',', '\n', 'x', '\0', '?', '\xFF', ' '};
  const std::uint64_t spoilt = random.below(4);
  for (std::uint64_t k = 0; k < spoilt; ++k) {
    bytes[random.below(bytes.size())] = damage[random.below(sizeof damage)];
  }
  return bytes;
}

}  // namespace

TEST_CASE("random tables written by RFC 4180 are read back equal") {
  CHECK(rc::check([] {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 40);
    const auto numbers = *rc::gen::container<std::vector<double>>(rows, rc::gen::arbitrary<double>());
    const auto categories = *rc::gen::container<std::vector<std::string>>(rows, texts());
    const auto labels = *rc::gen::container<std::vector<std::string>>(rows, texts());
    const auto quote = *rc::gen::container<std::vector<bool>>(rows, rc::gen::arbitrary<bool>());
    const std::string end = *rc::gen::arbitrary<bool>() ? "\r\n" : "\n";
    std::string bytes = "x,\"the,c\",label" + end;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::string number = fmt::format("{}", numbers[r]);
      bytes += (quote[r] ? quoted(number) : number) + "," + quoted(categories[r]) + "," + quoted(labels[r]);
      if (r + 1 < rows || *rc::gen::arbitrary<bool>()) bytes += end;
    }
    const Dataset data = read_table(bytes, 1);
    RC_ASSERT(data.rows() == rows);
    const std::set<std::string> distinct(categories.begin(), categories.end());
    const std::vector<std::string> sorted(distinct.begin(), distinct.end());
    RC_ASSERT(data.encoding()->columns.at(1).categories == sorted);
    for (std::size_t r = 0; r < rows; ++r) {
      std::map<std::string, double> expected{{"the,c=" + categories[r], 1.0}};
      if (numbers[r] != 0) expected["x"] = numbers[r];
      RC_ASSERT(entries_of(data, r) == expected);
      RC_ASSERT(data.classes()[data.labels()[r]] == labels[r]);
    }
  }));
}

TEST_CASE("rows, categories and the first error are the same for any number of threads") {
  // Few tables, each of about a megabyte: rapidcheck's usual hundred would take long.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const std::string bytes = large_table(random);
    ReadOptions options{.text = {"t"}};
    options.missing = std::vector{Missing::Mean, Missing::Median, Missing::Drop}[seed % 3];
    const std::string one = outcome(bytes, 1, options);
    CHECK(outcome(bytes, 2, options) == one);
    CHECK(outcome(bytes, 3, options) == one);
  }
}

TEST_CASE("any bytes are read or refused with a place inside them") {
  CHECK(rc::check([] {
    const auto character = rc::gen::element<char>('a', '1', '.', '-', ',', ',', '"', '\n', '\n', '\r', ' ',
                                                  '\t', '?', '\xC3', '\0', ';');
    const auto bytes = *rc::gen::container<std::string>(character);
    ReadOptions options;
    options.need_labels = *rc::gen::arbitrary<bool>();
    options.missing = *rc::gen::element(Missing::Error, Missing::Mean, Missing::Median, Missing::Drop);
    try {
      RC_ASSERT(read_table(bytes, 1, options).rows() > 0U);
    } catch (const InputError& e) {
      const auto lines = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 2;
      RC_ASSERT(e.place().line <= lines);
    }
  }));
}
