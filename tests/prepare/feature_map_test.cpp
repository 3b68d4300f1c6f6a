// SPDX-License-Identifier: BSD-3-Clause
#include "halfspace/prepare/feature_map.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "feature_products.hpp"
#include "halfspace/certify/verify_model.hpp"
#include "halfspace/core/error.hpp"
#include "halfspace/core/random.hpp"
#include "halfspace/model/liblinear.hpp"
#include "halfspace/model/libsvm.hpp"
#include "halfspace/model/model_file.hpp"
#include "halfspace/solve/algorithms.hpp"
#include "halfspace/train/train.hpp"
#include "support.hpp"

using namespace halfspace;
using testing::kernel_of;
using testing::product;

namespace {

const Threads one(1);
const KernelFunction rbf{KernelKind::Rbf, 0.05};

struct Sample {
  testing::Rows rows;
  std::vector<int> labels;
};
// A ring around a cloud: no plane separates them, a circle does.
Sample rings(int rows, std::uint64_t seed, int columns = 3) {
  Random random(seed);
  Sample out;
  for (int i = 0; i < rows; ++i) {
    const int label = static_cast<int>(random.below(2));
    const double radius = label == 0 ? 1 + random.uniform() : 3 + random.uniform();
    const double angle = 6.283185307179586 * random.uniform();
    std::vector<double> row{radius * std::cos(angle), radius * std::sin(angle)};
    while (row.size() < static_cast<std::size_t>(columns))
      row.push_back(random.below(3) == 0 ? random.normal() : 0.0);
    out.rows.push_back(row);
    out.labels.push_back(label);
  }
  return out;
}
Dataset data_of(const Sample& sample) { return testing::dataset_from(sample.rows, sample.labels); }

const DenseView<float>& floats(const Dataset& data) { return std::get<DenseView<float>>(data.matrix()); }
bool same_features(const Dataset& a, const Dataset& b) {
  const auto &x = floats(a), &y = floats(b);
  return x.rows == y.rows && x.cols == y.cols && std::equal(x.value, x.value + x.rows * x.cols, y.value);
}

Fit mapped_fit(const Dataset& data, const MapChoice& choice, const KernelFunction& kernel,
               const Svm& svm = {}) {
  const auto map = std::make_shared<FeatureMap>(learn_features(data, choice, kernel, 1, one));
  Fit fit = train(apply_features(data, *map, one), svm);
  fit.model().map = map;
  for (auto& [name, value] : fit.model().facts) {
    if (name == "data") value = data.fingerprint();
    if (name == "features") value = std::to_string(data.features());
  }
  return fit;
}

}  // namespace

TEST_CASE("products of nystrom features are the kernel where every row is a landmark") {
  const Sample sample = rings(90, 3);
  const Dataset data = data_of(sample);
  for (const KernelFunction& kernel : {rbf, KernelFunction{KernelKind::Poly, 0.5, 1, 2}, KernelFunction{}}) {
    const FeatureMap map = learn_features(data, {MapKind::Nystrom, 90}, kernel, 1, one);
    const Dataset mapped = apply_features(data, map, one);
    for (std::size_t i = 0; i < 90; i += 7) {
      for (std::size_t j = 0; j < 90; j += 5) {
        const double exact = kernel_of(map.kernel, sample.rows[i], sample.rows[j]);
        CHECK(std::abs(product(mapped, i, j) - exact) < 1e-5 * std::max(1.0, std::abs(exact)));
      }
    }
  }
}

TEST_CASE("nystrom leaves out landmarks that the others span") {
  const Dataset data = data_of(rings(60, 4));  // three columns: the linear kernel has rank 3
  std::vector<std::string> notes;
  const FeatureMap map = learn_features(data, {MapKind::Nystrom, 40}, KernelFunction{}, 1, one, &notes);
  CHECK(map.outputs == 3);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "37 of 40 landmarks depend on the others and are left out");
}

TEST_CASE("nystrom takes every different row once when more landmarks are asked for than there are") {
  Sample sample = rings(20, 5);
  for (int k = 0; k < 10; ++k) {
    sample.rows.push_back(sample.rows[0]);
    sample.labels.push_back(sample.labels[0]);
  }
  std::vector<std::string> notes;
  const FeatureMap map =
      learn_features(data_of(sample), {MapKind::Nystrom, 500}, {KernelKind::Rbf, 1.0}, 1, one, &notes);
  CHECK(map.outputs == 20);
  REQUIRE(!notes.empty());
  CHECK(notes[0] == "nystrom:500: the data have 20 different rows, all of them are landmarks");
}

TEST_CASE("the error of fourier features falls with the root of their number") {
  const Sample sample = rings(60, 6);
  const Dataset data = data_of(sample);
  const auto mean_error = [&](std::size_t size) {
    const Dataset mapped =
        apply_features(data, learn_features(data, {MapKind::Fourier, size}, rbf, 1, one), one);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      CHECK(product(mapped, i, i) == doctest::Approx(1).epsilon(1e-5));  // cos^2 + sin^2
      for (std::size_t j = 0; j < i; ++j, ++count)
        sum += std::pow(product(mapped, i, j) - kernel_of(rbf, sample.rows[i], sample.rows[j]), 2);
    }
    return std::sqrt(sum / count);
  };
  // The mean of M / 2 products of cosines has variance at most 1 / M.
  CHECK(mean_error(200) < 2 / std::sqrt(200.0));
  CHECK(mean_error(20000) < 2 / std::sqrt(20000.0));
  CHECK(mean_error(20000) < mean_error(200) / 3);
}

