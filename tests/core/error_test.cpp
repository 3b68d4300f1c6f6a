// SPDX-License-Identifier: BSD-3-Clause
// What errors say, with and without a command line.
#include "halfspace/core/error.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace halfspace;

TEST_CASE("messages name options without dashes, and keep them for a command line") {
  try {
    throw UsageError("--from is a plane; --scale makes another (--scale none)",
                     "--missing-words a--b '--x' -- --1");
  } catch (const UsageError& error) {
    CHECK(error.what() == std::string("from is a plane; scale makes another (scale none)"));
    CHECK(error.hint() == "missing-words a--b '--x' -- --1");
    CHECK(error.said().message == "--from is a plane; --scale makes another (--scale none)");
    CHECK(error.said().line ==
          "error: --from is a plane; --scale makes another (--scale none) (hint: --missing-words a--b '--x' "
          "-- --1)");
  }
  const InputError input({.file = "--file"}, "no label", "one", "--label NAME");
  CHECK(input.what() == std::string("--file: error: no label; one (hint: label NAME)"));
  CHECK(input.said().line == "--file: error: no label; one (hint: --label NAME)");
}
