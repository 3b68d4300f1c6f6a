// SPDX-License-Identifier: BSD-3-Clause
// Of every algorithm of the list: the same seed gives the same bytes, whatever the number of threads and the storage.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "contract/cases.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"

using namespace halfspace;
using namespace halfspace::contract;

namespace {

// The same rows in arrays of our own. Value: how numbers are stored; Index: of columns, void for dense rows.
template <class Value, class Index>
Dataset stored(const Sample& sample) {
  struct Arrays {
    std::vector<std::uint64_t> start{0};
    std::vector<Index> index;
    std::vector<Value> value;
  };
  auto arrays = std::make_shared<Arrays>();
  for (const auto& row : sample.rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      arrays->index.push_back(static_cast<Index>(j));
      arrays->value.push_back(static_cast<Value>(row[j]));
    }
    arrays->start.push_back(arrays->index.size());
  }
  CsrView<Value, Index> view;
  view.rows = sample.rows.size();
  view.cols = sample.rows[0].size();
  view.start = arrays->start.data();
  view.index = arrays->index.data();
  view.value = arrays->value.data();
  DatasetParts parts = testing::parts_from(sample.rows);
  parts.matrix = view;
  parts.storage = arrays;
  const Dataset plain = sample.data();
  parts.labels.assign(plain.labels().begin(), plain.labels().end());
  parts.classes = plain.classes();
  return Dataset::make(std::move(parts));
}
template <class Value>
Dataset stored_dense(const Sample& sample) {
  auto values = std::make_shared<std::vector<Value>>();
  for (const auto& row : sample.rows)
    for (const double x : row) values->push_back(static_cast<Value>(x));
  DenseView<Value> view;
  view.rows = sample.rows.size();
  view.cols = sample.rows[0].size();
  view.value = values->data();
  DatasetParts parts = testing::parts_from(sample.rows);
  parts.matrix = view;
  parts.storage = values;
  const Dataset plain = sample.data();
  parts.labels.assign(plain.labels().begin(), plain.labels().end());
  parts.classes = plain.classes();
  return Dataset::make(std::move(parts));
}

// The same rows in arrays of a caller, which the set reads where they are.
template <class Value, class Index>
Dataset borrowed(const Sample& sample) {
  struct Arrays {
    std::vector<std::int64_t> start{0};
    std::vector<Index> index;
    std::vector<Value> value;
  };
  auto arrays = std::make_shared<Arrays>();
  for (const auto& row : sample.rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      arrays->index.push_back(static_cast<Index>(j));
      arrays->value.push_back(static_cast<Value>(row[j]));
    }
    arrays->start.push_back(static_cast<std::int64_t>(arrays->index.size()));
  }
  return Dataset::csr(arrays->value, arrays->index, arrays->start, sample.rows[0].size(),
                      {.hold = Hold::BorrowOnly, .owner = arrays, .labels = sample.labels});
}
template <class Value>
Dataset borrowed_dense(const Sample& sample) {
  auto values = std::make_shared<std::vector<Value>>();
  for (const auto& row : sample.rows)
    for (const double x : row) values->push_back(static_cast<Value>(x == 0 ? -0.0 : x));
  return Dataset::dense(*values, sample.rows.size(), sample.rows[0].size(),
                        {.hold = Hold::BorrowOnly, .owner = values, .labels = sample.labels});
}

// Ways to store rows. The first of each layout is compared with the others of its layout to the bit.
struct Storage {
  std::string name;
  bool sparse;
  std::function<Dataset(const Sample&)> of;
};
const std::vector<Storage>& storages() {
  static const std::vector<Storage> all = {
      {"dense doubles", false, stored_dense<double>},
      {"dense floats", false, stored_dense<float>},
      {"borrowed dense doubles, zeros negative", false, borrowed_dense<double>},
      {"borrowed dense floats, zeros negative", false, borrowed_dense<float>},
      {"sparse doubles, 32-bit columns", true, stored<double, std::uint32_t>},
      {"sparse doubles, 16-bit columns", true, stored<double, std::uint16_t>},
      {"sparse floats, 16-bit columns", true, stored<float, std::uint16_t>},
      {"borrowed sparse doubles, 32-bit columns", true, borrowed<double, std::int32_t>},
      {"borrowed sparse floats, 64-bit columns", true, borrowed<float, std::int64_t>},
  };
  return all;
}

std::string bytes_of(const std::optional<Fit>& fit) {
  return fit && fit->has_model() ? to_bytes(fit->model()) : std::string();
}

}  // namespace

TEST_CASE("every algorithm: the same seed gives the same bytes, for 1, 2, 3 and 8 threads") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Dataset data = sample.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto first = fit_of(variant, sample.name, data, {.seed = 7});
      for (const int threads : {1, 2, 3, 8}) {
        CAPTURE(threads);
        const auto again = fit_of(variant, sample.name, data, {.seed = 7, .threads = Threads(threads)});
        CHECK((bytes_of(again) == bytes_of(first)));
        if (!first) continue;
        CHECK(again->answer.stop == first->answer.stop);
        CHECK(again->trace.iterations == first->trace.iterations);
        CHECK(again->words.summary == first->words.summary);
      }
    }
  }
}

TEST_CASE("every algorithm: the storage of the rows changes no bit, their layout nothing that counts") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      std::optional<Fit> first[2];
      for (const Storage& storage : storages()) {
        CAPTURE(storage.name);
        const Dataset data = storage.of(sample);
        REQUIRE(data.sparse() == storage.sparse);
        auto fit = fit_of(variant, sample.name, data, {.seed = 7});
        auto& same_layout = first[storage.sparse ? 1 : 0];
        if (!same_layout)
          same_layout = std::move(fit);
        else
          CHECK((bytes_of(fit) == bytes_of(same_layout)));
      }
      if (first[0] && first[1]) check_same_answer(variant, *first[0], *first[1], sample.data());
    }
  }
}

TEST_CASE(
    "verify: a model of rows that are stored dense proves itself on the sparse ones, and the other way "
    "round") {
  Random random(11);
  Sample sample{"a third full", {}, {}};
  for (int i = 0; i < 400; ++i) {
    sample.rows.emplace_back();
    for (int j = 0; j < 300; ++j)
      sample.rows.back().push_back(random.uniform() < 0.3 ? random.normal() : 0.0);
    sample.labels.push_back(random.uniform() < 0.5 ? 1 : -1);
  }
  const Dataset dense = stored_dense<double>(sample), sparse = stored<double, std::uint32_t>(sample);
  for (const Loss& loss : {Loss(Hinge{}), Loss(SquaredHinge{})}) {
    for (const double C : {1.0, 100.0, 1e4, 1e6}) {
      CAPTURE(loss.index());
      CAPTURE(C);
      const Svm svm{.C = C, .loss = loss};
      CHECK(verify(train(dense, svm).model(), sparse).holds);
      CHECK(verify(train(sparse, svm).model(), dense).holds);
    }
  }
}

TEST_CASE("every algorithm: a saved model is read again with the same bytes and scores") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const Dataset data = sample.data();
    for (const Variant& variant : variants()) {
      CAPTURE(variant.name());
      const auto fit = fit_of(variant, sample.name, data);
      if (fit && fit->has_model()) check_usable(fit->model(), data);
    }
  }
}