TEST_CASE("features have the same bits for any number of threads, range of rows and storage") {
  for (const int columns : {3, 2500}) {
    const Sample sample = rings(700, 7, columns);
    const Dataset sparse = data_of(sample);
    for (const MapChoice choice : {MapChoice{MapKind::Nystrom, 50}, MapChoice{MapKind::Fourier, 50}}) {
      const FeatureMap map = learn_features(sparse, choice, {KernelKind::Rbf, 0.01}, 9, one);
      const FeatureMap again = learn_features(sparse, choice, {KernelKind::Rbf, 0.01}, 9, Threads(3));
      CHECK(map.transform == again.transform);
      CHECK(map.frequency == again.frequency);
      const Dataset all = apply_features(sparse, map, one);
      CHECK(same_features(all, apply_features(sparse, map, Threads(3))));
      const Dataset part = apply_features(sparse, map, 513, 515, one);
      const std::size_t m = map.outputs;
      CHECK(std::equal(floats(part).value, floats(part).value + 2 * m, floats(all).value + 513 * m));
      // A row alone may be stored another way than in the set.
      const std::vector<std::uint32_t> single{514};
      const Dataset alone = apply_features(sparse.subset(single), map, one);
      CHECK(std::equal(floats(alone).value, floats(alone).value + m, floats(all).value + 514 * m));
    }
  }
}

TEST_CASE("weight k is k copies and weight 0 no row, also for landmarks") {
  const Sample sample = rings(80, 8);
  Sample copied;
  std::vector<double> weights;
  for (std::size_t i = 0; i < 80; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (std::size_t k = 0; k < i % 3; ++k) {
      copied.rows.push_back(sample.rows[i]);
      copied.labels.push_back(sample.labels[i]);
    }
  }
  const FeatureMap a = learn_features(testing::dataset_from(sample.rows, sample.labels, weights),
                                      {MapKind::Nystrom, 20}, rbf, 3, one);
  const FeatureMap b = learn_features(data_of(copied), {MapKind::Nystrom, 20}, rbf, 3, one);
  CHECK(a.value == b.value);
  CHECK(a.transform == b.transform);
}

TEST_CASE("a linear svm on all landmarks is the kernel machine, to the gap") {
  const Dataset data = data_of(rings(150, 9));
  const Fit exact = train(data, Svm{.C = 2, .gap = 1e-8, .kernel = rbf});
  const Fit mapped = mapped_fit(data, {MapKind::Nystrom, 150}, rbf, {.C = 2, .gap = 1e-8});
  REQUIRE(exact.proof.objective);
  REQUIRE(mapped.proof.objective);
  CHECK(mapped.proof.objective->primal == doctest::Approx(exact.proof.objective->primal).epsilon(1e-5));
  const std::vector<double> a = scores(exact.model(), data, one), b = scores(mapped.model(), data, one);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-3);
}

TEST_CASE("a model with features is stored with them, scores alike and is verified on the rows as they are") {
  const Dataset data = data_of(rings(300, 10));
  for (const MapChoice choice : {MapChoice{MapKind::Nystrom, 30}, MapChoice{MapKind::Fourier, 60}}) {
    const Fit fit = train(data, {.map = choice, .kernel = rbf}, Svm{});
    const Model& model = fit.model();
    CHECK(model.features() == data.features());
    const Model back = model_from_bytes(to_bytes(model), "m");
    CHECK(testing::same_bits(scores(model, data, one), scores(back, data, Threads(2))));
    CHECK(to_bytes(back) == to_bytes(model));
    CHECK(verify(back, data, one).holds);
    // The certificate belongs to these features: others do not have it.
    auto other = std::make_shared<FeatureMap>(*model.map);
    (choice.kind == MapKind::Fourier ? other->frequency : other->transform)[0] *= 1.5;
    Model forged = back;
    forged.map = other;
    CHECK_FALSE(verify(forged, data, one).holds);
    CHECK_THROWS_AS((void)to_liblinear_text(model), UsageError);
    CHECK_THROWS_AS((void)to_libsvm_text(model), UsageError);
  }
}

TEST_CASE("features that a kernel does not have are refused by name") {
  const Dataset data = data_of(rings(30, 11));
  CHECK_THROWS_WITH_AS(
      (void)learn_features(data, {MapKind::Fourier, 10}, {KernelKind::Poly, 1, 1, 2}, 1, one),
      doctest::Contains("fourier features stand for rbf kernels, not for poly:2"), UsageError);
  CHECK_THROWS_AS((void)learn_features(data, {MapKind::Nystrom, 10}, {KernelKind::Sigmoid, 1}, 1, one),
                  UsageError);
  CHECK_THROWS_AS((void)OptionType<MapChoice>::parse("features", "fourier:7", {}), UsageError);
  CHECK_THROWS_AS((void)OptionType<MapChoice>::parse("features", "fourier", {}), UsageError);
  CHECK_THROWS_AS((void)OptionType<MapChoice>::parse("features", "nystrom:0", {}), UsageError);
  CHECK_THROWS_AS((void)OptionType<MapChoice>::parse("features", "waves:10", {}), UsageError);
}
