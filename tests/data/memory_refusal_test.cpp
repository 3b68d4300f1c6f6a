// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with arrays, and labels: refused with row and column, by any number of threads.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "halfspace/data/dataset.hpp"
#include "memory_arrays.hpp"

using namespace halfspace;
using namespace halfspace::testing;

TEST_CASE("labels: numbers and words have the names and the order of a file") {
  const std::vector<double> x{1, 2, 3, 4};
  const auto classes = [&](RowLabels labels) {
    return Dataset::dense(x, 4, 1, {.labels = labels}).classes();
  };
  using Names = std::vector<std::string>;
  CHECK((classes(std::vector<double>{1, -1, 1, 0.5}) == Names{"-1", "0.5", "1"}));
  CHECK((classes(std::vector<double>{0.0, -0.0, 1, 1}) == Names{"0", "1"}));
  CHECK((classes(std::vector<float>{2, 10, 2, 10}) == Names{"2", "10"}));
  CHECK((classes(std::vector<std::int32_t>{2, 10, 2, -3}) == Names{"-3", "2", "10"}));
  CHECK((classes(std::vector<std::int64_t>{7, 7, 1, 7}) == Names{"1", "7"}));
  CHECK((classes(std::vector<std::string>{"b", "a", "b", "10"}) == Names{"10", "a", "b"}));
  CHECK((classes(std::vector<std::string>{"+1", "1.0", "-1", "10"}) == Names{"-1", "1", "10"}));
  const std::vector<std::uint32_t> numbers{0, 1, 1, 2};
  const Dataset data = Dataset::dense(x, 4, 1, {.labels = ClassLabels{numbers, {"dog", "cat", "ant"}}});
  CHECK((data.classes() == Names{"ant", "cat", "dog"}));
  CHECK((std::vector<std::uint32_t>(data.labels().begin(), data.labels().end()) ==
         std::vector<std::uint32_t>{2, 1, 1, 0}));

  const auto refused = [&](RowLabels labels) { return input_error([&] { classes(labels); }); };
  CHECK(refused(std::vector<double>{1, 2, std::nan(""), 1}) ==
        "arrays: error: row 3: label nan; a finite number");
  CHECK(refused(std::vector<std::int64_t>{1, 9007199254740993, 1, 1})
            .starts_with("arrays: error: row 2: label"));
  CHECK(refused(std::vector<double>{1, 2, 3}) == "arrays: error: 3 labels for 4 rows");
  CHECK(refused(std::vector<std::string>{"a", "", "a", "b"})
            .starts_with("arrays: error: row 2: the label is empty"));
  CHECK(refused(std::vector<std::string>{"a", "\xff", "a", "b"}).find("not UTF-8") != std::string::npos);
  CHECK(
      refused(std::vector<std::string>{"1", "2", "inf", "1"}).starts_with("arrays: error: row 3: label inf"));
  CHECK(refused(ClassLabels{numbers, {"a", "b"}})
            .starts_with("arrays: error: row 4: class number 2 of 2 names"));
  CHECK_FALSE(refused(ClassLabels{numbers, {"a", "b", "a"}}).empty());
}

TEST_CASE("labels that are targets of a regression are refused as they are in a file") {
  std::vector<double> targets;
  for (int i = 0; i < 3000; ++i) targets.push_back(0.25 * i);
  const std::string refused = input_error([&] { Dataset::dense(targets, 3000, 1, {.labels = targets}); });
  CHECK(refused.find("3000 different labels") != std::string::npos);
}

TEST_CASE(
    "values that are not finite are refused with row and column, the first one for any number of threads") {
  Rows rows = sample_rows(5000, 8);
  rows[2][6] = std::nan("");
  rows[4711][0] = std::numeric_limits<double>::infinity();
  const auto arrays = csr_of<double, std::int64_t>(rows);
  const std::vector<double> values = flat<double>(rows);
  const std::vector<double> columns = flat<double>(rows, Layout::ColumnMajor);
  for (const int threads : {1, 2, 8}) {
    for (const Hold hold : {Hold::Copy, Hold::Borrow}) {
      const ArrayOptions options{.hold = hold, .threads = Threads(threads)};
      ArrayOptions by_columns = options;
      by_columns.layout = Layout::ColumnMajor;
      const std::string expected = "arrays: error: row 3, column 7: nan; a finite number";
      CHECK(input_error([&] { static_cast<void>(arrays.data(options)); }) == expected);
      CHECK(input_error([&] { Dataset::dense(values, 5000, 8, options); }) == expected);
      CHECK(input_error([&] { Dataset::dense(columns, 5000, 8, by_columns); }) == expected);
    }
  }
}

TEST_CASE("the number of threads changes nothing") {
  const Rows rows = sample_rows(4000, 9);
  const auto arrays = csr_of<float, std::uint64_t, std::int32_t>(rows);
  const std::vector<int> labels = sample_labels(4000);
  std::set<std::string> found;
  for (const int threads : {1, 2, 8}) {
    for (const Hold hold : {Hold::Copy, Hold::BorrowOnly}) {
      const ArrayOptions options{.hold = hold, .labels = labels, .threads = Threads(threads)};
      found.insert(arrays.data(options).fingerprint());
      found.insert(
          Dataset::dense(flat<double>(rows), 4000, 9, {.labels = labels, .threads = Threads(threads)})
              .fingerprint());
    }
  }
  CHECK(found.size() == 1);
}

