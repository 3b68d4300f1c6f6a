// SPDX-License-Identifier: BSD-3-Clause
// Of every algorithm of the list: a weight of k is k copies, a weight of 0 is no row, and the order of rows matters
// where it is said to and nowhere else.
#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "contract/cases.hpp"
#include "halfspace/core/random.hpp"

using namespace halfspace;
using namespace halfspace::contract;

namespace {

struct Weighted {
  Sample sample;
  std::vector<double> weights;
};
// Weights from `least` to 3, the first rows of all classes 1.
Weighted weighted(const Sample& sample, std::uint64_t least) {
  Random random(5);
  Weighted out{sample, {}};
  for (std::size_t i = 0; i < sample.rows.size(); ++i)
    out.weights.push_back(i < 6 ? 1 : static_cast<double>(least + random.below(4 - least)));
  return out;
}
Sample repeated(const Weighted& weighted) {
  Sample out{weighted.sample.name, {}, {}};
  for (std::size_t i = 0; i < weighted.weights.size(); ++i) {
    for (int k = 0; k < static_cast<int>(weighted.weights[i]); ++k) {
      out.rows.push_back(weighted.sample.rows[i]);
      out.labels.push_back(weighted.sample.labels[i]);
    }
  }
  return out;
}

void check_copies(std::uint64_t least) {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Weighted one = weighted(sample, least);
    const Dataset counted = testing::dataset_from(one.sample.rows, one.sample.labels, one.weights);
    const Dataset copied = repeated(one).data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto a = fit_of(variant, sample.name, counted, {.seed = 3});
      const auto b = fit_of(variant, sample.name, copied, {.seed = 3});
      if (a && b) check_same_answer(variant, *a, *b, copied);
    }
  }
}

}  // namespace

TEST_CASE("every algorithm: a weight of k is k copies") { check_copies(1); }

TEST_CASE("every algorithm: a weight of 0 is no row") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    // Rows of the next class in places where they would do harm.
    Sample more{sample.name, {}, {}};
    std::vector<double> weights;
    for (std::size_t i = 0; i < sample.rows.size(); ++i) {
      more.rows.push_back(sample.rows[i]);
      more.labels.push_back(sample.labels[i]);
      weights.push_back(1);
      if (i % 7 != 3) continue;
      more.rows.push_back(sample.rows[i]);
      more.labels.push_back((sample.labels[i] + 1) % 2);
      weights.push_back(0);
    }
    const Dataset with = testing::dataset_from(more.rows, more.labels, weights);
    const Dataset without = sample.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto a = fit_of(variant, sample.name, with, {.seed = 3});
      const auto b = fit_of(variant, sample.name, without, {.seed = 3});
      if (!a || !b) continue;
      check_same_answer(variant, *a, *b, without);
      CHECK(a->trace.mistakes == b->trace.mistakes);
    }
  }
}

TEST_CASE("every algorithm: rows in another order are the same rows, but for those that walk") {
  std::set<std::string> moved;  // algorithms whose scores changed
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    std::vector<std::uint32_t> order(sample.rows.size());
    std::iota(order.begin(), order.end(), 0);
    Random(11).shuffle(order);
    const Dataset data = sample.data();
    const Dataset shuffled = data.subset(order);
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto a = fit_of(variant, sample.name, data, {.seed = 3});
      const auto b = fit_of(variant, sample.name, shuffled, {.seed = 3});
      if (!a || !b) continue;
      if (!nature(variant.algorithm).order_matters)
        check_same_answer(variant, *a, *b, data);
      else if (a->has_model() && b->has_model() &&
               !testing::same_bits(scores(a->model(), data, Threads(1)),
                                   scores(b->model(), data, Threads(1))))
        moved.insert(variant.algorithm);
    }
  }
  for (const Nature& nature : natures) {
    CAPTURE(nature.algorithm);
    CHECK(moved.contains(std::string(nature.algorithm)) == nature.order_matters);
  }
}
