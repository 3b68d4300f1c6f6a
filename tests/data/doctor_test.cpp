// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/data/doctor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "halfspace/core/random.hpp"
#include "support.hpp"

using namespace halfspace;
using namespace halfspace::testing;

namespace {

Dataset make_data(const Rows& rows, std::vector<std::uint32_t> labels, std::vector<double> weights = {},
                  std::size_t features = 0) {
  DatasetParts parts = parts_from(rows, std::move(weights), features);
  parts.labels = std::move(labels);
  parts.classes = {"no", "yes"};
  return Dataset::make(std::move(parts));
}

// Text of the findings of one kind, one per line.
std::string findings(const Dataset& data, const std::string& kind) {
  std::string text;
  for (const Finding& f : examine(data, Threads(1)).findings) {
    if (f.kind == kind) text += f.text + "\n";
    CHECK(!f.advice.empty());
  }
  return text;
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Rows without any oddity.
struct Plain {
  Rows rows;
  std::vector<std::uint32_t> labels;
  explicit Plain(std::size_t n = 200) {
    Random random(1);
    for (std::size_t i = 0; i < n; ++i) {
      rows.push_back({random.normal(), random.normal(), random.normal()});
      labels.push_back(static_cast<std::uint32_t>(random.below(2)));
    }
  }
};

}  // namespace

TEST_CASE("nothing odd is found in plain noise") {
  const Plain plain;
  const Examination result = examine(make_data(plain.rows, plain.labels), Threads(1));
  for (const Finding& f : result.findings) MESSAGE(f.kind << ": " << f.text);
  CHECK(result.findings.empty());
  CHECK(result.distinct_rows == 200);
  CHECK(result.class_rows[0] + result.class_rows[1] == 200);
  CHECK(result.min_value < -2);
  CHECK(result.max_value > 2);
}

TEST_CASE("equal rows with other labels are named by their numbers, equal rows are counted") {
  Plain plain;
  plain.rows[9] = plain.rows[4];
  plain.labels[4] = 0;
  plain.labels[9] = 1;
  plain.rows[20] = plain.rows[7];
  plain.labels[20] = plain.labels[7];
  const Dataset data = make_data(plain.rows, plain.labels);
  CHECK(says(findings(data, "contradiction"), "1 row has"));
  CHECK(says(findings(data, "contradiction"), "row 5 (no) and row 10 (yes)"));
  CHECK(says(findings(data, "duplicates"), "2 of 200 rows"));
  CHECK(examine(data, Threads(1)).distinct_rows == 198);
}

TEST_CASE("rows of weight 0 are not examined") {
  Plain plain;
  plain.rows[9] = plain.rows[4];
  plain.rows[30] = {1e40, 0, 0};
  plain.rows[31] = {0, 0, 0};
  std::vector<double> weights(200, 1.0);
  weights[9] = weights[30] = weights[31] = 0;
  const Examination result = examine(make_data(plain.rows, plain.labels, weights), Threads(1));
  CHECK(result.findings.empty());
  CHECK(result.distinct_rows == 197);
}

TEST_CASE("constant and empty columns are listed, five by name and the rest by number") {
  Plain plain;
  for (auto& row : plain.rows) row.insert(row.begin(), 7.0);
  const Dataset data = make_data(plain.rows, plain.labels, {}, 30);
  CHECK(says(findings(data, "constant-column"), "1 column has the same value in every row: 1"));
  CHECK(says(findings(data, "empty-column"), "26 of 30 columns are never filled: 5, 6, 7, 8, 9 and 21 more"));
}

TEST_CASE("scales that differ a thousandfold, huge values and zero rows are found") {
  Plain plain;
  for (auto& row : plain.rows) row[1] *= 1e4;
  CHECK(says(findings(make_data(plain.rows, plain.labels), "scale"), "column 2 reaches"));
  plain.rows[11][2] = -1e31;
  plain.rows[12] = {0, 0, 0};
  const Dataset data = make_data(plain.rows, plain.labels);
  CHECK(says(findings(data, "huge-values"), "1 value beyond 1e30, the first in row 12, column 3"));
  CHECK(says(findings(data, "zero-rows"), "1 row has only zeros, the first is row 13"));
}

TEST_CASE("rare and missing classes are found") {
  Plain plain;
  std::fill(plain.labels.begin(), plain.labels.end(), 0U);
  CHECK(says(findings(make_data(plain.rows, plain.labels), "one-class"), "1 of 2"));
  plain.labels[3] = 1;
  CHECK(says(findings(make_data(plain.rows, plain.labels), "rare-class"), "yes (1 rows)"));
  CHECK(says(findings(make_data(plain.rows, plain.labels), "imbalance"),
             "always answering no is right for 99.5 %"));
}

TEST_CASE("a column that gives the label away is found, by threshold or by value") {
  Plain plain;
  for (std::size_t i = 0; i < 200; ++i) {
    plain.rows[i].push_back(plain.labels[i] == 1 ? 2.5 : -1);                                     // threshold
    plain.rows[i].push_back(plain.labels[i] == 1 ? (i % 3 == 0 ? 1 : 3) : (i % 3 == 0 ? 2 : 0));  // values
  }
  const std::string found = findings(make_data(plain.rows, plain.labels), "leak");
  CHECK(says(found, "a threshold on one column alone tells the classes apart: 4\n"));
  CHECK(says(found, "determines the class: 5\n"));
  plain.rows[0][3] = 1.5 - plain.rows[0][3];
  plain.rows[0][4] = 3 - plain.rows[0][4];
  const std::string clean = findings(make_data(plain.rows, plain.labels), "leak");
  CHECK(clean.empty());
}

TEST_CASE("a column that numbers the rows is found, whichever row it starts at") {
  for (const double first : {0.0, 1.0, 5000.0}) {
    Plain plain;
    for (std::size_t i = 0; i < 200; ++i)
      plain.rows[i].push_back(static_cast<double>((i * 77) % 200) + first);
    CHECK(says(findings(make_data(plain.rows, plain.labels), "row-number"), "1 column has"));
    plain.rows[5][3] = plain.rows[6][3];
    CHECK(findings(make_data(plain.rows, plain.labels), "row-number").empty());
  }
}

TEST_CASE("a wide sparse set is examined, with the same findings for any number of threads") {
  Random random(2);
  MatrixBuilder builder;
  DatasetParts parts;
  for (std::size_t i = 0; i < 3000; ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      builder.add(j * 200000 + static_cast<std::uint32_t>(random.below(200000)), 1.0 + random.uniform());
    }
    builder.end_row();
    parts.labels.push_back(static_cast<std::uint32_t>(random.below(2)));
  }
  StoredMatrix stored = builder.finish(1000000, Threads(1));
  parts.matrix = stored.matrix;
  parts.storage = stored.storage;
  parts.classes = {"no", "yes"};
  const Dataset data = Dataset::make(std::move(parts));
  const Examination one = examine(data, Threads(1)), three = examine(data, Threads(3));
  CHECK(one.distinct_rows == 3000);
  REQUIRE(one.findings.size() == three.findings.size());
  for (std::size_t k = 0; k < one.findings.size(); ++k) CHECK(one.findings[k].text == three.findings[k].text);
  CHECK(one.min_value == 0);
}

TEST_CASE("rows without labels are examined for what needs no label") {
  Plain plain;
  plain.rows[1] = plain.rows[0];
  const Dataset data = make_data(plain.rows, {});
  CHECK(findings(data, "contradiction").empty());
  CHECK(says(findings(data, "duplicates"), "row 2 repeats row 1"));
}

TEST_CASE("test rows among the training rows are counted whatever their storage") {
  const auto training = dataset_from({{1, 0, 2}, {0, 0, 0}, {3, 4, 5}}, std::vector<int>{1, -1, 1});
  const auto test = dataset_from({{9, 9}, {1, 0, 2}, {0, 0}, {3, 4, 5, 0}, {3, 4, 5, 1}},
                                 std::vector<int>{1, -1, -1, 1, 1});
  const Overlap found = overlap(training, test, Threads(2));
  CHECK(found.rows == 3);
  CHECK(found.same_label == 2);
  CHECK(found.test_row == 1);
  CHECK(found.training_row == 0);
}
