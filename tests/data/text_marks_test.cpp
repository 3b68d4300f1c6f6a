// SPDX-License-Identifier: BSD-3-Clause
// The marks of a text against a plain loop over its bytes.
#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "data/text/marks.hpp"
#include "data/text/number.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;

namespace {

std::vector<TextMarks::Mark> plain_marks(const std::string& text) {
  std::vector<TextMarks::Mark> marks;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] < '0' || text[k] > '9') marks.push_back(static_cast<TextMarks::Mark>(k));
  return marks;
}

// Digits, with something else `one_in` times, any byte there is.
std::string random_text(Random& random, std::size_t size, std::uint64_t one_in) {
  std::string text(size, '0');
  for (char& c : text)
    c = static_cast<char>(random.below(one_in) == 0 ? random.below(256) : '0' + random.below(10));
  return text;
}

std::string padded(const std::string& text) { return text + std::string(text_padding, '\0'); }

}  // namespace

TEST_CASE("every instruction set finds all bytes that are not digits") {
  std::array<FindMarks, 8> finders{};
  const std::size_t count = available_mark_finders(finders.data(), finders.size());
  REQUIRE(count >= 1);
  Random random(3);
  for (const std::uint64_t one_in : {1, 2, 5, 30, 1000}) {
    const std::string text = random_text(random, 64 * 20, one_in);
    const std::vector<TextMarks::Mark> expected = plain_marks(text);
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<TextMarks::Mark> found(text.size() + 64);
      found.resize(
          static_cast<std::size_t>(finders[k](text.data(), 0, text.size(), found.data()) - found.data()));
      CHECK(found == expected);
    }
  }
}

TEST_CASE("marks come in order, window after window, with some of the padding behind them") {
  Random random(4);
  for (const std::size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 20000}) {
    for (const std::uint64_t one_in : {1, 4, 100000}) {
      const std::string text = random_text(random, size, one_in);
      const std::string bytes = padded(text);
      TextMarks marks;
      marks.begin({bytes.data(), text.size()});
      std::vector<TextMarks::Mark> found;
      do {
        found.insert(found.end(), marks.next(), marks.ready());
        marks.pass_to(marks.ready());
      } while (marks.find_more());
      std::vector<TextMarks::Mark> expected = plain_marks(text);
      const std::size_t own = expected.size();
      REQUIRE(found.size() > own);  // the padding
      expected.push_back(static_cast<TextMarks::Mark>(size));
      found.resize(expected.size());
      CHECK(found == expected);
    }
  }
}

TEST_CASE("passing to a place passes all marks before it and no other") {
  Random random(5);
  const std::string text = random_text(random, 30000, 7);
  const std::string bytes = padded(text);
  const std::vector<TextMarks::Mark> expected = plain_marks(text);
  TextMarks marks;
  marks.begin({bytes.data(), text.size()});
  for (std::size_t at = 0; at < expected.size(); at += 1 + random.below(300)) {
    marks.pass_to_place(expected[at]);
    REQUIRE(marks.next() < marks.ready());
    for (std::size_t k = 0; k < TextMarks::ahead && at + k < expected.size(); ++k)
      CHECK(marks.next()[k] == expected[at + k]);
  }
}
