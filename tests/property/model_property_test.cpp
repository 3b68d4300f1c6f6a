// SPDX-License-Identifier: BSD-3-Clause
// Laws that hold for every model, on models and rows drawn at random.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "halfspace/evaluate/evaluation.hpp"
#include "halfspace/model/liblinear.hpp"
#include "halfspace/model/model_file.hpp"
#include "support.hpp"

namespace hs = halfspace;
using hs::testing::dataset_from;
using hs::testing::same_bits;

namespace {

const hs::Threads one{1};

// Eighths between -8 and 8, zero a third of the time: sums of products are exact and ties happen.
rc::Gen<double> small_number() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::map(rc::gen::inRange(0, 192), [](int x) {
                           const double magnitude = x % 3 == 0 ? 0 : x / 24.0 - std::fmod(x / 24.0, 0.125);
                           return x % 2 == 0 ? magnitude : -magnitude;
                         }));
}

rc::Gen<std::vector<std::vector<double>>> table(std::size_t rows, std::size_t columns) {
  return rc::gen::container<std::vector<std::vector<double>>>(
      rows, rc::gen::container<std::vector<double>>(columns, small_number()));
}

hs::Model any_model(std::size_t features) {
  const std::size_t classes = *rc::gen::inRange<std::size_t>(2, 6);
  const std::size_t planes = classes == 2 ? 1 : classes;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < classes; ++k) names.push_back(std::to_string(k * 3));
  auto model = hs::testing::linear_model(
      *table(planes, features), *rc::gen::container<std::vector<double>>(planes, small_number()), names);
  model.tie = *rc::gen::element(hs::Tie::Negative, hs::Tie::Positive, hs::Tie::Abstain);
  return model;
}

}  // namespace

TEST_CASE("a saved model scores every row with the same bits") {
  CHECK(rc::check([] {
    const auto features = *rc::gen::inRange<std::size_t>(1, 12);
    auto model = any_model(features);
    model.unit_rows = *rc::gen::arbitrary<bool>();
    const auto data =
        dataset_from(*table(*rc::gen::inRange<std::size_t>(1, 20), *rc::gen::inRange<std::size_t>(1, 15)));
    const std::string bytes = hs::to_bytes(model);
    const auto back = hs::model_from_bytes(bytes, "m");
    RC_ASSERT(same_bits(hs::scores(model, data, one), hs::scores(back, data, one)));
    RC_ASSERT(back.tie == model.tie);
    RC_ASSERT(hs::to_bytes(back) == bytes);
  }));
}

TEST_CASE("a row's score does not depend on the rows beside it") {
  CHECK(rc::check([] {
    const auto features = *rc::gen::inRange<std::size_t>(1, 12);
    auto model = any_model(features);
    model.unit_rows = *rc::gen::arbitrary<bool>();
    const auto rows = *table(*rc::gen::inRange<std::size_t>(1, 20), features);
    const auto together = hs::scores(model, dataset_from(rows), one);
    const auto planes = static_cast<std::ptrdiff_t>(model.planes());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto begin = together.begin() + static_cast<std::ptrdiff_t>(i) * planes;
      RC_ASSERT(same_bits(hs::scores(model, dataset_from({rows[i]}), one), {begin, begin + planes}));
    }
  }));
}

TEST_CASE("a model written as LIBLINEAR text and read back gives the same labels, ties included") {
  CHECK(rc::check([] {
    const auto features = *rc::gen::inRange<std::size_t>(1, 8);
    auto model = any_model(features);
    if (model.tie == hs::Tie::Abstain) model.tie = hs::Tie::Negative;
    const auto data = dataset_from(*table(20, features));
    const auto back = hs::model_from_bytes(hs::to_liblinear_text(model), "m");
    RC_ASSERT(back.classes == model.classes);
    RC_ASSERT(hs::labels_from_scores(back, hs::scores(back, data, one)) ==
              hs::labels_from_scores(model, hs::scores(model, data, one)));
  }));
}

TEST_CASE("whole weights count like copies of rows in an evaluation") {
  CHECK(rc::check([] {
    const auto model = any_model(3);
    const auto rows = *table(12, 3);
    const auto weights =
        *rc::gen::container<std::vector<int>>(12, rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 4)));
    const auto labels =
        *rc::gen::container<std::vector<int>>(12, rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 5)));
    std::vector<std::string> names;
    std::vector<std::vector<double>> copied_rows;
    std::vector<std::string> copied_names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      names.push_back(std::to_string(labels[i] * 3));
      for (int k = 0; k < weights[i]; ++k) {
        copied_rows.push_back(rows[i]);
        copied_names.push_back(names[i]);
      }
    }
    // Labels of which the model knows none are refused.
    RC_PRE(std::any_of(copied_names.begin(), copied_names.end(), [&](const std::string& name) {
      return std::find(model.classes.begin(), model.classes.end(), name) != model.classes.end();
    }));
    const auto weighted = dataset_from(rows, names, std::vector<double>(weights.begin(), weights.end()));
    const auto a = hs::evaluate(model, weighted, one);
    const auto b = hs::evaluate(model, dataset_from(copied_rows, copied_names), one);
    RC_ASSERT(a.count.weight == b.count.weight);
    RC_ASSERT(a.count.wrong_weight == b.count.wrong_weight);
    RC_ASSERT(a.confusion == b.confusion);
    RC_ASSERT((a.unknown_labels > 0) == (b.unknown_labels > 0));  // rows, not weights
    RC_ASSERT(a.auc == b.auc);
  }));
}

TEST_CASE("bytes drawn at random are refused, never worse") {
  CHECK(rc::check([] {
    const auto noise = *rc::gen::arbitrary<std::string>();
    RC_ASSERT_THROWS_AS((void)hs::model_from_bytes(noise, "m"), hs::InputError);
  }));
}
