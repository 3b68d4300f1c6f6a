// SPDX-License-Identifier: BSD-3-Clause
// Arrays with categories are the table that they were made of.
#include "halfspace/data/categories.hpp"

#include <doctest/doctest.h>

#include "halfspace/core/error.hpp"
#include "support.hpp"

using namespace halfspace;

TEST_CASE("columns of a table stand over the features of an array") {
  const Dataset rows =
      testing::dataset_from({{1, 0, 1, 5}, {0, 1, 2, 6}}, std::vector<std::string>{"a", "b"});
  const Dataset table = with_columns(rows, {{"colour", {"blue", "red"}}, {"x", {}}, {"y", {}}}, "label");
  CHECK(table.feature_name(0) == "colour=blue");
  CHECK(table.feature_name(1) == "colour=red");
  CHECK(table.feature_name(3) == "y");
  CHECK(table.encoding()->label_column == "label");
  CHECK(table.fingerprint() == rows.fingerprint());
  const auto refused = [&](const std::vector<TableColumn>& columns) {
    CHECK_THROWS_AS(static_cast<void>(with_columns(rows, columns, "label")), InputError);
  };
  refused({{"colour", {"blue", "red"}}, {"x", {}}});
  refused({{"colour", {"red", "blue"}}, {"x", {}}, {"y", {}}});
  refused({{"colour", {"blue", "blue"}}, {"x", {}}, {"y", {}}});
  refused({{"colour", {"", "red"}}, {"x", {}}, {"y", {}}});
  refused({{"colour", {"blue", "red"}}, {"x", {}}, {"x", {}}});
  refused({{"colour", {"blue", "red"}}, {"x", {}}, {"label", {}}});
}
