// SPDX-License-Identifier: BSD-3-Clause
// Single pictures: what they refuse, and what is in them. tests/cli/report_test.py parses them as XML.
#include "halfspace/report/plot.hpp"

#include <doctest/doctest.h>

#include "halfspace/core/error.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "report/plot/svg.hpp"
#include "support.hpp"

using namespace halfspace;
using halfspace::testing::dataset_from;
using halfspace::testing::linear_model;
using halfspace::testing::Rows;

TEST_CASE("text of any bytes becomes text of XML") {
  CHECK(report::escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(report::escaped("\x01x\xFF") == "\xEF\xBF\xBDx\xEF\xBF\xBD");
  CHECK(report::escaped("\xED\xA0\x80") ==
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half of a surrogate pair
  CHECK(report::escaped("\xF0\x9F\x98\x80 \xC3\xA9") == "\xF0\x9F\x98\x80 \xC3\xA9");
}

TEST_CASE("ticks are round numbers within the range") {
  CHECK(report::ticks(0, 1, 5) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(report::ticks(-7, 12, 4) == std::vector<double>{-5, 0, 5, 10});
  CHECK(report::ticks(3, 3, 4) == std::vector<double>{3});
}

TEST_CASE("a line is cut at the frame, a half plane has its corners there") {
  const report::Frame frame{{0, 0}, 100, 100, 0, 1, 0, 1};
  report::Point a, b;
  REQUIRE(frame.cut(1, 1, 1, a, b));
  CHECK(a.x + a.y == doctest::Approx(1));
  CHECK(b.x + b.y == doctest::Approx(1));
  CHECK_FALSE(frame.cut(1, 1, 5, a, b));
  CHECK(frame.half(1, 0, 0.25).size() == 4);
  CHECK(frame.half(1, 0, 2).empty());
  CHECK(frame.half(1, 1, 1).size() == 3);
}

TEST_CASE("the steps of the lecture's example: theta is (2, 2), then (0, 3)") {
  const Dataset data = dataset_from({{2, 2}, {2, -1}}, std::vector<std::string>{"1", "-1"});
  const std::string svg = plot_steps(data, std::nullopt, {.offset = false});
  CHECK(svg.find("(2, 2)") != std::string::npos);
  CHECK(svg.find("(0, 3)") != std::string::npos);
  CHECK(svg.find("2 of 2 updates") != std::string::npos);
}

TEST_CASE("more columns than two need to be chosen, by name or number") {
  const Dataset data = dataset_from({{1, 2, 3}, {3, 2, 2}}, std::vector<std::string>{"a", "b"});
  const Model model = linear_model({{1, 0, -1}}, {0}, {"a", "b"});
  CHECK_THROWS_AS(static_cast<void>(plot_plane(model, data, std::nullopt)), UsageError);
  CHECK_THROWS_AS(static_cast<void>(plot_plane(model, data, ColumnPair({1, 1}))), UsageError);
  CHECK(plot_plane(model, data, ColumnPair({0, 2})).find("at their mean") != std::string::npos);
  CHECK(column_named(data, "3") == 2);
  CHECK_THROWS_AS(static_cast<void>(column_named(data, "4")), UsageError);
}

TEST_CASE("pictures of two classes refuse more") {
  const Dataset data = dataset_from({{1}, {2}, {3}}, {"a", "b", "c"});
  CHECK_THROWS_AS(static_cast<void>(plot_steps(data, std::nullopt)), UsageError);
  const Model model = linear_model({{1}, {2}, {3}}, {0, 0, 0}, {"a", "b", "c"});
  CHECK_THROWS_AS(static_cast<void>(plot_roc(model, data)), UsageError);
  CHECK_FALSE(plot_margins(model, data).empty());
}