TEST_CASE("a stop ends the making of a set") {
  const StopHandle stop = StopHandle::make();
  stop.cancel();
  const Rows rows = sample_rows(100, 3);
  const auto arrays = csr_of(rows);
  for (const int threads : {1, 2}) {
    for (const Hold hold : {Hold::Copy, Hold::Borrow}) {
      const ArrayOptions options{.hold = hold, .threads = Threads(threads, stop)};
      CHECK_THROWS_AS(static_cast<void>(arrays.data(options)), Stopped);
      CHECK_THROWS_AS(static_cast<void>(Dataset::dense(flat<double>(rows), 100, 3, options)), Stopped);
    }
  }
}

TEST_CASE("sizes that disagree are refused with all numbers") {
  const std::vector<double> values(11, 1.0);
  CHECK(input_error([&] { Dataset::dense(values, 3, 4); }) ==
        "arrays: error: 11 values for 3 rows of 4 columns; 12 values");
  CHECK(input_error([&] { Dataset::dense(values, 3, 4, {.stride = 5}); }) ==
        "arrays: error: 11 values for 3 rows of 4 columns with a stride of 5; 14 values");
  CHECK(input_error([&] { Dataset::dense(values, 3, 4, {.stride = 3}); }) ==
        "arrays: error: a stride of 3 for rows of 4 values");
  CHECK_FALSE(input_error([&] { Dataset::dense(values, SIZE_MAX / 2, 4); }).empty());
  CHECK(input_error([&] { Dataset::dense({}, 0, 4); }) == "arrays: error: no examples");
  CHECK(input_error([&] { Dataset::dense(values, 11, 1, {.weights = std::span(values).first(3)}); }) ==
        "arrays: error: 3 weights for 11 rows");
  CHECK(input_error([&] {
          Dataset::dense(values, 11, 1, {.names = {"a", "b"}});
        }) == "arrays: error: 2 names for 1 columns");
  CHECK_FALSE(input_error([&] {
                Dataset::dense(values, 1, 11, {.names = std::vector<std::string>(11, "a")});
              }).empty());
  const std::vector<double> bad{1, -1};
  CHECK(input_error([&] {
          Dataset::dense(std::vector<double>{1, 2}, 2, 1, {.weights = bad});
        }) == "arrays: error: row 2: weight -1; a finite number of at least 0");

  using Arrays = Csr<double, std::int32_t, std::int32_t>;
  const auto refused = [](Arrays arrays) {
    return input_error([&] { static_cast<void>(arrays.data({.hold = Hold::Borrow})); });
  };
  CHECK(refused({{1, 2, 3}, {0, 1}, {0, 3}, 4}) ==
        "arrays: error: 3 values, 2 column numbers and 2 row starts; as many column numbers as values, and a "
        "start "
        "for every row and one more");
  CHECK(refused({{1, 2}, {0, 1}, {}, 4})
            .starts_with("arrays: error: 2 values, 2 column numbers and 0 row starts"));
  CHECK(refused({{1, 2}, {0, 1}, {0, 1}, 4}) ==
        "arrays: error: row starts of 1 rows end with 1, but there are 2 entries");
  CHECK(refused({{1, 2}, {0, 1}, {1, 2}, 4}) == "arrays: error: row starts begin with 1; 0");
  CHECK(refused({{1, 2}, {0, 1}, {0, 2, 1, 2}, 4})
            .starts_with("arrays: error: row 2 begins at 2 and ends at 1"));
  CHECK(refused({{1, 2}, {0, 1}, {0, -1, 2}, 4})
            .starts_with("arrays: error: row 1 begins at 0 and ends at -1"));
  CHECK(refused({{1, 2}, {0, 1}, {0, 9}, 4}).starts_with("arrays: error: row 1 begins at 0 and ends at 9"));
  CHECK(refused({{1, 2}, {0, 4}, {0, 2}, 4}) ==
        "arrays: error: row 1: column number 4 of 4; columns are counted from 0");
  CHECK(refused({{1, 2}, {-1, 1}, {0, 2}, 4}).starts_with("arrays: error: row 1: column number -1 of 4"));
  CHECK(refused({{1, 2, 3}, {0, 1, 1}, {0, 1, 3}, 4})
            .starts_with("arrays: error: row 2, column 2: given twice"));
  CHECK(refused({{1, 2, 3}, {2, 0, 2}, {0, 0, 3}, 4})
            .starts_with("arrays: error: row 2, column 3: given twice"));
  CHECK(refused({{}, {}, {0}, 4}) == "arrays: error: no examples");
  CHECK_THROWS_AS(static_cast<void>(csr_of(sample_rows(3, 3)).data({.stride = 4})), UsageError);
}
