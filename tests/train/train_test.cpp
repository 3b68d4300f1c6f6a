// SPDX-License-Identifier: BSD-3-Clause
// The pipeline: raw rows in, a model of raw rows out.
#include "halfspace/train/train.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "folder.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/model/predict.hpp"
#include "halfspace/model/read_for_model.hpp"
#include "halfspace/prepare/against_rest.hpp"
#include "support.hpp"

using namespace halfspace;
using testing::dataset_from;

namespace {

// Three classes around three corners, the second column a thousand times as large as the first.
Dataset corners(const std::vector<std::string>& names) {
  testing::Rows rows;
  std::vector<std::string> labels;
  for (int i = 0; i < 30; ++i) {
    const double a = 0.3 * std::sin(3.0 * i), b = 300 * std::cos(5.0 * i);
    const int k = i % 3;
    rows.push_back({(k == 1 ? 2.0 : 0.0) + a, (k == 2 ? 2000.0 : 0.0) + b});
    labels.push_back(names[static_cast<std::size_t>(k)]);
  }
  return dataset_from(rows, labels);
}

template <class F>
std::string usage_error(F&& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a prepared model predicts and verifies the rows as they are, and counts the same errors") {
  const Dataset data = corners({"a", "b", "c"});
  for (const ScaleKind scale : {ScaleKind::None, ScaleKind::Standard, ScaleKind::MinMax, ScaleKind::Unit}) {
    for (const std::string positive : {"", "b"}) {
      CAPTURE(OptionType<ScaleKind>::print(scale));
      CAPTURE(positive);
      const Fit fit = train(data, {.positive = positive, .scale = scale}, Svm{.C = 1});
      const Model back = model_from_bytes(to_bytes(fit.model()), "m");
      CHECK(verify(back, data).holds);
      REQUIRE(fit.trace.error);
      const std::vector<std::uint32_t> truth = labels_for(back, data),
                                       given = predict(back, data, Threads(2));
      std::uint64_t wrong = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) wrong += truth[i] == given[i] ? 0 : 1;
      CHECK(fit.trace.error->wrong == wrong);
      CHECK(fit.trace.error->rows == data.rows());
    }
  }
}

TEST_CASE("an algorithm by its name and by its type train the same bytes") {
  const Dataset data = corners({"a", "b", "c"});
  const Preparation how{.positive = "c", .scale = ScaleKind::Standard};
  Algorithm svm = Algorithm::by_name("svm");
  svm.set("C", "3");
  CHECK(to_bytes(train(data, how, svm).model()) == to_bytes(train(data, how, Svm{.C = 3}).model()));
  // Rows that stand against the rest already stay as they are.
  CHECK(to_bytes(train(against_rest(data, "c"), how, svm).model()) ==
        to_bytes(train(data, how, svm).model()));
}

TEST_CASE("a class called rest or others is a class like any other") {
  for (const auto& names :
       {std::vector<std::string>{"rest", "b", "c"}, std::vector<std::string>{"others", "rest", "c"}}) {
    const Dataset data = corners(names);
    for (const std::string& positive : names) {
      CAPTURE(positive);
      const Fit fit = train(data, {.positive = positive, .scale = ScaleKind::Standard}, Svm{});
      const Model& model = fit.model();
      CHECK(model.classes.back() == positive);
      // The others together have a name that none of them has.
      CHECK(std::find(names.begin(), names.end(), model.classes.front()) == names.end());
      CHECK(verify(model, data).holds);
      const std::vector<std::uint32_t> truth = labels_for(model, data);
      for (std::size_t i = 0; i < truth.size(); ++i)
        CHECK(truth[i] == (data.classes()[data.labels()[i]] == positive ? 1U : 0U));
    }
    CHECK(verify(train(data, {}, Svm{}).model(), data).holds);
    CHECK(verify(train(data, {}, Perceptron{}).model(), data).holds);
  }
  // Of two classes, one called rest, a third label is no label of the model.
  const Model two = train(dataset_from({{0}, {1}}, std::vector<std::string>{"rest", "x"}), {}, Svm{}).model();
  const Dataset three = dataset_from({{0}, {1}, {2}}, std::vector<std::string>{"rest", "x", "y"});
  CHECK(labels_for(two, three) == std::vector<std::uint32_t>{0, 1, 2});
}

TEST_CASE("the positive class may be written as any text of the same number") {
  const Dataset data = dataset_from({{0}, {1}, {2}, {3}}, std::vector<int>{1, 2, 3, 2});
  CHECK(against_rest(data, "+2.0").classes() == std::vector<std::string>{"rest", "2"});
  CHECK_THROWS_AS((void)train(data, {.positive = "4"}, Svm{}), InputError);
}

TEST_CASE("options set from C++ are held against the ranges of their text, by name") {
  const Dataset data = corners({"a", "b", "c"});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    CHECK(usage_error([&] { (void)train(data, {}, Svm{.C = bad}); }).starts_with("C: "));
    CHECK(usage_error([&] { (void)train(data, Svm{.C = bad}); }).starts_with("C: "));
    CHECK(usage_error([&] { (void)train(data, {}, Pegasos{.lambda = bad}); }).starts_with("lambda: "));
    CHECK(usage_error([&] { (void)train(data, {}, Svm{.gap = bad}); }).starts_with("gap: "));
    const KernelFunction rbf{.kind = KernelKind::Rbf, .gamma = bad};
    CHECK(usage_error([&] { (void)train(data, {}, Svm{.kernel = rbf}); }).starts_with("kernel"));
  }
  CHECK(usage_error([&] {
          (void)train(data, {.map = MapChoice{MapKind::Nystrom, 0}}, Svm{});
        }).starts_with("features"));
}

TEST_CASE(
    "a table is predicted by the columns of the training table, or refused by the name of one that differs") {
  const testing::Folder folder;
  std::ofstream(folder / "a.csv") << "color,size,label\nred,1,x\nblue,2,y\nred,1.5,x\nblue,3,y\n";
  std::ofstream(folder / "b.csv") << "size,color\n2.5,blue\n1,red\n";
  std::ofstream(folder / "c.csv") << "color,size,label\ngreen,1,x\nblue,2,y\n";
  const Model model = train(read(folder / "a.csv"), {.scale = ScaleKind::Standard}, Svm{}).model();
  CHECK(predict(model, read_for_model(folder / "b.csv", model)) == std::vector<std::uint32_t>{1, 0});
  // Read on its own it has other features: the second is green, not red.
  std::string said;
  try {
    (void)predict(model, read(folder / "c.csv"));
  } catch (const InputError& error) {
    said = error.message();
  }
  CHECK(said == "feature 2 is color=green; that of the model is color=red");
}
