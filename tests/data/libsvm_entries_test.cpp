// SPDX-License-Identifier: BSD-3-Clause
// Entries of the usual form, read by every instruction set, against how they were written.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "data/libsvm/entries.hpp"
#include "data/text/number.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

std::vector<ReadPlainEntries> readers() {
  std::vector<ReadPlainEntries> all(8);
  all.resize(available_plain_entries_readers(all.data(), all.size()));
  return all;
}

// What one reader makes of a text from its first mark on.
struct Entries {
  std::vector<std::uint32_t> column;
  std::vector<std::int32_t> digits;
  std::vector<std::uint8_t> decimals;
  std::uint32_t decimals_seen = 0;
  std::size_t stop = 0;  // the place behind the last entry
};
Entries read_with(ReadPlainEntries reader, const std::string& text, std::uint32_t base) {
  const std::string bytes = text + std::string(text_padding, '\0');
  Entries out;
  const std::size_t most = text.size() / 4 + 2;
  out.column.resize(most);
  out.digits.resize(most);
  out.decimals.resize(most);
  PlainEntries entries{out.column.data(), out.digits.data(), out.decimals.data(), 0, 0, 0, 0};
  TextMarks marks;
  marks.begin({bytes.data(), text.size()});
  do {
    marks.pass_to(reader(bytes.data(), marks.next(), marks.ready(), base, entries));
    out.stop = *marks.next();
  } while (marks.next() >= marks.ready() && marks.find_more());
  out.column.resize(entries.count);
  out.digits.resize(entries.count);
  out.decimals.resize(entries.count);
  out.decimals_seen = entries.decimals_seen;
  return out;
}

std::string random_digits(Random& random, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += static_cast<char>('0' + random.below(10));
  return text;
}

}  // namespace

TEST_CASE("every instruction set reads entries as they were written") {
  Random random(21);
  for (std::uint32_t base : {0U, 1U}) {
    std::string text;
    std::vector<std::uint32_t> columns;
    std::vector<std::int32_t> digits;
    std::vector<std::uint8_t> decimals;
    std::uint64_t index = 0;
    while (index < 90'000'000) {
      index += 1 + random.below(index + 2) / 400;
      const std::size_t whole = random.below(4) == 0 ? random.below(9) : 1;
      const std::string before = random_digits(random, whole);
      // A lone zero before the point is not counted.
      const std::size_t most = before == "0" ? 8 : 8 - whole;
      const std::size_t places = whole == 0 ? 1 + random.below(8) : random.below(most + 1);
      const bool negative = random.below(3) == 0;
      const std::string behind = random_digits(random, places);
      text +=
          (random.below(9) == 0 ? '\t' : ' ') + std::to_string(index) + ':' + (negative ? "-" : "") + before;
      if (places > 0 || random.below(5) == 0) text += '.' + behind;
      const std::int32_t value = std::stoi('0' + before + behind);
      if (value == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(index) - base);
      digits.push_back(negative ? -value : value);
      decimals.push_back(static_cast<std::uint8_t>(places));
    }
    const std::size_t size = text.size();
    text += "\n3 1:1\n";
    for (const ReadPlainEntries reader : readers()) {
      const Entries read = read_with(reader, text, base);
      CHECK(read.stop == size);
      CHECK(read.column == columns);
      CHECK(read.digits == digits);
      CHECK(read.decimals == decimals);
      CHECK(read.decimals_seen == 0x1FF);
    }
  }
}

TEST_CASE("an entry of another form, or a column that does not ascend, is left alone") {
  const std::string good = " 1:0.5 7:-2";
  for (const char* bad :
       {" 7:1",  " 6:1",   " 8:",          " 8:+1",         " 8:--1",       " 8:1e5", " 8:1.2.3", " 8:.",
        " 8:-",  " 8:nan", " 8:123456789", " 8:1.12345678", " 123456789:1", " :1",    " 8",       "  8:1",
        " 8:1x", " x:1",   " -8:1",        " 8:1:2",        " 8;1",         "8:1"}) {
    for (const char* end : {"\n", " 9:1\n"}) {
      const std::string text = good + bad + end;
      for (const ReadPlainEntries reader : readers()) {
        CAPTURE(text);
        const Entries read = read_with(reader, text, 1);
        // What stands right behind the value may make it another one.
        const bool joined = bad[0] != ' ';
        CHECK(read.stop == (joined ? 6 : good.size()));
        CHECK(read.column.size() == (joined ? 1 : 2));
      }
    }
  }
}

TEST_CASE("values of zero are passed over, but their columns count") {
  for (const ReadPlainEntries reader : readers()) {
    const Entries read = read_with(reader, " 3:0 4:0.000 5:-0 6:0.5\n", 1);
    CHECK(read.column == std::vector<std::uint32_t>{5});
    CHECK(read.decimals_seen == 2);
    CHECK(read_with(reader, " 3:0 3:1\n", 1).stop == 4);
  }
}
