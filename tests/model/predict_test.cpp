// SPDX-License-Identifier: BSD-3-Clause
// Rows in memory and what a model says of them.
#include "halfspace/model/predict.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "halfspace/solve/algorithms.hpp"
#include "support.hpp"

using namespace halfspace;
using testing::dataset_from;
using testing::same_bits;

namespace {

const testing::Rows rows = {{0.5, 0, 3}, {-1, 0.25, 0}, {0, 0, 0}, {2, -3, 1}, {0.125, 7, -2}, {1, 1, 1}};

template <class Error, class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void check_one_by_one(const Model& model, const Dataset& data) {
  const std::vector<std::uint32_t> labels = predict(model, data, Threads(2));
  const std::vector<double> all = scores(model, data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < 3; ++j) {
      if (rows[i][j] == 0 && j != 1) continue;  // stored zeros are zeros too
      columns.push_back(j);
      values.push_back(rows[i][j]);
    }
    CHECK(predict(model, rows[i]) == labels[i]);
    CHECK(predict(model, columns, values) == labels[i]);
    const auto own = all.begin() + static_cast<std::ptrdiff_t>(i * model.planes());
    const std::vector<double> expected(own, own + static_cast<std::ptrdiff_t>(model.planes()));
    CHECK(same_bits(score(model, rows[i]), expected));
    CHECK(same_bits(score(model, columns, values), expected));
  }
}

}  // namespace

TEST_CASE("a row alone gets the label and the score that it gets in a data set") {
  const Dataset two = dataset_from(rows, std::vector<int>{1, 0, 0, 1, 0, 1});
  const Dataset three = dataset_from(rows, std::vector<int>{1, 0, 2, 1, 2, 0});
  for (const Dataset& data : {two, three}) {
    check_one_by_one(train(data, Svm{}).model(), data);
    check_one_by_one(train(data, Svm{.kernel = {.kind = KernelKind::Rbf, .gamma = 0.5}}).model(), data);
    check_one_by_one(train(data, VotedPerceptron{}).model(), data);
    check_one_by_one(train(data, Stump{}).model(), data);
  }
}

TEST_CASE("probabilities sum to one, follow the labels, and are an error where there are none") {
  const Dataset data = dataset_from(rows, std::vector<int>{1, 0, 2, 1, 2, 0});
  const Model model = train(data, LogisticRegression{}).model();
  const std::vector<double> p = probabilities(model, data, Threads(2));
  REQUIRE(p.size() == 3 * rows.size());
  const std::vector<std::uint32_t> labels = predict(model, data);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(p[3 * i] + p[3 * i + 1] + p[3 * i + 2] == doctest::Approx(1));
    CHECK(std::max_element(&p[3 * i], &p[3 * i] + 3) - &p[3 * i] == static_cast<std::ptrdiff_t>(labels[i]));
    CHECK(same_bits(probabilities(model, rows[i]), {p[3 * i], p[3 * i + 1], p[3 * i + 2]}));
  }
  const Model svm = train(data, Svm{}).model();
  CHECK(said<UsageError>([&] { (void)probabilities(svm, data); }) == "a model of svm has no probabilities");
  CHECK(said<UsageError>([&] { (void)probabilities(svm, rows[0]); }) ==
        "a model of svm has no probabilities");
}

TEST_CASE("a row of another width is refused with both numbers") {
  const Dataset data = dataset_from(rows, std::vector<int>{1, 0, 0, 1, 0, 1});
  const Model model = train(data, Svm{}).model();
  CHECK(said<InputError>([&] {
          (void)predict(model, std::vector<double>{1, 2});
        }) == "error: a row of 2 values; the model takes 3");
  CHECK(said<InputError>([&] { (void)score(model, std::vector<double>(4)); }) ==
        "error: a row of 4 values; the model takes 3");
  using Columns = std::vector<std::uint32_t>;
  using Values = std::vector<double>;
  CHECK(said<InputError>([&] { (void)predict(model, Columns{3}, Values{1}); }) ==
        "error: column 3; the model has 3, counted from 0");
  CHECK(said<InputError>([&] {
          (void)predict(model, Columns{1, 1}, Values{1, 2});
        }) == "error: column 1 after 1; ascending columns");
  CHECK(said<InputError>([&] {
          (void)predict(model, Columns{1}, Values{1, 2});
        }) == "error: 1 columns and 2 values; one value for each column");
  CHECK(said<InputError>([&] {
          (void)predict(model, dataset_from({{1, 2}, {3, 4}}));
        }) == "test: error: rows of 2 columns; the model takes 3");
  CHECK_THROWS_AS((void)predict(model, Values{1, std::numeric_limits<double>::quiet_NaN(), 0}), InputError);
  // Sparse rows say only what is not zero: columns beyond the model's are ignored, as in files.
  std::vector<double> wide(200);
  wide[0] = 1;
  wide[150] = 9;
  CHECK(predict(model, dataset_from({wide})).front() == predict(model, std::vector<double>{1, 0, 0}));
}
